// A model's weights by the names that PyTorch has for them, and how they begin.

import { makeTensor } from "./tape.js";

/** Weights in the order in which they are drawn; all that training changes. */
export class Parameters {
  constructor(machine, random) {
    this.machine = machine;
    this.random = random;
    this.byName = new Map();
  }

  /** A new one of this shape, each number drawn by `draw()`. */
  add(name, shape, draw) {
    const tensor = makeTensor(this.machine, shape);
    for (let i = 0; i < tensor.size; i++) tensor.data[i] = draw();
    this.byName.set(name, tensor);
    return tensor;
  }

  uniform(name, shape, limit) {
    return this.add(name, shape, () => limit * (2 * this.random.uniform() - 1));
  }

  normal(name, shape, deviation) {
    return this.add(name, shape, () => deviation * this.random.normal());
  }

  constant(name, shape, value) {
    return this.add(name, shape, () => value);
  }

  /** A linear layer as torch draws it: weight and bias within ±1/√in. */
  linear(name, out, width, { bias = true } = {}) {
    const limit = 1 / Math.sqrt(width);
    return {
      weight: this.uniform(`${name}.weight`, [out, width], limit),
      bias: bias ? this.uniform(`${name}.bias`, [out], limit) : null,
    };
  }

  /** A linear layer of Glorot and Bengio (2010, eq. 16), times `gain`; its bias is 0. */
  glorot(name, out, width, gain = 1) {
    const limit = gain * Math.sqrt(6 / (out + width));
    return {
      weight: this.uniform(`${name}.weight`, [out, width], limit),
      bias: this.constant(`${name}.bias`, [out], 0),
    };
  }

  norm(name, width) {
    return {
      gain: this.constant(`${name}.weight`, [width], 1),
      shift: this.constant(`${name}.bias`, [width], 0),
    };
  }

  /** An embedding; the row of padding is 0 where it is not to be learned. */
  embedding(name, count, width, { deviation = 1, pad = null } = {}) {
    const table = this.normal(name, [count, width], deviation);
    if (pad !== null) table.data.fill(0, pad * width, (pad + 1) * width);
    return table;
  }

  /** Take the numbers of `tensors`, { shape, data } by name; an error if they do not fit. */
  load(tensors) {
    const all = [...this.byName];
    const hasSameShape = ([name, { shape }]) => String(tensors.get(name)?.shape) === String(shape);
    const other = all.find((one) => !hasSameShape(one))?.[0];
    if (other !== undefined || tensors.size !== all.length) {
      const where = other ?? "number of tensors";
      throw new Error(`The weights of this file are of another model: its ${where} differs.`);
    }
    for (const [name, { data }] of all) data.set(tensors.get(name).data);
  }

  /** Set all gradients to 0. */
  clear() {
    for (const { grad } of this.byName.values()) grad.fill(0);
  }

  /** How many numbers there are to learn. */
  count() {
    return [...this.byName.values()].reduce((sum, { size }) => sum + size, 0);
  }
}
