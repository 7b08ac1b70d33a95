// What stands around attention in both kinds of models that have it (attnlab.layers): the way
// in and out of a sublayer, and the feed-forward sublayer.

import { add, gelu, layerNorm, relu } from "./pointwise.js";
import { linear } from "./products.js";

const ACTIVATIONS = { relu, gelu };

/**
 * Post-norm norm(x + f(x)), or pre-norm x + f(norm(x)), where f is `change`; without the
 * residual, f alone in place of the sum.
 */
export function sublayer(tape, config, x, { gain, shift }, change) {
  const { norm_first: first = false, residual = true } = config;
  const found = change(first ? layerNorm(tape, x, gain, shift) : x);
  const sum = residual ? add(tape, x, found) : found;
  return first ? sum : layerNorm(tape, sum, gain, shift);
}

/** activation(x W₁ᵀ + b₁) W₂ᵀ + b₂, with the `inner` and `outer` of a layer. */
export function feedForward(tape, { activation = "relu" }, x, { inner, outer }) {
  const hidden = ACTIVATIONS[activation](tape, linear(tape, x, inner.weight, inner.bias));
  return linear(tape, hidden, outer.weight, outer.bias);
}
