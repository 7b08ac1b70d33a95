// Attention as a memory: a query falls to one of the stored patterns, or to a mixture, and
// the energy of the modern Hopfield network falls with it. In the plane, and with pictures.

import {
  countRecalled,
  hebbianWeights,
  hopfieldPath,
  hopfieldStep,
  signPath,
  withFlips,
} from "../../models/hopfield.js";
import {
  allow,
  choices,
  numberBox,
  pressButton,
  showPlaying,
  slider,
} from "../../parts/controls.js";
import { make } from "../../parts/elements.js";
import { calmly, oncePerFrame, prefersStillness } from "../../parts/timing.js";
import {
  LETTER_NAMES,
  letterPictures,
  randomPictures,
  shuffledPixels,
} from "../../words/glyphs.js";
import { pushGrowth } from "./basins.js";
import { energyLine, recallChart } from "./charts.js";
import { cuePad, pictureTiles, statePicture, weightText } from "./pictures.js";
import { PLANE_REACH, energyPlane, planePoint, shortNumber } from "./plane.js";

const LEAST_BETA = 0.001;
const MOST_BETA = 100;
const DECADE = 20; // steps of the slider for β in a factor of ten
const FEWEST_PATTERNS = 2;
const MOST_PICTURES = LETTER_NAMES.length;
const PLAY_TICK = 450; // milliseconds
const MOST_TICKS = 20; // in a play, however long the way
const COUNT_DELAY = 120; // milliseconds in which nothing changes, before it counts
const COUNT_SLICE = 8; // milliseconds of counting at a stretch

// The patterns are the keys of the figure of chapter 3, and two to add.
const PATTERN_STOCK = [
  [2, 1],
  [-0.5, 2.2],
  [-2.2, -0.6],
  [1, -2],
  [2.4, -0.6],
  [-1.4, 1.6],
];
export const ENERGY_START = {
  view: "plane",
  pattern: PATTERN_STOCK.slice(0, 4),
  query: [0.4, 0.9],
  beta: 1,
  step: 1,
  pictures: "letters",
  stored: 26,
  picture: 0,
  flipped: shuffledPixels(1).slice(0, 10),
  picture_beta: 0.125,
  rule: "attention",
};
const ENERGY_TRAITS = Object.keys(ENERGY_START);
const OF_VIEW = {
  plane: ["pattern", "query", "beta", "step"],
  pictures: ["pictures", "stored", "picture", "flipped", "picture_beta", "rule", "step"],
};

// Each is the start of its view but for what it names.
const ENERGY_TRIES = {
  plane: [
    [
      "Small β",
      { beta: 0.1 },
      "A small β: from everywhere the way leads to one place, near the mean",
    ],
    ["Large β", { beta: 10 }, "A large β: to the nearest pattern, almost at once"],
    [
      "Two merge",
      {
        pattern: [
          [2.4, 0.5],
          [1.8, 1.6],
          [-2.4, 0.2],
          [0.2, -2.4],
        ],
        query: [0.5, 0.1],
        beta: 1.2,
      },
      "Patterns 1 and 2 lie close together and share a resting place between them; raise β until they part",
    ],
    [
      "Mean or pattern",
      {
        pattern: [
          [0, 2.4],
          [-2.08, -1.2],
          [2.08, -1.2],
        ],
        query: [0.4, 0.7],
        beta: 0.34,
      },
      "Three patterns, all equally far apart: their mean is a resting place beside those of the patterns",
    ],
    [
      "On a ridge",
      {
        pattern: [
          [2, 1],
          [-2, 1],
          [0, -2.2],
        ],
        query: [0, 2],
        beta: 1,
      },
      "The query is as near to pattern 1 as to pattern 2",
    ],
    [
      "Never found",
      {
        pattern: [
          [2, 1],
          [-0.5, 2.2],
          [-2.2, -0.6],
          [0.2, 0.4],
        ],
        query: [0.2, 0.4],
        beta: 4,
      },
      "Pattern 4 is short, and the query lies on it. Others have larger products with it",
    ],
  ],
  pictures: [
    ["Large β", { picture_beta: 0.5 }, "A large β: one step is enough"],
    ["Small β", { picture_beta: 0.03 }, "A small β: all letters at once"],
    [
      "G and its like",
      { picture: 6 },
      "G, O, Q and C are alike, and share one resting place; raise β until they part",
    ],
    [
      "Lower half gone",
      { picture: 17, picture_beta: 0.5, flipped: inkBelow(17) },
      "The lower half of the R is blank; what is left could be a P",
    ],
    [
      "Sign rule, 4 letters",
      { rule: "classical", stored: 4, picture: 1 },
      "The sign rule with four letters",
    ],
    ["Sign rule, 5 letters", { rule: "classical", stored: 5, picture: 1 }, "One letter more"],
    [
      "Sign rule, 10 random",
      { rule: "classical", pictures: "random", stored: 10, picture: 1 },
      "Pictures drawn by lot are less alike than letters",
    ],
  ],
};

