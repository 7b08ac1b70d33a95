// What kind of place the words of a sentence look at.

export const PLACES = ["separators", "itself", "before", "after", "same word", "others"];

/** The kind of place that token j is for token i: an index of `PLACES`. */
export function placeKind(tokens, i, j) {
  if (j === 0 || j === tokens.length - 1) return 0;
  if (Math.abs(j - i) <= 1) return [2, 1, 3][j - i + 1];
  return tokens[i] === tokens[j] ? 4 : 5;
}

/** The mean weight on each kind of place; separators do not ask. `map` is row after row. */
export function sharesByPlace(map, tokens) {
  const n = tokens.length;
  const shares = PLACES.map(() => 0);
  for (let i = 1; i < n - 1; i++) {
    for (let j = 0; j < n; j++) shares[placeKind(tokens, i, j)] += map[i * n + j] / (n - 2);
  }
  return shares;
}

/** The kind of place that has most of the weight, and how much. */
export function dominantPlace(shares) {
  const most = shares.indexOf(Math.max(...shares));
  return { name: PLACES[most], share: shares[most] };
}

/** The maps of a layer, one a head: of numbers 0 … `steps`, (layers, heads, n, n). */
export function mapsOfLayer({ shape, data }, layer, steps) {
  const [, heads, n] = shape;
  return Array.from({ length: heads }, (_, head) => {
    const start = (layer * heads + head) * n * n;
    return Array.from(data.subarray(start, start + n * n), (number) => number / steps);
  });
}
