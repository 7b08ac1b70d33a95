// The Transformer of chapter 7, as in attnlab/transformer.py (Vaswani et al. 2017). Names
// and arithmetic are PyTorch's; one sentence at a time. Vectors are Float32Arrays.

import { sinusoidRow, angularFrequencies } from "../math/sinusoids.js";
import {
  affineBatch,
  attendByHeads,
  layerNorm,
  logSoftmax,
  addVectors,
  getRow,
} from "../math/tensor.js";
import { runToEnd } from "./runtoend.js";
import { BOS } from "./tokens.js";

/**
 * `new Transformer(model)` takes the tensors and the configuration of a file.
 *
 * `heads` says which heads speak: { encoder, decoder, cross }, each boolean[layer][head];
 * what is left out means all. A silent head has its weights still, but hands nothing on.
 */
export class Transformer {
  constructor({ config, tensors }) {
    const { positions = "sinusoidal", num_layers: numLayers } = config;
    if (positions !== "sinusoidal") {
      throw new Error(`Only sinusoidal positions can be computed here, not “${positions}”.`);
    }
    this.config = config;
    this.numLayers = numLayers;
    this.numHeads = config.num_heads;
    this.normFirst = config.norm_first ?? false;
    this.pad = config.pad ?? 0;
    this.rates = angularFrequencies(config.d_model, 10000);

    const tensor = (name) => dequantized(tensors, name);
    // A file has weights that are tied once: under the first of these names.
    const embeddings = ["src_embedding.weight", "tgt_embedding.weight", "output_layer.weight"];
    const tied = [];
    for (const name of embeddings) tied.push(tensors.has(name) ? tensor(name) : tied.at(-1));
    this.srcEmbedding = tied[0];
    this.tgtEmbedding = tied[1];

    const linear = (name, weight = tensor(`${name}.weight`)) => ({
      weight,
      bias: tensor(`${name}.bias`),
    });
    const norm = (name) => ({ gain: tensor(`${name}.weight`), shift: tensor(`${name}.bias`) });
    const attention = (name) => ({
      query: linear(`${name}.query_layer`),
      key: linear(`${name}.key_layer`),
      value: linear(`${name}.value_layer`),
      output: linear(`${name}.output_layer`),
    });
    const layer = (name) => ({
      self: attention(`${name}.self_attention`),
      selfNorm: norm(`${name}.self_attention_norm`),
      inner: linear(`${name}.feed_forward.inner`),
      outer: linear(`${name}.feed_forward.outer`),
      feedForwardNorm: norm(`${name}.feed_forward_norm`),
    });
    const decoderLayer = (name) => ({
      ...layer(name),
      cross: attention(`${name}.cross_attention`),
      crossNorm: norm(`${name}.cross_attention_norm`),
    });
    const layers = (make, name) =>
      Array.from({ length: numLayers }, (_, i) => make(`${name}.${i}`));
    this.encoder = { layers: layers(layer, "encoder.layers"), norm: norm("encoder.norm") };
    this.decoder = { layers: layers(decoderLayer, "decoder.layers"), norm: norm("decoder.norm") };
    this.outputLayer = linear("output_layer", tied.at(-1));
  }

  /**
   * Reads the source. Nobody looks at padding.
   *
   * Returns { ids, length: n, memory: [n] of (d_model), maps: [layer][head] of (n · n) },
   * the map's rows being the positions that look.
   */
  encode(ids, heads = {}) {
    checkTokens("source", ids, this.config.src_vocab);
    const active = this.checkHeads("encoder", heads.encoder);
    const n = ids.length;
    const seen = ids.map((id) => id !== this.pad);
    let states = ids.map((id, p) => this.embed(this.srcEmbedding, id, p));
    const maps = this.encoder.layers.map((layer, number) => {
      const inputs = this.before(states, layer.selfNorm);
      const keys = projectAll(layer.self.key, inputs);
      const values = projectAll(layer.self.value, inputs);
      const layerMaps = this.newMaps(n * n);
      const found = projectAll(layer.self.query, inputs).map((query, i) => {
        const rows = layerMaps.map((map) => map.subarray(i * n, (i + 1) * n));
        return attendByHeads(query, keys, values, seen, active[number], rows);
      });
      states = this.after(states, projectAll(layer.self.output, found), layer.selfNorm);
      states = this.feedForward(layer, states);
      return layerMaps;
    });
    const memory = states.map((x) => layerNorm(this.encoder.norm, x));
    return { ids, length: n, seen, memory, maps };
  }

