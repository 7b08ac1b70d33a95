// Softmax under a mask, and what attention adds to its scores.

import { exp } from "./exact.js";

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
  const [from, to] = [scores.data, weights.data];
  for (let row = 0; row < batch * heads * lq; row++) {
    const sentence = Math.floor(row / (heads * lq)) * lk;
    const end = causal ? Math.min(lk, (row % lq) + 1) : lk;
    softmaxRow(from, to, row * lk, lk, (j) => j < end && (real === null || real[sentence + j] !== 0));
  }
  tape.record(() => backThroughRows(to, weights.grad, scores.grad, lk));
  return weights;
}

function softmaxRow(from, to, at, n, seen) {
  let most = -Infinity;
  for (let j = 0; j < n; j++) if (seen(j) && from[at + j] > most) most = from[at + j];
  let sum = 0;
  for (let j = 0; j < n; j++) {
    const e = seen(j) ? exp(from[at + j] - most) : 0;
    to[at + j] = e;
    sum += e;
  }
  if (sum !== 0) for (let j = 0; j < n; j++) to[at + j] /= sum;
}

// ds = w (dw − Σ w dw), row by row.
function backThroughRows(weights, weightsGrad, scoresGrad, n) {
  for (let at = 0; at < weights.length; at += n) {
    let mean = 0;
    for (let j = at; j < at + n; j++) mean += weights[j] * weightsGrad[j];
    for (let j = at; j < at + n; j++) scoresGrad[j] += weights[j] * (weightsGrad[j] - mean);
  }
}
