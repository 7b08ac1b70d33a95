// How the row of a word is told.

import { percent, plainNumber, twoDecimals } from "../../words/phrases.js";

export const MASKINGS = [
  ["zeros", "ours"],
  ["infinity", "−∞"],
  ["thousand", "−1000"],
  ["billion", "−10⁹"],
];

/** What is told of the row, and of the word with what it has read. */
export function rowInWords({ word, hidden, masking }, { weights, output }, words, becomes) {
  const parts = words.map((name, j) => `${share(weights[j])} of “${name}”`);
  const leak = words.filter((_, j) => hidden[j] && weights[j] > 0.005);
  const how = MASKINGS.find(([name]) => name === masking)[1];
  const mask = hidden.includes(true) ? ` Mask: ${how}.` : "";
  const leaks = leak.length > 0 ? ` It leaks: ${leak.join(" and ")} is hidden.` : "";
  const read = `“${word}” reads ${parts.join(" and ")}: ${pair(output)}`;
  return `${read}, and becomes ${pair(becomes)}.${mask}${leaks}`;
}

/** The weighted sum of pairs, written out. */
export function sumOf(weights, values) {
  const number = (weight) => (Number.isNaN(weight) ? "NaN" : twoDecimals(weight));
  return weights.map((weight, j) => `${number(weight)} · (${values[j].join(", ")})`).join(" + ");
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
  if (Number.isInteger(number) || Math.abs(number) >= 100) return plainNumber(Math.round(number));
  return twoDecimals(number);
}
