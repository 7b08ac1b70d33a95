// The sequence-to-sequence models of chapters 1 and 2, as in attnlab/recurrent.py: a GRU
// encoder, a GRU decoder, and between them either one vector or attention (Luong et al.
// 2015). Names and arithmetic are PyTorch's; one sentence at a time.

import {
  affine,
  argmax,
  concat,
  dot,
  norm,
  rowOf,
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

// Encoder ----------------------------------------------------------------------------

// The states of all positions, and the last one: C, which sums up the sentence.
export function encode(model, ids) {
  const embedding = model.tensors.get("encoder.embedding.weight");
  const inputs = ids.map((id) => rowOf(embedding, id));
  const forward = runGru(gruOf(model, "encoder.rnn", "_l0"), inputs);
  if (!model.config.bidirectional) return { states: forward, last: forward.at(-1) };
  const backward = runGru(gruOf(model, "encoder.rnn", "_l0_reverse"), [...inputs].reverse());
  const last = concat(forward.at(-1), backward.at(-1));
  backward.reverse();
  return { states: forward.map((state, i) => concat(state, backward[i])), last };
}

function gruOf(model, prefix, suffix) {
  const part = (kind) => model.tensors.get(`${prefix}.${kind}${suffix}`);
  return {
    weightInput: part("weight_ih"),
    weightState: part("weight_hh"),
    biasInput: part("bias_ih"),
    biasState: part("bias_hh"),
  };
}

function runGru(gru, inputs) {
  let state = new Float32Array(gru.weightState.shape[1]);
  return inputs.map((input) => (state = gruStep(gru, input, state)));
}

// Cho et al. 2014, with PyTorch's place for the reset gate.
function gruStep(gru, input, state) {
  const size = state.length;
  const fromInput = affine(gru.weightInput, input, gru.biasInput); // reset, update, new
  const fromState = affine(gru.weightState, state, gru.biasState);
  return state.map((old, i) => {
    const reset = sigmoid(fromInput[i] + fromState[i]);
    const update = sigmoid(fromInput[size + i] + fromState[size + i]);
    const fresh = Math.tanh(fromInput[2 * size + i] + reset * fromState[2 * size + i]);
    return (1 - update) * fresh + update * old;
  });
}

// Decoder ----------------------------------------------------------------------------

// One step: what the decoder makes of its last word, and of the source.
function decodeStep(model, memory, token, state) {
  const { score, context } = model.config;
  const word = rowOf(model.tensors.get("decoder.embedding.weight"), token);
  const gru = gruOf(model, "decoder.rnn", "_l0");
  if (!score) {
    const input = context === "state" ? word : concat(word, memory.last);
    const next = gruStep(gru, input, state);
    return { state: next, logits: readOut(model, next) };
  }
  const next = gruStep(gru, word, state);
  const weights = softmax(scoresOf(model, next, memory.states));
  const attended = weightedSum(weights, memory.states);
  const combine = model.tensors.get("decoder.combine.weight");
  const attentional = affine(combine, concat(attended, next)).map(Math.tanh); // eq. 5
  return { state: next, weights, context: attended, logits: readOut(model, attentional) };
}

// Without attention, C may stand beside every input instead of being the first state.
function firstState(model, memory) {
  return model.config.context === "input" ? new Float32Array(memory.last.length) : memory.last;
}

function readOut(model, state) {
  const { tensors } = model;
  return affine(tensors.get("decoder.readout.weight"), state, tensors.get("decoder.readout.bias"));
}

// Scores: how well does each key (encoder state) fit the query (decoder state)? --------

function scoresOf(model, query, keys) {
  const part = (name) => model.tensors.get(`decoder.attention.score.${name}.weight`);
  const scores = (score) => Float32Array.from(keys, score);
  switch (model.config.score.name) {
    case "dot":
      return scores((key) => dot(query, key));
    case "scaled_dot":
      return scores((key) => dot(query, key) / Math.sqrt(query.length));
    case "cosine":
      return scores((key) => dot(direction(query), direction(key)));
    case "general": {
      const projected = affine(part("linear"), query);
      return scores((key) => dot(projected, key));
    }
    case "additive": {
      const fromQuery = affine(part("query_layer"), query);
      return scores((key) => {
        const hidden = affine(part("key_layer"), key).map((x, i) => Math.tanh(x + fromQuery[i]));
        return dot(part("v").data, hidden);
      });
    }
    case "location": {
      const all = affine(part("linear"), query); // one score for each position
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
function direction(vector) {
  const length = Math.max(norm(vector), 1e-12);
  return vector.map((x) => x / length);
}
