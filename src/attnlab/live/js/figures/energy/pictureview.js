// The view of the pictures: one to spoil, what becomes of it, and all that are stored.

import { countRecalled } from "../../models/hopfield.js";
import { textButton } from "../../parts/buttons.js";
import { menu } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { slider } from "../../parts/numbers.js";
import { viewSwitch } from "../../parts/views.js";
import { percent } from "../../words/phrases.js";
import { recallChart } from "./charts.js";
import { sliderValueLabel } from "./fall.js";
import { cuePad, pictureTiles, statePicture } from "./pictures.js";
import { ALBUMS, computePicturePath } from "./state.js";
import { describePictures, recallText, countSharedPixels, weightText } from "./words.js";

const COUNT_DELAY = 120; // milliseconds in which nothing changes, before it counts
const COUNT_SLICE = 8; // milliseconds of counting at a stretch

const MAX_PICTURES = ALBUMS.letters.length;
const PICTURE_ALBUMS = { letters: "letters", random: "random dots" };
const MEMORY_RULES = { attention: "attention", classical: "sign rule (1982)" };

/** As `planeView`; `redraw()` is called when it is counted which pictures come back. */
export function pictureView({ signal, state, redraw }) {
  const cue = cueRow(state.paint);
  const noise = noiseControl(state);
  const memory = memoryControls(state);
  const tiles = pictureTiles({ onPicture: (picture) => state.change({ picture }) });
  const recall = recallChart();
  const below = outcomeTabs(tiles, recall, redraw);
  const count = recallCounter({ signal, onCounts });

  function onCounts(curve) {
    recall.update(curve, state.now().stored, MAX_PICTURES, "Counting …");
    // Where it is not looked at, nothing that one may be reading is drawn anew.
    if (curve.length === MAX_PICTURES && below.shown() === "recall") redraw();
  }

  function update(now, fall) {
    cue.update(now, fall);
    noise.update(now);
    memory.update(now);
    showTiles(tiles, now, fall);
    const curve = count(now);
    const counted = curve.length === MAX_PICTURES ? recallText(now, curve) : "";
    recall.update(curve, now.stored, MAX_PICTURES, counted || "Counting …");
    return [...describePictures(now, fall), below.shown() === "recall" && counted];
  }
  const settings = [noise.element, ...memory.elements];
  const elements = { stage: [cue.element], settings, below: [below.element] };
  return { elements, fall: computePicturePath, update };
}

// The stored pictures, or how many of them come back: one at a time.
function outcomeTabs(tiles, recall, onView) {
  const views = [
    ["tiles", "stored pictures", tiles.element],
    ["recall", "how many come back", recall.element],
  ];
  const { field, shown } = viewSwitch({ label: "Show", views, onView });
  field.firstChild.classList.add("al-hidden");
  field.classList.add("al-more");
  const element = make("div.en-outcomes.al-more", field, tiles.element, recall.element);
  return { element, shown };
}

// The cue, the state at the step, and where it comes to rest.
function cueRow(onPaint) {
  const pad = cuePad({ onPaint });
  const result = statePicture();
  const rest = statePicture();
  const element = make("div.en-row", pad.element, result.element, rest.element);

  function update({ picture }, { cue, wanted, names, path, step, last }) {
    pad.update(cue, wanted, `The cue, ${names[picture]} spoilt`);
    const after = step === 0 ? "Before step 1" : `After step ${step}`;
    result.update(path.states[step], wanted, after);
    const settled = path.settled ? "At rest" : "Not at rest";
    rest.update(path.states[last], wanted, `${settled} (step ${last})`);
  }
  return { element, update };
}

// How many pixels are flipped, and others instead.
function noiseControl(state) {
  const onValue = state.setNoise;
  const noise = slider("Pixels flipped ", 0, 64, onValue);
  const value = sliderValueLabel(noise.field);
  const another = textButton("Other pixels", state.drawNoise);
  const element = make("div.en-noise.al-more", noise.field, another);

  function update({ flipped }) {
    noise.set(flipped.length, 64, `${flipped.length} of 64 pixels`);
    value.textContent = `${flipped.length} of 64`;
  }
  return { element, update };
}

// What is stored, and by which rule it comes back.
function memoryControls({ change }) {
  const onValue = (stored) => change({ stored }, `${stored} stored`);
  const stored = slider("Pictures stored ", 1, MAX_PICTURES, onValue);
  stored.field.classList.add("al-more");
  const value = sliderValueLabel(stored.field);
  const onAlbum = (pictures) => change({ pictures });
  const album = menu("Which", PICTURE_ALBUMS, onAlbum);
  const onRule = (rule) => change({ rule });
  const rule = menu("Rule", MEMORY_RULES, onRule);
  const both = make("div.en-menus.al-more", rule.field, album.field);

  function update(now) {
    stored.set(now.stored, MAX_PICTURES, String(now.stored));
    value.textContent = now.stored;
    album.set(now.pictures);
    rule.set(now.rule);
  }
  return { elements: [stored.field, both], update };
}

// Attention weighs what is stored; the sign rule has no weights, but pixels in common.
function showTiles(tiles, { stored, picture }, fall) {
  const { pictures, names, kept, attends, path, step } = fall;
  const shares = attends
    ? path.weights[step]
    : kept.map((pixels) => countSharedPixels(pixels, path.states[step]) / 64);
  const what = attends ? "Weights" : "Pixels shared";
  const title = `${what} at step ${step}; choose the one to spoil`;
  const shareText = attends ? (weight) => weightText(weight).replace(/^0/, "") : percent;
  tiles.update({ pictures, names, stored, picture, shares, shareText, title });
}

// How many pictures come back, for every number of stored ones: counted in pieces, when
// nothing else is to be done, since it takes longer than a frame.

/**
 * Returns a function of the state, which gives what is counted of its curve, an array that
 * grows: { attention, classical } for 1, 2, … stored. `onCounts(curve)` is called when it has.
 */
function recallCounter({ signal, onCounts }) {
  let [known, curve, timer] = ["", [], 0];
  signal.addEventListener("abort", () => clearTimeout(timer));

  function countRecall(state) {
    const { pictures, flipped, picture_beta: beta } = state;
    const begun = performance.now();
    do {
      const kept = ALBUMS[pictures].slice(0, curve.length + 1);
      curve.push(countRecalled(kept, flipped, beta));
    } while (curve.length < ALBUMS[pictures].length && performance.now() - begun < COUNT_SLICE);
    if (curve.length < ALBUMS[pictures].length) timer = setTimeout(countRecall, 0, state);
    onCounts(curve);
  }

  return (state) => {
    const { pictures, flipped, picture_beta: beta } = state;
    const key = JSON.stringify([pictures, [...flipped].sort((a, b) => a - b), beta]);
    if (key === known) return curve;
    clearTimeout(timer);
    [known, curve, timer] = [key, [], setTimeout(countRecall, COUNT_DELAY, state)];
    return curve;
  };
}
