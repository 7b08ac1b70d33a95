// The reader of chapters 3 to 5: a class for every token (attnlab.tagger).

import { PAD } from "../models/tokens.js";
import { nonPaddingMask } from "./batches.js";
import { attend, headWeights } from "./heads.js";
import { addFixedPositions, addLearnedPositions, sinusoids } from "./positions.js";
import { linear } from "./products.js";
import { embed } from "./shapes.js";
import { feedForward, sublayer } from "./sublayers.js";

/** The weights for a `config`, the arguments of attnlab.tagger.Tagger. */
export function taggerWeights(parameters, config) {
  const { vocab_size: vocabulary, num_classes: classes, d_model: d, d_ff: inner } = config;
  const embedding = parameters.embedding("embedding.weight", vocabulary, d, { pad: PAD });
  const learned =
    config.positions === "learned"
      ? parameters.normal("positions.table", [config.max_length, d], 0.02)
      : null;
  const layers = Array.from({ length: config.num_layers }, (_, i) => {
    const name = `layers.${i}`;
    const layer = {
      heads: headWeights(parameters, `${name}.mixer.heads`, d),
      norm: parameters.norm(`${name}.norm`, d),
    };
    if (!inner) return layer;
    return {
      ...layer,
      inner: parameters.linear(`${name}.feed_forward.0`, inner, d),
      outer: parameters.linear(`${name}.feed_forward.2`, d, inner),
      innerNorm: parameters.norm(`${name}.feed_forward_norm`, d),
    };
  });
  return { embedding, learned, layers, output: parameters.linear("output_layer", classes, d) };
}

/** { logits (B, n, classes), targets, maps }: the weights of each layer, by kind. */
export function runTagger(tape, config, weights, batch) {
  const mask = { real: nonPaddingMask(batch.src), causal: config.causal };
  const { positions, num_heads: heads, attention_scale: scale } = config;
  let x = embed(tape, weights.embedding, batch.src, batch.size, { pad: PAD });
  x = addPositions(tape, x, positions, weights.learned);
  const maps = [];
  for (const layer of weights.layers) {
    x = sublayer(tape, config, x, layer.norm, (inputs) => {
      const options = { heads, mask, positions, scale };
      const { output, weights: its } = attend(tape, layer.heads, inputs, inputs, options);
      maps.push(its);
      return output;
    });
    if (!layer.inner) continue;
    const runFeedForward = (inputs) => feedForward(tape, config, inputs, layer);
    x = sublayer(tape, config, x, layer.innerNorm, runFeedForward);
  }
  const logits = linear(tape, x, weights.output.weight, weights.output.bias);
  return { logits, targets: batch.tgt, maps: { encoder: maps } };
}

/** Embeddings (B, n, d) with what is added to them; other positions add nothing. */
export function addPositions(tape, x, positions, learned) {
  if (positions === "learned") return addLearnedPositions(tape, x, learned);
  if (positions !== "sinusoidal") return x;
  return addFixedPositions(tape, x, sinusoids(x.shape[1], x.shape[2]));
}
