// The state of the figure of costs: what the reader set, and what follows from it.

import { flopsOf } from "../../models/layercosts.js";
import { traitsOf } from "../../shell/traits.js";
import {
  EQUAL_RATE,
  axisSamples,
  findCell,
  cellsAlongAxis,
  costAxis,
  costCurve,
  costFormula,
  measuredCells,
  timeFormula,
} from "./costs.js";

export const COST_SIZES = [
  ["n", "n, length"],
  ["d", "d, width"],
  ["k", "k, kernel"],
  ["r", "r, radius"],
];
const COST_TRAITS = "n d k r layers quantity x causal machine phase machines".split(" ");

/** The traits. What is changed fits together: a centred kernel is odd. */
export function costState(model) {
  const traits = traitsOf(model, COST_TRAITS);
  function setTraits(wanted) {
    const { causal, k } = { ...traits.read(), ...wanted };
    const fitting = !causal && k % 2 === 0 ? { k: k - 1 } : {};
    traits.change({ ...wanted, ...fitting });
  }
  const { layers: formulas, limits } = model.get("_frame"); // by layer, { label, formula }
  return { ...traits, change: setTraits, formulas, limits };
}

/** Is this a quantity that a machine has to be asked for? */
export function isMeasured(quantity) {
  return quantity === "seconds" || quantity === "megabytes";
}

/**
 * What is to be seen: the `axis` and the `places` along it at which curves are drawn; of each
 * layer `costs`, its measured cells and its formula of time, and `curves`, its formula and the
 * values of it, the measured points, where memory was lost, what was measured at the chosen
 * sizes, and what it costs now.
 */
export function computeCostCurves(now, limits) {
  const axis = costAxis(now.x, now.causal, limits[now.x]);
  const places = axisSamples(axis);
  const costs = costsByLayer(now);
  const curves = costs.map((cost) => makeCurve(cost, now, axis, places));
  return { axis, places, costs, curves };
}

function costsByLayer({ layers, machine, machines, phase }) {
  const data = machines.find(({ name }) => name === machine);
  return layers.map((layer) => {
    const model = data ? data.models[layer]?.[phase] : EQUAL_RATE;
    const time = timeFormula(layer, phase, model);
    return { layer, cells: measuredCells(data, layer, phase), time };
  });
}

function makeCurve({ layer, cells, time }, now, axis, places) {
  const { quantity, x } = now;
  const given = formulaSizes(now, quantity);
  const formula = quantity === "seconds" ? time : costFormula(layer, quantity);
  const measured = isMeasured(quantity) ? cellsAlongAxis(cells, layer, x, given) : [];
  const points = measured
    .map((cell) => measuredPoint(cell, quantity))
    .filter(({ value }) => !Number.isNaN(value));
  const lost = measured.filter(({ seconds }) => Number.isNaN(seconds)).map(({ at }) => at);
  const cell = findCell(cells, layer, now); // that of self-attention whatever k is
  const here = cell ? measuredPoint(cell, quantity).value : NaN;
  const values = formula && costCurve(formula, axis, places, given);
  return { layer, formula, points, lost, values, here, now: formula ? formula(given) : here };
}

/** The sizes of a formula. What was timed looked back only when it generated. */
export function formulaSizes({ n, d, k, r, causal, phase }, quantity) {
  return { n, d, k, r, causal: quantity === "seconds" ? phase === "generation" : causal };
}

function measuredPoint({ at, seconds, low, high, megabytes }, quantity) {
  if (quantity === "seconds") return { at, value: seconds, low, high };
  return { at, value: megabytes * 1e6, low: megabytes * 1e6, high: megabytes * 1e6 };
}

/** What each layer costs at the chosen sizes, in every quantity: a row each. */
export function costRows(now, costs, formulas) {
  const timed = formulaSizes(now, "seconds");
  return costs.map(({ layer, cells, time }) => {
    const cell = findCell(cells, layer, now);
    const costOf = (quantity) => costFormula(layer, quantity)(formulaSizes(now, quantity));
    return {
      ...formulas[layer],
      flops: costOf("flops"),
      parameters: costOf("parameters"),
      sequential_operations: costOf("sequential_operations"),
      path_length: costOf("path_length"),
      predicted: time(timed),
      measured: cell?.seconds ?? NaN,
      megabytes: cell?.megabytes ?? NaN,
      rate: flopsOf(layer, now.phase, timed) / time(timed) / 1e9,
    };
  });
}
