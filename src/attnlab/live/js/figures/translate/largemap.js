// The map of one head, large enough to read: a row for each token that looks.

import { make } from "../../parts/elements.js";
import { cellGrid } from "../../parts/grid.js";
import { shadeCell } from "../../parts/shading.js";
import { tableHead, tableRow } from "../../parts/tables.js";
import { CHINESE, mapAxes, mapName } from "./words.js";

const MAP_HINT = "In percent; point at or tap a cell to read it.";
const MAP_LANGUAGES = {
  encoder: ["en", "en"],
  decoder: [CHINESE, CHINESE],
  cross: [CHINESE, "en"],
};
const MAP_READING = {
  encoder: "each row reads columns",
  decoder: "to write a row, it reads columns",
  cross: "to write a row, it reads columns",
};

/**
 * `onRow(row)` is called for a row that is pressed, and `onRead(text)` for a cell that the
 * focus comes to.
 */
export function largeMap({ onRow, onRead }) {
  const heading = make("p.tm-heading");
  const table = make("table.al-matrix.tm-matrix", { role: "grid" });
  const readout = make("p.tm-readout", { "aria-hidden": "true" }, MAP_HINT);
  const scroll = make("div.tm-scroll", table);
  let shown = { key: "", cells: [] };
  let row = 0; // the chosen one
  const grid = cellGrid(table, {
    onShow(at) {
      readout.textContent = at ? cellText(shown, ...at) : MAP_HINT;
    },
    onFocus(at, event) {
      // Under a mouse nothing may move before its button is up again.
      if (event.target.matches(":focus-visible")) onRead(cellText(shown, ...at));
    },
    onEnter: ([pressed]) => onRow(pressed),
  });
  table.addEventListener("click", (event) => {
    const line = event.target.closest("tbody tr");
    if (line) onRow(line.sectionRowIndex);
  });

  function update(scene) {
    const [kind, layer, head] = scene.chosen;
    const [rows, columns] = mapAxes(kind, scene);
    const key = JSON.stringify([kind, rows, columns]);
    const fresh = shown.key !== key;
    const cells = fresh ? fillTable(table, kind, rows, columns) : shown.cells;
    shown = { key, cells, kind, rows, columns, weights: scene.best.maps[kind][layer][head] };
    if (fresh) grid.reset(cells);
    const off = scene.heads_off.some((one) => String(one) === String(scene.chosen));
    heading.replaceChildren(
      make("b", `Head ${mapName(scene.chosen)}`),
      `: ${MAP_READING[kind]}${off ? ". It is off: what it finds goes nowhere." : ""}`,
    );
    table.setAttribute("aria-label", `Map of head ${mapName(scene.chosen)}`);
    fillCells(shown, scene.rows[kind]);
    if (scene.rows[kind] !== row) scrollIntoView(scroll, cells[scene.rows[kind]][0].parentElement);
    row = scene.rows[kind];
    grid.choose(grid.chosen());
  }
  return { elements: [heading, scroll, readout], update };
}

function fillTable(table, kind, rows, columns) {
  const [side, top] = MAP_LANGUAGES[kind];
  const makeLabel = (name, lang, className) =>
    make("span", { class: className, lang: /[a-z]/.test(name) ? "en" : lang }, name);
  const cells = rows.map(() => columns.map(() => make("td", { role: "gridcell" })));
  const uprightClass = (name) => /[a-z]/i.test(name) && "al-upright";
  const head = tableHead(...columns.map((name) => makeLabel(name, top, uprightClass(name))));
  const lines = rows.map((name, i) => tableRow(makeLabel(name, side), ...cells[i]));
  table.replaceChildren(head, make("tbody", ...lines));
  table.style.setProperty("--columns", columns.length);
  table.style.setProperty("--rows", rows.length);
  return cells;
}

function fillCells(shown, chosenRow) {
  const { kind, cells, columns, weights } = shown;
  cells.forEach((line, i) => {
    line.forEach((cell, j) => {
      const weight = weights[i * columns.length + j];
      const hidden = isHidden(kind, i, j);
      shadeCell(cell, weight);
      cell.classList.toggle("masked", hidden);
      cell.setAttribute("aria-label", cellText(shown, i, j));
    });
    line[0].parentElement.classList.toggle("chosen", i === chosenRow);
  });
}

// A map of a long sentence scrolls by itself, under its first row.
function scrollIntoView(scroll, line) {
  const above = line.closest("table").tHead.offsetHeight;
  const foot = line.offsetTop + line.offsetHeight;
  if (line.offsetTop - above < scroll.scrollTop) scroll.scrollTop = line.offsetTop - above;
  else if (foot > scroll.scrollTop + scroll.clientHeight) {
    scroll.scrollTop = foot - scroll.clientHeight;
  }
}

// What is not written yet when the row's token is.
function isHidden(kind, i, j) {
  return kind === "decoder" && j > i;
}

function cellText({ kind, rows, columns, weights }, i, j) {
  const names = `${rows[i]} → ${columns[j]}`;
  if (isHidden(kind, i, j)) return `${names}: not written yet, hidden`;
  return `${names}: ${(100 * weights[i * columns.length + j]).toFixed(1)}%`;
}
