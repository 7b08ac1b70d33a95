// The decoder-only model of chapter 8, as in attnlab/decoder_only.py: RMSNorm, SwiGLU, rotary
// positions, grouped queries. One text at a time, token by token; vectors are Float32Arrays.

import { sinusoidRow, angularFrequencies } from "../math/sinusoids.js";
import { affine, dot, addVectors, getRow, softmax, weightedSum } from "../math/tensor.js";
import { dequantized } from "./transformer.js";

const RMS_EPSILON = 1e-6;

/** `new DecoderOnly(model)` takes the tensors and the configuration of a file. */
export class DecoderOnly {
  constructor({ config, tensors }) {
    const { d_model: width, num_heads: heads, num_groups: groups } = config;
    this.config = config;
    this.dHead = width / heads;
    this.share = heads / groups; // heads that read the same keys
    this.rates = angularFrequencies(this.dHead, 10000);
    const getTensor = (name) => dequantized(tensors, name);
    this.embedding = getTensor("embedding.weight");
    this.gain = getTensor("norm.gain").data;
    this.blocks = Array.from({ length: config.num_layers }, (_, i) => {
      const blockTensor = (name) => getTensor(`blocks.${i}.${name}`);
      return {
        attentionGain: blockTensor("attention_norm.gain").data,
        query: blockTensor("attention.query_layer.weight"),
        key: blockTensor("attention.key_layer.weight"),
        value: blockTensor("attention.value_layer.weight"),
        output: blockTensor("attention.output_layer.weight"),
        forwardGain: blockTensor("feed_forward_norm.gain").data,
        gate: blockTensor("feed_forward.gate.weight"),
        inner: blockTensor("feed_forward.inner.weight"),
        outer: blockTensor("feed_forward.outer.weight"),
      };
    });
  }

  /** The state before anything is read. */
  start() {
    return { length: 0, x: null, cache: this.blocks.map(() => ({ keys: [], values: [] })) };
  }

  /** The state after one more token. The one before stays as it was, and can go on elsewhere. */
  read(state, token) {
    if (!(Number.isInteger(token) && token >= 0 && token < this.embedding.shape[0])) {
      throw new RangeError(`There is no token ${token}.`);
    }
    const turn = sinusoidRow(state.length, this.rates);
    let x = getRow(this.embedding, token);
    const cache = this.blocks.map((block, i) => {
      const normed = rmsNorm(block.attentionGain, x);
      const { keys, values } = state.cache[i];
      const kept = {
        keys: [...keys, rotatePairs(affine(block.key, normed), turn, this.dHead)],
        values: [...values, affine(block.value, normed)],
      };
      const query = rotatePairs(affine(block.query, normed), turn, this.dHead);
      x = addVectors(x, affine(block.output, this.attend(query, kept)));
      x = addVectors(x, swiglu(block, rmsNorm(block.forwardGain, x)));
      return kept;
    });
    return { length: state.length + 1, x, cache };
  }

  /** How much each token is to follow what a state has read. */
  logits({ x }) {
    return affine(this.embedding, rmsNorm(this.gain, x));
  }

  // What all heads find, side by side. A head reads the keys of its group.
  attend(query, { keys, values }) {
    const found = new Float32Array(query.length);
    for (let head = 0; head < this.config.num_heads; head++) {
      const at = head * this.dHead;
      const asked = query.subarray(at, at + this.dHead);
      const from = Math.floor(head / this.share) * this.dHead;
      const headSlice = (vector) => vector.subarray(from, from + this.dHead);
      const scores = keys.map((key) => dot(asked, headSlice(key)) / Math.sqrt(this.dHead));
      found.set(weightedSum(softmax(scores), values.map(headSlice)), at);
    }
    return found;
  }
}

function rmsNorm(gain, x) {
  const size = Math.sqrt(dot(x, x) / x.length + RMS_EPSILON);
  return x.map((value, i) => (value / size) * gain[i]);
}

function swiglu({ gate, inner, outer }, x) {
  const open = affine(gate, x);
  const hidden = affine(inner, x).map((value, i) => (value * open[i]) / (1 + Math.exp(-open[i])));
  return affine(outer, hidden);
}

// Every pair of every head is turned by the angle of its place, of which `turn` has the sines
// and cosines.
function rotatePairs(vector, turn, dHead) {
  const out = new Float32Array(vector.length);
  for (let i = 0; i < vector.length; i += 2) {
    const [sin, cos] = [turn[i % dHead], turn[(i % dHead) + 1]];
    out[i] = vector[i] * cos - vector[i + 1] * sin;
    out[i + 1] = vector[i] * sin + vector[i + 1] * cos;
  }
  return out;
}
