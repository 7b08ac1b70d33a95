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
import { debounce, rafThrottle } from "../../parts/timing.js";
import { tryButtons } from "../../parts/tries.js";
import { positionControls } from "./controls.js";
import { clockHands } from "./hands.js";
import { kernelCurve } from "./kernel.js";
import { cellPalette } from "./palette.js";
import { rotationPanel } from "./rotation.js";
import { POSITIONS_START, positionsState } from "./state.js";
import { tablePicture } from "./table.js";
import { tableAndView } from "./views.js";
import { positionsInWords } from "./words.js";

// Name, what is not as at the start, the picture that answers, and a question.
const POSITIONS_TRIES = [
  ["p = 45", { position: 45 }, "hands", "Rows and hands stand elsewhere. Do the arcs change?"],
  [
    "k = −7",
    { shift: -7 },
    "rotation",
    "The hands turn back. Can the rotation tell left from right? Can the product?",
  ],
  [
    "base 10",
    { base: 10, shift: 19 },
    "kernel",
    "No hand is slow. How far does the curve tell near from far?",
  ],
  [
    "base 10, d = 4",
    { base: 10, d: 4, shift: 19 },
    "kernel",
    "Two fast hands alone. Which row is taken for a neighbour?",
  ],
  ["base 1", { base: 1, shift: 44 }, "kernel", "All hands turn alike. How far is near?"],
  ["the start", {}, "hands", "Guess what will change, then press and look."],
];

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
  const tries = positionTries((values, view) => {
    state.change(values);
    controls.forget();
    views.show(view);
  });
  for (const { element } of [tries, controls]) element.classList.add("al-more");
  el.append(tries.element, controls.element, views.element);
  let table = null;

  function draw() {
    const now = state.now();
    const before = table;
    table = tableOf(now, before);
    const shown = { ...now, ...table, ...pairOf(now, table), fresh: table !== before };
    for (const part of [controls, ...Object.values(panels)]) part.show(shown);
    tries.show(now);
    speak(positionsInWords(shown, views.shown()));
  }
  views.fit(el, signal);
}

// `show(now)` asks the first question again once the settings are no longer those tried.
function positionTries(onTry) {
  let tried = null;
  const tries = POSITIONS_TRIES.map(([name, values, view, question]) => {
    const onPress = () => {
      tried = { ...POSITIONS_START, ...values };
      onTry(tried, view);
    };
    return [name, onPress, question];
  });
  const question = POSITIONS_TRIES.at(-1).at(-1);
  const { element, forget } = tryButtons({ prefix: "pos", question, tries });

  function show(now) {
    if (!tried || Object.entries(tried).every(([name, value]) => now[name] === value)) return;
    tried = null;
    forget();
  }
  return { element, show };
}

// What base, d and n make, which is the one from before if they are as they were: the rates
// of the hands, the rows, the products of rows by distance, and the first that confuses.
function tableOf({ base, d, n }, before) {
  if (before && before.base === base && before.d === d && before.n === n) return before;
  const rates = angularFrequencies(d, base);
  const rows = sinusoidTable(n, rates);
  const kernel = rowProducts(rows[0], rows);
  const start = startKernel(n);
  return { base, d, n, rates, rows, kernel, start, lookAlike: firstLookAlike(kernel) };
}

// The cosines of rows by distance in a table of the start's base and width.
function startKernel(n) {
  const rows = sinusoidTable(n, angularFrequencies(POSITIONS_START.d, POSITIONS_START.base));
  return rowProducts(rows[0], rows).map((product) => product / (POSITIONS_START.d / 2));
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
    gap: maxAbsDifference(shiftedRow(row, shift, rates), second),
  };
}
