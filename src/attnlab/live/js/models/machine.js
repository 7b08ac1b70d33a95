// The Transformer with one layer a side, and every matrix on the way kept: each with what it
// is made of, so that any of its numbers can be followed back. Names and arithmetic are those
// of attnlab.transformer (Vaswani et al. 2017), norms after the sums; a vector is a row.

import { sinusoidRow, angularFrequencies } from "../math/sinusoids.js";
import { affine, argmax, dot, layerNorm, addVectors, getRow, softmax } from "../math/tensor.js";
import { sourceIds } from "./stored.js";
import { BOS, EOS } from "./tokens.js";

/**
 * Every step of one pass, a Map of its name to { kind, inputs, matrix }: the names of the steps
 * that it takes its numbers from, and its rows, a Float32Array for each word. `without` names
 * the part that is left out: "sums", "norms", "feed-forward", "factor", "positions", "mask".
 */
export function machineSteps(network, source, target, without) {
  const pass = new Pass(network, without);
  const isVisible = (i, j) => j <= i || without === "mask";
  pass.embed("src", source);
  pass.attention("encoder", "src.x", "src.x", "encoder.layers.0.self_attention");
  pass.feedForward("encoder", "memory");
  pass.embed("tgt", target);
  pass.attention("decoder", "tgt.x", "tgt.x", "decoder.layers.0.self_attention", isVisible);
  pass.attention("across", "decoder.normed", "memory", "decoder.layers.0.cross_attention");
  pass.feedForward("decoder", "states", "across.normed");
  pass.linear("logits", "states", "output_layer");
  const shares = pass.matrix("logits").map((row) => softmax(row));
  pass.record("shares", "softmax", ["logits"], shares);
  return pass.steps;
}

class Pass {
  constructor({ tensors, config }, without) {
    this.tensors = tensors;
    this.config = config;
    this.without = without;
    this.steps = new Map();
  }

  matrix(name) {
    return this.steps.get(name).matrix;
  }

  record(name, kind, inputs, matrix, made = {}) {
    this.steps.set(name, { kind, inputs, matrix, ...made });
  }

  parameters(layer) {
    return ["weight", "bias"].map((name) => this.tensors.get(`${layer}.${name}`));
  }

  linear(name, x, layer, { relu = false } = {}) {
    const [weight, bias] = this.parameters(layer);
    const made = this.matrix(x).map((row) => affine(weight, row, bias));
    const matrix = relu ? made.map((row) => row.map((cell) => Math.max(0, cell))) : made;
    this.record(name, "product", [x], matrix, { weight, bias, relu });
  }

  embed(side, ids) {
    const d = this.config.d_model;
    const table = this.tensors.get(`${side}_embedding.weight`);
    const factor = this.without === "factor" ? 1 : Math.sqrt(d);
    const words = ids.map((id) => getRow(table, id).map((cell) => cell * factor));
    this.record(`${side}.words`, "look-up", [], words, { factor });
    const none = this.without === "positions";
    const rates = angularFrequencies(d, 10000);
    const places = ids.map((_, p) =>
      Float32Array.from(none ? Array(d).fill(0) : sinusoidRow(p, rates)),
    );
    this.record(`${side}.places`, "place", [], places, { none });
    this.sum(`${side}.x`, `${side}.words`, `${side}.places`);
  }

  sum(name, x, change) {
    const changes = this.matrix(change);
    const matrix = this.matrix(x).map((row, i) => addVectors(row, changes[i]));
    this.record(name, "sum", [x, change], matrix);
  }

