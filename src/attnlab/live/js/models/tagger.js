// The tagger of chapters 3 to 5, as in attnlab/tagger.py: embeddings, layers of
// multi-head self-attention (Vaswani et al. 2017), and a linear layer that says something
// about every token. Names and arithmetic are PyTorch's; one sentence at a time.

import { sinusoidRow, angularFrequencies } from "../math/sinusoids.js";
import { affineBatch, attendByHeads, layerNorm, addVectors, getRow } from "../math/tensor.js";

/**
 * What the model says of every token. `isActive(layer, head)` tells whether a head is on; a
 * silent one still has weights, but hands nothing on, or what `replacements` has for it,
 * [layer][head] of (d_head). Where `mask[i][j]` is false, token i does not see token j; without
 * `placed` no token is told its position.
 *
 * Returns { logits: [n] of (classes), weights: [layer][head][n] of (n), last }: of the last
 * layer the `states` that come in, their `queries`, `keys` and `values`, and what the heads
 * `found`, side by side.
 *
 * @param {(layer: number, head: number) => boolean} isActive
 * @param {number[][][] | null} replacements
 * @param {{ placed?: boolean, mask?: boolean[][] }} changes
 */
export function tag(model, ids, isActive = () => true, replacements = null, changes = {}) {
  const { placed = true, mask = ids.map(() => ids.map(() => true)) } = changes;
  const { config, tensors } = model;
  const { encoder, positions = "sinusoidal", causal = false, d_ff = null } = config;
  if (encoder !== "attention" || positions !== "sinusoidal" || causal || d_ff) {
    throw new Error(
      "Only taggers with attention, sinusoidal positions, no causal mask and no feed-forward "
        + "layers run here.",
    );
  }
  if (ids.length === 0) throw new RangeError("There is no word to read.");
  const embedding = tensors.get("embedding.weight");
  const rates = angularFrequencies(config.d_model, 10000);
  let states = ids.map((id, p) => {
    const word = getRow(embedding, id);
    return placed ? addVectors(word, sinusoidRow(p, rates)) : word;
  });
  const weights = [];
  let last = null;
  for (let layer = 0; layer < config.num_layers; layer++) {
    const prefix = `layers.${layer}`;
    const handed = {
      isActive: (head) => isActive(layer, head),
      replacements: replacements?.[layer],
      mask,
    };
    const heads = attend(model, `${prefix}.mixer.heads`, states, handed);
    last = { ...heads.row, states };
    const norm = {
      gain: tensors.get(`${prefix}.norm.weight`),
      shift: tensors.get(`${prefix}.norm.bias`),
    };
    states = states.map((state, p) => layerNorm(norm, addVectors(state, heads.outputs[p])));
    weights.push(heads.weights);
  }
  return { logits: linear(model, "output_layer", states), weights, last };
}

// Self-attention by all heads: what each position gets, what they found, and their weights.
function attend(model, prefix, states, { isActive, replacements, mask }) {
  const [queries, keys, values] = ["query", "key", "value"].map((name) =>
    linear(model, `${prefix}.${name}_layer`, states),
  );
  const on = Array.from({ length: model.config.num_heads }, (_, head) => isActive(head));
  const weights = on.map(() => states.map(() => new Float32Array(states.length)));
  const found = queries.map((query, p) =>
    attendByHeads(
      query,
      keys,
      values,
      mask[p],
      on,
      weights.map((maps) => maps[p]),
    ),
  );
  if (replacements) {
    for (const row of found) {
      on.forEach(
        (active, head) => active || row.set(replacements[head], head * replacements[head].length),
      );
    }
  }
  const outputs = linear(model, `${prefix}.output_layer`, found);
  return { outputs, row: { queries, keys, values, found }, weights };
}

function linear({ tensors }, name, vectors) {
  return affineBatch(tensors.get(`${name}.weight`), vectors, tensors.get(`${name}.bias`));
}
