// Positions as attnlab.positions has them: added to embeddings, turned into queries and keys,
// or taken off scores.

import { exactCos, exactExp, exactSin } from "./exact.js";

export const POSITIONS = ["sinusoidal", "learned", "rotary", "alibi", "none"];
const LN_BASE = 9.210340371976184; // of 10000
const LN2 = 0.6931471805599453;

/** PE[p, 2i] = sin(p ωᵢ), PE[p, 2i + 1] = cos(p ωᵢ), ωᵢ = 10000^(−2i/d): (n, d), flat. */
export function sinusoids(n, d) {
  const table = new Float32Array(n * d);
  for (let i = 0; i < d / 2; i++) {
    const rate = exactExp((-2 * i * LN_BASE) / d);
    for (let p = 0; p < n; p++) {
      table[p * d + 2 * i] = exactSin(p * rate);
      table[p * d + 2 * i + 1] = exactCos(p * rate);
    }
  }
  return table;
}

/** x (B, n, d) plus the rows of a fixed table (at least n, d). */
export function addFixedPositions(tape, x, table) {
  const y = tape.tensor(...x.shape);
  const sentence = x.shape[1] * x.shape[2];
  for (let i = 0; i < y.size; i++) y.data[i] = x.data[i] + table[i % sentence];
  tape.record(() => tape.machine.kernels.addTo(y.size, y.gradAt, x.gradAt));
  return y;
}

/** x (B, n, d) plus the first rows of a table that learns (most, d). */
export function addLearnedPositions(tape, x, table) {
  const [, n, d] = x.shape;
  if (n > table.shape[0]) {
    throw new RangeError(`position ${n - 1} lies beyond the ${table.shape[0]} learned ones`);
  }
  const y = tape.tensor(...x.shape);
  for (let i = 0; i < y.size; i++) y.data[i] = x.data[i] + table.data[i % (n * d)];
  tape.record(() => {
    for (let i = 0; i < y.size; i++) {
      x.grad[i] += y.grad[i];
      table.grad[i % (n * d)] += y.grad[i];
    }
  });
  return y;
}

/** Each pair of each head turned by its position's angle (Su et al. 2021): (B, n, h d). */
export function applyRotary(tape, x, heads) {
  const [batch, n, width] = x.shape;
  const table = sinusoids(n, width / heads);
  const y = tape.tensor(...x.shape);
  rotatePairs(x.data, y.data, { batch, n, width, table }, 1);
  tape.record(() => rotatePairs(y.grad, x.grad, { batch, n, width, table }, -1));
  return y;
}

// Add the turned pairs of `from` to `to`; the way back turns them back.
function rotatePairs(from, to, { batch, n, width, table }, direction) {
  const d = table.length / n;
  if (direction > 0) to.fill(0);
  for (let row = 0; row < batch * n; row++) {
    const angles = (row % n) * d;
    for (let j = 0; j < width; j += 2) {
      const s = direction * table[angles + (j % d)];
      const c = table[angles + (j % d) + 1];
      const at = row * width + j;
      to[at] += from[at] * c - from[at + 1] * s;
      to[at + 1] += from[at] * s + from[at + 1] * c;
    }
  }
}

/**
 * ALiBi's biases on scores (B, h, L_q, L_k): a head takes off its slope times the distance
 * (Press et al. 2022); to the right the heads have twice and half of it in turn.
 */
export function addAlibiBias(tape, scores) {
  const [batch, heads, lq, lk] = scores.shape;
  const y = tape.tensor(...scores.shape);
  for (let map = 0; map < batch * heads; map++) {
    const head = map % heads;
    const left = exactExp((-8 * LN2 * (head + 1)) / heads);
    const right = head % 2 === 0 ? 2 * left : left / 2;
    for (let i = 0; i < lq; i++) {
      for (let j = 0; j < lk; j++) {
        const at = (map * lq + i) * lk + j;
        y.data[at] = scores.data[at] - (j < i ? left * (i - j) : right * (j - i));
      }
    }
  }
  tape.record(() => tape.machine.kernels.addTo(y.size, y.gradAt, scores.gradAt));
  return y;
}
