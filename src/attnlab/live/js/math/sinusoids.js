// Sinusoidal positions as attnlab.positions computes them, in double precision.

/** How fast each pair turns, base^(−2i/d) radians a position: d / 2 numbers from 1 down. */
export function angularFrequencies(d, base) {
  return Float64Array.from({ length: d / 2 }, (_, i) => base ** ((-2 * i) / d));
}

/** The row of position p, which may be any number: sin(p ω₀), cos(p ω₀), sin(p ω₁), … */
export function sinusoidRow(p, rates) {
  const row = new Float64Array(2 * rates.length);
  for (let i = 0; i < rates.length; i++) {
    row[2 * i] = Math.sin(p * rates[i]);
    row[2 * i + 1] = Math.cos(p * rates[i]);
  }
  return row;
}

/** The rows of positions 0 … n − 1. */
export function sinusoidTable(n, rates) {
  return Array.from({ length: n }, (_, p) => sinusoidRow(p, rates));
}

/** The vector, each pair turned by the angle of position p: attnlab.positions.rotate. */
export function rotatePairs(vector, p, rates) {
  const turned = new Float64Array(vector.length);
  rates.forEach((rate, i) => {
    const [cos, sin] = [Math.cos(p * rate), Math.sin(p * rate)];
    const [first, second] = [vector[2 * i], vector[2 * i + 1]];
    turned[2 * i] = first * cos - second * sin;
    turned[2 * i + 1] = first * sin + second * cos;
  });
  return turned;
}

/**
 * The rotation of one pair that takes the row of any p to that of p + k:
 * [[cos kω, sin kω], [−sin kω, cos kω]], to be multiplied by [sin pω, cos pω].
 */
export function shiftBlock(k, rate) {
  const cos = Math.cos(k * rate);
  const sin = Math.sin(k * rate);
  return [
    [cos, sin],
    [-sin, cos],
  ];
}

/** The row, moved on by k: the shift matrix times the row, block by block. */
export function shiftedRow(row, k, rates) {
  const moved = new Float64Array(row.length);
  rates.forEach((rate, i) => {
    const [[a, b], [c, d]] = shiftBlock(k, rate);
    moved[2 * i] = a * row[2 * i] + b * row[2 * i + 1];
    moved[2 * i + 1] = c * row[2 * i] + d * row[2 * i + 1];
  });
  return moved;
}

/** The products of `row` with every row of the table. */
export function rowProducts(row, table) {
  return Float64Array.from(table, (other) => {
    let sum = 0;
    for (let j = 0; j < row.length; j++) sum += row[j] * other[j];
    return sum;
  });
}

/** The largest difference between two lists of numbers, sign left out. */
export function maxAbsDifference(first, second) {
  return first.reduce((most, x, i) => Math.max(most, Math.abs(x - second[i])), 0);
}

/**
 * The first distance beyond 1 at which two rows are at least as alike as neighbours are,
 * or null. `kernel[j]` is the product of rows j apart; all rows have the same length.
 */
export function firstLookAlike(kernel) {
  const found = kernel.findIndex((product, j) => j > 1 && product >= kernel[1]);
  return found < 0 ? null : found;
}

/** The first distance at which the product is under half of a row's own, or null. */
export function firstBelowHalf(kernel) {
  const found = kernel.findIndex((product) => product < kernel[0] / 2);
  return found < 0 ? null : found;
}
