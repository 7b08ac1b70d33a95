// What the figure of costs counts, and what it calls it.

import { groupDigits, joinWithAnd } from "../../words/phrases.js";
import { reachName } from "./costs.js";
import { COST_STYLES } from "./looks.js";
import { isMeasured } from "./state.js";

const COST_VERBS = ["takes", "take"];
const HAVE_VERBS = ["has", "have"];

// For each quantity: its name, in short and in full, and unit; what its least is, who "takes"
// or "has" that, for one layer and for several; what more of it is, likewise; and "3 times …".
export const COST_QUANTITIES = {
  flops: {
    short: "FLOPs",
    name: "FLOPs per layer",
    unit: "",
    least: "the fewest FLOPs",
    verbs: COST_VERBS,
    more: ["more FLOPs", "more FLOPs"],
    times: "as many",
  },
  seconds: {
    short: "time",
    name: "Time",
    unit: "s",
    least: "the shortest time",
    verbs: COST_VERBS,
    more: ["longer", "longer"],
    times: "as long",
  },
  megabytes: {
    short: "memory",
    name: "Memory, measured",
    unit: "B",
    least: "the least memory",
    verbs: COST_VERBS,
    times: "as much",
  },
  parameters: {
    short: "parameters",
    name: "Parameters",
    unit: "",
    least: "the fewest parameters",
    verbs: HAVE_VERBS,
    more: ["more parameters", "more parameters"],
    times: "as many",
  },
  sequential_operations: {
    short: "steps",
    name: "Sequential operations",
    unit: "",
    least: "the fewest steps in a row",
    verbs: HAVE_VERBS,
    more: ["more steps in a row", "more steps in a row"],
    times: "as many",
  },
  path_length: {
    short: "path",
    name: "Maximum path length",
    unit: "",
    least: "the shortest path",
    verbs: HAVE_VERBS,
    more: ["a longer path", "longer paths"],
    times: "as long",
  },
};
export const COST_PHASES = {
  forward: "forward",
  training: "forward and backward",
  generation: "generation, step by step",
};
const PREFIXES = { "-3": "n", "-2": "µ", "-1": "m", 0: "", 1: "k", 2: "M", 3: "G", 4: "T", 5: "P" };

/** 25 165 824 FLOPs as "25.2 M", 0.0031 seconds as "3.1 ms". */
export function costText(value, quantity) {
  if (Number.isNaN(value)) return "–";
  if (quantity === "path_length" || quantity === "sequential_operations") {
    return value >= 1 ? groupDigits(value) : String(value);
  }
  if (value === 0) return "0";
  const unit = COST_QUANTITIES[quantity]?.unit ?? "";
  const power = Math.max(-3, Math.min(5, Math.floor(Math.log10(value * (1 + 1e-9)) / 3)));
  const prefix = PREFIXES[power];
  const number = String(Number((value / 1000 ** power).toPrecision(3)));
  return unit || prefix ? `${number}\u00a0${prefix}${unit}` : number;
}

/** What stands at the axis of costs: 10 k where sentences say 10 000. */
export function costTick(value, quantity) {
  const counted = quantity === "sequential_operations" || quantity === "path_length";
  return costText(value, counted ? "flops" : quantity);
}

export function axisText({ quantity, machine, phase, x, n, d }) {
  const { name } = COST_QUANTITIES[quantity];
  if (!isMeasured(quantity)) return `${name}, ${x === "d" ? `n = ${n}` : `d = ${d}`}`;
  return `${name}: ${machine ? phaseText(phase) : "10 GFLOP/s"}`;
}

export function phaseText(phase) {
  return COST_PHASES[phase];
}

/** The sizes, k and r only where a layer has them, or the axis is theirs. */
export function sizesText({ n, d, k, r, x, layers }) {
  const reaches = { k, r };
  const isRelevantSize = (name) => name === x || layers.some((layer) => reachName(layer) === name);
  const own = ["k", "r"].filter(isRelevantSize);
  return [`n = ${n}`, `d = ${d}`, ...own.map((name) => `${name} = ${reaches[name]}`)].join(", ");
}

/** Layers as sentences name them. */
export function layerNames(layers) {
  const said = layers.map((layer) => {
    const { hue, name } = COST_STYLES[layer];
    return hue === "attention" || hue === "restricted" ? name : `the ${name}`;
  });
  return joinWithAnd(said);
}
