// What the figure of costs says.

import { capitalized, groupDigits, joinWithAnd } from "../../words/phrases.js";
import { reachName } from "./costs.js";
import { COST_QUANTITIES, costText, layerNames, sizesText } from "./quantities.js";

const MAX_LAYERS_NAMED = 3; // that are read out; the table has all

/** Who wins at the chosen sizes, by which factor, and where the curves cross. */
export function describeCost(now, curves, crossing, other) {
  if (!curves.length) return "No layer is shown: choose at least one.";
  const known = curves.filter((curve) => !Number.isNaN(curve.now)).sort((a, b) => a.now - b.now);
  if (!known.length) {
    return `At ${sizesText(now)}, nothing is known of this. ${describeMeasuredAlong(now, curves)}`;
  }
  const missing = curves.filter((curve) => Number.isNaN(curve.now)).map(({ layer }) => layer);
  const sentences = [
    describeWinners(now, known),
    describeOtherLayers(now, known),
    missing.length ? `Not known here: ${layerNames(missing)}.` : "",
    describeCrossing(now, crossing, other),
  ];
  return sentences.filter(Boolean).join(" ");
}

function describeWinners(now, known) {
  const { least, verbs } = COST_QUANTITIES[now.quantity];
  const best = known.filter((curve) => curve.now === known[0].now).map(({ layer }) => layer);
  const [verb, each] = best.length > 1 ? [verbs[1], " each"] : [verbs[0], ""];
  const cost = costText(known[0].now, now.quantity);
  return `At ${sizesText(now)}, ${layerNames(best)} ${verb} ${least}: ${cost}${each}.`;
}

function describeOtherLayers({ quantity }, known) {
  const least = known[0].now;
  const rest = known.filter((curve) => curve.now !== least);
  if (!rest.length) return "";
  const costOf =
    least === 0 ? (cost) => costText(cost, quantity) : (cost) => timesText(cost / least);
  const others = joinFirstItems(
    rest.map(({ layer, now }) => `${layerNames([layer])} ${costOf(now)}`),
  );
  const than = least === 0 ? "" : ` ${COST_QUANTITIES[quantity].times}`;
  return `${capitalized(others)}${than}${hiddenItemsText(rest)}.`;
}

function joinFirstItems(items) {
  return joinWithAnd(items.slice(0, MAX_LAYERS_NAMED));
}

function hiddenItemsText(items) {
  const more = items.length - MAX_LAYERS_NAMED;
  return more > 0 ? `; the table has ${more} more` : "";
}

function timesText(factor) {
  if (factor < 1.005) return "1.00 times"; // not equal, or it would not be said
  return `${factor < 1000 ? Number(factor.toPrecision(3)) : groupDigits(Math.round(factor))} times`;
}

function describeCrossing(now, crossing, other) {
  if (now.quantity === "megabytes" || now.layers.length < 2) return "";
  const told = now.layers.length > 2 ? crossing?.text : crossing?.brief;
  const here = told ? capitalized(told) : describeNoCrossing(now).slice(0, -1);
  return `${here}${describeOther(now, other)}.`;
}

function describeOther({ x }, other) {
  if (!other) return "";
  const by = other.quantity === "flops" ? "in FLOPs" : "in seconds";
  const where = other.at === null ? "nowhere" : `at ${x} = ${groupDigits(Math.round(other.at))}`;
  return `; ${by} they cross ${where}`;
}

/** What stands where there is no crossing to tell of. */
export function describeNoCrossing({ quantity, x }) {
  return quantity === "megabytes"
    ? "Memory has no formula, so no crossing can be computed."
    : `Along ${x} no two curves cross.`;
}

function describeMeasuredAlong(now, curves) {
  const places = joinDistinct(curves.flatMap(({ points }) => points.map(({ at }) => at)));
  if (!now.machine || !places.length) return describeMissingMeasurements(now);
  return `Along ${now.x} it was measured at ${joinWithAnd(places)}.`;
}

function joinDistinct(numbers) {
  return [...new Set(numbers)].sort((a, b) => a - b);
}

function describeMissingMeasurements({ machine }) {
  return machine
    ? "At no size along this axis was it measured."
    : "No machine has been measured: python -m attnlab.complexity does it, Cost(results) shows it.";
}

/** What the curves and points are, and what was measured where. */
export function costNote(now, costs, curves) {
  const { quantity, machine } = now;
  if (quantity === "flops") {
    return (
      "One sequence, forward. A multiplication with its addition counts 2; biases, softmax and "
      + "tanh are left out."
    );
  }
  if (quantity === "megabytes") {
    if (!machine) return describeMissingMeasurements(now);
    return (
      "The most that a layer holds at once of what it allocates itself, measured. Lines only "
      + `join the points: there is no formula. ${describeMachine(now, costs, curves)}`
    );
  }
  if (quantity !== "seconds") {
    return "By the formulas, which the package’s tests find in the running layers too.";
  }
  if (!machine)
    return `Every layer at 10 GFLOP/s: FLOPs by another name. ${describeMissingMeasurements(now)}`;
  return (
    "Curves: a price for each step in a row, and FLOPs at one rate or bytes at another, whichever "
    + "takes longer; the three constants are fitted to what was measured of each layer. "
    + `Points: medians, with bars for the quartiles. ${describeMeasuredHere(curves)} `
    + describeMachine(now, costs, curves)
  );
}

function describeMeasuredHere(curves) {
  const measured = curves.filter(({ here }) => !Number.isNaN(here)).sort((a, b) => a.here - b.here);
  if (!measured.length) return "At these sizes none was measured.";
  const times = measured.map(
    ({ layer, here }) => `${layerNames([layer])} ${costText(here, "seconds")}`,
  );
  return `Measured at these sizes: ${joinWithAnd(times)}.`;
}

function describeMachine(now, costs, curves) {
  const never = costs.filter(({ cells }) => !cells.length).map(({ layer }) => layer);
  const bare = curves
    .filter(({ points, layer }) => !points.length && !never.includes(layer))
    .map(({ layer }) => layer);
  const parts = [];
  if (never.length) parts.push(`Never measured so: ${layerNames(never)}.`);
  if (bare.length) {
    const held = now.x === "d" ? "n" : "d";
    const known = joinDistinct(costs.flatMap(({ cells }) => cells.map((cell) => cell[held])));
    const few = bare.some(reachName) ? ", and at few k and r" : "";
    const places = `measured at ${held} = ${known.join(", ")}${few}`;
    parts.push(`No point at these sizes: ${layerNames(bare)}; ${places}.`);
  }
  if (curves.some(({ lost }) => lost.length)) parts.push("× at the top: memory ran out.");
  return parts.join(" ");
}
