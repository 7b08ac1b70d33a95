// The table of what each layer costs at the chosen sizes, and its copy for a spreadsheet.

import { textButton } from "../../parts/buttons.js";
import { make } from "../../parts/elements.js";
import { uid } from "../../shell/shelf.js";
import { costText, phaseText, sizesText } from "./quantities.js";
import { COST_SIZES } from "./state.js";

// Key of a row, heading, heading in the copy, quantity of the text, whether it wants a machine.
const COST_COLUMNS = [
  ["flops", "FLOPs", "FLOPs", "flops", false],
  ["parameters", "parameters", "parameters", "parameters", false],
  ["sequential_operations", "sequential operations", "sequential operations", "path_length", false],
  ["path_length", "path length", "path length", "path_length", false],
  ["predicted", "time, predicted", "seconds, predicted", "seconds", false],
  ["measured", "time, measured", "seconds, measured", "seconds", true],
  ["megabytes", "peak memory, measured", "MB, measured", "megabytes", true],
  ["rate", "GFLOP/s, measured", "GFLOP/s, measured", "rate", true],
];

/** `show(now, rows)` takes the traits and the rows of `costRows`. */
export function valuesTable() {
  let [sizes, rows] = [null, []];
  const given = make("span");
  const head = make("thead");
  const body = make("tbody");
  const named = { class: "cost-heading", id: uid("cost-table") };
  const heading = make("p", named, "At the chosen sizes");
  const answer = make("span", { class: "al-note", role: "alert" });
  const button = textButton("Copy the table", async () => {
    const count = rows.length;
    const done = await copyText(tabSeparated(rows, sizes));
    answer.textContent = done
      ? `Copied ${count} ${count === 1 ? "row" : "rows"}.`
      : "This browser does not let a page copy: select the table by hand.";
  });
  const table = make("table", { class: "cost-table" }, make("caption", {}, given), head, body);
  const region = { tabindex: 0, role: "region", "aria-labelledby": named.id };
  const element = make(
    "div",
    { class: "cost-values" },
    make("div", { class: "cost-bar-row" }, heading, button, answer),
    make("div", { class: "cost-scroll", ...region }, table),
  );

  function show(now, nextRows) {
    [sizes, rows] = [now, nextRows];
    answer.textContent = "";
    given.textContent = givenText(now);
    const columns = columnsOf(now);
    const titles = ["layer", ...columns.map(([, title]) => title)];
    const headings = titles.map((title) => make("th", { scope: "col" }, title));
    head.replaceChildren(make("tr", {}, ...headings));
    body.replaceChildren(...rows.map((row) => valuesRow(row, columns)));
  }
  return { element, show };
}

function columnsOf({ machine }) {
  return COST_COLUMNS.filter(([, , , , wantsMachine]) => machine || !wantsMachine);
}

function valuesRow(row, columns) {
  const heading = make("span", {}, row.label);
  const formula = make("span", { class: "cost-formula" }, row.formula);
  const cells = columns.map(([key, , , quantity]) => {
    const value = key === "megabytes" ? 1e6 * row[key] : row[key];
    return make("td", {}, costText(value, quantity));
  });
  return make("tr", {}, make("th", { scope: "row" }, heading, formula), ...cells);
}

function givenText(now) {
  const times = now.machine
    ? `times: ${phaseText(now.phase)}, on ${now.machine}`
    : "time at 10 GFLOP/s";
  return `${sizesText(now)}${now.causal ? ", causal" : ""}; ${times}`;
}

// The table as text, numbers in full: what a spreadsheet takes.
function tabSeparated(rows, sizes) {
  const columns = columnsOf(sizes);
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
    const area = make("textarea", { class: "al-hidden", "aria-hidden": "true" });
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
