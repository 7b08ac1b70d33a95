// One head of the trained reader, for one word, step by step: plain data.

import { argmax, dot } from "../../math/tensor.js";
import { sourceIds } from "../../models/stored.js";
import { tag } from "../../models/tagger.js";
import { classPlace } from "../../words/places.js";
import { attendInSteps } from "./row.js";

/**
 * `tokens` are the words as typed and the end; `order` says which of them stands where, the
 * end stays last. `unseen` are pairs [i, j] of typed words: i may not see j. `asks` is a typed
 * word.
 *
 * Returns in the order shown: words, typed (which word of those typed each is), row (where the
 * one that asks stands), mask, map [n][n] of the head, keys and values of the head, places
 * (the powers of ten read), and of the row its query and the steps of `attendInSteps`; x, the
 * word's vector, and `added`, what the head's output becomes by its part of W_O.
 */
export function runTrainedHead(network, tokens, { order, unseen, positions, head, asks }) {
  const typed = [...order, order.length];
  const hidden = new Set(unseen.map(String));
  const mask = typed.map((i) => typed.map((j) => !hidden.has(`${i},${j}`)));
  const ids = sourceIds(network, tokens.slice(0, -1));
  const shuffled = typed.map((i) => ids[i]);
  const changes = { placed: positions, mask };
  const { logits, weights, last } = tag(network, shuffled, undefined, null, changes);
  const width = last.queries[0].length / network.config.num_heads; // d_head
  const headSlice = (vector) => vector.subarray(head * width, (head + 1) * width);
  const row = typed.indexOf(asks);
  const [query, keys, values] = [
    headSlice(last.queries[row]),
    last.keys.map(headSlice),
    last.values.map(headSlice),
  ];
  const steps = attendInSteps({ query, keys, values, seen: mask[row], masking: "zeros" });
  return {
    words: typed.map((i) => tokens[i]),
    typed,
    row,
    mask,
    map: weights[0][head],
    query,
    keys,
    values,
    ...steps,
    x: last.states[row],
    added: projectOutput(network, head, steps.output),
    places: logits.map((one) => classPlace(argmax(one))),
  };
}

// What one head's output adds to the word: its columns of W_O, without the bias.
function projectOutput({ tensors }, head, output) {
  const { shape, data } = tensors.get("layers.0.mixer.heads.output_layer.weight");
  const [rows, columns] = shape;
  return Float64Array.from({ length: rows }, (_, i) => {
    const start = i * columns + head * output.length;
    return dot(data.subarray(start, start + output.length), output);
  });
}

/**
 * The plane that x and what is added span, without any loss: x lies along the first axis, and
 * the sum at { along, across }. `length` is that of x.
 */
export function projectToSpan(x, added) {
  const length = Math.sqrt(dot(x, x));
  const along = dot(added, x) / length;
  const across = Math.sqrt(Math.max(0, dot(added, added) - along * along));
  return { length, along: length + along, across };
}
