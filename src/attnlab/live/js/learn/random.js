// Random numbers that a seed decides, the same in every browser: xoshiro128** (Blackman and
// Vigna 2018), whose four words of state are filled by splitmix32. Integer arithmetic alone.

import { exactCos, exactLog } from "./exact.js";

const TWO_PI = 6.283185307179586;

/** A generator for a seed, a whole number from 0 to 2³² − 1, and a stream, one of a few. */
export class Random {
  constructor(seed, stream = 0) {
    this.state = new Uint32Array(4);
    seed = (seed ^ Math.imul(stream, 0x632be5ab)) >>> 0;
    for (let i = 0; i < 4; i++) {
      seed = (seed + 0x9e3779b9) >>> 0;
      let word = Math.imul(seed ^ (seed >>> 16), 0x21f0aaad);
      word = Math.imul(word ^ (word >>> 15), 0x735a2d97);
      this.state[i] = word ^ (word >>> 15);
    }
  }

  /** A whole number from 0 to 2³² − 1. */
  nextUint32() {
    const s = this.state;
    const product = Math.imul(s[1], 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9) >>> 0;
    const shifted = s[1] << 9;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = (s[3] << 11) | (s[3] >>> 21);
    return result;
  }

  /** A number from 0 up to, but not, 1. */
  uniform() {
    return this.nextUint32() / 4294967296;
  }

  /** A number of the normal distribution with mean 0 and variance 1 (Box and Muller). */
  normal() {
    const radius = Math.sqrt(-2 * exactLog(1 - this.uniform()));
    return radius * exactCos(TWO_PI * this.uniform());
  }

  /** A whole number from 0 to count − 1. */
  below(count) {
    return Math.floor(this.uniform() * count);
  }

  /** Put a list into random order, in place (Fisher and Yates), and return it. */
  shuffle(list) {
    for (let i = list.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [list[i], list[j]] = [list[j], list[i]];
    }
    return list;
  }
}
