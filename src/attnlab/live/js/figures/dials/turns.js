// What the hands show at a position, what training has met of it, and the scores.

import { rotatePairs, sinusoidRow, angularFrequencies } from "../../math/sinusoids.js";
import { dot } from "../../math/tensor.js";

const TURN = 2 * Math.PI;

/**
 * The hands at a position: { angle, met, out, round }, in degrees. Positions 0 … trained − 1
 * have swept `met` of the dial from noon on, 360 at most; a hand beyond it is `out`. It goes
 * round in `round` positions.
 */
export function computeHands({ position, trained, base }, d) {
  return Array.from(angularFrequencies(d, base), (rate) => {
    const swept = (trained - 1) * rate;
    const angle = (position * rate) % TURN;
    const out = swept < TURN && angle > swept;
    const met = degrees(Math.min(swept, TURN));
    return { angle: degrees(angle), met, out, round: TURN / rate };
  });
}

/** The score of a query with the key k positions before it, for k = 0 … farthest. */
export function scoresByDistance({ scheme, base }, { query, key, farthest }) {
  const rates = angularFrequencies(query.length, base);
  const at =
    scheme === "rotary"
      ? (vector, p) => rotatePairs(vector, p, rates)
      : (_, p) => sinusoidRow(p, rates);
  const asks = at(query, farthest);
  return Float64Array.from({ length: farthest + 1 }, (_, k) => dot(asks, at(key, farthest - k)));
}

/**
 * Which of the keys 0 … position back training has not met: how many are `far`ther than any
 * it had; and which of those score `higher` or `lower` than all it had, between `least` and
 * `most`.
 */
export function scoresBeyondTraining(scores, { position, trained }) {
  const known = scores.slice(0, trained);
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const far = Array.from({ length: Math.max(0, position - trained + 1) }, (_, i) => trained + i);
  const higher = far.filter((k) => scores[k] > most);
  const lower = far.filter((k) => scores[k] < least);
  return { least, most, far, higher, lower };
}

function degrees(angle) {
  return (360 * angle) / TURN;
}
