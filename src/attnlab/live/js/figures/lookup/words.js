// A look-up in words: what each query reads, and why.

import { joinWithAnd, formatNumber, twoDecimals } from "../../words/phrases.js";
import { canBeLargest } from "./attend.js";
import { targetRead } from "./targets.js";

/** All that the picture shows: the state, and what `lookUp` makes of it. */
export function lookupInWords(shown) {
  return [shown.news, ...readings(shown), targetsInWords(shown), neverLargestText(shown)]
    .filter(Boolean)
    .map((text) => `${text}.`)
    .join(" ");
}

function targetsInWords({ outputs }) {
  const target = targetRead(outputs);
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

// The chosen query's in full, then in short those of the others.
function readings({ value, mask, scaled, weights, outputs, chosen }) {
  const all = weights.map((row, i) => ({
    name: vectorName("query", i),
    seen: row.map((_, j) => j).filter((j) => mask[i][j]),
    row,
    value,
    scaled: scaled[i],
    output: outputs[i],
  }));
  return [fullText(all[chosen]), ...all.filter((_, i) => i !== chosen).map(shortText)];
}

/** What the query reads, and why. */
function fullText(reading) {
  const { name, seen, row, value, scaled } = reading;
  if (!seen.length) {
    return `${name} may see no key: all its weights are 0, and its output is 0. It reads nothing`;
  }
  const [first, second] = [...seen].sort((a, b) => scaled[b] - scaled[a]);
  if (second === undefined) {
    const reads = `it reads exactly ${formatNumber(value[first])}, wherever the vectors lie`;
    return `${name} may see key ${first + 1} alone, and so ${reads}`;
  }
  if (row[first] >= 0.99) return singleText(reading, first, second);
  const leaders = seen.filter((j) => areAlike([row[first], row[j]]));
  const share = leaders.reduce((sum, j) => sum + row[j], 0);
  if (leaders.length > 1 && share >= 0.99) return meanText(reading, first, leaders);
  return mixtureText(reading, first, second);
}

function singleText({ name, row, value, scaled, output }, first, second) {
  const rest = 1 - row[first];
  return (
    `${name} reads one value, ${formatNumber(value[first])}, from key ${first + 1}: `
    + `weight ${shareText(row[first])}, output ${twoDecimals(output)}. After scaling, the key is `
    + `${twoDecimals(scaled[first] - scaled[second])} ahead of the next; the others still share `
    + `${rest < 0.001 ? "less than 0.001" : rest.toFixed(3)}`
  );
}

function meanText({ name, seen, row, value, output }, first, leaders) {
  const [all, two] = [leaders.length === seen.length, leaders.length === 2];
  const values = joinWithAnd(leaders.map((j) => formatNumber(value[j])));
  const which = all
    ? `${two ? "both" : `all ${seen.length}`} values that it may see`
    : `${two ? "two" : leaders.length} values, ${values}`;
  const least = Math.min(...leaders.map((j) => row[j]));
  return (
    `${name} reads the mean of ${which}: weights from ${shareText(least)} to `
    + `${shareText(row[first])}, output ${twoDecimals(output)}. `
    + `${all ? "The scaled scores are alike" : "Their scores tie, far ahead of the others"}`
  );
}

function mixtureText({ name, row, scaled, output }, first, second) {
  const what = row[first] >= 0.8 ? `mostly the value of key ${first + 1}` : "a mixture";
  return (
    `${name} reads ${what}: weight ${shareText(row[first])} on key ${first + 1}, `
    + `${shareText(row[second])} on key ${second + 1}, output ${twoDecimals(output)}. `
    + `After scaling, key ${first + 1} is ${twoDecimals(scaled[first] - scaled[second])} ahead`
  );
}

function shortText({ name, seen, row, output }) {
  if (!seen.length) return `${name} may see no key, output 0`;
  const reads = `${name}: output ${twoDecimals(output)}`;
  if (seen.length > 1 && areAlike(seen.map((j) => row[j]))) return `${reads}, weights alike`;
  const largest = row.indexOf(Math.max(...row));
  return `${reads}, most weight (${shareText(row[largest])}) on key ${largest + 1}`;
}

function areAlike(weights) {
  return Math.max(...weights) - Math.min(...weights) <= 0.02;
}

/** The keys that the query sees and yet could never give the most weight, wherever it lay. */
function neverLargestText({ key, mask, chosen }) {
  const seen = key.map((_, j) => j).filter((j) => mask[chosen][j]);
  const vectors = seen.map((j) => key[j]);
  const lost = seen.filter((_, at) => !canBeLargest(vectors, at)).map((j) => j + 1);
  if (!lost.length) return "";
  return (
    `No query can give key ${lost.join(" or ")} more weight than every other key: `
    + "in each direction another reaches at least as far"
  );
}