function inkBelow(picture) {
  return letterPictures()[picture].flatMap((ink, k) => (ink > 0 && k >= 32 ? [k] : []));
}

export function renderEnergy({ model, el, say, signal }) {
  const speak = calmly(say);
  const atFirst = Object.fromEntries(ENERGY_TRAITS.map((name) => [name, model.get(name)]));
  const albums = { letters: letterPictures(), random: randomPictures() };
  let news = ""; // what the reader changed last, in words
  let noises = 1; // how many noises were drawn
  let playing = 0;
  let shown = null; // what is drawn now
  const counts = { key: "", curve: [], timer: 0 };

  // The controls -------------------------------------------------------------------------

  const views = choices({
    label: "Patterns",
    options: [
      ["plane", "points in the plane"],
      ["pictures", "pictures"],
    ],
    onChoice: (view) => change("", { view }),
  });
  const beta = betaControl((number) =>
    change(`β ${shortNumber(number)}`, { [betaName()]: number }),
  );
  const plane = energyPlane({
    figure: el.closest("figure"),
    signal,
    onPattern: (index, at) => {
      const pattern = state().pattern.map((old, i) => (i === index ? at : old));
      change(`Pattern ${index + 1} at ${planePoint(at)}`, { pattern });
    },
    onQuery: (query) => change("", { query }),
  });
  const add = make("button", { type: "button" }, "Add a pattern");
  const remove = make("button", { type: "button" }, "Remove the last");
  add.addEventListener("click", () => resize(1));
  remove.addEventListener("click", () => resize(-1));
  const coordinates = coordinateBoxes({
    onPattern: (index, at) =>
      change(`Pattern ${index + 1} at ${planePoint(at)}`, {
        pattern: state().pattern.map((old, i) => (i === index ? at : old)),
      }),
    onQuery: (query) => change("", { query }),
  });

  const pad = cuePad({ onPixels: paintPixels });
  const result = statePicture();
  const rest = statePicture();
  const noise = slider({ label: "Pixels flipped ", min: 0, max: 64, onValue: setNoise });
  const noiseNow = nowIn(noise.field);
  const another = make("button", { type: "button" }, "Other pixels");
  another.addEventListener("click", () => {
    noises += 1;
    const { flipped } = state();
    change(`${flipped.length} other pixels flipped`, {
      flipped: shuffledPixels(noises).slice(0, flipped.length),
    });
  });
  const stored = slider({
    label: "Pictures stored ",
    min: 1,
    max: MOST_PICTURES,
    onValue: (count) => change(`${count} stored`, { stored: count }),
  });
  const storedNow = nowIn(stored.field);
  const album = choices({
    label: "Which",
    options: [
      ["letters", "letters"],
      ["random", "random dots"],
    ],
    onChoice: (pictures) => change("", { pictures }),
  });
  const rule = choices({
    label: "Rule",
    options: [
      ["attention", "attention"],
      ["classical", "sign rule (1982)"],
    ],
    onChoice: (name) => change("", { rule: name }),
  });
  const tiles = pictureTiles({ onPicture: (picture) => change("", { picture }) });
  const recall = recallChart();

  const back = pressButton({
    sign: "◂\uFE0E",
    name: "One step back",
    onPress: () => goTo(shown.step - 1),
  });
  const forward = pressButton({
    sign: "▸\uFE0E",
    name: "One step on",
    onPress: () => goTo(shown.step + 1),
  });
  const play = pressButton({
    sign: "▶\uFE0E",
    name: "Play",
    onPress: () => (playing ? pause() : start()),
  });
  const steps = slider({ label: "Step ", min: 0, max: 1, onValue: goTo });
  const stepNow = nowIn(steps.field);
  steps.field.append(make("div", { class: "al-row" }, back, play, forward, steps.input));
  const energies = energyLine();
  const sum = make("p", { class: "en-sum", "aria-hidden": "true" });
  const bars = weightBars();

  const only = { plane: [], pictures: [] };
  function of(view, element) {
    only[view].push(element);
    return element;
  }
  el.append(
    make(
      "div",
      { class: "al-controls en-top" },
      views.field,
      ...["plane", "pictures"].map((view) => of(view, tryRow(view))),
    ),
    of("pictures", make("div", { class: "en-row" }, pad.element, result.element, rest.element)),
    make(
      "div",
      { class: "en-columns" },
      make(
        "div",
        { class: "en-left" },
        of("plane", plane.element),
        of("plane", make("div", { class: "en-buttons" }, add, remove)),
        of("plane", coordinates.element),
        of("pictures", make("div", { class: "en-noise" }, noise.field, another)),
        of("pictures", stored.field),
        of("pictures", make("div", { class: "al-controls" }, rule.field, album.field)),
        of("pictures", recall.element),
      ),
      make(
        "div",
        { class: "en-right" },
        beta.element,
        steps.field,
        energies.element,
        sum,
        of("plane", bars.element),
      ),
    ),
    of("pictures", tiles.element),
  );

  function state() {
    const now = Object.fromEntries(ENERGY_TRAITS.map((name) => [name, model.get(name)]));
    return { ...now, picture: Math.min(now.picture, now.stored - 1) };
  }

  function betaName() {
    return model.get("view") === "plane" ? "beta" : "picture_beta";
  }

  function change(text, traits) {
    for (const [name, setting] of Object.entries(traits)) model.set(name, setting);
    const picture = Math.min(model.get("picture"), model.get("stored") - 1);
    model.set("picture", picture);
    model.save_changes();
    news = text;
    drawNext();
  }

  function tryRow(view) {
    const keep = (values) => Object.fromEntries(OF_VIEW[view].map((name) => [name, values[name]]));
    const button = (name, values, text) => {
      const made = make("button", { type: "button" }, name);
      made.addEventListener("click", () => {
        pause();
        change(text, keep(values));
      });
      return made;
    };
    return make(
      "div",
      { class: "en-tries", role: "group", "aria-label": "Try" },
      make("span", { class: "al-label", "aria-hidden": "true" }, "Try"),
      ...ENERGY_TRIES[view].map(([name, values, text]) =>
        button(name, { ...ENERGY_START, ...values }, text),
      ),
      button("Start again", atFirst, "As it was at first"),
    );
  }

  function resize(by) {
    const { pattern } = state();
    const size = pattern.length + by;
    if (size < FEWEST_PATTERNS || size > PATTERN_STOCK.length) return;
    change(by > 0 ? `Pattern ${size} added` : `Pattern ${size + 1} removed`, {
      pattern: by > 0 ? [...pattern, PATTERN_STOCK[size - 1]] : pattern.slice(0, size),
    });
  }

  function paintPixels(pixels, ink) {
    const { pictures, picture, flipped } = state();
    const wanted = albums[pictures][picture];
    const now = new Set(flipped);
    for (const k of pixels) {
      if (ink === wanted[k] > 0) now.delete(k);
      else now.add(k);
    }
    change("", { flipped: [...now] });
  }

  // More noise flips more pixels, less noise puts those right that were flipped last.
  function setNoise(count) {
    const { flipped } = state();
    const more = shuffledPixels(noises).filter((k) => !flipped.includes(k));
    change("", { flipped: [...flipped, ...more].slice(0, count) });
  }

  function goTo(step) {
    pause();
    change("", { step });
  }

  function start() {
    const length = shown.path.states.length - 1;
    const from = shown.step === length ? 0 : shown.step;
    const stride = Math.max(1, Math.ceil((length - from) / MOST_TICKS));
    showPlaying(play, true, "Play");
    change("", { step: from });
    playing = setInterval(
      () => {
        const step = Math.min(model.get("step") + stride, shown.path.states.length - 1);
        change("", { step });
        if (step === shown.path.states.length - 1) pause();
      },
      prefersStillness() ? 2 * PLAY_TICK : PLAY_TICK,
    );
  }

  function pause() {
    clearInterval(playing);
    playing = 0;
    showPlaying(play, false, "Play");
  }
  signal.addEventListener("abort", pause);

  // What is drawn ------------------------------------------------------------------------

  function draw() {
    const now = state();
    const { view } = now;
    for (const [name, elements] of Object.entries(only)) {
      for (const element of elements) element.hidden = name !== view;
    }
    views.set(view);
    const words = view === "plane" ? drawPlane(now) : drawPictures(now);
    drawSteps();
    speak(
      [news, ...words]
        .filter(Boolean)
        .map((text) => `${text}.`)
        .join(" "),
    );
  }

  function drawPlane(now) {
    const { pattern, query } = now;
    const path = hopfieldPath(pattern, query, now.beta);
    const step = Math.min(now.step, path.states.length - 1);
    shown = { path, step };
    plane.show({ ...now, path, step });
    coordinates.show(now);
    beta.set(now.beta, "1/√d = 0.7071 is the scale of attention in the plane.");
    allow(add, pattern.length < PATTERN_STOCK.length);
    allow(remove, pattern.length > FEWEST_PATTERNS);
    bars.show(path.weights[step], step);
    sum.textContent = sumText(path.energies[step]);
    return planeInWords({ ...now, path, step, places: plane.survey(pattern, now.beta).places });
  }

  function drawPictures(now) {
    const { pictures, picture, flipped, rule: name } = now;
    const all = albums[pictures];
    const kept = all.slice(0, now.stored);
    const wanted = all[picture];
    const cue = withFlips(wanted, flipped);
    const attends = name === "attention";
    const path = attends
      ? hopfieldPath(kept, cue, now.picture_beta)
      : signPath(hebbianWeights(kept), cue);
    const step = Math.min(now.step, path.states.length - 1);
    shown = { path, step };
    const names = all.map((_, i) => (pictures === "letters" ? LETTER_NAMES[i] : String(i + 1)));
    const alike = kept.map((pixels) => sharedPixels(pixels, path.states[step]));

    pad.show(cue, wanted, `The cue, ${names[picture]} spoilt`);
    result.show(path.states[step], wanted, step === 0 ? "Before step 1" : `After step ${step}`);
    const last = path.states.length - 1;
    rest.show(
      path.states[last],
      wanted,
      path.settled ? `At rest (step ${last})` : `Not at rest (step ${last})`,
    );
    noise.set(flipped.length, 64, `${flipped.length} of 64 pixels`);
    noiseNow.textContent = `${flipped.length} of 64`;
    stored.set(now.stored, MOST_PICTURES, String(now.stored));
    storedNow.textContent = now.stored;
    album.set(pictures);
    rule.set(name);
    beta.set(
      now.picture_beta,
      `1/√d = 0.125 is the scale of attention here.${attends ? "" : " The sign rule has no β."}`,
    );
    tiles.show({
      pictures: all,
      names,
      stored: now.stored,
      picture,
      asPercent: !attends,
      shares: attends ? path.weights[step] : alike.map((count) => count / 64),
      title: attends
        ? `Weights of the stored pictures at step ${step}; choose the one to spoil`
        : `Pixels shared with the stored pictures at step ${step}; choose the one to spoil`,
    });
    sum.textContent = attends
      ? sumText(path.energies[step])
      : `E = −½ sᵀW s = ${shortNumber(path.energies[step].energy)}`;
    const back = countLater(now);
    const counted = back.length === MOST_PICTURES;
    recall.show(back, now.stored, MOST_PICTURES, counted ? recallText(now, back) : "Counting …");
    return [
      ...picturesInWords({ ...now, names, kept, wanted, cue, path, step }),
      counted && recallText(now, back),
    ];
  }

  function drawSteps() {
    const { path, step } = shown;
    const length = path.states.length - 1;
    const text = `${step} of ${length}`;
    steps.set(step, length, text);
    stepNow.textContent = text;
    allow(back, step > 0);
    allow(forward, step < length);
    allow(play, length > 0);
    energies.show(
      path.energies.map(({ energy }) => energy),
      step,
      shortNumber,
    );
  }

  // Counting takes longer than a frame, so it is done in pieces, when nothing else is.
  function countLater({ pictures, flipped, picture_beta: sharpness }) {
    const key = JSON.stringify([pictures, [...flipped].sort((a, b) => a - b), sharpness]);
    if (key === counts.key) return counts.curve;
    clearTimeout(counts.timer);
    const curve = [];
    Object.assign(counts, { key, curve, timer: setTimeout(work, COUNT_DELAY) });
    function work() {
      const begun = performance.now();
      while (curve.length < MOST_PICTURES && performance.now() - begun < COUNT_SLICE) {
        curve.push(countRecalled(albums[pictures].slice(0, curve.length + 1), flipped, sharpness));
      }
      recall.show(curve, model.get("stored"), MOST_PICTURES, "Counting …");
      if (curve.length < MOST_PICTURES) counts.timer = setTimeout(work);
      else drawNext();
    }
    return curve;
  }
  signal.addEventListener("abort", () => clearTimeout(counts.timer));

  const drawNext = oncePerFrame(draw);
  for (const name of ENERGY_TRAITS) {
    model.on(`change:${name}`, () => {
      news = "";
      drawNext();
    });
  }
  draw();
}

