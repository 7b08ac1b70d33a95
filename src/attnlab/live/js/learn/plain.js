// The matrix product in plain JavaScript, for browsers without WebAssembly's SIMD. It gives
// the same bits as tools/kernels.py: every element sums up its terms in their order, and
// every product and every sum is rounded to single precision.

/**
 * C = A B, or C += A B if `more`, in an array of numbers: A (rows, terms) with its elements
 * `aRow` and `aTerm` apart, B (terms, columns) and C (rows, columns) with rows `bTerm` and
 * `cRow` apart.
 */
export function productIn(numbers) {
  const { fround } = Math;
  return (rows, columns, terms, a, aRow, aTerm, b, bTerm, c, cRow, more) => {
    for (let i = 0; i < rows; i++) {
      const row = numbers.subarray(c + i * cRow, c + i * cRow + columns);
      if (!more) row.fill(0);
      for (let t = 0; t < terms; t++) {
        const factor = numbers[a + i * aRow + t * aTerm];
        const from = b + t * bTerm;
        for (let j = 0; j < columns; j++) {
          row[j] = fround(row[j] + fround(factor * numbers[from + j]));
        }
      }
    }
  };
}
