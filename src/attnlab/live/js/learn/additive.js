// The additive score, which no matrix product computes.

import { exactTanh } from "./exact.js";

/**
 * v · tanh(q + k) for every query and key (Bahdanau et al. 2015), both projected already:
 * (B, L_q, d), (B, L_k, d), v (1, d) -> (B, 1, L_q, L_k).
 */
export function additiveScores(tape, query, key, v) {
  const [batch, lq, d] = query.shape;
  const lk = key.shape[1];
  const s = tape.tensor(batch, 1, lq, lk);
  const at = tape.scratch(s.size * d);
  const hidden = tape.machine.numbers.subarray(at, at + s.size * d); // (B, L_q, L_k, d)
  const forEachPair = (visit) => {
    for (let pair = 0; pair < s.size; pair++) {
      const row = Math.floor(pair / lk); // of the queries
      visit(pair, row * d, (Math.floor(row / lq) * lk + (pair % lk)) * d);
    }
  };
  forEachPair((pair, q, k) => {
    let sum = 0;
    for (let j = 0; j < d; j++) {
      const value = exactTanh(query.data[q + j] + key.data[k + j]);
      hidden[pair * d + j] = value;
      sum += v.data[j] * value;
    }
    s.data[pair] = sum;
  });
  tape.record(() =>
    forEachPair((pair, q, k) => {
      for (let j = 0; j < d; j++) {
        const value = hidden[pair * d + j];
        v.grad[j] += s.grad[pair] * value;
        const inner = s.grad[pair] * v.data[j] * (1 - value * value);
        query.grad[q + j] += inner;
        key.grad[k + j] += inner;
      }
    }),
  );
  return s;
}
