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
import { numberBox, slider } from "../../parts/controls.js";
import { make } from "../../parts/elements.js";
import { calmly, oncePerFrame } from "../../parts/timing.js";
import { uid } from "../../shell/shelf.js";
import { signed } from "../../words/phrases.js";
import {
  cellPalette,
  clockHands,
  kernelCurve,
  kernelInWords,
  powerOfTen,
  rotationPanel,
  tablePicture,
  turnText,
  wholeOr,
  within,
} from "./views.js";

const ROUND_BASES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6];
const ROUND_WIDTHS = [2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512];
const ROUND_LENGTHS = [2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512];
const POSITIONS_START = { base: 1e4, d: 32, n: 64, position: 20, shift: 7 };
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

export function renderPositions({ model, el, say, signal }) {
  const speak = calmly(say);
  const palette = cellPalette(el.closest("figure"), signal);
  const names = Object.keys(POSITIONS_START);
  const asked = { ...POSITIONS_START }; // what the reader set, be the table too short for it
  let table = null; // what base, d and n make: rates, rows, kernel and its verdict

  const controls = {
    base: setting({
      label: "Base",
      inputmode: "decimal",
      values: ROUND_BASES,
      parse: readBase,
      onValue: (base) => change({ base }),
    }),
    d: setting({
      label: "Width d",
      step: 2,
      values: ROUND_WIDTHS,
      parse: (text) => readWhole(text, 2, 512, true),
      onValue: (d) => change({ d }),
    }),
    n: setting({
      label: "Length n",
      values: ROUND_LENGTHS,
      parse: (text) => readWhole(text, 2, 512),
      onValue: (n) => change({ n }),
    }),
    position: setting({
      label: "Position p",
      parse: (text) => readWhole(text, 0, model.get("n") - 1),
      onValue: (position) => change({ position }),
    }),
    shift: setting({
      label: "Shift k",
      inputmode: "text",
      parse: (text) => readWhole(text, 1 - model.get("n"), model.get("n") - 1),
      onValue: (shift) => change({ shift }),
    }),
  };
  const picture = tablePicture({
    palette,
    onPosition: (position) => change({ position }),
    onSecond: (second) => change({ shift: second - state().position }),
  });
  const hands = clockHands({ onChoice: () => drawNext() });
  const curve = kernelCurve({ onShift: (shift) => change({ shift }) });
  const rotation = rotationPanel({ palette });
  el.append(
    settingsBox("pos-controls", [controls.base, controls.d, controls.n]),
    tryRow(),
    make(
      "div",
      { class: "pos-views" },
      picture.element,
      hands.element,
      curve.element,
      rotation.element,
    ),
    settingsBox("pos-pair", [controls.position, controls.shift]),
  );

  function state() {
    return fitted(Object.fromEntries(names.map((name) => [name, model.get(name)])));
  }

  // A table too short draws position and shift in, and lets them go when it grows: on the
  // way to 128 a reader types 12.
  function change(values) {
    const now = state();
    const kept = fitted(asked);
    for (const name of names) if (kept[name] !== now[name]) asked[name] = now[name];
    Object.assign(asked, values);
    for (const [name, value] of Object.entries(fitted(asked))) model.set(name, value);
    model.save_changes();
  }

  function tryRow() {
    const question = make(
      "p",
      { class: "pos-question", "aria-live": "polite" },
      "Guess what will change, then press and look.",
    );
    const buttons = POSITIONS_TRIES.map(([name, values, text]) => {
      const button = make("button", { type: "button" }, name);
      button.addEventListener("click", () => {
        change({ ...POSITIONS_START, ...values });
        draw();
        for (const control of Object.values(controls)) control.forget();
        question.textContent = text;
      });
      return button;
    });
    const label = make("p", { class: "al-label", id: uid("try") }, "Try");
    return make(
      "div",
      { class: "pos-try", role: "group", "aria-labelledby": label.id },
      label,
      make("div", { class: "pos-buttons" }, ...buttons),
      question,
    );
  }

  function draw() {
    const { base, d, n, position, shift } = state();
    const fresh = !table || table.base !== base || table.d !== d || table.n !== n;
    if (fresh) {
      const rates = turnRates(d, base);
      const rows = sinusoidTable(n, rates);
      const kernel = rowProducts(rows[0], rows);
      table = { base, d, n, rates, rows, kernel };
      table.verdict = kernelInWords(kernel);
    }
    const row = table.rows[position];
    const second = sinusoidRow(position + shift, table.rates);
    const products = rowProducts(row, table.rows);
    const gap = largestGap(shiftedRow(row, shift, table.rates), second);
    const lookAlike = firstLookAlike(table.kernel);
    const shown = { ...table, position, shift, row, second, products, gap, lookAlike, fresh };

    controls.base.set(base, wholeOr(base));
    controls.d.set(d, `${d} dimensions`);
    controls.n.set(n, `${n} positions`);
    controls.position.set(position, `position ${position}`, 0, n - 1);
    controls.shift.set(shift, `k = ${shift}`, 1 - n, n - 1);
    hands.show(shown);
    shown.pair = hands.chosen();
    shown.pairs = hands.pairs();
    picture.show(shown);
    curve.show(shown);
    rotation.show(shown);
    speak(positionsInWords(shown));
  }

  const drawNext = oncePerFrame(draw);
  for (const name of names) model.on(`change:${name}`, drawNext);
  draw();
}

