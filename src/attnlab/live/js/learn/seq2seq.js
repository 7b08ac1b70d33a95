// The recurrent encoder–decoder of chapters 1 and 2 (attnlab.recurrent): a GRU on either
// side, with one of six scores or with none, in Luong's style.

import { PAD } from "../models/tokens.js";
import { additiveScores } from "./additive.js";
import { inputsAndTargets, nonPaddingMask } from "./batches.js";
import { gru } from "./gru.js";
import { tanh, normalizeRows } from "./pointwise.js";
import { linear, sumByWeights, scores } from "./products.js";
import { embed, sliceColumns, concatColumns, repeatRow } from "./shapes.js";
import { maskedSoftmax } from "./softmax.js";

export const SCORES = ["dot", "scaled_dot", "general", "additive", "cosine", "location"];

/** The arguments of a score's class (attnlab.scores), in a model of width d. */
export function scoreConfig(name, d, longest) {
  return (
    {
      general: { name, d_query: d, d_key: d },
      additive: { name, d_query: d, d_key: d, d_hidden: d },
      location: { name, d_query: d, max_length: longest },
    }[name] ?? { name }
  );
}

/** The weights for a `config`, the arguments of attnlab.recurrent.Seq2Seq. */
export function seq2seqWeights(parameters, config) {
  const { src_vocab: source, tgt_vocab: target, d_model: d, bidirectional, score } = config;
  const states = bidirectional ? d / 2 : d;
  const suffixes = bidirectional ? ["l0", "l0_reverse"] : ["l0"];
  const encoder = {
    embedding: parameters.embedding("encoder.embedding.weight", source, d, { pad: PAD }),
    cells: suffixes.map((end) => gruWeights(parameters, "encoder.rnn", end, states, d)),
  };
  const decoder = {
    embedding: parameters.embedding("decoder.embedding.weight", target, d),
    cell: gruWeights(parameters, "decoder.rnn", "l0", d, score ? d : 2 * d),
  };
  if (score) {
    decoder.score = scoreWeights(parameters, "decoder.attention.score", score);
    decoder.combine = parameters.linear("decoder.combine", d, 2 * d, { bias: false });
  }
  decoder.readout = parameters.linear("decoder.readout", target, d);
  return { encoder, decoder };
}

// All within ±1/√states, as torch draws them.
function gruWeights(parameters, name, end, states, width) {
  const drawWeight = (part, shape) =>
    parameters.uniform(`${name}.${part}_${end}`, shape, 1 / Math.sqrt(states));
  return {
    inWeight: drawWeight("weight_ih", [3 * states, width]),
    weight: drawWeight("weight_hh", [3 * states, states]),
    inBias: drawWeight("bias_ih", [3 * states]),
    bias: drawWeight("bias_hh", [3 * states]),
  };
}

function scoreWeights(parameters, prefix, { name, d_query, d_key, d_hidden, max_length }) {
  const makeLayer = (part, out, width) =>
    parameters.linear(`${prefix}.${part}`, out, width, { bias: false }).weight;
  if (name === "general") return { linear: makeLayer("linear", d_key, d_query) };
  if (name === "location") return { linear: makeLayer("linear", max_length, d_query) };
  if (name !== "additive") return {};
  return {
    query: makeLayer("query_layer", d_hidden, d_query),
    key: makeLayer("key_layer", d_hidden, d_key),
    v: makeLayer("v", 1, d_hidden),
  };
}

/** { logits (B, L_t, target vocabulary), targets, maps }: cross (B, 1, L_t, L_s), if any. */
export function runSeq2seq(tape, config, { encoder, decoder }, batch) {
  const { inputs, targets } = inputsAndTargets(batch);
  const real = nonPaddingMask(batch.src);
  const { memory, summary } = runEncoder(tape, encoder, batch, real);
  let x = embed(tape, decoder.embedding, inputs, batch.size);
  if (!config.score) x = concatColumns(tape, x, repeatRow(tape, summary, x.shape[1]));
  let { states } = runCell(tape, decoder.cell, x, { first: summary });
  const maps = {};
  if (config.score) {
    const match = computeScores(tape, config.score, decoder.score, states, memory);
    const weights = maskedSoftmax(tape, match, { real });
    maps.cross = [weights];
    const both = concatColumns(tape, sumByWeights(tape, weights, memory), states);
    states = tanh(tape, linear(tape, both, decoder.combine.weight, null));
  }
  const logits = linear(tape, states, decoder.readout.weight, decoder.readout.bias);
  return { logits, targets, maps };
}

function runEncoder(tape, { embedding, cells }, batch, real) {
  const x = embed(tape, embedding, batch.src, batch.size, { pad: PAD });
  const [forward, backward] = cells.map((cell, i) =>
    runCell(tape, cell, x, { real, reverse: i === 1 }),
  );
  if (!backward) return { memory: forward.states, summary: forward.last };
  return {
    memory: concatColumns(tape, forward.states, backward.states),
    summary: concatColumns(tape, forward.last, backward.last),
  };
}

function runCell(tape, cell, x, options) {
  const gates = linear(tape, x, cell.inWeight, cell.inBias);
  return gru(tape, gates, { weight: cell.weight, bias: cell.bias, ...options });
}

// (B, L_q, d), (B, L_k, d) -> (B, 1, L_q, L_k)
function computeScores(tape, { name, max_length: most }, weights, query, key) {
  const [, length, d] = key.shape;
  if (name === "location") {
    if (length > most) throw new RangeError(`the score knows ${most} places, not ${length}`);
    return sliceColumns(tape, linear(tape, query, weights.linear, null), length);
  }
  if (name === "additive") {
    const [q, k] = [linear(tape, query, weights.query, null), linear(tape, key, weights.key, null)];
    return additiveScores(tape, q, k, weights.v);
  }
  if (name === "cosine") {
    return scores(tape, normalizeRows(tape, query), normalizeRows(tape, key), 1, 1);
  }
  const asked = name === "general" ? linear(tape, query, weights.linear, null) : query;
  return scores(tape, asked, key, 1, name === "scaled_dot" ? 1 / Math.sqrt(d) : 1);
}
