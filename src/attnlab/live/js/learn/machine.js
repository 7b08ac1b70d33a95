// What computes: a memory of single-precision numbers and the kernels that work in it, by
// WebAssembly with SIMD where there is such a thing, else by plain JavaScript.

import { KERNELS } from "./bytes.js";
import { plainKernels } from "./plain.js";

const PAGE_BYTES = 65536; // bytes
const MEMORY_BYTES = 256 * 1024 * 1024; // reserved at once; an untouched page costs nothing

/**
 * Memory that is handed out from its start upwards, and taken back down to a mark.
 *
 * simd: whether WebAssembly computes. kernels: see `plainKernels`.
 */
export class Machine {
  constructor({ simd = true, bytes = MEMORY_BYTES } = {}) {
    const wasm = simd ? startKernels(bytes) : null;
    this.simd = wasm !== null;
    this.numbers = new Float32Array(wasm ? wasm.buffer : new ArrayBuffer(bytes));
    this.kernels = wasm ? wasm.kernels : plainKernels(this.numbers);
    this.used = 0;
  }

  /** Room for so many numbers; returns where it begins. What is in it is undefined. */
  take(size) {
    const at = this.used;
    const end = at + Math.ceil(size / 4) * 4; // all begin at 16 bytes
    if (end > this.numbers.length) {
      throw new RangeError(
        "This model does not fit: a step needs more than 256 MB. Take less width, fewer layers "
          + "or a smaller batch.",
      );
    }
    this.used = end;
    return at;
  }
}

// The memory and the kernels, or null where the browser has no SIMD.
function startKernels(bytes) {
  if (typeof WebAssembly === "undefined") return null;
  const code = Uint8Array.from(atob(KERNELS), (letter) => letter.charCodeAt(0));
  try {
    if (!WebAssembly.validate(code)) return null;
    const memory = new WebAssembly.Memory({ initial: bytes / PAGE_BYTES });
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(code), { env: { memory } });
    return { buffer: memory.buffer, kernels: countInNumbers(exports) };
  } catch {
    return null; // forbidden by a page's policy, say
  }
}

// WebAssembly counts places and strides in bytes, and elementwise work by fours: what `take`
// hands out has room for whole ones.
/** @param {any} exports */
function countInNumbers(exports) {
  const { product, addTo, relu, addWherePositive } = exports;
  return {
    product: (rows, columns, terms, a, aRow, aTerm, b, bTerm, c, cRow, more) =>
      // prettier-ignore
      product(rows, columns, terms, 4 * a, 4 * aRow, 4 * aTerm, 4 * b, 4 * bTerm, 4 * c, 4 * cRow,
        more ? 1 : 0),
    addTo: (count, from, to) => addTo(Math.ceil(count / 4), 4 * from, 4 * to),
    relu: (count, from, to) => relu(Math.ceil(count / 4), 4 * from, 4 * to),
    addWherePositive: (count, sign, from, to) =>
      addWherePositive(Math.ceil(count / 4), 4 * sign, 4 * from, 4 * to),
  };
}
