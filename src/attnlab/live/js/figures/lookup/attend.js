// What a look-up computes: attention, step by step.

import { dot, softmax } from "../../math/tensor.js";

/**
 * Scaled dot-product attention, step by step. Vectors are arrays of numbers; `mask` is
 * true where a query may attend; `scale` says whether to divide by √d.
 *
 * Returns scores, scaled and weights, each a row for every query, and outputs, a number
 * for every query. A query that may see nothing has weights 0 and output 0.
 */
export function lookUp({ query, key, value, temperature, scale, mask }) {
  const divisor = temperature * (scale ? Math.sqrt(key[0].length) : 1);
  const scores = query.map((q) => key.map((k) => dot(q, k)));
  const scaled = scores.map((row) => row.map((score) => score / divisor));
  const weights = scaled.map((row, i) => {
    if (!mask[i].includes(true)) return row.map(() => 0);
    return softmax(row.map((score, j) => (mask[i][j] ? score : -Infinity)));
  });
  return { scores, scaled, weights, outputs: weights.map((row) => dot(row, value)) };
}