// Words --------------------------------------------------------------------------------

function planeInWords({ pattern, query, beta, path, step, places }) {
  const names = pattern.map((_, i) => String(i + 1));
  const length = path.states.length - 1;
  const last = path.states[length];
  const nearest = closestTo(pattern, query);
  const where = restText(path.weights[length], names, "pattern");
  const from = `The query at ${planePoint(query)}, nearest to pattern ${nearest + 1}`;
  const energy = (t) => shortNumber(path.energies[t].energy);
  const way =
    length === 0
      ? `${from}, is at rest: it is ${where}; energy ${energy(0)}`
      : `${from}, ${path.settled ? "falls" : "is still falling"} to ${where}, `
        + `${path.settled ? "in" : "after"} ${countOf(length, "step")}, to ${planePoint(last)}; `
        + `its energy falls from ${energy(0)} to ${energy(length)}`;
  const ridge =
    pushGrowth(pattern, last, beta) > 1
      ? "There it is balanced on a ridge: the smallest push sends it to one side"
      : "";
  const here =
    step === length
      ? ""
      : `${stepText(step)}: energy ${energy(step)}, weights ${path.weights[step].map(weightText).join(", ")}`;
  const rests = places.map((at) =>
    restText(hopfieldStep(pattern, at, beta).weights, names, "pattern", false),
  );
  return [
    way,
    ridge,
    here,
    rests.length === 1
      ? `The plane has one resting place: ${rests[0]}`
      : `The plane has ${rests.length} resting places: ${rests.join("; ")}`,
  ];
}

