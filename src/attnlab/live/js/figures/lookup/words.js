// A look-up in words: what each query reads, and by which weights.

import { indicesOfLargest, joinWithAnd, formatNumber, twoDecimals } from "../../words/phrases.js";
import { reachedTarget } from "./targets.js";

/** All that the picture shows: the state, and what `lookUp` makes of it. */
export function describeLookup(shown) {
  return [shown.news, ...describeReadings(shown), describeTargets(shown)]
    .filter(Boolean)
    .map((text) => `${text}.`)
    .join(" ");
}

function describeTargets({ outputs }) {
  const target = reachedTarget(outputs);
  return target === undefined ? "" : `Target ${formatNumber(target)}: read`;
}

export function vectorName(kind, index) {
  return `${kind === "key" ? "Key" : "Query"} ${index + 1}`;
}

export function pointText(vector) {
  return `(${vector.map((x) => formatNumber(x)).join(", ")})`;
}

/** A weight that is neither 0 nor 1 is not written so. */
export function shareText(weight) {
  if (weight > 0 && weight < 0.0005) return "<0.001";
  if (weight < 1 && weight >= 0.9995) return ">0.999";
  return weight.toFixed(3);
}

// Those of the chosen query first.
function describeReadings({ mask, weights, outputs, chosen }) {
  const all = weights.map((row, i) => {
    const name = vectorName("query", i);
    if (!mask[i].includes(true)) return `${name} may see no key: its output is 0`;
    const told = indicesOfLargest(row, 0.0005).map((j) => `${shareText(row[j])} on key ${j + 1}`);
    return `${name} reads ${twoDecimals(outputs[i])}: weight ${joinWithAnd(told)}`;
  });
  return [all[chosen], ...all.filter((_, i) => i !== chosen)];
}
