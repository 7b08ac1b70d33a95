// Operations that are matrix products: linear layers, and attention's two halves.

import { countRows } from "./tape.js";

// A transposed factor is read across its rows; in blocks of so many terms these stay in the
// processor's cache. (No sum changes: a block goes on where the one before it ended.)
const BLOCK = 128;

/** x Wᵀ + b: x (…, in), W (out, in), b (out) or null -> (…, out). */
export function linear(tape, x, weight, bias) {
  const { product } = tape.machine.kernels;
  const [out, width] = weight.shape;
  const { rows } = countRows(x);
  const y = tape.tensor(...x.shape.slice(0, -1), out);
  const turned = tape.scratch(weight.size); // (in, out)
  transpose(tape, weight.at, out, width, width, turned);
  if (bias) for (let r = 0; r < rows; r++) y.data.set(bias.data, r * out);
  product(rows, out, width, x.at, width, 1, turned, out, y.at, out, Boolean(bias));
  tape.record(() => {
    product(rows, width, out, y.gradAt, out, 1, weight.at, width, x.gradAt, width, true);
    addOuterProduct(tape, rows, [y.gradAt, out, out], [x.at, width, width], [weight.gradAt, width]);
    if (bias) addRowSums(tape, y.gradAt, rows, bias);
  });
  return y;
}

/** scale · Q Kᵀ for each head: (B, L_q, h d), (B, L_k, h d) -> (B, h, L_q, L_k). */
export function scores(tape, query, key, heads, scale) {
  const { product } = tape.machine.kernels;
  const [batch, lq, width] = query.shape;
  const lk = key.shape[1];
  const d = width / heads;
  const s = tape.tensor(batch, heads, lq, lk);
  const turned = tape.scratch(d * lk);
  forEachHead(batch, heads, (b, h, map) => {
    const q = b * lq * width + h * d;
    const k = b * lk * width + h * d;
    transpose(tape, key.at + k, lk, d, width, turned);
    product(lq, lk, d, query.at + q, width, 1, turned, lk, s.at + map * lq * lk, lk, false);
  });
  multiply(s.data, scale);
  tape.record(() => {
    multiply(s.grad, scale);
    forEachHead(batch, heads, (b, h, map) => {
      const q = b * lq * width + h * d;
      const k = b * lk * width + h * d;
      const at = s.gradAt + map * lq * lk;
      product(lq, d, lk, at, lk, 1, key.at + k, width, query.gradAt + q, width, true);
      product(lk, d, lq, at, 1, lk, query.at + q, width, key.gradAt + k, width, true);
    });
  });
  return s;
}

/** Weighted sums for each head: (B, h, L_q, L_k), (B, L_k, h d) -> (B, L_q, h d). */
export function sumByWeights(tape, weights, value) {
  const { product } = tape.machine.kernels;
  const [batch, heads, lq, lk] = weights.shape;
  const width = value.shape[2];
  const d = width / heads;
  const y = tape.tensor(batch, lq, width);
  const turned = tape.scratch(d * lk);
  forEachHead(batch, heads, (b, h, map) => {
    const [v, o, w] = [b * lk * width + h * d, b * lq * width + h * d, map * lq * lk];
    product(lq, d, lk, weights.at + w, lk, 1, value.at + v, width, y.at + o, width, false);
  });
  tape.record(() =>
    forEachHead(batch, heads, (b, h, map) => {
      const [v, o, w] = [b * lk * width + h * d, b * lq * width + h * d, map * lq * lk];
      transpose(tape, value.at + v, lk, d, width, turned);
      product(lq, lk, d, y.gradAt + o, width, 1, turned, lk, weights.gradAt + w, lk, true);
      product(lk, d, lq, weights.at + w, 1, lk, y.gradAt + o, width, value.gradAt + v, width, true);
    }),
  );
  return y;
}

function forEachHead(batch, heads, visit) {
  for (let b = 0; b < batch; b++) for (let h = 0; h < heads; h++) visit(b, h, b * heads + h);
}

/**
 * C += Aᵀ B: A (rows, m), B (rows, n), C (m, n), each as [place, how far its rows are apart];
 * of A and B also how many columns.
 */
export function addOuterProduct({ machine }, rows, [a, aRow, m], [b, bRow, n], [c, cRow]) {
  for (let r = 0; r < rows; r += BLOCK) {
    const terms = Math.min(BLOCK, rows - r);
    machine.kernels.product(m, n, terms, a + r * aRow, 1, aRow, b + r * bRow, bRow, c, cRow, true);
  }
}

/** Copy (rows, columns), its rows `apart`, as (columns, rows) to `to`. */
export function transpose({ machine }, from, rows, columns, apart, to) {
  const { numbers } = machine;
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < columns; c++) numbers[to + c * rows + r] = numbers[from + r * apart + c];
  }
}

/** Add the rows (rows, n) at a place to the gradient of a tensor (n). */
export function addRowSums({ machine }, from, rows, { size, gradAt }) {
  for (let r = 0; r < rows; r++) machine.kernels.addTo(size, from + r * size, gradAt);
}

function multiply(numbers, factor) {
  if (factor === 1) return;
  for (let i = 0; i < numbers.length; i++) numbers[i] *= factor;
}