// Position and shift, drawn into a table of n rows.
function fitted({ position, shift, ...table }) {
  const last = table.n - 1;
  return { ...table, position: within(position, 0, last), shift: within(shift, -last, last) };
}

/**
 * A number box with a slider beneath. The slider goes over `values`, round ones, or over
 * every whole number; the box takes any.
 */
function setting({ label, parse, values = null, step = 1, inputmode = "numeric", onValue }) {
  const box = numberBox({ label, parse, step, inputmode, onNumber: onValue });
  const track = slider({
    label: `${label}, slider`,
    min: 0,
    max: 1,
    onValue: (place) => onValue(values ? values[place] : place),
  });
  track.field.firstChild.classList.add("al-hidden");
  const field = make(
    "div",
    { class: "pos-setting" },
    box.field,
    track.input,
    track.field.firstChild,
  );
  let shown = null;

  function set(value, text, min = 0, max = values.length - 1) {
    shown = value;
    box.set(value);
    // What was refused goes once something else changes; not while it is typed.
    const refused = box.input.getAttribute("aria-invalid") === "true";
    if (refused && box.input !== document.activeElement) forget();
    track.input.min = min;
    track.set(values ? nearestPlace(values, value) : value, max, text);
  }

  // What was typed in vain goes, and the complaint with it.
  function forget() {
    box.complain("");
    box.input.value = String(shown);
  }
  return { field, box, set, forget };
}

/** Settings side by side, and under them what is wrong with them. */
function settingsBox(name, settings) {
  return make(
    "div",
    { class: `pos-settings ${name}` },
    ...settings.map(({ field }) => field),
    ...settings.map(({ box }) => box.error),
  );
}

function nearestPlace(values, value) {
  const far = values.map((each) => Math.abs(Math.log(each / value)));
  return far.indexOf(Math.min(...far));
}

// "10,000" and "10 000" are ten thousand, "2,5" is two and a half.
function readBase(text) {
  const inGroups = /^\d{1,3}([\s,]\d{3})+$/.test(text.trim());
  const typed = inGroups ? text.replace(/\D/g, "") : text.trim().replace(/^(\d+),(\d+)$/, "$1.$2");
  const base = Number(typed);
  if (typed === "" || Number.isNaN(base)) return { error: "Please type a base, such as 10000." };
  if (base === 0)
    return { error: "A base of 0 gives no frequencies. It goes from 1 to 1 000 000." };
  if (base < 1 || base > 1e6) {
    return { error: `The base goes from 1 to 1 000 000; ${text.trim().slice(0, 12)} is outside.` };
  }
  return { number: base };
}

function readWhole(text, least, most, even = false) {
  const typed = text.trim().replace(/^[−–]/, "-");
  const range = `from ${signed(least)} to ${most}`;
  const number = Number(typed);
  if (typed === "" || Number.isNaN(number)) {
    return { error: `Please type a whole number ${range}.` };
  }
  if (number < least || number > most) {
    return { error: `${signed(typed.slice(0, 12))} is outside: this number goes ${range}.` };
  }
  if (!Number.isInteger(number))
    return { error: `${typed.slice(0, 12)} is not whole. Please type a number ${range}.` };
  if (even && number % 2) {
    return {
      error:
        `d = ${number} is odd, but a sine and a cosine share each frequency: `
        + `dimensions come in pairs. Try ${number - 1} or ${number + 1}.`,
    };
  }
  return { number };
}

/** What the picture shows, in a few sentences. */
function positionsInWords({ d, n, rates, row, second, position, shift, verdict, gap }) {
  const to = position + shift;
  const product = rowProducts(row, [second])[0];
  const beyond =
    to < 0 || to >= n
      ? ` Position ${signed(to)} lies outside the table; the formula has a row for it all the same.`
      : "";
  const turns =
    rates.length === 1
      ? `the hand turns by ${turnText(shift, rates[0])}`
      : `the fastest hand turns by ${turnText(shift, rates[0])}, the slowest by `
        + turnText(shift, rates[rates.length - 1]);
  return (
    `From p = ${position} to p + k = ${signed(to)} ${turns}, as from any p.${beyond} `
    + `PE(${position})·PE(${signed(to)}) = ${signed(product.toFixed(2))} of ${d / 2}. `
    + `The rotation for k = ${signed(shift)} takes the one row to the other within `
    + `${powerOfTen(gap)}. ${verdict}`
  );
}
