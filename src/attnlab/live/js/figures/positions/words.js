// Positions in words: what the pictures show, and the numbers in them.

import { firstBelowHalf, firstLookAlike } from "../../math/sinusoids.js";
import { groupDigits, superscript, withMinusSign, twoDecimals } from "../../words/phrases.js";

/** What the picture in view shows: "table", "hands", "kernel" or "rotation". */
export function describePositions(shown, view) {
  const { base, d, n } = shown;
  const table = `${n} positions, d = ${d}, base ${formatWholeOrDecimal(base)}.`;
  const words = { table: tableText, hands: handsText, kernel: productText, rotation: rotationText };
  return [table, words[view](shown), outsideText(shown)].filter(Boolean).join(" ");
}

function tableText({ position, shift, second, row }) {
  const equal = row.filter((value, j) => twoDecimals(value) === twoDecimals(second[j])).length;
  return (
    `The rows of p = ${position} and p + k = ${withMinusSign(position + shift)} are equal to two `
    + `decimals in ${equal} of ${row.length} columns.`
  );
}

function handsText({ rates, position, shift }) {
  const turns =
    rates.length === 1
      ? `the hand turns by ${turnText(shift, rates[0])}`
      : `the fastest of ${rates.length} hands turns by ${turnText(shift, rates[0])}, the slowest `
        + `by ${turnText(shift, rates[rates.length - 1])}`;
  const pair = `p = ${position} to p + k = ${withMinusSign(position + shift)}`;
  return `From ${pair} ${turns}, as from any p.`;
}

function productText({ position, shift, product, d, kernel }) {
  const rows = `PE(${position})·PE(${withMinusSign(position + shift)})`;
  return `${rows} = ${twoDecimals(product)} of ${d / 2}. ${describeKernel(kernel)}`;
}

function rotationText({ position, shift, gap, rates, pairs, slot }) {
  const pair = pairs[slot];
  const shifted = withMinusSign(position + shift);
  return (
    `The rotation for k = ${withMinusSign(shift)} takes row ${position} to row `
    + `${shifted} within ${powerOfTen(gap)}; its block of dimensions ${2 * pair} `
    + `and ${2 * pair + 1} is a turn by ${turnText(shift, rates[pair])}.`
  );
}

function outsideText({ n, position, shift }) {
  const to = position + shift;
  if (to >= 0 && to < n) return "";
  const all = "the formula gives it all the same";
  return `Row ${withMinusSign(to)} lies outside the table; ${all}.`;
}

/** How far the products tell near from far, and whether they take far for near. */
export function describeKernel(kernel) {
  const formatCosine = (k) => twoDecimals(kernel[k] / kernel[0]);
  const half = firstBelowHalf(kernel);
  const fall =
    half === null
      ? "The product stays above half."
      : `The product falls below half at distance ${half}.`;
  const alike = firstLookAlike(kernel);
  if (alike === null) {
    const neighbour = `the neighbouring one (cosine ${formatCosine(1)})`;
    return `${fall} No other row is as similar as ${neighbour}.`;
  }
  return (
    `${fall} The row ${alike} away (cosine ${formatCosine(alike)}) is taken for a neighbour `
    + `(${formatCosine(1)}).`
  );
}

/** 10000 as "10 000", 2.5 as "2.5". */
export function formatWholeOrDecimal(number) {
  return Number.isInteger(number) ? groupDigits(number) : String(number);
}

/** 6.2831 as "6.28". */
export function formatThreeFigures(number) {
  return formatWholeOrDecimal(Number(number.toPrecision(3)));
}

/** How far a hand turns in k positions: "71.5°", "1.11 turns back". */
export function turnText(k, rate) {
  const turns = Math.abs(k * rate) / (2 * Math.PI);
  const size =
    turns < 1 ? `${formatThreeFigures(360 * turns)}°` : `${formatThreeFigures(turns)} turns`;
  return k < 0 ? `${size} back` : size;
}

/** A tiny number: "2·10⁻¹⁶". */
export function powerOfTen(number) {
  if (number === 0) return "0";
  const [digit, exponent] = number.toExponential(0).split("e");
  return `${digit}·10${superscript(exponent)}`;
}
