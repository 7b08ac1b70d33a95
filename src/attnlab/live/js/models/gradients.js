// How much does each source word move each word that is written? The gradient of log P(y_t)
// by the embedding of source word s, by the chain rule, step by step back through the models
// of seq2seq.js. (`attnlab.experiments.influence` has PyTorch compute the same.)

import { affine, concat, dot, norm, getRow, softmax } from "../math/tensor.js";
import { decoderInput, firstState, getGru, gruStep, readsContext, translate } from "./seq2seq.js";
import { BOS, EOS } from "./tokens.js";

/**
 * Translate, and go back from every word: { words, norms }, norms[t][s] being the length of
 * the gradient of log P(y_t) by the embedding of source token s, given the words before y_t.
 */
export function sourceGradients(model, ids, options) {
  const answer = translate(model, ids, options);
  const encoder = encoderTape(model, ids);
  const decoder = decoderTape(model, answer);
  const last = answer.tokens.at(-1) === EOS ? -1 : answer.tokens.length;
  const norms = answer.tokens.slice(0, last).map((token, t) => {
    const atStates = answer.encoderStates.map((state) => new Float32Array(state.length));
    const atLast = new Float32Array(atStates[0].length);
    const atDecoder = backwardFromWord(model, answer, t, atStates);
    backThroughDecoder(decoder, t, atDecoder, atLast);
    return backThroughEncoder(encoder, atStates, atLast).map(norm);
  });
  return { words: answer.words, norms };
}

// What the way back needs of the way there ---------------------------------------------

// Each direction's weights, its steps in its own order, and where it reads and writes.
function encoderTape(model, ids) {
  const embedding = model.tensors.get("encoder.embedding.weight");
  const inputs = ids.map((id) => getRow(embedding, id));
  const places = inputs.map((_, i) => i);
  const forward = directionTape(getGru(model, "encoder.rnn"), inputs, places, 0);
  if (!model.config.bidirectional) return [forward];
  const size = forward.gru.weightState.shape[1];
  const backward = getGru(model, "encoder.rnn", "_l0_reverse");
  return [forward, directionTape(backward, inputs, places.toReversed(), size)];
}

// `offset` is where its part of every state begins.
function directionTape(gru, inputs, places, offset) {
  const start = new Float32Array(gru.weightState.shape[1]);
  return {
    gru,
    places,
    offset,
    steps: gruTape(
      gru,
      places.map((i) => inputs[i]),
      start,
    ),
  };
}

function decoderTape(model, answer) {
  const memory = { last: answer.summary };
  const read = [BOS, ...answer.tokens.slice(0, -1)];
  const inputs = read.map((token) => decoderInput(model, memory, token));
  const gru = getGru(model, "decoder.rnn");
  const steps = gruTape(gru, inputs, firstState(model, memory));
  const startsFromLast = model.config.score || model.config.context !== "input";
  return { gru, steps, startsFromLast, contextRead: readsContext(model.config) };
}

// The state before every step, and what the step made of it.
function gruTape(gru, inputs, start) {
  let state = start;
  return inputs.map((input) => {
    const step = { state, ...gruStep(gru, input, state) };
    state = step.next;
    return step;
  });
}

// Back -----------------------------------------------------------------------------------

// From log P(y_t) to the decoder's state t, which is returned, and through attention to the
// encoder's states, where the gradient is added up.
function backwardFromWord(model, answer, t, atStates) {
  // d log P(y) / d logits = one-hot(y) − P. Of a word that is nearly certain 1 − P(y) would
  // drown in rounding: it is what the others have.
  const atLogits = softmax(Float64Array.from(answer.logits[t])).map((p) => -p);
  atLogits[answer.tokens[t]] = 0;
  atLogits[answer.tokens[t]] = -atLogits.reduce((sum, p) => sum + p, 0);
  const atRead = mulTransposed(model.tensors.get("decoder.readout.weight"), atLogits);
  return model.config.score ? backThroughAttention(model, answer, t, atRead, atStates) : atRead;
}

