// The kernels in plain JavaScript, for browsers without WebAssembly's SIMD. They give the same
// bits as those of tools/kernels.py: every element of a product sums up its terms in their
// order, and every product and every sum is rounded to single precision.

/** The kernels for an array of numbers. Places and strides count numbers. */
export function plainKernels(numbers) {
  const { fround } = Math;
  return {
    /**
     * C = A B, or C += A B if `more`: A (rows, terms) with its elements `aRow` and `aTerm`
     * apart, B (terms, columns) and C (rows, columns) with rows `bTerm` and `cRow` apart.
     */
    product(rows, columns, terms, a, aRow, aTerm, b, bTerm, c, cRow, more) {
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
    },

    /** Add `count` numbers at `from` to those at `to`. */
    addTo(count, from, to) {
      for (let i = 0; i < count; i++) numbers[to + i] += numbers[from + i];
    },

    /** At `to`, max(0, x) of the numbers at `from`. */
    relu(count, from, to) {
      for (let i = 0; i < count; i++) numbers[to + i] = Math.max(numbers[from + i], 0);
    },

    /** Add to those at `to` the numbers at `from`, where that at `sign` is above 0. */
    addWherePositive(count, sign, from, to) {
      for (let i = 0; i < count; i++) {
        if (numbers[sign + i] > 0) numbers[to + i] += numbers[from + i];
      }
    },
  };
}
