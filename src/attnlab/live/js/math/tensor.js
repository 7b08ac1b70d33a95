// The little linear algebra that a recurrent model needs. A vector is a Float32Array;
// a matrix is { shape: [rows, columns], data }, row after row, as PyTorch stores it.

// W x + b; the bias is optional. Four rows at a time: their sums do not wait for each other.
export function affine(matrix, x, bias = null) {
  const [rows, columns] = matrix.shape;
  const { data } = matrix;
  if (x.length !== columns) {
    throw new RangeError(`a matrix of ${rows} × ${columns} cannot take ${x.length} numbers`);
  }
  const out = bias ? bias.data.slice() : new Float32Array(rows);
  let r = 0;
  for (; r + 4 <= rows; r += 4) {
    const first = r * columns;
    const second = first + columns;
    const third = second + columns;
    const fourth = third + columns;
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let i = 0; i < columns; i++) {
      a += data[first + i] * x[i];
      b += data[second + i] * x[i];
      c += data[third + i] * x[i];
      d += data[fourth + i] * x[i];
    }
    out[r] += a;
    out[r + 1] += b;
    out[r + 2] += c;
    out[r + 3] += d;
  }
  for (; r < rows; r++) out[r] += dot(data.subarray(r * columns, (r + 1) * columns), x);
  return out;
}

// Wᵀ y: the way back through W x. Four rows at a time, so that each sum is fetched once for
// four products.
export function transposed(matrix, y) {
  const columns = matrix.shape[1];
  const { data } = matrix;
  const out = new Float32Array(columns);
  let r = 0;
  for (; r + 4 <= y.length; r += 4) {
    const [a, b, c, d] = [y[r], y[r + 1], y[r + 2], y[r + 3]];
    const first = r * columns;
    const second = first + columns;
    const third = second + columns;
    const fourth = third + columns;
    for (let i = 0; i < columns; i++) {
      out[i] +=
        a * data[first + i] + b * data[second + i] + c * data[third + i] + d * data[fourth + i];
    }
  }
  for (; r < y.length; r++) {
    for (let i = 0; i < columns; i++) out[i] += y[r] * data[r * columns + i];
  }
  return out;
}

// a += b, in place.
export function addTo(a, b) {
  for (let i = 0; i < a.length; i++) a[i] += b[i];
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
