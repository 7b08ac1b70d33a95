// What the figure of influence says.

import { groupDigits, indicesOfLargest, joinWithAnd, ordinal } from "../../words/phrases.js";
import { influenceHits } from "./picture.js";

const MIN_SHARE_NAMED = 0.3; // a word that moves less than this share of the strongest goes unsaid

/** What the matrix of alignments is called here. */
export const INFLUENCE_TEXTS = {
  name: "How far each English word moves each German one",
  hint: "Choose a cell to read it.",
  key: ({ gold }) =>
    "The fuller a cell, the further the English word moves the German one; a row’s strongest is 1. "
    + (gold === null
      ? "• the strongest."
      : "Outlined: the known counterpart. The strongest: ✓ there, ✗ elsewhere, • it has none."),
};

/** Of how many words the strongest is the one that they translate: "4 of 7 by their own word". */
export function headText(picture) {
  if (picture.gold === null) return "✗\uFE0E writes it wrongly";
  const { hits, judged } = influenceHits(picture);
  return `${hits} of ${judged} by their own word`;
}

/** Both networks, and in both what moves word `row`. */
export function influenceInWords([plain, attentive], row) {
  const [without, withAttention] = [movesText(plain, row), movesText(attentive, row)];
  return (
    `${groupDigits(plain.number)}. Without attention, width ${plain.width}: ${without} `
    + `With attention: ${withAttention}`
  );
}

function movesText(picture, row) {
  const t = Math.min(row, picture.words.length - 1);
  const moved = t < 0 ? "nothing written" : movedWords(picture, t);
  if (picture.gold === null) return `wrong; ${moved}.`;
  const { hits, judged } = influenceHits(picture);
  return `${hits} of ${judged} right; ${moved}.`;
}

function movedWords({ columns, words, weights }, t) {
  const named = indicesOfLargest(weights[t], MIN_SHARE_NAMED).map((s) =>
    `${ordinal(columns, s)} ${columns[s]} ${weights[t][s].toFixed(2)}`.trim(),
  );
  return `“${words[t]}” is moved by ${joinWithAnd(named)}`;
}
