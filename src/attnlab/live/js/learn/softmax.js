// Softmax under a mask, and what attention adds to its scores.

import { exactExp } from "./exact.js";

/**
 * Softmax over the keys, with weight 0 wherever the mask is False, and all 0, forward and
 * back, for a query that may see nothing: scores (B, h, L_q, L_k).
 *
 * mask: { real, causal }: `real` (B · L_k) has 0 at padding, or is null; `causal` lets query
 * i see keys up to i.
 */
export function maskedSoftmax(tape, scores, { real = null, causal = false }) {
  const [batch, heads, lq, lk] = scores.shape;
  const weights = tape.tensor(batch, heads, lq, lk);
  const seen = new Uint8Array(lk);
  for (let row = 0; row < batch * heads * lq; row++) {
    const sentence = Math.floor(row / (heads * lq)) * lk;
    for (let j = 0; j < lk; j++) seen[j] = real === null ? 1 : real[sentence + j];
    if (causal) seen.fill(0, (row % lq) + 1);
    softmaxRow(scores.data, weights.data, row * lk, seen);
  }
  tape.record(() => backwardSoftmaxRows(weights.data, weights.grad, scores.grad, lk));
  return weights;
}

// The row that begins at `at`, as long as `seen`, which has 0 at what is hidden.
function softmaxRow(from, to, at, seen) {
  const n = seen.length;
  let most = -Infinity;
  for (let j = 0; j < n; j++) if (seen[j] !== 0) most = Math.max(most, from[at + j]);
  let sum = 0;
  for (let j = 0; j < n; j++) {
    const e = seen[j] === 0 ? 0 : exactExp(from[at + j] - most);
    to[at + j] = e;
    sum += e;
  }
  const share = sum === 0 ? 0 : 1 / sum;
  for (let j = 0; j < n; j++) to[at + j] *= share;
}

// ds = w (dw − Σ w dw), row by row.
function backwardSoftmaxRows(weights, weightsGrad, scoresGrad, n) {
  for (let at = 0; at < weights.length; at += n) {
    let mean = 0;
    for (let j = at; j < at + n; j++) mean += weights[j] * weightsGrad[j];
    for (let j = at; j < at + n; j++) scoresGrad[j] += weights[j] * (weightsGrad[j] - mean);
  }
}
