// The whole machine: every matrix as a button, at its size, in three columns.

import { choices } from "../../parts/choices.js";
import { make, makeSvg } from "../../parts/elements.js";
import { rovingTabindex } from "../../parts/rove.js";
import { stripRows } from "../../parts/strips.js";
import { COLUMNS, findColumn, longName, shortName } from "./layout.js";

/**
 * `onStep(name)` is told the matrix that is chosen. `update(steps, chosen)` draws all of them,
 * `outlineMarks(marks)` outlines what a number is made of, as `traceNumber` says it.
 */
export function machinePicture({ onStep }) {
  const matrices = new Map();
  const columns = COLUMNS.map(({ side, title, rows }) => {
    const lines = rows.map((names) => make("div.ma-line", ...names.map(matrixButton)));
    return make("section", { class: `ma-column ${side}` }, make("p", title), ...lines);
  });
  const sides = choices(
    "Part in sight",
    COLUMNS.map(({ side, short }) => [side, short]),
    (side) => onStep(COLUMNS.find((one) => one.side === side).rows[0].at(-1)),
  );
  sides.field.classList.add("ma-sides", "al-more");
  const grid = make("div.ma-columns", { role: "group" }, ...columns);
  grid.setAttribute("aria-label", "Matrices of the machine");
  const element = make("div", sides.field, grid);
  rovingTabindex(grid, ".ma-matrix")();

  function matrixButton(name) {
    const one = make("button.ma-matrix", { type: "button" }, shortName(name));
    one.classList.toggle("narrow", /scores|weights/.test(name));
    one.classList.toggle("wide", /logits|shares/.test(name));
    one.classList.toggle("shares", /weights|shares/.test(name));
    one.classList.add(name.split(".").at(-1));
    one.addEventListener("click", () => onStep(name));
    matrices.set(name, { one, strips: null, matrix: [[]], outlines: makeSvg("path") });
    return one;
  }

  function update(steps, chosen) {
    const { side } = findColumn(chosen);
    sides.set(side);
    grid.dataset.side = side;
    for (const [name, drawn] of matrices) {
      const { matrix } = steps.get(name);
      if (drawn.matrix !== matrix) drawMatrix(drawn, matrix);
      const size = `${matrix.length} by ${matrix[0].length}`;
      drawn.one.setAttribute("aria-label", `${longName(name)}, ${size}`);
      drawn.one.setAttribute("aria-pressed", name === chosen);
    }
  }

  function outlineMarks(marks) {
    for (const [name, { outlines, matrix }] of matrices) {
      const own = marks.filter(({ step }) => step === name);
      outlines.setAttribute("d", own.map((one) => outlinePath(one, matrix)).join(""));
    }
  }
  return { element, update, mark: outlineMarks };
}

function drawMatrix(drawn, matrix) {
  const columns = matrix[0].length;
  if (drawn.matrix[0].length !== columns) {
    drawn.strips?.svg.remove();
    drawn.strips = stripRows(columns);
    drawn.outlines.setAttribute("class", "ma-mark");
    drawn.strips.svg.append(drawn.outlines);
    drawn.one.append(drawn.strips.svg);
    drawn.one.style.setProperty("--columns", columns);
  }
  drawn.matrix = matrix;
  drawn.strips.update(scaleMatrix(matrix));
}

/** The rows in parts of the largest number; what is hidden, −∞, is left empty. */
export function scaleMatrix(matrix) {
  const cells = matrix.flatMap((row) => [...row]).filter(Number.isFinite);
  const largest = Math.max(...cells.map(Math.abs)) || 1;
  return matrix.map((row) => Array.from(row, (x) => (Number.isFinite(x) ? x / largest : 0)));
}

// A row, a part of one, a column or a cell, as an outline in the drawing's units.
function outlinePath({ row, column, from = 0, to }, matrix) {
  const [x, width] = column === undefined ? [from, (to ?? matrix[0].length) - from] : [column, 1];
  const [y, height] = row === undefined ? [0, matrix.length] : [row, 1];
  return `M${x} ${y}h${width}v${height}h${-width}z`;
}
