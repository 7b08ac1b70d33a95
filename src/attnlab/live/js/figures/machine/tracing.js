// How one number of the machine came about: from which rows and columns, and by what sum.

import { dot } from "../../math/tensor.js";
import { twoDecimals } from "../../words/phrases.js";

/**
 * Cell (i, j) of a step: { value, terms, marks, end }. `terms` are the pairs of numbers whose
 * products are added up, none where a number comes about in another way; `end` says what
 * happens to the sum, or how else the number came about; `marks` are the cells that it is made
 * of, as { step, row, column } or { step, row, from, to } or { step, column }.
 */
export function traceNumber(steps, name, i, j) {
  const step = steps.get(name);
  const value = step.matrix[i][j];
  return { value, terms: [], marks: [], ...TRACES[step.kind](steps, step, i, j) };
}

const TRACES = {
  product(steps, { inputs: [x], weight, bias, relu }, i, j) {
    const row = steps.get(x).matrix[i];
    const columns = weight.shape[1];
    const column = weight.data.subarray(j * columns, (j + 1) * columns);
    const sum = dot(row, column) + bias.data[j];
    const bent = relu ? `; ${sum > 0 ? "above 0, it fires" : "not above 0: silent, 0"}` : "";
    return {
      terms: productTerms(row, column),
      marks: [{ step: x, row: i }],
      end: `with the bias ${twoDecimals(bias.data[j])} that is ${twoDecimals(sum)}${bent}`,
    };
  },
  score(steps, { inputs: [q, k], from, width, matrix }, i, j) {
    const [query, key] = [steps.get(q).matrix[i], steps.get(k).matrix[j]];
    const part = (row) => row.subarray(from, from + width);
    const hidden = matrix[i][j] === -Infinity;
    const root = `÷ √${width} = ${twoDecimals(dot(part(query), part(key)) / Math.sqrt(width))}`;
    return {
      terms: productTerms(part(query), part(key)),
      marks: [q, k].map((step, at) => ({ step, row: [i, j][at], from, to: from + width })),
      end: hidden ? `${root}; but this word is not written yet: hidden, −∞` : root,
    };
  },
  softmax(steps, { inputs: [scores] }, i, j) {
    const row = steps.get(scores).matrix[i];
    const largest = Math.max(...row);
    const powers = Array.from(row, (score) => Math.exp(score - largest));
    const total = powers.reduce((sum, power) => sum + power, 0);
    const score = row[j] === -Infinity ? "−∞" : twoDecimals(row[j]);
    const over = `e^(${score} − ${twoDecimals(largest)}), over the sum of its row`;
    const end = `${over}: ${twoDecimals(powers[j])} / ${twoDecimals(total)}`;
    return { marks: [{ step: scores, row: i }], end };
  },
  mixture(steps, { inputs, width }, i, j) {
    const map = inputs[Math.floor(j / width)];
    const values = inputs.at(-1);
    const column = steps.get(values).matrix.map((row) => row[j]);
    return {
      terms: productTerms(steps.get(map).matrix[i], column),
      marks: [
        { step: map, row: i },
        { step: values, column: j },
      ],
      end: "weights times values",
    };
  },
  sum(steps, { inputs }, i, j) {
    const [x, change] = inputs.map((name) => steps.get(name).matrix[i][j]);
    return {
      marks: inputs.map((step) => ({ step, row: i, column: j })),
      end: `${twoDecimals(x)} + ${twoDecimals(change)}`,
    };
  },
  norm(steps, { inputs: [x], gain, shift }, i, j) {
    const row = steps.get(x).matrix[i];
    const mean = row.reduce((sum, cell) => sum + cell, 0) / row.length;
    const square = row.reduce((sum, cell) => sum + (cell - mean) ** 2, 0) / row.length;
    const [own, middle, root] = [row[j], mean, Math.sqrt(square)].map(twoDecimals);
    const bias = twoDecimals(shift.data[j]);
    const made = `${twoDecimals(gain.data[j])} · (${own} − ${middle}) / ${root} + ${bias}`;
    return { marks: [{ step: x, row: i }], end: made };
  },
  "look-up": (_, { factor, matrix }, i, j) => {
    const [number, times] = [matrix[i][j] / factor, factor].map(twoDecimals);
    const by = factor === 1 ? ", without the factor √d" : `, times √d = ${times}`;
    return { end: `the word's row of the table has ${number}${by}` };
  },
  place: (_, { none, matrix }, i, j) => {
    if (none) return { end: "no word is told its place" };
    const angle = `${i} · 10000^(−${2 * Math.floor(j / 2)}/${matrix[i].length})`;
    return { end: `${j % 2 ? "cos" : "sin"}(${angle})` };
  },
  alone: (_, { inputs: [step] }, i, j) => ({
    marks: [{ step, row: i, column: j }],
    end: "as it was",
  }),
  silent: () => ({ end: "left out: nothing is added" }),
};

function productTerms(left, right) {
  return Array.from(left, (cell, at) => [cell, right[at]]);
}

/** The trace in words, behind the name of the cell. */
export function describeSum({ value, terms, end }) {
  const number = value === -Infinity ? "−∞" : twoDecimals(value);
  if (terms.length === 0) return `is ${number}: ${end}.`;
  const products = terms.map(([a, b]) => `${twoDecimals(a)} · ${twoDecimals(b)}`).join(" + ");
  const total = twoDecimals(terms.reduce((sum, [a, b]) => sum + a * b, 0));
  return `is ${number}: ${products} = ${total}; ${end}.`;
}