  /** The state before the first step. Stepping on from a state leaves it as it was. */
  start(encoded, heads = {}) {
    return {
      length: 0, // of the target read so far
      source: encoded,
      seen: [],
      active: this.checkHeads("decoder", heads.decoder),
      crossActive: this.checkHeads("cross", heads.cross),
      layers: this.decoder.layers.map(({ cross }) => ({
        keys: [],
        values: [],
        memoryKeys: projectAll(cross.key, encoded.memory),
        memoryValues: projectAll(cross.value, encoded.memory),
      })),
    };
  }

  /**
   * Reads one more target token, of which BOS is the first.
   *
   * Returns the next state, what may follow (`logits` and `logProbs`, of tgt_vocab each)
   * and what every head looked at: `decoder` and `cross`, [layer][head] of as many numbers
   * as the target read so far and as the source have tokens.
   */
  step(state, token) {
    return this.steps([state], [token])[0];
  }

  /** Steps on from several states at a time, which is quicker than one after the other. */
  steps(states, tokens) {
    checkTokens("target", tokens, this.config.tgt_vocab);
    const nexts = states.map((state, i) => ({
      ...state,
      length: state.length + 1,
      seen: [...state.seen, tokens[i] !== this.pad],
      layers: [],
    }));
    const maps = states.map(() => ({ decoder: [], cross: [] }));
    let xs = tokens.map((token, i) => this.embed(this.tgtEmbedding, token, states[i].length));
    this.decoder.layers.forEach((layer, number) => {
      const inputs = this.before(xs, layer.selfNorm);
      const newKeys = projectAll(layer.self.key, inputs);
      const newValues = projectAll(layer.self.value, inputs);
      const found = projectAll(layer.self.query, inputs).map((query, i) => {
        const cache = states[i].layers[number];
        const keys = [...cache.keys, newKeys[i]];
        const values = [...cache.values, newValues[i]];
        nexts[i].layers.push({ ...cache, keys, values });
        const own = this.newMaps(keys.length);
        maps[i].decoder.push(own);
        const { seen, active } = nexts[i];
        return attendByHeads(query, keys, values, seen, active[number], own);
      });
      xs = this.after(xs, projectAll(layer.self.output, found), layer.selfNorm);

      const asking = this.before(xs, layer.crossNorm);
      const fromMemory = projectAll(layer.cross.query, asking).map((query, i) => {
        const { source, crossActive, layers } = nexts[i];
        const { memoryKeys, memoryValues } = layers[number];
        const cross = this.newMaps(source.length);
        maps[i].cross.push(cross);
        const active = crossActive[number];
        return attendByHeads(query, memoryKeys, memoryValues, source.seen, active, cross);
      });
      xs = this.after(xs, projectAll(layer.cross.output, fromMemory), layer.crossNorm);

      xs = this.feedForward(layer, xs);
    });
    const outputs = xs.map((x) => layerNorm(this.decoder.norm, x));
    return projectAll(this.outputLayer, outputs).map((logits, i) => ({
      state: nexts[i],
      logits,
      logProbs: logSoftmax(logits),
      ...maps[i],
    }));
  }

  /**
   * What every head looks at while the model reads a given translation.
   *
   * `tokens` are the translation's, BOS left out. Of its T tokens and the source's n:
   * `encoder` [layer][head] of (n · n), `decoder` of (T · T), `cross` of (T · n), and
   * `logProbs` (T). Row t is that of the step that predicts tokens[t]; it has read BOS and
   * the t tokens before.
   */
  attention(ids, tokens, heads = {}) {
    return runToEnd(this.attending(ids, tokens, heads));
  }

