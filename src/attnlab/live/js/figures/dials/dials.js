// The hands of a position on dials whose trained arcs are shaded, and the scores.

import { stretchedChart } from "../../parts/chart.js";
import { choices } from "../../parts/choices.js";
import { make, makeSvg, setAttributes } from "../../parts/elements.js";
import { slider } from "../../parts/numbers.js";
import { debounce, rafThrottle } from "../../parts/timing.js";
import { traitsOf } from "../../shell/traits.js";
import { groupDigits, withMinusSign } from "../../words/phrases.js";
import { dialFaces } from "./hands.js";
import { beyondTraining, handsAt, scoresBack } from "./turns.js";
import { dialsInWords, metText } from "./words.js";

const TICKS_ACROSS = 4;

export function render({ model, el, say }) {
  const speak = debounce(say);
  const traits = traitsOf(model, ["scheme", "position", "trained", "base"]);
  const { limits } = model.get("_frame");
  const d = limits.query.length;
  const controls = controlsOf(limits, traits);
  const dials = dialFaces(d / 2, metText);
  const plot = scorePlot(limits.farthest);
  el.append(controls.element, make("div.di-picture", dials.element, plot.element));

  function draw() {
    const settings = traits.read();
    const hands = handsAt(settings, d);
    const scores = scoresBack(settings, limits);
    const beyond = beyondTraining(scores, settings);
    controls.update(settings);
    dials.update(hands);
    plot.update(scores, settings, beyond);
    speak(dialsInWords(settings, hands, scores, beyond));
  }

  traits.follow(rafThrottle(draw));
  draw();
}

function controlsOf({ bases, lengths, farthest }, traits) {
  const one = (label, name, options, read) =>
    choices(label, options, (value) => traits.change({ [name]: read(value) }));
  const scheme = one(
    "Scores",
    "scheme",
    [
      ["rotary", "rotary"],
      ["sinusoids", "sinusoids"],
    ],
    String,
  );
  const trained = one(
    "Trained on",
    "trained",
    lengths.map((n) => [n, n]),
    Number,
  );
  const base = one(
    "Base",
    "base",
    bases.map((b) => [b, groupDigits(b)]),
    Number,
  );
  const position = slider("Query at position", 0, farthest, (place) =>
    traits.change({ position: place }),
  );
  const readout = make("strong.di-position", { "aria-hidden": "true" });
  position.field.append(readout);
  const fields = [scheme, trained, base, position].map(({ field }) => field);
  return {
    element: make("div.al-controls.di-controls", ...fields),
    update(settings) {
      scheme.set(settings.scheme);
      trained.set(settings.trained);
      base.set(settings.base);
      position.set(settings.position, farthest, `position ${settings.position}`);
      readout.textContent = settings.position;
    },
  };
}

// The scores against the distance, on what training has met of them.

/** `update(scores, settings, beyond)` draws them; `beyond` as `beyondTraining` has it. */
function scorePlot(farthest) {
  const met = makeSvg("rect.di-met", { y: 0, height: 1000 });
  const names = ["zero", "range", "later", "known", "far", "beyond", "last"];
  const lines = Object.fromEntries(names.map((name) => [name, makeSvg("path", { class: name })]));
  const chart = stretchedChart({ drawn: [met, ...Object.values(lines)] });
  const heading = make("p.di-heading", "Score with the key k positions back");
  const element = make("div.di-plot.al-more", heading, chart.element);
  const x = (k) => (1000 * k) / farthest;
  const marks = Array.from({ length: TICKS_ACROSS + 1 }, (_, i) => (i * farthest) / TICKS_ACROSS);
  chart.ticks({ across: marks.map((k) => [x(k), withMinusSign(k)]) });

  function update(scores, { position, trained }, { least, most, higher, lower }) {
    const [bottom, top] = scaleOf(scores);
    const y = (score) => (1000 * (top - score)) / (top - bottom);
    const line = (from, to) => {
      const places = Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
      return places.map((k, i) => `${i ? "L" : "M"}${point(k)}`).join("");
    };
    const point = (k) => `${x(k).toFixed(1)} ${y(scores[k]).toFixed(1)}`;
    const level = (score) => `M0 ${y(score).toFixed(1)}H1000`;
    const edge = trained - 1;
    const drawn = {
      zero: level(0),
      range: level(least) + level(most),
      later: line(position, farthest),
      known: line(0, Math.min(position, edge)),
      far: position > edge ? line(edge, position) : "",
      beyond: [...higher, ...lower].map((k) => `M${point(k)}h0`).join(""),
      last: `M${x(position)} 0V1000`,
    };
    for (const name of names) lines[name].setAttribute("d", drawn[name]);
    setAttributes(met, { width: x(edge) });
    chart.ticks({ up: [top, 0, bottom].map((score) => [y(score), withMinusSign(score)]) });
  }
  return { element, update };
}

/** The whole numbers that all scores, and 0, lie between. */
function scaleOf(scores) {
  return [Math.floor(Math.min(-1, ...scores)), Math.ceil(Math.max(1, ...scores))];
}
