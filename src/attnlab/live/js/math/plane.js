// Vectors of many numbers in the plane that holds most of them.

import { dot } from "./tensor.js";

const MAX_ITERATIONS = 200; // of the power iteration

/**
 * Points [x, y] for the vectors, in the plane through 0 that keeps most of their squared
 * lengths: the first two principal directions, without taking off a mean. Also the share of
 * the squared lengths that is kept. Two vectors lie in their plane without any loss.
 */
export function projectToPlane(vectors) {
  const gram = vectors.map((a) => vectors.map((b) => dot(a, b)));
  const total = gram.reduce((sum, row, i) => sum + row[i], 0);
  const axes = [];
  for (let axis = 0; axis < 2; axis++) axes.push(leadingEigenvector(gram, axes));
  const kept = axes.reduce((sum, { size }) => sum + size, 0);
  const points = vectors.map((_, i) => axes.map(({ unit, size }) => unit[i] * Math.sqrt(size)));
  return { points, share: total > 0 ? kept / total : 1 };
}

// The largest eigenvalue of a symmetric matrix, at right angles to the directions before.
function leadingEigenvector(gram, before) {
  let unit = gram.map((_, i) => 1 / (i + 1 + before.length));
  let size = 0;
  for (let round = 0; round < MAX_ITERATIONS; round++) {
    let next = gram.map((row) => dot(row, unit));
    for (const { unit: other } of before) {
      const along = dot(other, next);
      next = next.map((cell, i) => cell - along * other[i]);
    }
    size = Math.sqrt(dot(next, next));
    if (size < 1e-12) return { unit: next, size: 0 };
    unit = next.map((cell) => cell / size);
  }
  return { unit, size };
}

/** The mean cosine between two different vectors; NaN of fewer than two. */
export function meanCosine(vectors) {
  const cosines = vectors.flatMap((a, i) => vectors.slice(i + 1).map((b) => cosine(a, b)));
  return cosines.reduce((sum, each) => sum + each, 0) / cosines.length;
}

function cosine(a, b) {
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}
