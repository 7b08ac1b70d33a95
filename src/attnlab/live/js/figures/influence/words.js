// What the figure of influence says.

import { grouped, heaviest, inARow, ordinal } from "../../words/phrases.js";
import { detokenize } from "../../words/spell.js";
import { influenceHits } from "./picture.js";

export const NETWORK_NAMES = { plain: "without attention", attentive: "with attention" };
const FAINTEST_MOVE = 0.3; // a word that moves less than this share of the strongest goes unsaid

/** What the matrix of alignments is called here. */
export const INFLUENCE_TEXTS = {
  name: "How far each English word moves each German one",
  hint: "Point at a cell, or go there with the arrow keys, to read it.",
  key: ({ gold }) =>
    "The fuller a cell, the further the English word moves the German one; the strongest of a "
    + "row is 1. "
    + (gold === null
      ? "• the strongest."
      : "Outlined: the known counterpart. The strongest: ✓ there, ✗ elsewhere, • it has none."),
};

/** How often the word that moves a German word most is the one that it translates. */
export function hitsInWords(picture) {
  if (picture.gold === null) return "The translation is wrong: there are no counterparts to count.";
  const { hits, judged } = influenceHits(picture).all;
  return `The word that moves it most is the one it translates: ${hits} of ${judged}.`;
}

// The same of the words that name a digit alone, as the study of influence counts.
function digitHitsInWords(picture) {
  if (picture.gold === null) return "";
  const { hits, judged } = influenceHits(picture).digits;
  return ` Of the words for digits alone: ${hits} of ${judged}.`;
}

/** All of it, word `row` first. */
export function influenceInWords(picture, row) {
  const { number, network, width, words, slips, truth } = picture;
  const which = network === "plain" ? `, width ${width}` : "";
  const wrong = slips ? `, which should be “${detokenize(truth, "de")}”` : "";
  const writes = words.length ? `“${detokenize(words, "de")}”${wrong}` : "nothing";
  return (
    `${grouped(number)}, ${NETWORK_NAMES[network]}${which}, becomes ${writes}. `
    + `${words.length ? movedBy(picture, row) : ""} ${hitsInWords(picture)}`
    + digitHitsInWords(picture)
  );
}

function movedBy({ columns, words, weights }, t) {
  const named = heaviest(weights[t], FAINTEST_MOVE).map((s) =>
    `${ordinal(columns, s)} ${columns[s]} ${weights[t][s].toFixed(2)}`.trim(),
  );
  return `Word ${t + 1}, “${words[t]}”, is moved most by ${inARow(named)}.`;
}
