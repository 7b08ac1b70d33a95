// One row of self-attention, every step of it, in float32: what a word's query finds among
// the keys, under four ways to hide a word.

import { dot, softmax } from "../../math/tensor.js";

/** What is added to the score of a hidden word; "zeros" is the package's own way. */
const ADDED = { infinity: -Infinity, thousand: -1000, billion: -1e9, zeros: -Infinity };

/**
 * `seen[j]` says whether the word may attend to word j; `masking` is a name of `ADDED`.
 *
 * Returns, for every key: products (cell by cell), scores, scaled (÷ √d), masked, weights;
 * and output, the weighted sum of the values. With "infinity" a row that sees nothing is
 * NaN; with "zeros" its weights and its output are 0.
 */
export function attendInSteps({ query, keys, values, seen, masking }) {
  const added = ADDED[masking];
  if (added === undefined) throw new RangeError(`There is no masking “${masking}”.`);
  const products = keys.map((key) => [...key].map((cell, i) => Math.fround(query[i] * cell)));
  const scores = keys.map((key) => Math.fround(dot(query, key)));
  const root = Math.fround(Math.sqrt(query.length));
  const scaled = scores.map((score) => Math.fround(score / root));
  const masked = scaled.map((score, j) => (seen[j] ? score : Math.fround(score + added)));
  const weights = softmaxOfMasked(masked, seen.includes(true), masking);
  const output = [...values[0]].map((_, i) =>
    weights.reduce((sum, weight, j) => sum + weight * values[j][i], 0),
  );
  return { products, scores, scaled, masked, weights, output };
}

function softmaxOfMasked(masked, seesAny, masking) {
  if (seesAny) return [...softmax(masked)];
  if (masking === "zeros") return masked.map(() => 0);
  if (masking === "infinity") return masked.map(() => NaN); // −∞ − (−∞), as in torch
  return [...softmax(masked)];
}
