// What layers cost, in the figure of costs: the formulas, what a machine took, and where two
// costs cross. Sizes are { n, d, k, r, causal }: length, width, kernel, radius, and whether
// layers look back only. NaN is what there is not.

import { COST_TYPES, bytesTouched, sequentialCalls, flopsOf } from "../../models/layercosts.js";

const COST_FORMULAS = {
  flops: (layer) => layer.flops,
  parameters: (layer) => layer.parameters,
  sequential_operations: (layer) => layer.steps ?? (() => 1),
  path_length: (layer) => layer.layers ?? layer.steps ?? (() => 1),
};

/** A layer's formula, a function of the sizes; null where there is none: time, megabytes. */
export function costFormula(layer, quantity) {
  return COST_FORMULAS[quantity]?.(COST_TYPES[layer]) ?? null;
}

// Time -------------------------------------------------------------------------------

/** A model of time where none is measured: every layer at 10 GFLOP/s. */
export const EQUAL_RATE = [0, 1e10, null];

/**
 * The time in seconds, a function of the sizes, as `attnlab.complexity.roofline` has it. The
 * model: seconds a step, FLOPs a second, bytes a second or null; NaN without one.
 */
export function timeFormula(layer, phase, model) {
  if (!model) return () => NaN;
  const [overhead, peak, bandwidth] = model;
  return (sizes) => {
    const arithmetic = flopsOf(layer, phase, sizes) / peak;
    const memory = bandwidth === null ? 0 : bytesTouched(layer, phase, sizes) / bandwidth;
    return overhead * sequentialCalls(layer, phase, sizes) + Math.max(arithmetic, memory);
  };
}

// A machine --------------------------------------------------------------------------

/** The measured cells of a layer as { n, d, option, seconds, low, high, megabytes }. */
export function measuredCells(machine, layer, phase) {
  const rows = machine?.points[layer]?.[phase] ?? [];
  return rows.map(([n, d, option, ...micros]) => {
    const [seconds, low, high] = micros
      .slice(0, 3)
      .map((time) => (time === null ? NaN : time / 1e6));
    return { n, d, option, seconds, low, high, megabytes: micros[3] ?? NaN };
  });
}

/** The cell measured at just these sizes, if there is one. */
export function findCell(cells, layer, { n, d, k, r }) {
  return (
    cells.find((cell) => cell.n === n && cell.d === d && hasSameReach(cell, layer, k, r)) ?? null
  );
}

/** The cells along the axis x at sizes that are otherwise these, the smallest first. */
export function cellsAlongAxis(cells, layer, x, sizes) {
  const common = x === "n" || x === "d"; // sizes that all layers have
  if (!common && reachName(layer) !== x) return [];
  return cells
    .map((cell) => ({ ...cell, at: common ? cell[x] : cell.option }))
    .filter((cell) => findCell([cell], layer, { ...sizes, [x]: cell.at }) !== null)
    .sort((a, b) => a.at - b.at);
}

function hasSameReach(cell, layer, k, r) {
  const reach = reachName(layer);
  return reach === "" || cell.option === (reach === "k" ? k : r);
}

/** Which of k and r a layer has, if any. */
export function reachName(layer) {
  if (layer === "banded") return "r";
  return ["convolution", "dilated", "separable"].includes(layer) ? "k" : "";
}

// Curves and crossings ---------------------------------------------------------------

/** The values of a size: from `low` in steps, the last at step `last`. Centred kernels are odd. */
export function costAxis(x, causal, [low, high]) {
  const step = x === "k" && !causal ? 2 : 1;
  return { x, low, step, last: Math.floor((high - low) / step) };
}

/** Values of a size that are evenly spread on a logarithmic axis, both ends among them. */
export function axisSamples({ low, step, last }, count = 300) {
  const ratio = (low + step * last) / low;
  const samples = new Set();
  for (let i = 0; i <= count; i++)
    samples.add(low + step * Math.round((low * ratio ** (i / count) - low) / step));
  return [...samples];
}

/** A formula's values at these places along an axis, the other sizes held. */
export function costCurve(formula, { x }, places, sizes) {
  const moving = { ...sizes };
  return places.map((place) => {
    moving[x] = place;
    return formula(moving);
  });
}

/**
 * Where two formulas cross for good: at `before` the one that is larger in the end was
 * smaller, from `from` on it is always larger. `sign` is 1 if that is the first; `equal` is
 * the place just before `from` at which both are equal, or null. Null if they do not cross.
 * Exact, over all whole numbers.
 */
export function lastCrossing(axis, first, second, sizes) {
  const { x, low, step, last } = axis;
  const moving = { ...sizes };
  const valueAtIndex = (formula) => (index) => {
    moving[x] = low + step * index;
    return formula(moving);
  };
  let [more, less] = [valueAtIndex(first), valueAtIndex(second)];
  const sign = Math.sign(more(last) - less(last));
  if (!sign) return null; // also if one has no value there
  if (sign < 0) [more, less] = [less, more];
  // All costs rise with n and d. Not with k or r, but from n − 1 on r changes nothing.
  const isIncreasing = (index) =>
    x === "n" || x === "d" || (x === "r" && low + index >= sizes.n - 1);
  const below = lastIndexWhere((a, b) => a < b, more, less, 0, last, isIncreasing);
  if (below < 0) return null;
  const level = lastIndexWhere((a, b) => a <= b, more, less, below + 1, last, isIncreasing);
  const index = Math.max(below, level) + 1;
  const place = (i) => low + step * i;
  return { sign, from: place(index), before: place(below), equal: level < 0 ? null : place(level) };
}

// The last index from `from` to `to` at which `isUnder(more, less)`, or −1. Where both rise,
// a stretch whose smallest `more` is not under its largest `less` need not be searched.
function lastIndexWhere(isUnder, more, less, from, to, rises) {
  if (isUnder(more(to), less(to))) return to;
  if (from === to || (rises(from) && !isUnder(more(from), less(to)))) return -1;
  const middle = (from + to) >> 1;
  const later = lastIndexWhere(isUnder, more, less, middle + 1, to, rises);
  return later >= 0 ? later : lastIndexWhere(isUnder, more, less, from, middle, rises);
}

// FLOPs a position are d (a·d + b·n) for these: [a, b].
const LINEAR_COSTS = {
  attention: [0, 4],
  attention_fused: [0, 4],
  multi_head: [8, 4],
  additive: [4, 4],
  rnn: [4, 0],
  rnn_fused: [4, 0],
  gru: [12, 0],
  gru_fused: [12, 0],
  lstm: [16, 0],
  lstm_fused: [16, 0],
};

/** The ratio n / d at which two layers' FLOPs are equal; NaN where it is not one number. */
export function crossingRatio(first, second, k) {
  const terms = (layer) => (layer === "convolution" ? [2 * k, 0] : LINEAR_COSTS[layer]);
  const [one, other] = [terms(first), terms(second)];
  if (!one || !other || one[1] === other[1]) return NaN;
  return (other[0] - one[0]) / (one[1] - other[1]);
}
