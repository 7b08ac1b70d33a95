// How guess and answer are told apart: by word, by shape, by dashes, and by colour.

import { make } from "../../parts/elements.js";

const TAG_WORDS = { yours: "your guess", truth: "what happened" };

/** A small label; that of the answer is seen once it is shown, and on paper. */
export function forecastTag(whose) {
  const kind = whose === "truth" ? "fc-tag fc-truth" : "fc-tag";
  return make("span", { class: kind, "data-whose": whose }, TAG_WORDS[whose]);
}
