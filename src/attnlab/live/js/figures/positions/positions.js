// How does the table tell that two tokens are k apart? Its rows at p and p + k, as cells,
// as clock hands, by their product, and by the rotation that takes one to the other.

import {
  firstLookAlike,
  maxAbsDifference,
  rowProducts,
  shiftedRow,
  sinusoidRow,
  sinusoidTable,
  angularFrequencies,
} from "../../math/sinusoids.js";
import { make } from "../../parts/elements.js";
import { debounce, rafThrottle, onWidthChange } from "../../parts/timing.js";
import { viewSwitch } from "../../parts/views.js";
import { positionControls } from "./controls.js";
import { clockHands } from "./hands.js";
import { kernelCurve } from "./kernel.js";
import { cellPalette } from "./palette.js";
import { rotationPanel } from "./rotation.js";
import { POSITIONS_START, positionsState } from "./state.js";
import { tablePicture } from "./table.js";
import { describePositions } from "./words.js";

export function render({ model, el, say, signal }) {
  const speak = debounce(say);
  const state = positionsState(model, rafThrottle(draw));
  const palette = cellPalette(el.closest("figure"), signal);
  const controls = positionControls(state);
  const panels = {
    table: tablePicture(palette, state),
    hands: clockHands(state),
    kernel: kernelCurve(state),
    rotation: rotationPanel(palette),
  };
  const views = tableAndView(panels, draw);
  controls.element.classList.add("al-more");
  el.append(controls.element, views.element);
  let table = null;

  function draw() {
    const now = state.now();
    const before = table;
    table = computeTable(now, before);
    const shown = { ...now, ...table, ...compareRows(now, table), fresh: table !== before };
    for (const part of [controls, ...Object.values(panels)]) part.update(shown);
    speak(describePositions(shown, views.shown()));
  }
  views.fit(el, signal);
}

// What base, d and n make, which is the one from before if they are as they were: the rates
// of the hands, the rows, the products of rows by distance, and the first that confuses.
function computeTable({ base, d, n }, before) {
  if (before && before.base === base && before.d === d && before.n === n) return before;
  const rates = angularFrequencies(d, base);
  const rows = sinusoidTable(n, rates);
  const kernel = rowProducts(rows[0], rows);
  const start = initialKernel(n);
  return { base, d, n, rates, rows, kernel, start, lookAlike: firstLookAlike(kernel) };
}

// The cosines of rows by distance in a table of the start's base and width.
function initialKernel(n) {
  const rows = sinusoidTable(n, angularFrequencies(POSITIONS_START.d, POSITIONS_START.base));
  return rowProducts(rows[0], rows).map((product) => product / (POSITIONS_START.d / 2));
}

// The rows of p and p + k, what they have to do with the table, and how far the rotation
// misses the second.
function compareRows({ position, shift }, { rates, rows }) {
  const row = rows[position];
  const second = sinusoidRow(position + shift, rates);
  return {
    row,
    second,
    product: rowProducts(row, [second])[0],
    products: rowProducts(row, rows),
    gap: maxAbsDifference(shiftedRow(row, shift, rates), second),
  };
}

/**
 * The table, and beside it one of the other pictures; on a phone one of all four.
 * `draw` is called when another of the `panels` is shown, or when they have another width.
 * `shown()` says which is.
 */
function tableAndView({ table, hands, kernel, rotation }, draw) {
  const choice = viewSwitch({
    label: "View",
    views: [
      ["table", "Table", table.element],
      ["hands", "Hands", hands.element],
      ["kernel", "Kernel", kernel.element],
      ["rotation", "Rotation", rotation.element],
    ],
    onView: draw,
  });
  choice.field.classList.add("pos-choice", "al-more");
  choice.field.firstChild.classList.add("al-hidden");
  const panels = [table, hands, kernel, rotation].map(({ element }) => element);
  const element = make("div.pos-views", choice.field, ...panels);
  const tableButton = choice.field.querySelector("label");

  // Where there is room, the style sheet always shows the table, and takes its button away.
  function fitTable() {
    const beside = getComputedStyle(tableButton).display === "none";
    if (beside && choice.shown() === "table") choice.update("hands");
    else draw();
  }
  function observeWidth(el, signal) {
    onWidthChange(el, signal, fitTable);
    fitTable();
  }
  return { element, fit: observeWidth, shown: choice.shown };
}