  /** The same in steps: a generator, which pauses after each. */
  *attending(ids, tokens, heads = {}) {
    checkTokens("target", tokens, this.config.tgt_vocab);
    const encoded = this.encode(ids, heads);
    yield;
    let state = this.start(encoded, heads);
    const read = [];
    for (let t = 0; t < tokens.length; t++) {
      const step = this.step(state, t ? tokens[t - 1] : BOS);
      ({ state } = step);
      read.push(readToken(step, tokens[t]));
      yield;
    }
    return this.attentionOf(encoded, read);
  }

  /** What `attention` returns, out of what `readToken` kept of every step. */
  attentionOf(encoded, read) {
    const length = read.length;
    const make = (size) => this.decoder.layers.map(() => this.newMaps(size));
    const out = { encoder: encoded.maps, decoder: make(length * length) };
    out.cross = make(length * encoded.length);
    out.logProbs = Float32Array.from(read, ({ logProb }) => logProb);
    read.forEach(({ decoder, cross }, t) => {
      for (let layer = 0; layer < this.numLayers; layer++) {
        for (let head = 0; head < this.numHeads; head++) {
          out.decoder[layer][head].set(decoder[layer][head], t * length);
          out.cross[layer][head].set(cross[layer][head], t * encoded.length);
        }
      }
    });
    return out;
  }

  // Embeddings are multiplied by √d_model; then comes the position (section 3.4, 3.5).
  embed(embedding, id, position) {
    const scale = Math.sqrt(this.config.d_model);
    const place = sinusoidRow(position, this.rates);
    return getRow(embedding, id).map((x, i) => x * scale + place[i]);
  }

  // The way in and out of a sublayer, with its LayerNorm after it or before it.
  before(xs, norm) {
    return this.normFirst ? xs.map((x) => layerNorm(norm, x)) : xs;
  }

  after(xs, changes, norm) {
    return xs.map((x, at) => {
      const sum = addVectors(x, changes[at]);
      return this.normFirst ? sum : layerNorm(norm, sum);
    });
  }

  feedForward(layer, xs) {
    const hidden = projectAll(layer.inner, this.before(xs, layer.feedForwardNorm));
    for (const x of hidden) {
      for (let i = 0; i < x.length; i++) if (x[i] < 0) x[i] = 0;
    }
    return this.after(xs, projectAll(layer.outer, hidden), layer.feedForwardNorm);
  }

  newMaps(size) {
    return Array.from({ length: this.numHeads }, () => new Float32Array(size));
  }

  checkHeads(kind, active) {
    const row = Array(this.numHeads).fill(true);
    if (!active) return Array(this.numLayers).fill(row);
    const fits =
      active.length === this.numLayers && active.every((one) => one.length === row.length);
    if (fits) return active;
    throw new RangeError(
      `Say of ${this.numLayers} layers' ${this.numHeads} heads each whether they speak (${kind}).`,
    );
  }
}

/** What a translation keeps of the step that wrote `token`. */
export function readToken({ decoder, cross, logProbs }, token) {
  return { decoder, cross, logProb: logProbs[token] };
}

function checkTokens(side, ids, size) {
  if (ids.length === 0) throw new RangeError(`The ${side} has no tokens.`);
  for (const id of ids) {
    if (Number.isInteger(id) && id >= 0 && id < size) continue;
    throw new RangeError(`The ${side} has no token ${id}: ids go from 0 to ${size - 1}.`);
  }
}

/** A tensor of a file; a matrix of whole numbers comes with a scale for every row. */
export function dequantized(tensors, name) {
  const { data, shape } = tensors.get(name);
  if (!tensors.has(`${name}.scale`)) return { data, shape };
  const scales = tensors.get(`${name}.scale`).data;
  const out = new Float32Array(data.length);
  for (let row = 0, i = 0; row < shape[0]; row++) {
    for (let column = 0; column < shape[1]; column++, i++) out[i] = data[i] * scales[row];
  }
  return { data: out, shape };
}

function projectAll({ weight, bias }, xs) {
  return affineBatch(weight, xs, bias);
}
