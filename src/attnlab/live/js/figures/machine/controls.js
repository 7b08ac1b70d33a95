// What a reader sets: the numeral, the part that is left out, and whose weights.

import { menu } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { textBox } from "../../parts/textbox.js";
import { readTyped } from "../../words/places.js";

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
