// What a reader sets: the numeral, the part that is left out, whose weights, and the walk.

import { menu } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { stepper } from "../../parts/stepper.js";
import { textBox } from "../../parts/textbox.js";
import { readTyped } from "../../words/places.js";
import { STOPS } from "./layout.js";

const STOP_PAUSE = 4000; // milliseconds: there is a sentence to read
const PARTS = [
  ["nothing", "nothing"],
  ["sums", "the plus signs"],
  ["norms", "the norms"],
  ["feed-forward", "the feed-forward layers"],
  ["factor", "the factor √d"],
  ["positions", "the positions"],
  ["mask", "the decoder's mask"],
];
const TRAININGS = [
  ["own", "trained so"],
  ["whole", "trained whole"],
  ["untrained", "untrained"],
];

/** Its `element`, and `show(state)`. */
export function machineControls(traits, mostWords) {
  const box = textBox({
    label: "A numeral, in English or in digits",
    className: "ma-text",
    onText(typed) {
      const { text, tokens, error } = readTyped(typed, "en", mostWords);
      if (error !== undefined) return error;
      if (tokens.length > mostWords) return `Please type at most ${mostWords} words.`;
      traits.change({ text });
      return "";
    },
  });
  const without = menu({
    label: "Left out",
    options: PARTS,
    onChoice: (name) => traits.change({ without: name }),
  });
  const training = menu({
    label: "Weights",
    options: TRAININGS,
    onChoice: (name) => traits.change({ training: name }),
  });
  const fields = [box.field, without.field, training.field, box.error];
  return {
    element: make("div", { class: "al-controls" }, ...fields),
    show(state) {
      box.set(state.text);
      without.set(state.without);
      training.set(state.training);
    },
  };
}

/** The walk; `show(step)` follows to a step, and stays where it is if that is no stop. */
export function machineWalk(traits, signal) {
  let stop = 1;
  const walk = stepper({
    label: "A walk through the machine",
    thing: "stop",
    first: 1,
    pause: STOP_PAUSE,
    signal,
    now: () => ({ step: stop, last: STOPS.length }),
    onStep: (to) => traits.change({ step: STOPS[to - 1][0], cell: [0, 0] }),
  });
  function show(step) {
    const at = STOPS.findIndex(([name]) => name === step);
    if (at >= 0) stop = at + 1;
    walk.show();
  }
  return { field: walk.field, show, stop: walk.stop };
}
