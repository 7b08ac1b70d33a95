// How does the table tell that two tokens are k apart? Its rows at p and p + k, as cells,
// as clock hands, by their product, and by the rotation that takes one to the other.

import {
  firstLookAlike,
  largestGap,
  rowProducts,
  shiftedRow,
  sinusoidRow,
  sinusoidTable,
  turnRates,
} from "../../math/sinusoids.js";
import { calmly, oncePerFrame } from "../../parts/timing.js";
import { tryAndAsk } from "../../parts/tries.js";
import { positionControls } from "./controls.js";
import { clockHands } from "./hands.js";
import { kernelCurve } from "./kernel.js";
import { cellPalette } from "./palette.js";
import { rotationPanel } from "./rotation.js";
import { POSITIONS_START, positionsState } from "./state.js";
import { tablePicture } from "./table.js";
import { tableAndView } from "./views.js";
import { positionsInWords } from "./words.js";

// Name, what is not as at the start, and a question.
const POSITIONS_TRIES = [
  [
    "p = 45",
    { position: 45 },
    "Rows and hands stand elsewhere. Do the arcs, the curve or the rotation change?",
  ],
  [
    "k = −7",
    { shift: -7 },
    "The hands turn back. Can the product tell left from right? Can the rotation?",
  ],
  [
    "base 10",
    { base: 10, shift: 19 },
    "No hand is slow. How far does the curve tell near from far?",
  ],
  [
    "base 10, d = 4",
    { base: 10, d: 4, shift: 19 },
    "Two fast hands alone. Which row is taken for a neighbour?",
  ],
  ["base 1", { base: 1, shift: 44 }, "All hands turn alike, however many there are."],
  ["the start", {}, ""],
];

export function render({ model, el, say, signal }) {
  const speak = calmly(say);
  const state = positionsState(model, oncePerFrame(draw));
  const palette = cellPalette(el.closest("figure"), signal);
  const controls = positionControls(state);
  const panels = {
    table: tablePicture(palette, state),
    hands: clockHands(state),
    kernel: kernelCurve(state),
    rotation: rotationPanel(palette),
  };
  const views = tableAndView(panels, draw);
  el.append(positionTries(state, controls), controls.table, controls.pair, views.element);
  let table = null;

  function draw() {
    const now = state.now();
    const before = table;
    table = tableOf(now, before);
    const shown = { ...now, ...table, ...pairOf(now, table), fresh: table !== before };
    for (const part of [controls, ...Object.values(panels)]) part.show(shown);
    speak(positionsInWords(shown));
  }
  views.fit(el, signal);
}

function positionTries({ change }, { forget }) {
  const tries = POSITIONS_TRIES.map(([name, values, question]) => {
    const onPress = () => {
      change({ ...POSITIONS_START, ...values });
      forget();
    };
    return [name, onPress, question];
  });
  const question = "Guess what will change, then press and look.";
  return tryAndAsk({ prefix: "pos", question, tries }).element;
}

// What base, d and n make, which is the one from before if they are as they were: the rates
// of the hands, the rows, the products of rows by distance, and the first that confuses.
function tableOf({ base, d, n }, before) {
  if (before && before.base === base && before.d === d && before.n === n) return before;
  const rates = turnRates(d, base);
  const rows = sinusoidTable(n, rates);
  const kernel = rowProducts(rows[0], rows);
  return { base, d, n, rates, rows, kernel, lookAlike: firstLookAlike(kernel) };
}

// The rows of p and p + k, what they have to do with the table, and how far the rotation
// misses the second.
function pairOf({ position, shift }, { rates, rows }) {
  const row = rows[position];
  const second = sinusoidRow(position + shift, rates);
  return {
    row,
    second,
    product: rowProducts(row, [second])[0],
    products: rowProducts(row, rows),
    gap: largestGap(shiftedRow(row, shift, rates), second),
  };
}
