// The tagger of chapters 3 to 5, as in attnlab/tagger.py: embeddings, layers of
// multi-head self-attention (Vaswani et al. 2017), and a linear layer that says something
// about every token. Names and arithmetic are PyTorch's; one sentence at a time.

import { affine, dot, rowOf, softmax, weightedSum } from "../math/tensor.js";

const NORM_EPSILON = 1e-5; // as in torch.nn.LayerNorm

/**
 * What the model says of every token. `speaks(layer, head)` tells whether a head is on; a
 * silent one still has weights, but hands nothing on.
 *
 * Returns { logits: [n] of (classes), weights: [layer][head][n] of (n) }.
 *
 * @param {(layer: number, head: number) => boolean} speaks
 */
export function tag(model, ids, speaks = () => true) {
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
  let states = ids.map((id, p) => plus(rowOf(embedding, id), sinusoid(p, config.d_model)));
  const weights = [];
  for (let layer = 0; layer < config.num_layers; layer++) {
    const prefix = `layers.${layer}`;
    const heads = attend(model, `${prefix}.mixer.heads`, states, (head) => speaks(layer, head));
    states = states.map((state, p) =>
      layerNorm(model, `${prefix}.norm`, plus(state, heads.outputs[p])),
    );
    weights.push(heads.weights);
  }
  return { logits: states.map((state) => linear(model, "output_layer", state)), weights };
}

// Row p of the table of Vaswani et al. 2017, section 3.5.
function sinusoid(p, d) {
  return Float32Array.from({ length: d }, (_, i) => {
    const angle = p * 10000 ** (-(i - (i % 2)) / d);
    return i % 2 ? Math.cos(angle) : Math.sin(angle);
  });
}

// Self-attention by all heads: what each position gets, and each head's weights.
function attend(model, prefix, states, speaks) {
  const project = (name) => states.map((state) => linear(model, `${prefix}.${name}_layer`, state));
  const [queries, keys, values] = ["query", "key", "value"].map(project);
  const { num_heads: numHeads } = model.config;
  const width = queries[0].length / numHeads; // d_head
  const merged = states.map(() => new Float32Array(numHeads * width));
  const weights = [];
  for (let head = 0; head < numHeads; head++) {
    const split = (vectors) => vectors.map((v) => v.subarray(head * width, (head + 1) * width));
    const [headQueries, headKeys, headValues] = [queries, keys, values].map(split);
    const maps = headQueries.map((query) => softmax(scaledScores(query, headKeys)));
    if (speaks(head)) {
      maps.forEach((row, p) => merged[p].set(weightedSum(row, headValues), head * width));
    }
    weights.push(maps);
  }
  return {
    outputs: merged.map((vector) => linear(model, `${prefix}.output_layer`, vector)),
    weights,
  };
}

function scaledScores(query, keys) {
  const scores = new Float32Array(keys.length);
  for (let i = 0; i < keys.length; i++) scores[i] = dot(query, keys[i]) / Math.sqrt(query.length);
  return scores;
}

function linear(model, name, vector) {
  return affine(model.tensors.get(`${name}.weight`), vector, model.tensors.get(`${name}.bias`));
}

function layerNorm(model, name, vector) {
  const n = vector.length;
  let [mean, variance] = [0, 0];
  for (let i = 0; i < n; i++) mean += vector[i] / n;
  for (let i = 0; i < n; i++) variance += (vector[i] - mean) ** 2 / n;
  const { data: gain } = model.tensors.get(`${name}.weight`);
  const { data: shift } = model.tensors.get(`${name}.bias`);
  const deviation = Math.sqrt(variance + NORM_EPSILON);
  const out = new Float32Array(n);
  for (let i = 0; i < n; i++) out[i] = ((vector[i] - mean) / deviation) * gain[i] + shift[i];
  return out;
}

function plus(a, b) {
  const out = new Float32Array(a.length);
  for (let i = 0; i < a.length; i++) out[i] = a[i] + b[i];
  return out;
}
