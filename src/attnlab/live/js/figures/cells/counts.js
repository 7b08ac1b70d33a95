// What a decoder computes when it writes: which scores at a step, and how many so far.

export const WRITING_WAYS = ["padded", "prefix", "cache"];

/** The scores that are computed at a step, from 1: rows `from` … `to`, columns 1 … `across`. */
export function scoresAt(way, step, words) {
  if (way === "padded") return { from: 1, to: words, across: words };
  return { from: way === "cache" ? step : 1, to: step, across: step };
}

/** Up to a step: the `words` through the decoder, the `scores` of a head, `times` of each. */
export function countedUpTo(way, step, words) {
  const times = Array.from({ length: words }, () => Array(words).fill(0));
  const total = { words: 0, scores: 0, times };
  for (let now = 1; now <= step; now++) {
    const { from, to, across } = scoresAt(way, now, words);
    total.words += to - from + 1;
    total.scores += (to - from + 1) * across;
    for (let row = from - 1; row < to; row++) {
      for (let column = 0; column < across; column++) times[row][column] += 1;
    }
  }
  return total;
}
