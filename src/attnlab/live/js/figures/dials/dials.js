// The hands of a position on dials whose trained arcs are shaded, and the scores.

import { stretchedChart } from "../../parts/chart.js";
import { choices } from "../../parts/choices.js";
import { make, makeSvg, setAttributes } from "../../parts/elements.js";
import { slider } from "../../parts/numbers.js";
import { debounce, rafThrottle } from "../../parts/timing.js";
import { traitsOf } from "../../shell/traits.js";
import { groupDigits, withMinusSign } from "../../words/phrases.js";
import { dialFaces } from "./hands.js";
import { scoresBeyondTraining, computeHands, scoresByDistance } from "./turns.js";
import { describeDials, metText } from "./words.js";

const TICKS_ACROSS = 4;

export function render({ model, el, say }) {
  const speak = debounce(say);
  const traits = traitsOf(model, ["scheme", "position", "trained", "base"]);
  const { limits } = model.get("_frame");
  const d = limits.query.length;
  const controls = makeControls(limits, traits);
  const dials = dialFaces(d / 2, metText);
  const plot = scorePlot(limits.farthest);
  el.append(controls.element, make("div.di-picture", dials.element, plot.element));

  function draw() {
    const settings = traits.read();
    const hands = computeHands(settings, d);
    const scores = scoresByDistance(settings, limits);
    const beyond = scoresBeyondTraining(scores, settings);
    controls.update(settings);
    dials.update(hands);
    plot.update(scores, settings, beyond);
    speak(describeDials(settings, hands, scores, beyond));
  }

  traits.follow(rafThrottle(draw));
  draw();
}

function makeControls({ bases, lengths, farthest }, traits) {
  const traitControl = (label, name, options, read) =>
    choices(label, options, (value) => traits.change({ [name]: read(value) }));
  const scheme = traitControl(
    "Scores",
    "scheme",
    [
      ["rotary", "rotary"],
      ["sinusoids", "sinusoids"],
    ],
    String,
  );
  const trained = traitControl(
    "Trained on",
    "trained",
    lengths.map((n) => [n, n]),
    Number,
  );
  const base = traitControl(
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

/** `update(scores, settings, beyond)` draws them; `beyond` as `scoresBeyondTraining` has it. */
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
    const [bottom, top] = scoreRange(scores);
    const y = (score) => (1000 * (top - score)) / (top - bottom);
    const linePath = (from, to) => {
      const places = Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
      return places.map((k, i) => `${i ? "L" : "M"}${pathPoint(k)}`).join("");
    };
    const pathPoint = (k) => `${x(k).toFixed(1)} ${y(scores[k]).toFixed(1)}`;
    const horizontalPath = (score) => `M0 ${y(score).toFixed(1)}H1000`;
    const edge = trained - 1;
    const drawn = {
      zero: horizontalPath(0),
      range: horizontalPath(least) + horizontalPath(most),
      later: linePath(position, farthest),
      known: linePath(0, Math.min(position, edge)),
      far: position > edge ? linePath(edge, position) : "",
      beyond: [...higher, ...lower].map((k) => `M${pathPoint(k)}h0`).join(""),
      last: `M${x(position)} 0V1000`,
    };
    for (const name of names) lines[name].setAttribute("d", drawn[name]);
    setAttributes(met, { width: x(edge) });
    chart.ticks({ up: [top, 0, bottom].map((score) => [y(score), withMinusSign(score)]) });
  }
  return { element, update };
}

/** The whole numbers that all scores, and 0, lie between. */
function scoreRange(scores) {
  return [Math.floor(Math.min(-1, ...scores)), Math.ceil(Math.max(1, ...scores))];
}
