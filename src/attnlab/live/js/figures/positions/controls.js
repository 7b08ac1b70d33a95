// The numbers that are typed or slid: base, width and length of the table, p and k.

import { make } from "../../parts/elements.js";
import { numberSlider } from "../../parts/numbers.js";
import { groupDigits, withMinusSign } from "../../words/phrases.js";
import { formatWholeOrDecimal } from "./words.js";

const ROUND_BASES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6];
const ROUND_WIDTHS = [2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512];
const ROUND_LENGTHS = [2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512];

/** Boxes with sliders, of the table and of the pair of rows. */
export function positionControls({ limits, now, change }) {
  const lastPosition = () => now().n - 1;
  const table = {
    base: roundSetting(ROUND_BASES, {
      label: "Base",
      inputmode: "decimal",
      parse: (text) => parseBase(text, ...limits.base),
      onNumber: (base) => change({ base }),
    }),
    d: roundSetting(ROUND_WIDTHS, {
      label: "Width d",
      step: 2,
      parse: (text) => parseWhole(text, ...limits.d, true),
      onNumber: (d) => change({ d }),
    }),
    n: roundSetting(ROUND_LENGTHS, {
      label: "Length n",
      parse: (text) => parseWhole(text, ...limits.n),
      onNumber: (n) => change({ n }),
    }),
  };
  const pair = {
    position: numberSetting({
      label: "Position p",
      parse: (text) => parseWhole(text, 0, lastPosition()),
      onNumber: (position) => change({ position }),
    }),
    shift: numberSetting({
      label: "Shift k",
      inputmode: "text",
      parse: (text) => parseWhole(text, -lastPosition(), lastPosition()),
      onNumber: (shift) => change({ shift }),
    }),
  };

  function update({ base, d, n, position, shift }) {
    table.base.set(base, formatWholeOrDecimal(base));
    table.d.set(d, `${d} dimensions`);
    table.n.set(n, `${n} positions`);
    pair.position.set(position, `position ${position}`, 0, n - 1);
    pair.shift.set(shift, `k = ${shift}`, 1 - n, n - 1);
  }
  return { element: settingsRow({ ...table, ...pair }), update };
}

/** A number whose slider goes over the whole numbers from `min` to `max`. */
function numberSetting({ numberAt = (place) => place, ...options }) {
  const { box, track } = numberSlider({ numberAt, ...options });
  const label = track.field.firstChild;
  const field = make("div.pos-setting", box.field, track.input, label);
  function setNumber(number, text, min, max, place = number) {
    box.settle(number);
    track.input.min = min;
    track.set(place, max, text);
  }
  return { field, box, set: setNumber };
}

/** A number whose slider goes over the round ones; the box takes any. */
function roundSetting(rounds, options) {
  const { field, box, set } = numberSetting({ numberAt: (place) => rounds[place], ...options });
  function setRoundNumber(number, text) {
    const far = rounds.map((each) => Math.abs(Math.log(each / number)));
    set(number, text, 0, rounds.length - 1, far.indexOf(Math.min(...far)));
  }
  return { field, box, set: setRoundNumber };
}

/** Settings side by side, and under them what is wrong with them. */
function settingsRow(settings) {
  const all = Object.values(settings);
  const fields = all.map(({ field }) => field);
  return make("div.pos-settings", ...fields, ...all.map(({ box }) => box.error));
}

// "10,000" and "10 000" are ten thousand, "2,5" is two and a half.
function parseBase(text, least, most) {
  const inGroups = /^\d{1,3}([\s,]\d{3})+$/.test(text.trim());
  const typed = inGroups ? text.replace(/\D/g, "") : text.trim().replace(/^(\d+),(\d+)$/, "$1.$2");
  const base = Number(typed);
  if (typed === "" || Number.isNaN(base)) return { error: "Please type a base, such as 10000." };
  const range = `from ${least} to ${groupDigits(most)}`;
  if (base === 0) return { error: `A base of 0 gives no frequencies. It goes ${range}.` };
  if (base < least || base > most) {
    return { error: `The base goes ${range}; ${text.trim().slice(0, 12)} is outside.` };
  }
  return { number: base };
}

function parseWhole(text, least, most, even = false) {
  const typed = text.trim().replace(/^[−–]/, "-");
  const range = `from ${withMinusSign(least)} to ${most}`;
  const number = Number(typed);
  if (typed === "" || Number.isNaN(number)) {
    return { error: `Please type a whole number ${range}.` };
  }
  if (number < least || number > most) {
    return { error: `${withMinusSign(typed.slice(0, 12))} is outside: this number goes ${range}.` };
  }
  if (!Number.isInteger(number)) {
    return { error: `${typed.slice(0, 12)} is not whole. Please type a number ${range}.` };
  }
  if (even && number % 2) {
    const error =
      `d = ${number} is odd, but a sine and a cosine share each frequency: `
      + `dimensions come in pairs. Try ${number - 1} or ${number + 1}.`;
    return { error };
  }
  return { number };
}