  /** Every head's scores and weights of x towards what is read, and what they find. */
  attention(name, x, read, layer, sees = () => true) {
    this.linear(`${name}.q`, x, `${layer}.query_layer`);
    this.linear(`${name}.k`, read, `${layer}.key_layer`);
    this.linear(`${name}.v`, read, `${layer}.value_layer`);
    const width = this.config.d_model / this.config.num_heads; // d_head
    const maps = Array.from({ length: this.config.num_heads }, (_, head) =>
      this.head(name, head, width, sees),
    );
    const values = this.matrix(`${name}.v`);
    const found = this.matrix(maps[0]).map((_, i) =>
      Float32Array.from(values[0], (_, column) => {
        const weights = this.matrix(maps[Math.floor(column / width)])[i];
        return values.reduce((total, value, j) => total + weights[j] * value[column], 0);
      }),
    );
    this.record(`${name}.found`, "mixture", [...maps, `${name}.v`], found, { width });
    this.linear(`${name}.out`, `${name}.found`, `${layer}.output_layer`);
    this.addAndNorm(name, x, `${name}.out`, `${layer}_norm`, `${name}.normed`);
  }

  // The scores and the weights of one head; returns the name of these.
  head(name, head, width, sees) {
    const from = head * width;
    const headSlice = (row) => row.subarray(from, from + width);
    const [queries, keys] = [this.matrix(`${name}.q`), this.matrix(`${name}.k`)];
    const attentionScore = (query, key) => dot(headSlice(query), headSlice(key)) / Math.sqrt(width);
    const scores = queries.map((query, i) =>
      Float32Array.from(keys, (key, j) => (sees(i, j) ? attentionScore(query, key) : -Infinity)),
    );
    const [inputs, number] = [[`${name}.q`, `${name}.k`], head + 1];
    this.record(`${name}.scores.${number}`, "score", inputs, scores, { from, width });
    const weights = scores.map((row) => softmax(row));
    this.record(`${name}.weights.${number}`, "softmax", [`${name}.scores.${number}`], weights);
    return `${name}.weights.${number}`;
  }

  feedForward(side, normed, x = `${side}.normed`) {
    const layer = `${side}.layers.0.feed_forward`;
    const name = `${side}.ff`;
    this.linear(`${name}.inner`, x, `${layer}.inner`, { relu: true });
    this.linear(`${name}.outer`, `${name}.inner`, `${layer}.outer`);
    if (this.without === "feed-forward") {
      for (const one of [`${name}.inner`, `${name}.outer`]) this.zeroOut(one);
    }
    this.addAndNorm(name, x, `${name}.outer`, `${layer}_norm`, normed);
  }

  zeroOut(name) {
    this.record(
      name,
      "silent",
      [],
      this.matrix(name).map((row) => row.map(() => 0)),
    );
  }

  // Residual connection and LayerNorm: adds what a sublayer found to what it read, and normalizes.
  addAndNorm(name, x, change, layer, normed) {
    const sum = `${name}.sum`;
    if (this.without === "sums") this.record(sum, "alone", [change], this.matrix(change));
    else this.sum(sum, x, change);
    if (this.without === "norms") {
      this.record(normed, "alone", [sum], this.matrix(sum));
      return;
    }
    const [gain, shift] = this.parameters(layer);
    const matrix = this.matrix(sum).map((row) => layerNorm({ gain, shift }, row));
    this.record(normed, "norm", [sum], matrix, { gain, shift });
  }
}

/**
 * What the machine writes for a numeral's words, the likeliest word at each step, at most
 * `mostWritten` with the end mark: the German words that it `said`, whether it `ended`, the
 * words of the rows, `source` and `target`, and the `steps` of the last pass.
 */
export function translateGreedily(network, tokens, { without, mostWritten }) {
  const source = sourceIds(network, tokens);
  const wordOfToken = (id) => network.tgtTokens[id];
  let target = [BOS];
  for (;;) {
    const steps = machineSteps(network, source, target, without);
    const next = argmax(steps.get("logits").matrix.at(-1));
    const ended = next === EOS;
    if (ended || target.length === mostWritten) {
      const before = target.slice(1).map(wordOfToken);
      const said = ended ? before : [...before, wordOfToken(next)];
      return { said, ended, steps, source: [...tokens, "end"], target: ["begin", ...before] };
    }
    target = [...target, next];
  }
}