function picturesInWords({
  names,
  kept,
  picture,
  flipped,
  path,
  step,
  rule,
  stored,
  picture_beta: beta,
  wanted,
  pictures,
}) {
  const length = path.states.length - 1;
  const last = path.states[length];
  const kind = pictures === "letters" ? "letter" : "picture";
  const energy = (t) => shortNumber(path.energies[t].energy);
  const nearest = kept.map((pixels) => sharedPixels(pixels, path.states[0]));
  const best = nearest.indexOf(Math.max(...nearest));
  const cue =
    `${kind === "letter" ? "Letter" : "Picture"} ${names[picture]}, ${flipped.length} of 64 pixels flipped, `
    + `is nearest to ${kind} ${names[best]} of the ${stored} stored`;
  const rests = !path.settled
    ? `is still moving after ${countOf(length, "step")}, near`
    : length === 0
      ? "is at rest from the start, at"
      : `comes to rest after ${countOf(length, "step")} at`;
  const fall =
    length === 0
      ? `energy ${energy(0)}`
      : `the energy falls from ${energy(0)} to ${energy(length)}`;
  const wrong = 64 - sharedPixels(wanted, last);
  if (rule === "attention") {
    const signs = wrong
      ? `${countOf(wrong, "pixel")} ${wrong === 1 ? "has" : "have"} another sign there than in the ${names[picture]}`
      : `Its signs are those of the ${names[picture]}`;
    const here =
      step === length
        ? ""
        : `${stepText(step)}: energy ${energy(step)}, ${restText(path.weights[step], names, kind)}`;
    return [
      cue,
      `Attention with β ${shortNumber(beta)} ${rests} ${restText(path.weights[length], names, kind)}; ${fall}`,
      signs,
      here,
    ];
  }
  const shared = kept.map((pixels) => sharedPixels(pixels, last));
  const most = shared.indexOf(Math.max(...shared));
  const least = shared.indexOf(Math.min(...shared));
  const place =
    shared[most] === 64
      ? `${kind} ${names[most]}`
      : shared[least] === 0
        ? `the negative of ${kind} ${names[least]}`
        : `none of the stored pictures; the nearest is ${kind} ${names[most]}, ${shared[most]} of 64 pixels alike`;
  const here = step === length ? "" : `After step ${step}: energy ${energy(step)}`;
  return [cue, `The sign rule ${rests} ${place}; ${fall}`, here];
}

