// The little linear algebra that the models need. A vector is a Float32Array; a matrix is
// { shape: [rows, columns], data }, row after row, as PyTorch stores it.

export const EPSILON = 1e-5; // as in torch.nn.LayerNorm

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

/** W x + b of every x. Two at a time: each weight is fetched once for both. */
export function affineBatch(matrix, xs, bias) {
  const out = [];
  for (let i = 0; i + 1 < xs.length; i += 2)
    out.push(...affinePair(matrix, xs[i], xs[i + 1], bias));
  if (xs.length % 2) out.push(affine(matrix, xs.at(-1), bias));
  return out;
}

// Two rows at a time: their sums do not wait for each other.
function affinePair({ data }, x, y, { data: shift }) {
  const rows = shift.length;
  const columns = x.length;
  const out = [new Float32Array(rows), new Float32Array(rows)];
  const [outX, outY] = out;
  for (let row = 0; row < rows; row += 2) {
    const next = Math.min(row + 1, rows - 1); // of an odd number the last has no other
    const first = row * columns;
    const second = next * columns;
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let i = 0; i < columns; i++) {
      a += data[first + i] * x[i];
      b += data[first + i] * y[i];
      c += data[second + i] * x[i];
      d += data[second + i] * y[i];
    }
    outX[row] = a + shift[row];
    outY[row] = b + shift[row];
    outX[next] = c + shift[next];
    outY[next] = d + shift[next];
  }
  return out;
}

export function addVectors(a, b) {
  const out = new Float32Array(a.length);
  for (let i = 0; i < a.length; i++) out[i] = a[i] + b[i];
  return out;
}

export function getRow(matrix, index) {
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
  const out = scores.slice();
  softmaxInPlace(out);
  return out;
}

/** Where every score is −∞ there is nothing to see: all weights are 0. */
function softmaxInPlace(scores) {
  const largest = maxOf(scores);
  if (largest === -Infinity) {
    scores.fill(0);
    return;
  }
  let sum = 0;
  for (let i = 0; i < scores.length; i++) {
    scores[i] = Math.exp(scores[i] - largest);
    sum += scores[i];
  }
  for (let i = 0; i < scores.length; i++) scores[i] /= sum;
}

export function logSoftmax(logits) {
  const largest = maxOf(logits);
  let sum = 0;
  for (let i = 0; i < logits.length; i++) sum += Math.exp(logits[i] - largest);
  const total = largest + Math.log(sum);
  const out = new Float32Array(logits.length);
  for (let i = 0; i < logits.length; i++) out[i] = logits[i] - total;
  return out;
}

function maxOf(numbers) {
  let largest = -Infinity;
  for (let i = 0; i < numbers.length; i++) if (numbers[i] > largest) largest = numbers[i];
  return largest;
}

/**
 * Attention of one query by all heads (Vaswani et al. 2017), scaled dot products. Their
 * weights go to `maps`, [head] of (n); what the heads that speak find, side by side, is
 * returned. Where there is nothing to see both are 0.
 */
export function attendByHeads(query, keys, values, seen, active, maps) {
  const found = new Float32Array(query.length);
  const width = query.length / maps.length; // d_head
  maps.forEach((weights, head) => {
    const start = head * width;
    const end = start + width;
    for (let j = 0; j < keys.length; j++) {
      const key = keys[j];
      let score = 0;
      for (let i = start; i < end; i++) score += query[i] * key[i];
      weights[j] = seen[j] ? score / Math.sqrt(width) : -Infinity;
    }
    softmaxInPlace(weights);
    if (!active[head]) return;
    for (let j = 0; j < keys.length; j++) {
      const weight = weights[j];
      const value = values[j];
      for (let i = start; i < end; i++) found[i] += weight * value[i];
    }
  });
  return found;
}

export function layerNorm({ gain: { data: gain }, shift: { data: shift } }, x) {
  const n = x.length;
  let mean = 0;
  for (let i = 0; i < n; i++) mean += x[i];
  mean /= n;
  let variance = 0;
  for (let i = 0; i < n; i++) variance += (x[i] - mean) * (x[i] - mean);
  const deviation = Math.sqrt(variance / n + EPSILON);
  const out = new Float32Array(n);
  for (let i = 0; i < n; i++) out[i] = ((x[i] - mean) / deviation) * gain[i] + shift[i];
  return out;
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
