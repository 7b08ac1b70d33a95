// The table of what each layer costs at the chosen sizes, and its copy for a spreadsheet.

import { textButton } from "../../parts/buttons.js";
import { make } from "../../parts/elements.js";
import { tableRow } from "../../parts/tables.js";
import { pluralize } from "../../words/phrases.js";
import { costText, phaseText, sizesText } from "./quantities.js";
import { COST_SIZES } from "./state.js";

// Its key, heading, heading in the copy, quantity of the text, whether it wants a machine.
const TABLE_QUANTITIES = [
  ["flops", "FLOPs", "FLOPs", "flops", false],
  ["parameters", "parameters", "parameters", "parameters", false],
  ["sequential_operations", "sequential operations", "sequential operations", "path_length", false],
  ["path_length", "path length", "path length", "path_length", false],
  ["predicted", "time, predicted", "seconds, predicted", "seconds", false],
  ["measured", "time, measured", "seconds, measured", "seconds", true],
  ["megabytes", "peak memory, measured", "MB, measured", "megabytes", true],
  ["rate", "GFLOP/s, predicted", "GFLOP/s, predicted", "rate", true],
];

/**
 * A column for each layer, a row for each quantity. `update(now, rows)` takes the traits and
 * the rows of `costRows`.
 */
export function valuesTable() {
  let [sizes, rows] = [null, []];
  const given = make("span");
  const head = make("thead");
  const body = make("tbody");
  const answer = make("span.al-note", { role: "alert" });
  const button = textButton("Copy the table", async () => {
    const count = rows.length;
    const done = await copyText(toTabSeparated(rows, sizes));
    answer.textContent = done
      ? `Copied ${pluralize(count, "row")}.`
      : "This browser does not let a page copy: select the table by hand.";
  });
  const table = make("table.cost-table", make("caption", given), head, body);
  const region = { tabindex: 0, role: "region", "aria-label": "At the chosen sizes" };
  const element = make(
    "div.cost-values",
    make("div.cost-scroll", { ...region }, table),
    make("div.cost-copy", button, answer),
  );

  function update(now, nextRows) {
    [sizes, rows] = [now, nextRows];
    answer.textContent = "";
    given.textContent = givenText(now);
    head.replaceChildren(make("tr", make("td"), ...rows.map(layerHeading)));
    body.replaceChildren(
      ...availableQuantities(now).map((quantity) => quantityRow(quantity, rows)),
    );
  }
  return { element, update };
}

function availableQuantities({ machine }) {
  return TABLE_QUANTITIES.filter(([, , , , wantsMachine]) => machine || !wantsMachine);
}

function layerHeading({ label, formula }) {
  const below = make("span.cost-formula", formula);
  return make("th", { scope: "col" }, make("span", label), below);
}

function quantityRow([key, title, , quantity], rows) {
  const cells = rows.map((row) => {
    const value = key === "megabytes" ? 1e6 * row[key] : row[key];
    return make("td", costText(value, quantity));
  });
  return tableRow(title, ...cells);
}

function givenText(now) {
  const times = now.machine
    ? `times: ${phaseText(now.phase)}, on ${now.machine}`
    : "time at 10 GFLOP/s";
  return `${sizesText(now)}${now.causal ? ", causal" : ""}; ${times}`;
}

// The table as text, a row for each layer, numbers in full: what a spreadsheet takes.
function toTabSeparated(rows, sizes) {
  const columns = availableQuantities(sizes);
  const names = COST_SIZES.map(([name]) => name);
  const lines = [["layer", ...names, "causal", ...columns.map(([, , title]) => title)]];
  for (const row of rows) {
    const cells = columns.map(([key]) => (Number.isNaN(row[key]) ? "" : row[key]));
    lines.push([row.label, ...names.map((name) => sizes[name]), sizes.causal, ...cells]);
  }
  return lines.map((line) => line.join("\t")).join("\n");
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = make("textarea.al-hidden", { "aria-hidden": "true" });
    const focused = document.activeElement;
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    focused?.focus();
    return done;
  }
}
