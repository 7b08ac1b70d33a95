// The row of one word as a table: its query, every key and value as a strip, and the steps
// between; and one product of two strips written out.

import { argmax } from "../../math/tensor.js";
import { make } from "../../parts/elements.js";
import { rovingTabindex } from "../../parts/rove.js";
import { stripRows } from "../../parts/strips.js";
import { columnHead } from "../../parts/tables.js";
import { twoDecimals } from "../../words/phrases.js";
import { score, share } from "./words.js";

/** Its `element`, its `trace`, and `update(found)`, which takes what `readInSteps` gives. */
export function stepsTable() {
  const body = make("tbody");
  const trace = make("p.nr-trace");
  const root = make("th", { scope: "col" });
  const head = columnHead("asked", "key", "q · k");
  head.firstChild.append(
    root,
    ...["weight", "value"].map((name) => make("th", { scope: "col" }, name)),
  );
  const table = make("table.nr-table", head, body);
  const asks = vectorRow();
  const reads = vectorRow();
  let rows = [];
  let shown = null;
  let [pointed, chosen] = [null, null];
  const toFirst = rovingTabindex(body, "button", { columns: 1 });

  function onChoose(j) {
    chosen = j;
    showTrace();
  }

  function onPoint(j) {
    pointed = j;
    showTrace();
  }

  function fillRows(count) {
    rows = Array.from({ length: count }, (_, j) => keyRow(j, { onChoose, onPoint }));
    body.replaceChildren(asks.element, ...rows.map(({ element }) => element), reads.element);
    toFirst();
  }

  function update(found) {
    if (rows.length !== found.words.length) fillRows(found.words.length);
    if (shown && String(shown.typed) !== String(found.typed)) chosen = null;
    shown = found;
    root.textContent = `÷\u00a0√${found.query.length}, mask`;
    const scales = { keys: largestNorm(found.keys), values: largestNorm(found.values) };
    asks.update(`q of “${found.words[found.row]}”`, found.query, largestNorm([found.query]), 0);
    rows.forEach((row) => row.update(found, scales));
    reads.update("z = Σ weight · value", found.output, scales.values, 1);
    showTrace();
  }

  function showTrace() {
    const last = shown.words.length - 1;
    const at = Math.min(pointed ?? chosen ?? argmax(shown.weights), last);
    rows.forEach((row, j) => row.mark(j === at));
    trace.textContent = describeScore(shown, at);
  }
  return { element: table, trace, update };
}

/** Key j: its strip, the steps to its weight, and its value's strip. */
function keyRow(j, { onChoose, onPoint }) {
  const name = make("button", { type: "button" });
  const [key, value] = [weightStrip(), weightStrip()];
  const cells = Array.from({ length: 3 }, () => make("td"));
  const bar = make("span.nu-bar");
  const element = make(
    "tr",
    make("th", { scope: "row" }, name),
    make("td.nr-strip", key.svg),
    ...cells,
    make("td.nr-strip", value.svg),
  );
  name.addEventListener("click", () => onChoose(j));
  element.addEventListener("pointerenter", () => onPoint(j));
  element.addEventListener("pointerleave", () => onPoint(null));

  function update(found, scales) {
    name.textContent = found.words[j];
    key.update([scaleVector(found.keys[j], scales.keys)]);
    value.update([scaleVector(found.values[j], scales.values)]);
    cells[0].textContent = score(found.scores[j]);
    cells[1].textContent = score(found.masked[j]);
    cells[1].className = found.mask[found.row][j] ? "" : "hidden";
    bar.style.setProperty("--weight", found.weights[j]);
    cells[2].replaceChildren(share(found.weights[j]), bar);
  }
  return { element, update, mark: (on) => name.setAttribute("aria-pressed", on) };
}

/** A row with one vector: under the keys (0) or under the values (1). */
function vectorRow() {
  const one = weightStrip();
  const name = make("th", { scope: "row" });
  const cell = make("td.nr-strip", one.svg);
  const element = make("tr.nr-own");
  function update(text, vector, scale, column) {
    name.textContent = text;
    one.update([scaleVector(vector, scale)]);
    if (column === 1) name.colSpan = 5;
    element.replaceChildren(name, cell);
    if (column === 0) element.append(make("td", { colspan: 4 }));
  }
  return { element, update };
}

function weightStrip() {
  return stripRows(16);
}

function largestNorm(vectors) {
  return Math.max(...vectors.flatMap((vector) => Array.from(vector, Math.abs))) || 1;
}

function scaleVector(vector, scale) {
  return Array.from(vector, (x) => x / scale);
}

/** A score as the sum of products that it is, and what becomes of it. */
function describeScore({ words, row, mask, query, keys, scores, scaled, weights }, j) {
  const terms = Array.from(query, (x, i) => `${twoDecimals(x)} · ${twoDecimals(keys[j][i])}`);
  const product = `q of “${words[row]}” · k of “${words[j]}” = ${terms.join(" + ")}`;
  const fate = mask[row][j] ? `weight ${share(weights[j])}` : "hidden: −∞, weight 0%";
  const root = `÷ √${query.length} = ${twoDecimals(scaled[j])}`;
  return `${product} = ${twoDecimals(scores[j])}; ${root}; ${fate}.`;
}
