// A GRU over a batch of sentences (Cho et al. 2014, in torch's form), all steps as one
// operation: a step each on the tape would cost more than its arithmetic.
//
//     r, z = σ(x + h),  n = tanh(x + r · h),  h' = (1 − z) n + z h
//
// where x and h stand for that gate's part of W_ih x + b_ih and W_hh h + b_hh.

import { exactSigmoid, exactTanh } from "./exact.js";
import { addOuterProduct, addRowSums, transpose } from "./products.js";

/**
 * Args: gates (B, L, 3d), what `linear` makes of the inputs; first (B, d), the state before
 * the first step, or null for 0; weight (3d, d) and bias (3d) of the states; real (B · L)
 * with 0 at padding, or null; reverse: read from the last token to the first.
 *
 * Returns { states (B, L, d), 0 at padding; last (B, d), behind each sentence's last token }.
 */
export function gru(tape, gates, { first = null, weight, bias, real = null, reverse = false }) {
  const [batch, length] = gates.shape;
  const d = weight.shape[1];
  const pass = { tape, gates, weight, bias, real, batch, length, d };
  pass.order = Array.from({ length }, (_, i) => (reverse ? length - 1 - i : i));
  // All by step, then by sentence, so that a step's rows are neighbours.
  pass.before = tape.scratch(length * batch * d); // the state before each step
  pass.own = tape.scratch(length * batch * 3 * d); // the states' part of the gates, dgates later
  pass.kept = tape.scratch(length * batch * 3 * d); // r, z, n
  const states = tape.tensor(batch, length, d);
  const last = tape.tensor(batch, d);
  if (first) last.data.set(first.data);
  else last.data.fill(0);
  const turned = tape.scratch(weight.size); // (d, 3d)
  transpose(tape, weight.at, 3 * d, d, d, turned);
  pass.order.forEach((t, step) => stepForward(pass, t, step, turned, states, last));
  tape.record(() => {
    for (let step = length - 1; step >= 0; step--) {
      stepBack(pass, pass.order[step], step, states, last);
    }
    if (first) for (let i = 0; i < first.size; i++) first.grad[i] += last.grad[i];
    const [rows, wide] = [length * batch, 3 * d];
    addOuterProduct(tape, rows, [pass.own, wide, wide], [pass.before, d, d], [weight.gradAt, d]);
    addRowSums(tape, pass.own, rows, bias);
  });
  return { states, last };
}

// `last` holds the state of each sentence, step after step.
function stepForward(pass, t, step, turned, states, last) {
  const { tape, gates, bias, real, batch, length, d } = pass;
  const { numbers, kernels } = tape.machine;
  const before = pass.before + step * batch * d;
  const own = pass.own + step * batch * 3 * d;
  numbers.set(last.data, before);
  for (let b = 0; b < batch; b++) numbers.set(bias.data, own + b * 3 * d);
  kernels.product(batch, 3 * d, d, before, d, 1, turned, 3 * d, own, 3 * d, true);
  for (let b = 0; b < batch; b++) {
    const row = b * length + t;
    if (real && real[row] === 0) {
      states.data.fill(0, row * d, (row + 1) * d);
      continue;
    }
    const [x, h] = [row * 3 * d, own + b * 3 * d];
    const kept = pass.kept + (step * batch + b) * 3 * d;
    for (let j = 0; j < d; j++) {
      const r = exactSigmoid(gates.data[x + j] + numbers[h + j]);
      const z = exactSigmoid(gates.data[x + d + j] + numbers[h + d + j]);
      const n = exactTanh(gates.data[x + 2 * d + j] + r * numbers[h + 2 * d + j]);
      numbers[kept + j] = r;
      numbers[kept + d + j] = z;
      numbers[kept + 2 * d + j] = n;
      last.data[b * d + j] = (1 - z) * n + z * numbers[before + b * d + j];
      states.data[row * d + j] = last.data[b * d + j];
    }
  }
}

// `last.grad` holds the gradient by the state behind this step, and then by that before it.
// Where `own` had the states' part of the gates, the gradient by it takes its place.
function stepBack(pass, t, step, states, last) {
  const { tape, gates, weight, real, batch, length, d } = pass;
  const { numbers, kernels } = tape.machine;
  const first = pass.own + step * batch * 3 * d;
  for (let b = 0; b < batch; b++) {
    const row = b * length + t;
    const own = first + b * 3 * d;
    if (real && real[row] === 0) {
      numbers.fill(0, own, own + 3 * d);
      continue;
    }
    const x = row * 3 * d;
    const kept = pass.kept + (step * batch + b) * 3 * d;
    const before = pass.before + (step * batch + b) * d;
    for (let j = 0; j < d; j++) {
      const [r, z, n] = [numbers[kept + j], numbers[kept + d + j], numbers[kept + 2 * d + j]];
      const dh = last.grad[b * d + j] + states.grad[row * d + j];
      const dn = dh * (1 - z) * (1 - n * n);
      const dz = dh * (numbers[before + j] - n) * z * (1 - z);
      const dr = dn * numbers[own + 2 * d + j] * r * (1 - r);
      gates.grad[x + j] += dr;
      gates.grad[x + d + j] += dz;
      gates.grad[x + 2 * d + j] += dn;
      numbers[own + j] = dr;
      numbers[own + d + j] = dz;
      numbers[own + 2 * d + j] = dn * r;
      last.grad[b * d + j] = dh * z;
    }
  }
  kernels.product(batch, d, 3 * d, first, 3 * d, 1, weight.at, d, last.gradAt, d, true);
}
