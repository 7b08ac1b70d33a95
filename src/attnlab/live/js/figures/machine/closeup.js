// One matrix from near: its cells with their words, and how one of them came about.

import { projectToPlane, meanCosine } from "../../math/plane.js";
import { make, makeSvg } from "../../parts/elements.js";
import { cellGrid } from "../../parts/grid.js";
import { stripRows } from "../../parts/strips.js";
import { tableRow } from "../../parts/tables.js";
import { percent, withMinusSign, twoDecimals } from "../../words/phrases.js";
import { longName, stepWords } from "./layout.js";
import { scaleMatrix } from "./picture.js";
import { describeSum, traceNumber } from "./tracing.js";

const MAX_NUMBERED_COLUMNS = 8; // columns whose numbers are written into their cells
const MAX_HORIZONTAL_WORDS = 4; // columns that have room for their words

/**
 * `onMarks(marks)` is told what the number in sight is made of, `onCell(at)` the cell that is
 * chosen. `update(written, state, vocabulary)` takes what `writeBy` gives.
 */
export function matrixCloseUp({ onMarks, onCell }) {
  const title = make("p.ma-title");
  const table = make("table.al-matrix.ma-table");
  const strips = make("div.ma-strips", { "aria-hidden": "true" });
  const trace = make("p.ma-trace.al-more");
  const element = make("div", title, table, strips, trace);
  const grid = cellGrid(table, { onShow: pointAtCell, onFocus: onCell, onEnter: onCell });
  let shown = { matrix: null };
  let cells = [];

  function update({ steps, source, target }, { step, cell }, vocabulary) {
    const { matrix } = steps.get(step);
    const again = shown.matrix === matrix;
    const words = stepWords(step, { source, target }, vocabulary);
    shown = { steps, step, matrix, words, kept: cell };
    title.textContent = `${longName(step)}: ${matrix.length} × ${matrix[0].length}`;
    if (!again) fillCells(matrix, words);
    pointAtCell(null);
  }

  function fillCells(matrix, [rows, columns]) {
    const parts = scaleMatrix(matrix);
    const isShare = /weights|shares/.test(shown.step);
    const written = matrix[0].length <= MAX_NUMBERED_COLUMNS;
    cells = matrix.map((row, i) =>
      Array.from(row, (number, j) => {
        const cell = make("td", { class: termSign(number, isShare) });
        cell.style.setProperty("--weight", Math.abs(parts[i][j]).toFixed(3));
        if (written) cell.textContent = isShare ? percent(number) : shortNumber(number);
        return cell;
      }),
    );
    const lines = cells.map((line, i) => tableRow(rows[i], ...line));
    const heads = columns && written ? [columnHeadings(columns)] : [];
    table.replaceChildren(...heads, make("tbody", ...lines));
    grid.reset(cells);
  }

  // The cell under the mouse or in focus, or else the one that is kept.
  function pointAtCell(at) {
    const { steps, step, matrix, words, kept } = shown;
    const [row, column] = at ?? kept;
    const [i, j] = [Math.min(row, matrix.length - 1), Math.min(column, matrix[0].length - 1)];
    const traced = traceNumber(steps, step, i, j);
    cells.forEach((line, y) =>
      line.forEach((cell, x) => cell.classList.toggle("shown", y === i && x === j)),
    );
    const told = `${cellName(words, i, j)} ${describeSum(traced)}`;
    trace.textContent = told;
    cells[i][j].setAttribute("aria-label", told);
    drawTerms(strips, traced.terms);
    onMarks(traced.marks);
  }
  return { element, update };
}

function drawTerms(strips, terms) {
  strips.hidden = terms.length === 0;
  if (terms.length === 0) return;
  const [left, right] = [0, 1].map((at) => terms.map((pair) => pair[at]));
  const products = terms.map(([a, b]) => a * b);
  const rows = [
    ["", left],
    ["×", right],
    ["=", products],
  ];
  strips.replaceChildren(
    ...rows.flatMap(([sign, numbers]) => {
      const strip = stripRows(numbers.length);
      strip.update(scaleMatrix([numbers]));
      return [make("span", sign), strip.svg];
    }),
  );
}

function termSign(number, isShare) {
  if (number === -Infinity) return "hidden";
  if (isShare) return "share";
  return number < 0 ? "below" : "above";
}

function shortNumber(number) {
  return number === -Infinity ? "−∞" : withMinusSign(number.toFixed(1));
}

function cellName([rows, columns], i, j) {
  return columns ? `“${rows[i]}”, “${columns[j]}”` : `“${rows[i]}”, number ${j + 1}`;
}

function columnHeadings(columns) {
  const name = columns.length > MAX_HORIZONTAL_WORDS ? { class: "al-upright" } : {};
  const heads = columns.map((word) => make("th", { scope: "col" }, make("span", name, word)));
  return make("thead", make("tr", make("td"), ...heads));
}

const WORD_DISTANCE = 1.08; // how far out a word stands, in parts of its arrow
const WORD_GAP = 0.23; // between two words, in parts of the longest arrow

/** The rows of a matrix as arrows in the plane that holds most of them. */
export function wordArrows() {
  const svg = makeSvg("svg.ma-plane", { viewBox: "-1.9 -1.1 3.8 2.2", "aria-hidden": "true" });
  const note = make("p.al-note");
  const element = make("div.ma-arrows.al-more", svg, note);

  function update({ steps, source, target }, step) {
    const { matrix } = steps.get(step);
    const [words, columns] = stepWords(step, { source, target }, []);
    element.classList.toggle("none", columns !== null);
    if (columns !== null) return;
    const { points, share } = projectToPlane(matrix);
    const longest = Math.max(...points.map(([x, y]) => Math.hypot(x, y))) || 1;
    const tips = points.map(([x, y]) => [x / longest, -y / longest]);
    const heights = spreadLabels(tips.map(([, y]) => WORD_DISTANCE * y));
    svg.replaceChildren(...tips.flatMap((tip, i) => arrow(tip, heights[i], words[i])));
    const cosine = matrix.length > 1 ? `Mean cosine ${twoDecimals(meanCosine(matrix))}. ` : "";
    const kept = `${percent(share)} of their squared lengths lie in this plane.`;
    note.textContent = `The rows as arrows. ${cosine}${kept}`;
  }
  return { element, update };
}

function arrow([x, y], height, word) {
  const anchor = x < 0 ? "end" : "start";
  return [
    makeSvg("path", { d: `M0 0L${x} ${y}` }),
    makeSvg("circle", { cx: x, cy: y, r: 0.04 }),
    makeSvg("text", { x: WORD_DISTANCE * x, y: height, "text-anchor": anchor }, word),
  ];
}

// Heights a line apart at least, so that no word is written over another.
function spreadLabels(heights) {
  const moved = [...heights];
  let last = -Infinity;
  for (const i of moved.map((_, at) => at).sort((a, b) => heights[a] - heights[b])) {
    last = moved[i] = Math.max(heights[i], last + WORD_GAP);
  }
  return moved;
}
