// The little linear algebra that a recurrent model needs. A vector is a Float32Array;
// a matrix is { shape: [rows, columns], data }, row after row, as PyTorch stores it.

// W x + b; the bias is optional.
export function affine(matrix, x, bias = null) {
  const [rows, columns] = matrix.shape;
  if (x.length !== columns) {
    throw new RangeError(`a matrix of ${rows} × ${columns} cannot take ${x.length} numbers`);
  }
  const out = new Float32Array(rows);
  for (let r = 0, at = 0; r < rows; r++) {
    let sum = bias ? bias.data[r] : 0;
    for (let c = 0; c < columns; c++) sum += matrix.data[at++] * x[c];
    out[r] = sum;
  }
  return out;
}

export function rowOf(matrix, index) {
  const columns = matrix.shape[1];
  return matrix.data.subarray(index * columns, (index + 1) * columns);
}

export function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

export function norm(a) {
  return Math.sqrt(dot(a, a));
}

export function concat(...vectors) {
  const out = new Float32Array(vectors.reduce((sum, v) => sum + v.length, 0));
  let at = 0;
  for (const vector of vectors) {
    out.set(vector, at);
    at += vector.length;
  }
  return out;
}

export function softmax(scores) {
  let largest = -Infinity;
  for (const score of scores) largest = Math.max(largest, score);
  const out = scores.map((score) => Math.exp(score - largest));
  const sum = out.reduce((total, value) => total + value, 0);
  return out.map((value) => value / sum);
}

// Σ weights[i] · vectors[i]
export function weightedSum(weights, vectors) {
  const out = new Float32Array(vectors[0].length);
  for (let i = 0; i < vectors.length; i++) {
    for (let d = 0; d < out.length; d++) out[d] += weights[i] * vectors[i][d];
  }
  return out;
}

export function argmax(vector) {
  let best = 0;
  for (let i = 1; i < vector.length; i++) if (vector[i] > vector[best]) best = i;
  return best;
}

export function sigmoid(x) {
  return 1 / (1 + Math.exp(-x));
}