function recallText({ pictures, stored, flipped }, curve) {
  const here = curve[stored - 1];
  const things = `${stored} stored ${pictures === "letters" ? "letters" : "pictures"}`;
  return `Of the ${things}, each with these ${countOf(flipped.length, "pixel")} flipped, attention gives back ${here.attention}, the sign rule ${here.classical}`;
}

/**
 * What weights make: "pattern 2 (weight 0.97)", "a mixture, mostly pattern 2 (weight 0.7)",
 * "a mixture of patterns 1 and 2 (weights 0.48 and 0.45)", "the mean of all 4 patterns".
 */
export function restText(weights, names, kind, numbers = true) {
  const order = weights.map((_, i) => i).sort((a, b) => weights[b] - weights[a]);
  const [first] = order;
  const told = (list) =>
    numbers
      ? ` (weight${list.length > 1 ? "s" : ""} ${listInWords(list.map((i) => weightText(weights[i])))})`
      : "";
  if (weights[first] >= 0.9) return `${kind} ${names[first]}${told([first])}`;
  if (weights.length > 2 && weights[first] - weights[order.at(-1)] <= 0.05) {
    return `the mean of all ${weights.length} ${kind}s${numbers ? `, weights ${weightText(weights[order.at(-1)])} to ${weightText(weights[first])}` : ""}`;
  }
  if (weights[first] >= 0.6) return `a mixture, mostly ${kind} ${names[first]}${told([first])}`;
  const part = order.filter((i) => weights[i] >= 0.05);
  if (part.length > 3) {
    const few = order.slice(0, 3);
    return `a mixture of ${part.length} ${kind}s, most of it ${listInWords(few.map((i) => names[i]))}${told(few)}`;
  }
  return `a mixture of ${kind}s ${listInWords(part.map((i) => names[i]))}${told(part)}`;
}

