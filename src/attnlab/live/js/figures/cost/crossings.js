// Where curves cross, in numbers and in words.

import { formatNumber } from "../../words/phrases.js";
import { crossingRatio, lastCrossing } from "./costs.js";
import { COST_QUANTITIES, layerNames } from "./quantities.js";
import { computeCostCurves, isMeasured, formulaSizes } from "./state.js";

/**
 * Each pair of different curves that cross, in the order along the axis: at, value, text, that
 * in brief for a pair that is known, and what was measured about it.
 */
export function crossingsOf({ curves, axis }, now) {
  const given = formulaSizes(now, now.quantity);
  const groups = equalCurves(curves.filter(({ values }) => values));
  const found = groups.flatMap((one, i) =>
    groups.slice(i + 1).flatMap((other) => {
      const crossing = lastCrossing(axis, one.formula, other.formula, given);
      if (!crossing) return [];
      const [more, less] = crossing.sign > 0 ? [one, other] : [other, one];
      const costAt = ({ formula }, place) => formula({ ...given, [axis.x]: place });
      const [text, brief] = crossingText(more.names, less.names, crossing, now);
      const measured = measuredText(more.points, less.points, now);
      const point = crossingPoint(crossing, (place) => [costAt(more, place), costAt(less, place)]);
      return [{ ...point, text, brief, measured }];
    }),
  );
  return found.sort((a, b) => a.at - b.at);
}

/** The crossing that is nearest to the chosen size, if there is one. */
export function nearestCrossing(crossings, now) {
  const far = crossings.map(({ at }) => Math.abs(Math.log(at / now[now.x])));
  return crossings[far.indexOf(Math.min(...far))] ?? null;
}

/**
 * Where the same two layers cross in seconds, if what is shown is FLOPs, or the other way
 * round: the `quantity`, and the place `at`, null if they do not cross. Null if there are not
 * two layers, or none was measured.
 */
export function otherCrossing(now, limits) {
  const quantity = { flops: "seconds", seconds: "flops" }[now.quantity];
  if (!quantity || now.layers.length !== 2 || !now.machine) return null;
  const there = { ...now, quantity };
  const found = computeCostCurves(there, limits);
  if (found.curves.some((curve) => Number.isNaN(curve.now))) return null;
  return { quantity, at: nearestCrossing(crossingsOf(found, there), there)?.at ?? null };
}

/** What a crossing moves with when it is drawn along the axis: n with d, and d with n. */
export function otherSize(now, limits, from, to) {
  const other = { n: "d", d: "n" }[now.x];
  if (!other || isMeasured(now.quantity)) return {};
  const [least, most] = limits[other];
  return { [other]: Math.max(least, Math.min(most, Math.round((now[other] * to) / from))) };
}

// Layers with the same curve throughout count as one.
function equalCurves(curves) {
  const groups = [];
  for (const { layer, formula, values, points } of curves) {
    const same = groups.find((group) =>
      group.values.every((value, i) => Object.is(value, values[i])),
    );
    if (same) same.names.push(layer);
    else groups.push({ formula, values, points, names: [layer] });
  }
  return groups;
}

// The point at which two curves meet. Between two places both are taken for straight in the
// logarithms. `costs(place)` are both.
function crossingPoint({ from, before, equal }, costs) {
  if (equal !== null) return { at: equal, value: costs(equal)[0] };
  const [[a, b], [c, d]] = [costs(before), costs(from)].map((pair) => pair.map(Math.log));
  const share = (b - a) / (b - a + c - d);
  const between = (p, q) => Math.exp(p + share * (q - p));
  return { at: between(Math.log(before), Math.log(from)), value: between(a, c) };
}

function crossingText(more, less, { from, equal }, now) {
  const { verbs, more: amounts } = COST_QUANTITIES[now.quantity];
  const form = more.length > 1 ? 1 : 0;
  const where =
    exactCrossingText(more[0], less[0], now)
    ?? (equal === null ? `from ${now.x} = ${from} on` : `beyond ${now.x} = ${equal}`);
  const [one, other] = [more, less].map(layerNames);
  const brief = `${one} ${verbs[form]} ${amounts[form]}`;
  return [`${brief} than ${other} ${where}`, `${brief} ${where}`];
}

// Where the measured times cross: " (measured: between 512 and 1024)".
function measuredText(more, less, { quantity, x }) {
  if (quantity !== "seconds") return "";
  const pairs = more.flatMap(({ at, value }) =>
    less.filter((other) => other.at === at).map((other) => ({ at, longer: value > other.value })),
  );
  if (!pairs.length) return "";
  const last = pairs.findLastIndex(({ longer }) => !longer);
  if (last < 0) return ` (measured: already at ${x} = ${pairs[0].at}, the smallest)`;
  if (last === pairs.length - 1)
    return ` (measured: not yet at ${x} = ${pairs[last].at}, the largest)`;
  return ` (measured: between ${pairs[last].at} and ${pairs[last + 1].at})`;
}

// "beyond n = 3d = 768", for FLOPs that are equal at one ratio of n and d.
function exactCrossingText(more, less, { quantity, x, n, d, k }) {
  const ratio = crossingRatio(more, less, k);
  if (quantity !== "flops" || !(ratio > 0) || (x !== "n" && x !== "d")) return null;
  const [share, held, size] = x === "n" ? [ratio, "d", d] : [1 / ratio, "n", n];
  const format = (number) => formatNumber(number, 4);
  const many = share === 1 ? "" : format(share);
  const factor = share >= 1 ? `${many}${held}` : `${held}/${format(1 / share)}`;
  const place = formatNumber(Number((share * size).toFixed(1)), 9); // 3d = 12288, in full
  return `beyond ${x} = ${factor} = ${place}`;
}
