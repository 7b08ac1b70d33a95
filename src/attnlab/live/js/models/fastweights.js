// A memory of fixed size: a matrix into which keys write their values.

import { dot, norm, addVectors } from "../math/tensor.js";

/** The rules by name: what is left of the state, and whether the old answer is removed. */
const RULES = {
  sum: { forgets: false, corrects: false },
  decay: { forgets: true, corrects: false },
  delta: { forgets: false, corrects: true },
  "gated delta": { forgets: true, corrects: true },
};

/**
 * The keys of a figure, each of length 1. "alike": all lean the way of the last of those
 * given. "one twice": the fourth is the second again.
 */
export function makeKeys(kind, numbers) {
  const lean = normalized(numbers.at(-1));
  const keys = numbers.map((row) =>
    kind === "alike" ? normalized(addVectors(normalized(row), lean)) : normalized(row),
  );
  if (kind === "one twice") keys[3] = keys[1];
  return keys;
}

/** The state after all pairs are written: one row for each entry of a key. */
export function writePairs(rule, keys, values, decay) {
  const { forgets, corrects } = RULES[rule];
  let state = keys[0].map(() => values[0].map(() => 0));
  keys.forEach((key, i) => {
    if (forgets) state = state.map((row) => row.map((x) => decay * x));
    const held = readOut(state, key);
    const added = values[i].map((x, j) => (corrects ? x - held[j] : x));
    state = state.map((row, r) => row.map((x, j) => x + key[r] * added[j]));
  });
  return state;
}

/** What the state answers to a key: the key times the matrix. */
export function readOut(state, key) {
  return state[0].map((_, j) => state.reduce((sum, row, r) => sum + key[r] * row[j], 0));
}

/** The place of the value that is nearest to an answer. All values are equally long. */
export function nearestIndex(answer, values) {
  const scores = values.map((value) => dot(answer, value));
  return scores.indexOf(Math.max(...scores));
}

/** The cosine of the angle between two vectors; 0 if one of them is 0. */
export function cosine(a, b) {
  return dot(a, b) / (norm(a) * norm(b) || 1);
}

function normalized(vector) {
  const length = norm(vector);
  return Array.from(vector, (x) => x / length);
}
