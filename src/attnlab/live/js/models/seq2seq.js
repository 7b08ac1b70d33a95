// The sequence-to-sequence models of chapters 1 and 2, as in attnlab/recurrent.py: a GRU
// encoder, a GRU decoder, and between them either one vector or attention (Luong et al.
// 2015). Names and arithmetic are PyTorch's; one sentence at a time.

import {
  affine,
  argmax,
  concat,
  dot,
  norm,
  getRow,
  sigmoid,
  softmax,
  weightedSum,
} from "../math/tensor.js";
import { BOS, EOS } from "./tokens.js";

// Greedy decoding: the most probable word, again and again, until EOS or maxLen words.
export function translate(model, ids, { maxLen = 60 } = {}) {
  if (ids.length === 0) throw new RangeError("There is no word to translate.");
  const memory = encode(model, ids);
  const out = {
    tokens: [],
    words: [],
    logits: [],
    weights: [],
    encoderStates: memory.states,
    summary: memory.last,
    decoderStates: [],
    contexts: [],
  };
  let token = BOS;
  let state = firstState(model, memory);
  while (out.tokens.length < maxLen && token !== EOS) {
    const step = decodeStep(model, memory, token, state);
    ({ state } = step);
    token = argmax(step.logits);
    out.tokens.push(token);
    if (token !== EOS) out.words.push(model.tgtTokens[token]);
    out.logits.push(step.logits);
    out.decoderStates.push(state);
    if (step.weights) {
      out.weights.push(step.weights);
      out.contexts.push(step.context);
    }
  }
  return out;
}

/**
 * Teacher forcing: what the model predicts after each of the `given` tokens, as a list of
 * { token, logits, weights }. Of the encoder's states attention sees those alone that `seen`
 * says: the other weights are 0, those that are left sum to 1, and no state changes.
 */
export function predictWords(model, ids, given, seen = null) {
  const memory = encode(model, ids);
  let state = firstState(model, memory);
  return given.map((token) => {
    const { logits, weights, state: next } = decodeStep(model, memory, token, state, seen);
    state = next;
    return { token: argmax(logits), logits, weights };
  });
}

// Encoder ----------------------------------------------------------------------------

// The states of all positions, and the last one: C, which sums up the sentence.
export function encode(model, ids) {
  const embedding = model.tensors.get("encoder.embedding.weight");
  const inputs = ids.map((id) => getRow(embedding, id));
  const forward = runGru(getGru(model, "encoder.rnn"), inputs);
  if (!model.config.bidirectional) return { states: forward, last: forward.at(-1) };
  const backward = runGru(getGru(model, "encoder.rnn", "_l0_reverse"), [...inputs].reverse());
  const last = concat(forward.at(-1), backward.at(-1));
  backward.reverse();
  return { states: forward.map((state, i) => concat(state, backward[i])), last };
}

/** The weights of one GRU of the model, and of one direction. */
export function getGru(model, prefix, suffix = "_l0") {
  const weightPart = (kind) => model.tensors.get(`${prefix}.${kind}${suffix}`);
  return {
    weightInput: weightPart("weight_ih"),
    weightState: weightPart("weight_hh"),
    biasInput: weightPart("bias_ih"),
    biasState: weightPart("bias_hh"),
  };
}

function runGru(gru, inputs) {
  let state = new Float32Array(gru.weightState.shape[1]);
  return inputs.map((input) => (state = gruStep(gru, input, state).next));
}

/**
 * Cho et al. 2014, with PyTorch's place for the reset gate: the `next` state, and what it is
 * made of: both gates, the `fresh` state, and of the old one what is `recalled` for that.
 */
export function gruStep(gru, input, state) {
  const size = state.length;
  const fromInput = affine(gru.weightInput, input, gru.biasInput); // reset, update, new
  const fromState = affine(gru.weightState, state, gru.biasState);
  const gateValues = (from) =>
    state.map((_, i) => sigmoid(fromInput[from + i] + fromState[from + i]));
  const [reset, update] = [gateValues(0), gateValues(size)];
  const recalled = fromState.subarray(2 * size);
  const fresh = reset.map((r, i) => Math.tanh(fromInput[2 * size + i] + r * recalled[i]));
  const next = state.map((old, i) => (1 - update[i]) * fresh[i] + update[i] * old);
  return { next, reset, update, fresh, recalled };
}

// Decoder ----------------------------------------------------------------------------

// One step: what the decoder makes of its last word, and of the source.
function decodeStep(model, memory, token, state, seen = null) {
  const input = decoderInput(model, memory, token);
  const { next } = gruStep(getGru(model, "decoder.rnn"), input, state);
  if (!model.config.score) return { state: next, logits: outputLogits(model, next) };
  const scores = attentionScores(model, next, memory.states);
  const weights = softmax(seen ? scores.map((x, j) => (seen[j] ? x : -Infinity)) : scores);
  const attended = weightedSum(weights, memory.states);
  const combine = model.tensors.get("decoder.combine.weight");
  const attentional = affine(combine, concat(attended, next)).map(Math.tanh); // eq. 5
  return { state: next, weights, context: attended, logits: outputLogits(model, attentional) };
}

/** The last word and, without attention, C beside it. */
export function decoderInput(model, memory, token) {
  const word = getRow(model.tensors.get("decoder.embedding.weight"), token);
  return readsContext(model.config) ? concat(word, memory.last) : word;
}

/** Does C stand beside every word that the decoder reads? */
export function readsContext({ score, context }) {
  return !score && context !== "state";
}

/** Without attention, C may stand beside every input instead of being the first state. */
export function firstState(model, memory) {
  return model.config.context === "input" ? new Float32Array(memory.last.length) : memory.last;
}

function outputLogits(model, state) {
  const { tensors } = model;
  return affine(tensors.get("decoder.readout.weight"), state, tensors.get("decoder.readout.bias"));
}

// Scores: how well does each key (encoder state) fit the query (decoder state)? --------

function attentionScores(model, query, keys) {
  const weightPart = (name) => model.tensors.get(`decoder.attention.score.${name}.weight`);
  const scores = (score) => Float32Array.from(keys, score);
  switch (model.config.score.name) {
    case "dot":
      return scores((key) => dot(query, key));
    case "scaled_dot":
      return scores((key) => dot(query, key) / Math.sqrt(query.length));
    case "cosine":
      return scores((key) => dot(unitVector(query), unitVector(key)));
    case "general": {
      const projected = affine(weightPart("linear"), query);
      return scores((key) => dot(projected, key));
    }
    case "additive": {
      const fromQuery = affine(weightPart("query_layer"), query);
      return scores((key) => {
        const hidden = affine(weightPart("key_layer"), key).map((x, i) =>
          Math.tanh(x + fromQuery[i]),
        );
        return dot(weightPart("v").data, hidden);
      });
    }
    case "location": {
      const all = affine(weightPart("linear"), query); // one score for each position
      if (keys.length > all.length) {
        throw new RangeError(
          `This model looks at places 1 to ${all.length}; the sentence has ${keys.length} words.`,
        );
      }
      return all.slice(0, keys.length);
    }
    default:
      throw new Error(`There is no score named “${model.config.score.name}” here.`);
  }
}

// A vector of length 1; zero stays zero.
function unitVector(vector) {
  const length = Math.max(norm(vector), 1e-12);
  return vector.map((x) => x / length);
}
