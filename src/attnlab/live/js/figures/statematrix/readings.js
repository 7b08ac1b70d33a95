// What the matrix answers to the key of every pair that has been written.

import { cosine, makeKeys, nearestIndex, readOut, writePairs } from "../../models/fastweights.js";

/**
 * { state, key, answer, value, pairs, asked, right }. Each of `pairs` is { like, named }: how
 * closely its answer resembles its value, and whether no other value is nearer. It is null
 * where a later pair has the same key. `key`, `answer` and `value` are those of pair `asked`.
 */
export function readBackPairs({ rule, kind, written, read }, { keys, values, decay }) {
  const asked = Math.min(read, written) - 1;
  const usedKeys = makeKeys(kind, keys).slice(0, written);
  const usedValues = values.slice(0, written);
  const state = writePairs(rule, usedKeys, usedValues, decay);
  const lastIndexWithKey = (key) => usedKeys.lastIndexOf(key);
  const pairs = usedKeys.map((key, i) => {
    if (lastIndexWithKey(key) !== i) return null;
    const answer = readOut(state, key);
    return { like: cosine(answer, values[i]), named: nearestIndex(answer, usedValues) === i };
  });
  const key = usedKeys[asked];
  return {
    state,
    key,
    answer: readOut(state, key),
    value: values[lastIndexWithKey(key)],
    pairs,
    asked,
    right: pairs.filter((pair) => pair?.named).length,
  };
}
