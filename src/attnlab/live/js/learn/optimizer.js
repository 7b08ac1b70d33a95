// How weights change: AdamW or plain gradient descent, the gradient's norm clipped, at a rate
// that warms up and then falls, as in attnlab.training.

import { exactCos } from "./exact.js";

const PI = 3.141592653589793;
const [BETA_1, BETA_2] = [0.9, 0.999];
const EPSILON = 1e-8;
const DECAY = 0.01; // of AdamW

/** Shrink all gradients together to a norm of at most `limit`; returns the norm they had. */
export function clipGradients(tensors, limit) {
  let square = 0;
  for (const { grad } of tensors) square += sumOfSquares(grad);
  const norm = Math.sqrt(square);
  const factor = limit / (norm + 1e-6);
  if (factor < 1) {
    for (const { grad } of tensors) for (let i = 0; i < grad.length; i++) grad[i] *= factor;
  }
  return norm;
}

/** The sum of squares, in double precision. */
export function sumOfSquares(numbers) {
  let square = 0;
  for (let i = 0; i < numbers.length; i++) square += numbers[i] * numbers[i];
  return square;
}

/** Adam with weights that decay beside it (Loshchilov and Hutter 2019, algorithm 2). */
export class AdamW {
  constructor(tensors) {
    this.tensors = tensors;
    this.means = tensors.map(({ size }) => new Float32Array(size));
    this.squares = tensors.map(({ size }) => new Float32Array(size));
    this.power1 = 1; // β₁ and β₂ to the number of steps
    this.power2 = 1;
  }

  step(rate) {
    this.power1 *= BETA_1;
    this.power2 *= BETA_2;
    const size = rate / (1 - this.power1);
    const scale = Math.sqrt(1 - this.power2);
    this.tensors.forEach(({ data, grad }, k) => {
      const [mean, square] = [this.means[k], this.squares[k]];
      for (let i = 0; i < data.length; i++) {
        const g = grad[i];
        const m = (mean[i] += (g - mean[i]) * (1 - BETA_1));
        const s = (square[i] += (g * g - square[i]) * (1 - BETA_2));
        data[i] = data[i] * (1 - rate * DECAY) - (size * m) / (Math.sqrt(s) / scale + EPSILON);
      }
    });
  }
}

/** Gradient descent, one step downhill (torch's SGD without momentum). */
export class Descent {
  constructor(tensors) {
    this.tensors = tensors;
  }

  step(rate) {
    for (const { data, grad } of this.tensors) {
      for (let i = 0; i < data.length; i++) data[i] -= rate * grad[i];
    }
  }
}

/**
 * The rate of a step counted from 0: up in a straight line over `warmup` steps, then along a
 * cosine down to 0 at step `total`.
 */
export function learningRateAt(step, { rate, warmup, steps }) {
  if (step < warmup) return (rate * (step + 1)) / warmup;
  const done = (step - warmup) / Math.max(1, steps - warmup);
  return (rate * (1 + exactCos(PI * done))) / 2;
}
