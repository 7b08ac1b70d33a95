// Pairs of sequences as batches: padded, and in an order that a seed decides.

import { PAD } from "../models/tokens.js";

// Sorting by length inside pools of so many batches saves padding, and yet mixes other pairs
// in each epoch.
const POOL_SIZE = 20;

/** Pairs { src, tgt }, lists of ids, side by side, padded on the right. */
export function collate(pairs) {
  const [srcLength, tgtLength] = ["src", "tgt"].map((side) => maxLength(pairs, side));
  return {
    size: pairs.length,
    srcLength,
    tgtLength,
    src: padSequences(pairs, "src", srcLength),
    tgt: padSequences(pairs, "tgt", tgtLength),
  };
}

/** What a decoder reads and what it is to say after each: targets without last and first. */
export function inputsAndTargets({ size, tgt, tgtLength }) {
  const length = tgtLength - 1;
  const inputs = new Int32Array(size * length);
  const targets = new Int32Array(size * length);
  for (let b = 0; b < size; b++) {
    const row = tgt.subarray(b * tgtLength, (b + 1) * tgtLength);
    inputs.set(row.subarray(0, length), b * length);
    targets.set(row.subarray(1), b * length);
  }
  return { inputs, targets };
}

/** Where ids are no padding: 1 there, 0 elsewhere; null if there is none. */
export function nonPaddingMask(ids) {
  return ids.includes(PAD) ? Uint8Array.from(ids, (id) => (id === PAD ? 0 : 1)) : null;
}

/** Batches without end, epoch after epoch, each pair once in each. */
export function* endlessBatches(pairs, size, random) {
  while (true) {
    const order = random.shuffle([...pairs]);
    const chunks = splitIntoChunks(order, size * POOL_SIZE)
      .map((pool) => pool.toSorted((a, b) => a.src.length - b.src.length))
      .flatMap((pool) => splitIntoChunks(pool, size));
    for (const chunk of random.shuffle(chunks)) yield collate(chunk);
  }
}

function splitIntoChunks(list, size) {
  const chunks = [];
  for (let at = 0; at < list.length; at += size) chunks.push(list.slice(at, at + size));
  return chunks;
}

function maxLength(pairs, side) {
  return pairs.reduce((most, pair) => Math.max(most, pair[side].length), 0);
}

function padSequences(pairs, side, length) {
  const ids = new Int32Array(pairs.length * length).fill(PAD);
  pairs.forEach((pair, b) => ids.set(pair[side], b * length));
  return ids;
}
