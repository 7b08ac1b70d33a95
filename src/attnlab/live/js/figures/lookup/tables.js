// The weights of all queries, and the chosen query's steps from scores to output.

import { decimalBox } from "../../parts/decimals.js";
import { make } from "../../parts/elements.js";
import { tableHead, tableRow } from "../../parts/tables.js";
import { uid } from "../../shell/shelf.js";
import { formatNumber, twoDecimals } from "../../words/phrases.js";
import { shareText } from "./words.js";

/** A row a query: its weights, each with a tick that lets it see the key, and its output. */
export function weightTable({ query, key }, state) {
  const radios = uid("row");
  const rows = query.map((_, i) => queryRow(i, key.length, radios, state));
  const names = key.map((_, j) => `k${j + 1}`);
  const table = make(
    "table.al-table.lu-table.lu-matrix",
    make("caption", "The weights"),
    tableHead(...names, "output"),
    make("tbody", ...rows.map(({ row }) => row)),
  );
  const element = make("div.lu-scroll", table);
  element.style.setProperty("--keys", key.length);
  return { element, update: (shown) => rows.forEach((row) => row.update(shown)) };
}

function queryRow(i, count, radios, state) {
  const radio = make("input", { type: "radio", name: radios });
  radio.addEventListener("change", () => state.choose(i));
  const ticks = Array.from({ length: count }, (_, j) => {
    const tick = make("input", {
      type: "checkbox",
      "aria-label": `Query ${i + 1} may see key ${j + 1}`,
    });
    tick.addEventListener("change", () => state.setMask(i, j, tick.checked));
    return tick;
  });
  const bars = ticks.map(weightBar);
  const output = make("data");
  const hearing = make("span.al-hidden", ": show its steps");
  const row = tableRow(
    make("label", radio, `q${i + 1}`, hearing),
    ...ticks.map((tick, j) => make("td", make("label", tick, bars[j].element))),
    make("td.lu-output", output),
  );

  function update({ chosen, mask, weights, outputs }) {
    row.classList.toggle("chosen", i === chosen);
    radio.checked = i === chosen;
    ticks.forEach((tick, j) => {
      tick.checked = mask[i][j];
      bars[j].set(weights[i][j], mask[i][j]);
    });
    output.value = outputs[i].toFixed(6);
    output.textContent = twoDecimals(outputs[i]);
  }
  return { row, update };
}

/** A row a key: its score, scaled score, weight, value and product; then their sums. */
export function stepTable({ key }, state) {
  const caption = make("caption");
  const rows = key.map((_, j) => keyRow(j, state));
  const weightSum = make("td");
  const output = make("td.lu-output");
  const sum = make("th", { scope: "row", colspan: 3 }, "sum");
  const table = make(
    "table.al-table.lu-table.lu-steps",
    caption,
    tableHead("q·k", "scaled", "weight", "value", "product"),
    make("tbody", ...rows.map(({ row }) => row)),
    make("tfoot", make("tr", sum, weightSum, make("td"), output)),
  );
  const errors = rows.map(({ box }) => box.error);
  const element = make("div.lu-scroll", table, ...errors);

  function update(shown) {
    const { scale, temperature, weights, outputs, chosen } = shown;
    const divisors = [scale && "√2", temperature !== 1 && formatNumber(temperature)].filter(
      Boolean,
    );
    const scaling = divisors.map((divisor) => ` ÷ ${divisor}`).join("");
    const how = `Scaled: q·k${scaling || ", as it is"}.`;
    caption.textContent = `Query ${chosen + 1}, step by step. ${how}`;
    for (const row of rows) row.update(shown);
    weightSum.textContent = weights[chosen].reduce((sum, weight) => sum + weight, 0).toFixed(3);
    output.textContent = twoDecimals(outputs[chosen]);
  }
  return { element, update };
}

function keyRow(j, state) {
  const box = decimalBox({
    label: `Value of key ${j + 1}`,
    least: -state.limits.value,
    most: state.limits.value,
    step: 1,
    onNumber: (number) => state.setValue(j, number),
  });
  const bar = weightBar();
  const [score, scaledScore, product] = [make("td"), make("td"), make("td")];
  const row = tableRow(
    `k${j + 1}`,
    score,
    scaledScore,
    make("td", bar.element),
    make("td.lu-value", box.field),
    product,
  );

  function update({ value, mask, scores, scaled, weights, chosen }) {
    const seen = mask[chosen][j];
    const weight = weights[chosen][j];
    row.classList.toggle("unseen", !seen);
    score.textContent = twoDecimals(scores[chosen][j]);
    scaledScore.textContent = seen ? twoDecimals(scaled[chosen][j]) : "−∞";
    bar.set(weight, seen);
    product.textContent = twoDecimals(weight * value[j]);
    box.settle(value[j]);
  }
  return { row, box, update };
}

/** A weight as a number over a bar. */
function weightBar() {
  const text = make("data");
  const bar = make("span.lu-bar", { "aria-hidden": "true" });
  const element = make("span.lu-weight", text, bar);
  function set(weight, seen) {
    text.value = weight.toFixed(6);
    text.textContent = seen ? shareText(weight) : "0";
    element.style.setProperty("--weight", weight.toFixed(4));
    element.classList.toggle("off", !seen);
  }
  return { element, set };
}
