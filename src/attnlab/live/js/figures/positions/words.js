// Positions in words: what the pictures show, and the numbers in them.

import { firstBelowHalf, firstLookAlike } from "../../math/sinusoids.js";
import { grouped, raised, signed, twoDecimals } from "../../words/phrases.js";

/** What the pictures show, in a few sentences. */
export function positionsInWords(shown) {
  const { base, d, n, rates, product, position, shift, kernel, gap, pairs, slot } = shown;
  const pair = pairs[slot];
  const to = signed(position + shift);
  const turns =
    rates.length === 1
      ? `the hand turns by ${turnText(shift, rates[0])}`
      : `the fastest hand turns by ${turnText(shift, rates[0])}, the slowest by `
        + turnText(shift, rates[rates.length - 1]);
  return [
    `The table has ${n} positions and ${d} dimensions, with base ${wholeOr(base)}.`,
    `From p = ${position} to p + k = ${to} ${turns}, as from any p.`,
    outsideText(shown),
    `PE(${position})·PE(${to}) = ${twoDecimals(product)} of ${d / 2}.`,
    `The rotation for k = ${signed(shift)} takes the one row to the other`,
    `within ${powerOfTen(gap)}.`,
    `Its chosen block, of dimensions ${2 * pair} and ${2 * pair + 1},`,
    `is a turn by ${turnText(shift, rates[pair])}.`,
    kernelInWords(kernel),
  ]
    .filter(Boolean)
    .join(" ");
}

function outsideText({ n, position, shift }) {
  const to = position + shift;
  if (to >= 0 && to < n) return "";
  const all = "the formula has a row for it all the same";
  return `Position ${signed(to)} lies outside the table; ${all}.`;
}

/** How far the products tell near from far, and whether they take far for near. */
export function kernelInWords(kernel) {
  const cosine = (k) => twoDecimals(kernel[k] / kernel[0]);
  const half = firstBelowHalf(kernel);
  const fall =
    half === null
      ? "The product stays above half in the whole table."
      : `The product first falls below half at distance ${half}.`;
  const alike = firstLookAlike(kernel);
  if (alike === null) {
    const neighbour = `the neighbouring one (cosine ${cosine(1)})`;
    return `${fall} No row farther off is as similar as ${neighbour}.`;
  }
  return (
    `${fall} The row ${alike} away (cosine ${cosine(alike)}) is at least as similar as the `
    + `neighbouring one (${cosine(1)}): the two are easily confused.`
  );
}

/** 10000 as "10 000", 2.5 as "2.5". */
export function wholeOr(number) {
  return Number.isInteger(number) ? grouped(number) : String(number);
}

/** 6.2831 as "6.28". */
export function threeFigures(number) {
  return wholeOr(Number(number.toPrecision(3)));
}

/** How far a hand turns in k positions: "71.5°", "1.11 turns back". */
export function turnText(k, rate) {
  const turns = Math.abs(k * rate) / (2 * Math.PI);
  const size = turns < 1 ? `${threeFigures(360 * turns)}°` : `${threeFigures(turns)} turns`;
  return k < 0 ? `${size} back` : size;
}

/** A tiny number: "2·10⁻¹⁶". */
export function powerOfTen(number) {
  if (number === 0) return "0";
  const [digit, exponent] = number.toExponential(0).split("e");
  return `${digit}·10${raised(exponent)}`;
}