// h̃ = tanh(W_c [c; s]), c = Σ α_j h_j, α = softmax(sᵀ W h_j): Luong's general score.
function backThroughAttention(model, answer, t, atRead, atStates) {
  if (model.config.score.name !== "general") {
    throw new RangeError(`There is no way back through the ${model.config.score.name} score.`);
  }
  const [query, context, weights] = [answer.decoderStates, answer.contexts, answer.weights].map(
    (rows) => rows[t],
  );
  const combine = model.tensors.get("decoder.combine.weight");
  const attended = affine(combine, concat(context, query)).map(Math.tanh);
  const beforeTanh = atRead.map((g, i) => g * (1 - attended[i] ** 2));
  const both = mulTransposed(combine, beforeTanh);
  const [atContext, atQuery] = [both.slice(0, context.length), both.slice(context.length)];

  const states = answer.encoderStates;
  const atWeights = states.map((state) => dot(atContext, state));
  const mean = atWeights.reduce((sum, g, j) => sum + weights[j] * g, 0);
  const linear = model.tensors.get("decoder.attention.score.linear.weight");
  const projected = affine(linear, query);
  const atProjected = new Float32Array(projected.length);
  states.forEach((state, j) => {
    const atScore = weights[j] * (atWeights[j] - mean);
    addTo(
      atStates[j],
      atContext.map((g, i) => weights[j] * g + atScore * projected[i]),
    );
    addTo(
      atProjected,
      state.map((x) => atScore * x),
    );
  });
  addTo(atQuery, mulTransposed(linear, atProjected));
  return atQuery;
}

// From the decoder's state t through all steps before it to the encoder's last state.
function backThroughDecoder({ gru, steps, startsFromLast, contextRead }, t, atState, atLast) {
  const atInputs = new Float32Array(gru.weightInput.shape[0]);
  let gradient = atState;
  for (let step = t; step >= 0; step--) {
    const { atInput, atBefore } = backThroughGru(gru, steps[step], gradient);
    addTo(atInputs, atInput);
    gradient = atBefore;
  }
  if (startsFromLast) addTo(atLast, gradient);
  // C is the same in every input, so what comes back to it is added up before W is passed.
  if (contextRead) addTo(atLast, mulTransposed(gru.weightInput, atInputs).slice(-atLast.length));
}

// From the encoder's states, and its last one, to the embedding of every source token.
function backThroughEncoder(directions, atStates, atLast) {
  const atEmbeddings = [];
  for (const { gru, steps, places, offset } of directions) {
    const ownPart = (gradient) => gradient.subarray(offset, offset + gru.weightState.shape[1]);
    let gradient = ownPart(atLast).slice();
    for (let step = steps.length - 1; step >= 0; step--) {
      const place = places[step];
      addTo(gradient, ownPart(atStates[place]));
      const { atInput, atBefore } = backThroughGru(gru, steps[step], gradient);
      const atEmbedding = mulTransposed(gru.weightInput, atInput);
      if (atEmbeddings[place]) addTo(atEmbeddings[place], atEmbedding);
      else atEmbeddings[place] = atEmbedding;
      gradient = atBefore;
    }
  }
  return atEmbeddings;
}

// One step: h' = (1 − z) n + z h, n = tanh(W_in x + r (W_hn h)), r and z being the gates.
// From the gradient at h' to that at W x (reset, update, new) and at h.
function backThroughGru(gru, { state, reset, update, fresh, recalled }, gradient) {
  const size = gradient.length;
  const atInput = new Float32Array(3 * size);
  const atRecalled = new Float32Array(3 * size); // differs in its last third alone
  for (let i = 0; i < size; i++) {
    const atFresh = gradient[i] * (1 - update[i]) * (1 - fresh[i] ** 2);
    atInput[i] = atFresh * recalled[i] * reset[i] * (1 - reset[i]);
    atInput[size + i] = gradient[i] * (state[i] - fresh[i]) * update[i] * (1 - update[i]);
    atInput[2 * size + i] = atFresh;
    atRecalled[i] = atInput[i];
    atRecalled[size + i] = atInput[size + i];
    atRecalled[2 * size + i] = atFresh * reset[i];
  }
  const atBefore = mulTransposed(gru.weightState, atRecalled);
  for (let i = 0; i < size; i++) atBefore[i] += gradient[i] * update[i];
  return { atInput, atBefore };
}

// Wᵀ y: the way back through W x. Four rows at a time, so that each sum is fetched once for
// four products.
function mulTransposed(matrix, y) {
  const columns = matrix.shape[1];
  const { data } = matrix;
  const out = new Float32Array(columns);
  let r = 0;
  for (; r + 4 <= y.length; r += 4) {
    const [a, b, c, d] = [y[r], y[r + 1], y[r + 2], y[r + 3]];
    const first = r * columns;
    const second = first + columns;
    const third = second + columns;
    const fourth = third + columns;
    for (let i = 0; i < columns; i++) {
      out[i] +=
        a * data[first + i] + b * data[second + i] + c * data[third + i] + d * data[fourth + i];
    }
  }
  for (; r < y.length; r++) {
    for (let i = 0; i < columns; i++) out[i] += y[r] * data[r * columns + i];
  }
  return out;
}

// a += b, in place.
function addTo(a, b) {
  for (let i = 0; i < a.length; i++) a[i] += b[i];
}
