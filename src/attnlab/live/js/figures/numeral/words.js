// How the row of a word is told.

import {
  indicesOfLargest,
  joinWithAnd,
  percent,
  formatNumber,
  quoted,
  superscript,
  twoDecimals,
} from "../../words/phrases.js";

export const MASKINGS = { zeros: "ours", infinity: "−∞", thousand: "−1000", billion: "−10⁹" };

/** What is told of the row, and of the word with what it has read. */
export function describeRow({ word, hidden, masking }, { weights, output }, words, becomes) {
  const parts = words.map((name, j) => `${share(weights[j])} of “${name}”`);
  const leak = words.filter((_, j) => hidden[j] && weights[j] > 0.005);
  const how = MASKINGS[masking];
  const mask = hidden.includes(true) ? ` Mask: ${how}.` : "";
  const leaks = leak.length > 0 ? ` It leaks: ${leak.join(" and ")} is hidden.` : "";
  const read = `“${word}” reads ${parts.join(" and ")}: ${pair(output)}`;
  return `${read}, and becomes ${pair(becomes)}.${mask}${leaks}`;
}

/** The weighted sum of pairs, written out. */
export function formatWeightedSum(weights, values) {
  const formatWeight = (weight) => (Number.isNaN(weight) ? "NaN" : twoDecimals(weight));
  return weights
    .map((weight, j) => `${formatWeight(weight)} · (${values[j].join(", ")})`)
    .join(" + ");
}

export function pair(vector) {
  if (vector.some(Number.isNaN)) return "not a number";
  return `(${vector.map(twoDecimals).join(", ")})`;
}

export function share(weight) {
  return Number.isNaN(weight) ? "NaN" : percent(weight);
}

/** A large score needs no decimals, and a phone has no room for them. */
export function score(number) {
  if (number === -Infinity) return "−∞";
  if (Number.isInteger(number) || Math.abs(number) >= 100) return formatNumber(Math.round(number));
  return twoDecimals(number);
}

const MAX_ROUNDING = 1e-4; // the arithmetic is float32's
const MIN_NAMED_WEIGHT = 0.05;

/** What is told of the reader's row; `before` is the same row with the words as typed. */
export function describeReader(found, before, { head, positions }) {
  const { words, row, weights, mask, places } = found;
  const nameOfWord = (j) => quoted(words, j);
  const read = indicesOfLargest(weights, MIN_NAMED_WEIGHT).map(
    (j) => `${percent(weights[j])} of ${nameOfWord(j)}`,
  );
  const hidden = words.map((_, j) => j).filter((j) => !mask[row][j]);
  const all = hidden.length === words.length;
  const reads = all ? "may see nothing and reads nothing: z is 0" : `reads ${joinWithAnd(read)}`;
  const named = hidden.length > 2 ? `${hidden.length} words` : joinWithAnd(hidden.map(nameOfWord));
  const unseen = hidden.length > 0 && !all ? ` Hidden from it: ${named}.` : "";
  const told = positions ? "" : " No word is told its position.";
  const place = places[row] === null ? "no power of ten" : `×10${superscript(places[row])}`;
  const answer = `By all its heads the reader gives it ${place}.`;
  const changed = describeShuffle(found, before);
  return `In head ${head} ${nameOfWord(row)} ${reads}.${unseen}${told} ${answer}${changed}`;
}

// What a shuffle has changed for the word that asks: nothing but the order of its row, or z too.
function describeShuffle(found, before) {
  if (!before) return "";
  const gap = Math.max(...found.output.map((z, i) => Math.abs(z - before.output[i])));
  const wasPlace = before.places[before.row];
  const place = wasPlace === found.places[found.row] ? "is the same" : "is another";
  if (gap < MAX_ROUNDING)
    return " Shuffled: the weights went along with their words, z is as before.";
  return ` Shuffled: z differs by up to ${twoDecimals(gap)}; the power of ten ${place}.`;
}
