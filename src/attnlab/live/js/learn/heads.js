// Multi-head attention (Vaswani et al. 2017, section 3.2.2), as attnlab.attention has it.

import { addAlibiBias, applyRotary } from "./positions.js";
import { linear, sumByWeights, scores } from "./products.js";
import { maskedSoftmax } from "./softmax.js";

// W_Q, W_K and W_V are drawn as one matrix of all three, hence smaller by 1/√2.
const JOINT_GAIN = Math.sqrt(0.5);

/** The weights of one attention, their names beginning with `name`. */
export function headWeights(parameters, name, width) {
  const makeLayer = (part, gain) => parameters.glorot(`${name}.${part}_layer`, width, width, gain);
  return {
    query: makeLayer("query", JOINT_GAIN),
    key: makeLayer("key", JOINT_GAIN),
    value: makeLayer("value", JOINT_GAIN),
    output: makeLayer("output", 1),
  };
}

/**
 * Attend from x (B, L_q, d) to `memory` (B, L_k, d), which is x itself in self-attention.
 * `positions` other than "rotary" and "alibi" are none of its business; `scale` is what the
 * scores are multiplied by, null for 1/√d of a head.
 *
 * Returns { output (B, L_q, d), weights (B, h, L_q, L_k) }.
 */
export function attend(tape, layer, x, memory, { heads, mask, positions = "none", scale }) {
  let query = linear(tape, x, layer.query.weight, layer.query.bias);
  let key = linear(tape, memory, layer.key.weight, layer.key.bias);
  const value = linear(tape, memory, layer.value.weight, layer.value.bias);
  if (positions === "rotary") {
    query = applyRotary(tape, query, heads);
    key = applyRotary(tape, key, heads);
  }
  const usual = 1 / Math.sqrt(x.shape[2] / heads);
  let match = scores(tape, query, key, heads, scale ?? usual);
  if (positions === "alibi") match = addAlibiBias(tape, match);
  const weights = maskedSoftmax(tape, match, mask);
  const found = sumByWeights(tape, weights, value);
  return { output: linear(tape, found, layer.output.weight, layer.output.bias), weights };
}
