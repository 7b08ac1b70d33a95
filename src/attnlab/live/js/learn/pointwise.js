// Operations that take each element, or each row, by itself.

import { exactDensity, exactNormal, exactTanh } from "./exact.js";
import { countRows } from "./tape.js";

const EPSILON = 1e-5; // of torch's LayerNorm
const MIN_NORM = 1e-12; // of torch's normalize

/** a + b, of one shape. */
export function add(tape, a, b) {
  const { addTo } = tape.machine.kernels;
  const y = tape.tensor(...a.shape);
  y.data.set(a.data);
  addTo(y.size, b.at, y.at);
  tape.record(() => {
    addTo(y.size, y.gradAt, a.gradAt);
    addTo(y.size, y.gradAt, b.gradAt);
  });
  return y;
}

/** max(0, x). */
export function relu(tape, x) {
  const { kernels } = tape.machine;
  const y = tape.tensor(...x.shape);
  kernels.relu(y.size, x.at, y.at);
  tape.record(() => kernels.addWherePositive(y.size, x.at, y.gradAt, x.gradAt));
  return y;
}

/**
 * x Φ(x), Φ the normal distribution's (Hendrycks and Gimpel 2016): torch's gelu with
 * approximate="none", not the tanh that comes near it.
 */
export function gelu(tape, x) {
  const y = tape.tensor(...x.shape);
  const slopes = tape.scratch(x.size);
  const { numbers } = tape.machine;
  for (let i = 0; i < x.size; i++) {
    const value = x.data[i];
    const below = exactNormal(value);
    y.data[i] = value * below;
    numbers[slopes + i] = below + value * exactDensity(value);
  }
  tape.record(() => {
    for (let i = 0; i < x.size; i++) x.grad[i] += y.grad[i] * numbers[slopes + i];
  });
  return y;
}

export function tanh(tape, x) {
  const y = tape.tensor(...x.shape);
  for (let i = 0; i < y.size; i++) y.data[i] = exactTanh(x.data[i]);
  tape.record(() => {
    for (let i = 0; i < y.size; i++) x.grad[i] += y.grad[i] * (1 - y.data[i] * y.data[i]);
  });
  return y;
}

/** Layer normalization of each row (Ba et al. 2016): gain · (x − mean) / deviation + shift. */
export function layerNorm(tape, x, gain, shift) {
  const { width, rows } = countRows(x);
  const y = tape.tensor(...x.shape);
  const inverses = new Float64Array(rows); // 1 / deviation of each row
  const means = new Float64Array(rows);
  for (let r = 0; r < rows; r++) {
    const at = r * width;
    let mean = 0;
    for (let j = 0; j < width; j++) mean += x.data[at + j];
    mean /= width;
    let variance = 0;
    for (let j = 0; j < width; j++) {
      const apart = x.data[at + j] - mean;
      variance += apart * apart;
    }
    const inverse = 1 / Math.sqrt(variance / width + EPSILON);
    for (let j = 0; j < width; j++) {
      y.data[at + j] = (x.data[at + j] - mean) * inverse * gain.data[j] + shift.data[j];
    }
    means[r] = mean;
    inverses[r] = inverse;
  }
  tape.record(() => backThroughNorm(x, y, gain, shift, means, inverses));
  return y;
}

// With n = (x − mean) / deviation and g = dy · gain: dx = (g − mean(g) − n mean(g n)) / deviation.
function backThroughNorm(x, y, gain, shift, means, inverses) {
  const { width, rows } = countRows(x);
  for (let r = 0; r < rows; r++) {
    const at = r * width;
    const [mean, inverse] = [means[r], inverses[r]];
    let [sum, along] = [0, 0];
    for (let j = 0; j < width; j++) {
      const normal = (x.data[at + j] - mean) * inverse;
      const dy = y.grad[at + j];
      gain.grad[j] += dy * normal;
      shift.grad[j] += dy;
      sum += dy * gain.data[j];
      along += dy * gain.data[j] * normal;
    }
    sum /= width;
    along /= width;
    for (let j = 0; j < width; j++) {
      const normal = (x.data[at + j] - mean) * inverse;
      x.grad[at + j] += (y.grad[at + j] * gain.data[j] - sum - normal * along) * inverse;
    }
  }
}

/** Each row divided by its length. */
export function normalizeRows(tape, x) {
  const { width, rows } = countRows(x);
  const y = tape.tensor(...x.shape);
  const lengths = new Float64Array(rows);
  for (let r = 0; r < rows; r++) {
    const at = r * width;
    let square = 0;
    for (let j = 0; j < width; j++) square += x.data[at + j] * x.data[at + j];
    lengths[r] = Math.max(Math.sqrt(square), MIN_NORM);
    for (let j = 0; j < width; j++) y.data[at + j] = x.data[at + j] / lengths[r];
  }
  tape.record(() => {
    for (let r = 0; r < rows; r++) {
      const at = r * width;
      let along = 0;
      if (lengths[r] > MIN_NORM) {
        for (let j = 0; j < width; j++) along += y.grad[at + j] * y.data[at + j];
      }
      for (let j = 0; j < width; j++) {
        x.grad[at + j] += (y.grad[at + j] - y.data[at + j] * along) / lengths[r];
      }
    }
  });
  return y;
}
