// Two associative memories. The modern Hopfield network's update is one step of attention
// (Ramsauer et al. 2020, eqs 2 and 3); the classical one takes signs (Hopfield 1982).
// A pattern and a state are arrays of d numbers; the sign rule wants them −1 or 1.

import { dot, softmax } from "../math/tensor.js";

const MAX_STEPS = 500;
const REST_TOLERANCE = 1e-4; // a state that would move by less is at rest

/** The weights softmax(β X ξ) of the patterns, and Xᵀ times them: the next state. */
export function hopfieldStep(patterns, state, beta) {
  const weights = softmax(patterns.map((pattern) => beta * dot(pattern, state)));
  const next = new Array(state.length).fill(0);
  patterns.forEach((pattern, i) => {
    for (let k = 0; k < next.length; k++) next[k] += weights[i] * pattern[k];
  });
  return { weights, next };
}

/**
 * E(ξ) = −lse(β, X ξ) + ½ ξᵀξ + ln(N)/β + ½ M², M being the length of the longest
 * pattern, and these parts: { energy, lse, half, constant }. It is never below 0.
 */
export function hopfieldEnergy(patterns, state, beta) {
  const scores = patterns.map((pattern) => dot(pattern, state));
  const top = Math.max(...scores); // taken out, so that no exp overflows
  const sum = scores.reduce((total, score) => total + Math.exp(beta * (score - top)), 0);
  const lse = top + Math.log(sum) / beta;
  const half = dot(state, state) / 2;
  const longest = Math.max(...patterns.map((pattern) => dot(pattern, pattern)));
  const constant = Math.log(patterns.length) / beta + longest / 2;
  return { energy: -lse + half + constant, lse, half, constant };
}

/**
 * From a query to where it comes to rest: its states, the query first, and for each
 * state the weights and the energy with its parts; `settled` is false if the steps ran out.
 */
export function hopfieldPath(patterns, query, beta) {
  const path = { states: [], weights: [], energies: [], settled: false };
  let state = Array.from(query);
  for (let t = 0; t <= MAX_STEPS && !path.settled; t++) {
    const { weights, next } = hopfieldStep(patterns, state, beta);
    path.states.push(state);
    path.weights.push(weights);
    path.energies.push(hopfieldEnergy(patterns, state, beta));
    path.settled = Math.hypot(...next.map((x, k) => x - state[k])) < REST_TOLERANCE;
    state = next;
  }
  return path;
}

/** Hebb's rule, Σ x xᵀ without its diagonal, d rows of d. (1/d is left to `signEnergy`.) */
export function hebbianWeights(patterns) {
  const d = patterns[0].length;
  const weights = Array.from({ length: d }, () => new Float64Array(d));
  for (const pattern of patterns) {
    for (let i = 0; i < d; i++) {
      for (let j = 0; j < d; j++) if (i !== j) weights[i][j] += pattern[i] * pattern[j];
    }
  }
  return weights;
}

/** −½ sᵀ W s, W being 1/d of the Hebbian weights. */
export function signEnergy(weights, state) {
  return -weights.reduce((sum, row, i) => sum + state[i] * dot(row, state), 0) / (2 * state.length);
}

/** Every neuron in turn takes the sign of its input, or keeps its own where that is 0. */
export function signSweep(weights, state) {
  const next = Array.from(state);
  weights.forEach((row, i) => {
    next[i] = Math.sign(dot(row, next)) || next[i];
  });
  return next;
}

/** As `hopfieldPath`, a step being a sweep. Each lowers the energy, so it always ends. */
export function signPath(weights, query) {
  const path = { states: [], energies: [], settled: true };
  let state = Array.from(query);
  let before = null;
  while (before === null || state.some((x, k) => x !== before[k])) {
    path.states.push(state);
    path.energies.push({ energy: signEnergy(weights, state) });
    [before, state] = [state, signSweep(weights, state)];
  }
  return path;
}

/**
 * How many of the patterns come back whole, each from itself with some of its signs
 * flipped, by either memory: { attention, classical }. Signs are compared.
 */
export function countRecalled(patterns, flipped, beta) {
  const hebbian = hebbianWeights(patterns);
  const back = { attention: 0, classical: 0 };
  for (const pattern of patterns) {
    const cue = flipSigns(pattern, flipped);
    const isRecalled = (state) => state.every((x, k) => x * pattern[k] > 0);
    back.attention += isRecalled(
      restingState((state) => hopfieldStep(patterns, state, beta).next, cue),
    );
    back.classical += isRecalled(restingState((state) => signSweep(hebbian, state), cue));
  }
  return back;
}

function restingState(update, query) {
  let state = query;
  for (let t = 0; t < MAX_STEPS; t++) {
    const next = update(state);
    let moved = 0;
    for (let k = 0; k < next.length; k++) moved = Math.max(moved, Math.abs(next[k] - state[k]));
    if (moved < REST_TOLERANCE) break;
    state = next;
  }
  return state;
}

/** The pattern with some of its signs flipped. */
export function flipSigns(pattern, flipped) {
  const state = Array.from(pattern);
  for (const k of flipped) state[k] = -state[k];
  return state;
}
