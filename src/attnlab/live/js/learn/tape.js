// Reverse-mode differentiation: what is computed is written down, and gone back over.

/**
 * A tensor is { shape, size, at, data, grad, gradAt }: numbers in the machine's memory, from
 * `at` on, and as many for the gradient of the loss by each of them. `at` is for products,
 * `data` and `grad` are views of the same numbers.
 */
export function makeTensor(machine, shape) {
  const size = shape.reduce((product, n) => product * n, 1);
  const at = machine.take(size);
  const gradAt = machine.take(size);
  const data = machine.numbers.subarray(at, at + size);
  const grad = machine.numbers.subarray(gradAt, gradAt + size).fill(0);
  return { shape, size, at, data, gradAt, grad };
}

/**
 * One pass of a model. Each operation makes a tensor and records how to go back from its
 * gradient: by adding to the gradients of what it was made of, which may get more from
 * elsewhere.
 */
export class Tape {
  constructor(machine) {
    this.machine = machine;
    this.start = machine.used;
    this.steps = [];
  }

  /** A new tensor of this pass; its gradient is 0. */
  tensor(...shape) {
    return makeTensor(this.machine, shape);
  }

  /** A place for so many numbers of this pass, to work in. */
  scratch(size) {
    return this.machine.take(size);
  }

  record(step) {
    this.steps.push(step);
  }

  /** Go back over all that was recorded, the last first. */
  backward() {
    for (let i = this.steps.length - 1; i >= 0; i--) this.steps[i]();
  }

  /** Give the memory of this pass back; its tensors must not be used any more. */
  end() {
    this.machine.used = this.start;
    this.steps = [];
  }
}

/** The last size of a tensor, and how many rows of it there are. */
export function countRows({ shape, size }) {
  const width = shape.at(-1);
  return { width, rows: size / width };
}
