// The encoder–decoder of chapter 7 (attnlab.transformer), without dropout.

import { inputsAndTargets, nonPaddingMask } from "./batches.js";
import { attend, headWeights } from "./heads.js";
import { layerNorm } from "./pointwise.js";
import { linear } from "./products.js";
import { embed } from "./shapes.js";
import { feedForward, sublayer } from "./sublayers.js";
import { addPositions } from "./tagger.js";

/** The weights for a `config`, the arguments of attnlab.transformer.Transformer. */
export function transformerWeights(parameters, config) {
  const { d_model: d, src_vocab: source, tgt_vocab: target } = config;
  const deviation = 1 / Math.sqrt(d);
  const makeEmbedding = (side, count) =>
    parameters.embedding(`${side}_embedding.weight`, count, d, { deviation });
  return {
    source: makeEmbedding("src", source),
    target: makeEmbedding("tgt", target),
    output: parameters.glorot("output_layer", target, d),
    learned:
      config.positions === "learned"
        ? parameters.normal("positions.table", [config.max_length, d], 0.02)
        : null,
    encoder: stackWeights(parameters, "encoder", ["self"], config),
    decoder: stackWeights(parameters, "decoder", ["self", "cross"], config),
  };
}

// Layers with these attentions, and the last norm.
function stackWeights(parameters, stack, kinds, { num_layers: count, d_model: d, d_ff: inner }) {
  const layers = Array.from({ length: count }, (_, i) => {
    const name = `${stack}.layers.${i}`;
    const attentions = kinds.map((kind) => ({
      heads: headWeights(parameters, `${name}.${kind}_attention`, d),
      norm: parameters.norm(`${name}.${kind}_attention_norm`, d),
    }));
    return {
      attentions,
      inner: parameters.glorot(`${name}.feed_forward.inner`, inner, d),
      outer: parameters.glorot(`${name}.feed_forward.outer`, d, inner),
      norm: parameters.norm(`${name}.feed_forward_norm`, d),
    };
  });
  return { layers, norm: parameters.norm(`${stack}.norm`, d) };
}

/** { logits (B, L_t, target vocabulary), targets, maps }: the weights of each layer, by kind. */
export function runTransformer(tape, config, weights, batch) {
  const { inputs, targets } = inputsAndTargets(batch);
  const maps = { encoder: [], decoder: [], cross: [] };
  const run = { tape, config, weights, maps };
  const source = { real: nonPaddingMask(batch.src) };
  let memory = embedWithPositions(run, weights.source, batch.src, batch.size);
  memory = runStack(run, weights.encoder, memory, [{ kind: "encoder", mask: source }]);
  const x = embedWithPositions(run, weights.target, inputs, batch.size);
  const states = runStack(run, weights.decoder, x, [
    { kind: "decoder", mask: { real: nonPaddingMask(inputs), causal: true } },
    { kind: "cross", mask: source, memory },
  ]);
  const logits = linear(tape, states, weights.output.weight, weights.output.bias);
  return { logits, targets, maps };
}

function embedWithPositions({ tape, config, weights }, table, ids, batch) {
  const x = embed(tape, table, ids, batch, { scale: Math.sqrt(config.d_model) });
  return addPositions(tape, x, config.positions, weights.learned);
}

// `sights` says for each attention of a layer what it may look at.
function runStack(run, { layers, norm }, x, sights) {
  const { tape, config, maps } = run;
  const { attention_scale: scale } = config;
  for (const layer of layers) {
    layer.attentions.forEach(({ heads, norm: around }, i) => {
      const { kind, mask, memory = null } = sights[i];
      const positions = memory ? "none" : config.positions;
      x = sublayer(tape, config, x, around, (inputs) => {
        const options = { heads: config.num_heads, mask, positions, scale };
        const { output, weights } = attend(tape, heads, inputs, memory ?? inputs, options);
        maps[kind].push(weights);
        return output;
      });
    });
    x = sublayer(tape, config, x, layer.norm, (inputs) => feedForward(tape, config, inputs, layer));
  }
  return layerNorm(tape, x, norm.gain, norm.shift);
}
