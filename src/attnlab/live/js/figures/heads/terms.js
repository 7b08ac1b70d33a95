// What each head adds to an answer: equation (4.3), carried on to the logits.

import { EPSILON, dot, getRow } from "../../math/tensor.js";

/**
 * By how much the logit of class `answer` exceeds that of the best other class at token
 * `index`, as a sum: { rival, own, heads: [head], constant, margin }. `own` is what the word
 * brings to the last layer, `heads` are the terms of that layer's heads, `constant` that of
 * the biases.
 *
 * Before the layer norm the parts simply add up. The norm subtracts their mean, which is
 * linear, and divides by one deviation of the whole sum: as that number is now, each part has
 * a share of the logits, and the shares add up to the margin exactly.
 */
export function logitTerms({ network, now }, index, answer) {
  const { tensors, config } = network;
  const prefix = `layers.${config.num_layers - 1}`;
  const getTensor = (name) => tensors.get(name);
  const logits = now.logits[index];
  const rival = rivalIndex(logits, answer);
  const readOut = getTensor("output_layer.weight");
  const [right, wrong] = [getRow(readOut, answer), getRow(readOut, rival)];
  const direction = Float64Array.from(right, (x, i) => x - wrong[i]);
  const output = getTensor(`${prefix}.mixer.heads.output_layer.weight`);
  const bias = getTensor(`${prefix}.mixer.heads.output_layer.bias`).data;
  const state = now.last.states[index];
  const found = now.last.found[index];
  const sum = Float64Array.from(state, (x, i) => x + dot(getRow(output, i), found) + bias[i]);
  const seen = backThroughNorm(direction, sum, getTensor(`${prefix}.norm.weight`).data);
  const [, columns] = output.shape;
  const width = columns / config.num_heads; // d_head
  const heads = Array(config.num_heads).fill(0);
  for (let column = 0; column < columns; column++) {
    let weight = 0;
    for (let i = 0; i < seen.length; i++) weight += output.data[i * columns + column] * seen[i];
    heads[Math.floor(column / width)] += weight * found[column];
  }
  const outputBias = getTensor("output_layer.bias").data;
  const shift = dot(getTensor(`${prefix}.norm.bias`).data, direction);
  const constant = dot(bias, seen) + shift + outputBias[answer] - outputBias[rival];
  const margin = logits[answer] - logits[rival];
  return { rival, own: dot(state, seen), heads, constant, margin };
}

// The vector whose dot product with a part of the sum is that part's share of the logits.
function backThroughNorm(direction, sum, gain) {
  const scaled = direction.map((x, i) => x * gain[i]);
  const centred = subtractMean(scaled);
  const spread = subtractMean(sum);
  const deviation = Math.sqrt(dot(spread, spread) / sum.length + EPSILON);
  return centred.map((x) => x / deviation);
}

function subtractMean(vector) {
  const mean = vector.reduce((total, x) => total + x, 0) / vector.length;
  return vector.map((x) => x - mean);
}

function rivalIndex(logits, answer) {
  let best = answer === 0 ? 1 : 0;
  logits.forEach((logit, i) => {
    if (i !== answer && logit > logits[best]) best = i;
  });
  return best;
}
