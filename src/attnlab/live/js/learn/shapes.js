// Operations that move numbers: looking them up, side by side, cut off.

import { countRows } from "./tape.js";

/**
 * scale times the rows of a table: ids (B · n) -> (B, n, d). The row `pad` learns nothing
 * (torch's padding_idx); null: every row learns.
 */
export function embed(tape, table, ids, batch, { scale = 1, pad = null } = {}) {
  const width = table.shape[1];
  const y = tape.tensor(batch, ids.length / batch, width);
  for (let i = 0; i < ids.length; i++) {
    const from = ids[i] * width;
    for (let j = 0; j < width; j++) y.data[i * width + j] = scale * table.data[from + j];
  }
  tape.record(() => {
    for (let i = 0; i < ids.length; i++) {
      if (ids[i] === pad) continue;
      const to = ids[i] * width;
      for (let j = 0; j < width; j++) table.grad[to + j] += scale * y.grad[i * width + j];
    }
  });
  return y;
}

/** [a; b] along the last dimension. */
export function concatColumns(tape, a, b) {
  const { width: left, rows } = countRows(a);
  const { width: right } = countRows(b);
  const width = left + right;
  const y = tape.tensor(...a.shape.slice(0, -1), width);
  for (let r = 0; r < rows; r++) {
    y.data.set(a.data.subarray(r * left, (r + 1) * left), r * width);
    y.data.set(b.data.subarray(r * right, (r + 1) * right), r * width + left);
  }
  tape.record(() => {
    for (let r = 0; r < rows; r++) {
      for (let j = 0; j < left; j++) a.grad[r * left + j] += y.grad[r * width + j];
      for (let j = 0; j < right; j++) b.grad[r * right + j] += y.grad[r * width + left + j];
    }
  });
  return y;
}

/** The same row (B, d) at each of n places: (B, n, d). */
export function repeatRow(tape, x, n) {
  const [batch, width] = x.shape;
  const y = tape.tensor(batch, n, width);
  for (let row = 0; row < batch * n; row++) {
    const from = Math.floor(row / n) * width;
    y.data.set(x.data.subarray(from, from + width), row * width);
  }
  tape.record(() => {
    for (let row = 0; row < batch * n; row++) {
      const to = Math.floor(row / n) * width;
      for (let j = 0; j < width; j++) x.grad[to + j] += y.grad[row * width + j];
    }
  });
  return y;
}

/** The first n of the last dimension, with a dimension of one head put in: (B, 1, L, n). */
export function sliceColumns(tape, x, n) {
  const [batch, length, width] = x.shape;
  const y = tape.tensor(batch, 1, length, n);
  for (let r = 0; r < batch * length; r++) {
    y.data.set(x.data.subarray(r * width, r * width + n), r * n);
  }
  tape.record(() => {
    for (let r = 0; r < batch * length; r++) {
      for (let j = 0; j < n; j++) x.grad[r * width + j] += y.grad[r * n + j];
    }
  });
  return y;
}
