// The hands of a position on dials whose trained arcs are shaded, and the scores.

import { choices } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { slider } from "../../parts/numbers.js";
import { debounce, rafThrottle } from "../../parts/timing.js";
import { traitsOf } from "../../shell/traits.js";
import { groupDigits } from "../../words/phrases.js";
import { dialFaces } from "./hands.js";
import { scorePlot } from "./plot.js";
import { beyondTraining, handsAt, scoresBack } from "./turns.js";
import { dialsInWords, metText } from "./words.js";

export function render({ model, el, say }) {
  const speak = debounce(say);
  const traits = traitsOf(model, ["scheme", "position", "trained", "base"]);
  const { limits } = model.get("_frame");
  const d = limits.query.length;
  const controls = controlsOf(limits, traits);
  const dials = dialFaces(d / 2, metText);
  const plot = scorePlot(limits.farthest);
  el.append(controls.element, make("div", { class: "di-picture" }, dials.element, plot.element));

  function draw() {
    const settings = traits.read();
    const hands = handsAt(settings, d);
    const scores = scoresBack(settings, limits);
    const beyond = beyondTraining(scores, settings);
    controls.show(settings);
    dials.show(hands);
    plot.show(scores, settings, beyond);
    speak(dialsInWords(settings, hands, scores, beyond));
  }

  traits.follow(rafThrottle(draw));
  draw();
}

function controlsOf({ bases, lengths, farthest }, traits) {
  const one = (label, name, options, read) =>
    choices({ label, options, onChoice: (value) => traits.change({ [name]: read(value) }) });
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
  const position = slider({
    label: "Query at position",
    min: 0,
    max: farthest,
    onValue: (place) => traits.change({ position: place }),
  });
  const readout = make("strong", { class: "di-position", "aria-hidden": "true" });
  position.field.append(readout);
  const fields = [scheme, trained, base, position].map(({ field }) => field);
  return {
    element: make("div", { class: "al-controls di-controls" }, ...fields),
    show(settings) {
      scheme.set(settings.scheme);
      trained.set(settings.trained);
      base.set(settings.base);
      position.set(settings.position, farthest, `position ${settings.position}`);
      readout.textContent = settings.position;
    },
  };
}