function listInWords(items) {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}

function countOf(count, thing) {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

function stepText(step) {
  if (step === 0) return "Before the first step";
  return step === 1 ? "After step 1, which is attention" : `After step ${step}`;
}

function sumText({ energy, lse, half, constant }) {
  const text = (x) =>
    x
      .toFixed(2)
      .replace(/^-(?=0\.00$)/, "")
      .replace("-", "−");
  return `E = −lse + ½|ξ|² + constant = ${text(-lse)} + ${text(half)} + ${text(constant)} = ${text(energy)}`;
}

function closestTo(pattern, [x, y]) {
  const far = pattern.map(([px, py]) => Math.hypot(px - x, py - y));
  return far.indexOf(Math.min(...far));
}

/** How many signs a picture and a state have in common. */
function sharedPixels(pixels, state) {
  return pixels.reduce((count, ink, k) => count + (ink * state[k] > 0), 0);
}

// Elements -----------------------------------------------------------------------------

/** What a slider is at, beside its label. */
function nowIn(field) {
  const now = make("span", { class: "en-value", "aria-hidden": "true" });
  field.querySelector("label").append(now);
  return now;
}

/** A box for β and a slider that goes by factors. */
function betaControl(onBeta) {
  const parse = (text) => readWithin(text, "β", LEAST_BETA, MOST_BETA);
  const box = numberBox({
    label: "Inverse temperature β",
    parse,
    inputmode: "decimal",
    step: 0.1,
    onNumber: onBeta,
  });
  const track = slider({
    label: "β, slider",
    min: DECADE * Math.log10(LEAST_BETA),
    max: DECADE * Math.log10(MOST_BETA),
    onValue: (at) => onBeta(Number((10 ** (at / DECADE)).toPrecision(2))),
  });
  track.field.firstChild.classList.add("al-hidden");
  const note = make("p", { class: "al-note" });
  const element = make("div", { class: "en-beta" }, box.field, track.field, box.error, note);
  function set(number, text) {
    setUnlessTyped(box, number);
    track.set(
      Math.round(DECADE * Math.log10(number)),
      DECADE * Math.log10(MOST_BETA),
      `β ${shortNumber(number)}`,
    );
    note.textContent = text;
  }
  return { element, set };
}

/** All coordinates as boxes, in a part that opens. */
function coordinateBoxes({ onPattern, onQuery }) {
  const body = make("tbody");
  const errors = make("div");
  const element = make(
    "details",
    { class: "en-coordinates" },
    make("summary", {}, "Type the coordinates"),
    make(
      "table",
      {},
      make(
        "thead",
        {},
        make(
          "tr",
          {},
          make("td"),
          make("th", { scope: "col" }, "x"),
          make("th", { scope: "col" }, "y"),
        ),
      ),
      body,
    ),
    errors,
  );
  let now = null;
  let rows = [];

  function build(count) {
    const boxOf = (name, axis, read, write) => {
      const label = `${name}, ${"xy"[axis]}`;
      const box = numberBox({
        label,
        inputmode: "text",
        step: 0.1,
        parse: (text) => readWithin(text, label, -PLANE_REACH, PLANE_REACH),
        onNumber: (number) => write(read().map((x, i) => (i === axis ? number : x))),
      });
      box.field.querySelector("label").classList.add("al-hidden");
      return box;
    };
    const pair = (name, read, write) => ({
      name,
      boxes: [0, 1].map((axis) => boxOf(name, axis, read, write)),
    });
    rows = [
      pair("Query", () => now.query, onQuery),
      ...Array.from({ length: count }, (_, i) =>
        pair(
          `Pattern ${i + 1}`,
          () => now.pattern[i],
          (at) => onPattern(i, at),
        ),
      ),
    ];
    body.replaceChildren(
      ...rows.map(({ name, boxes }) =>
        make(
          "tr",
          {},
          make("th", { scope: "row" }, name),
          ...boxes.map(({ field }) => make("td", {}, field)),
        ),
      ),
    );
    errors.replaceChildren(...rows.flatMap(({ boxes }) => boxes.map(({ error }) => error)));
  }

  function show({ pattern, query }) {
    now = { pattern, query };
    if (rows.length !== pattern.length + 1) build(pattern.length);
    [query, ...pattern].forEach((vector, i) =>
      vector.forEach((x, axis) => setUnlessTyped(rows[i].boxes[axis], x)),
    );
  }
  return { element, show };
}

/** The weights of the patterns in the plane, as bars. */
function weightBars() {
  const heading = make("p", { class: "en-heading" });
  const box = make("div", { class: "en-bars" });
  const element = make("div", { class: "en-panel en-weights" }, heading, box);
  let lines = [];

  function show(weights, step) {
    heading.textContent = `Weights at step ${step}, softmax(β X ξ)`;
    if (lines.length !== weights.length) {
      lines = weights.map((_, i) => {
        const share = make("data", { class: "en-share" });
        const line = make(
          "div",
          { class: "en-weight" },
          make("span", {}, `pattern ${i + 1}`),
          make("span", { class: "en-bar", "aria-hidden": "true" }),
          share,
        );
        return { line, share };
      });
      box.replaceChildren(...lines.map(({ line }) => line));
    }
    lines.forEach(({ line, share }, i) => {
      line.style.setProperty("--share", weights[i].toFixed(4));
      share.value = weights[i].toFixed(6);
      share.textContent = weights[i].toFixed(3);
    });
  }
  return { element, show };
}

function setUnlessTyped(box, number) {
  // What was refused goes once the number changes by another way; not while it is typed.
  if (box.input !== document.activeElement && box.input.getAttribute("aria-invalid") === "true") {
    box.input.value = String(number);
    box.complain("");
  }
  box.set(number);
}

/** The number that the text says, as { number }, or why it will not do, as { error }. */
export function readWithin(text, label, least, most) {
  const typed = text.trim().replace("−", "-").replace(",", ".");
  if (!typed) return { error: `${label}: type a number, such as 1.5.` };
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(typed)) {
    return { error: `${label}: “${text.trim().slice(0, 20)}” is not a number.` };
  }
  const number = Number(typed);
  if (!(number >= least && number <= most)) {
    return {
      error: `${label}: it must lie between ${shortNumber(least)} and ${shortNumber(most)}.`,
    };
  }
  return { number: number || 0 }; // no −0
}
