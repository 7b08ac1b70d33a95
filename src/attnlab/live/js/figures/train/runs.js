// All runs side by side, each with its number, its settings, and what it came to.

import { make } from "../../parts/elements.js";
import { tableHead } from "../../parts/tables.js";
import { groupDigits, percent } from "../../words/phrases.js";
import { describeRun } from "./words.js";

/** `update(runs)` lists them, the last one first. */
export function runsTable() {
  const body = make("tbody");
  const table = make(
    "table.al-table.tn-runs",
    tableHead("run", "parameters", "step", "mean loss", "right"),
    body,
  );
  const element = make(
    "div.tn-scroll.al-more",
    { role: "region", "aria-label": "All runs", tabindex: 0 },
    table,
  );

  function update(runs) {
    body.replaceChildren(...runs.toReversed().map(runRow));
  }
  return { element, update };
}

function runRow({ number, settings, file, parameters, now, points }) {
  const last = points.at(-1);
  const from = file ? `; from ${file}` : "";
  const cells = [
    parameters ? groupDigits(parameters) : "",
    now ? groupDigits(now.step) : "0",
    last ? last.loss.toFixed(3) : "",
    last ? percent(last.exact) : "",
  ];
  return make(
    "tr",
    make("th", { scope: "row" }, `${number}`),
    make("td.tn-what", describeRun(settings) + from),
    ...cells.map((text) => make("td", text)),
  );
}
