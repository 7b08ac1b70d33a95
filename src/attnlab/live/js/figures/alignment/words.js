// What the figure of alignments says.

import { alignmentErrors } from "../../words/links.js";
import { groupDigits, indicesOfLargest, ordinal } from "../../words/phrases.js";
import { detokenize } from "../../words/spell.js";

const MIN_NAMED_WEIGHT = 0.05; // a weight below this is not read out

/** Of the row of word `step`, counted from 1, 0 before the first; and of the whole number. */
export function alignmentInWords(picture, step) {
  const { number, words, truth, slips, gold, language } = picture;
  const where = step
    ? `Word ${step} of ${words.length}: ${rowInWords(picture, step - 1)}.`
    : `${groupDigits(number)}: nothing written yet.`;
  if (slips) {
    return `${where} The translation is wrong; it should be “${detokenize(truth, language)}”.`;
  }
  if (gold === null) return `${where} The translation is right.`;
  const { rate, hits, judged } = alignmentErrors(picture);
  return (
    `${where} Of all words ${hits} of the ${judged} with a counterpart look at it most; `
    + `alignment error rate ${rate.toFixed(2)}.`
  );
}

function rowInWords({ columns, words, weights }, t) {
  const row = weights[t];
  const total = row.reduce((sum, weight) => sum + weight, 0);
  const top = indicesOfLargest(row, MIN_NAMED_WEIGHT).map((s) =>
    `${ordinal(columns, s)} ${columns[s]} ${row[s].toFixed(2)}`.trim(),
  );
  return `“${words[t]}” looks at ${top.join(", ")}; the row sums to ${total.toFixed(2)}`;
}
