// Which tokens are drawn from, and how one is drawn, as in attnlab/sampling.py.

import { Random } from "../../learn/random.js";
import { softmax } from "../../math/tensor.js";

/**
 * `logits` are those of the most probable token, the second, and so on; `topK` is 0 where
 * there is no bound. Returns `chances`, the probabilities after the temperature alone,
 * `drawn`, those that are drawn from, and `kept`, how many these are.
 */
export function applySettings(logits, { temperature, topK, topP }) {
  const best = logits[0];
  const scaled = Float64Array.from(logits, (x) => (x - best) / (temperature || 1));
  // Without heat the best alone is left.
  const chances = temperature > 0 ? softmax(scaled) : scaled.map((_, i) => (i ? 0 : 1));
  const most = temperature > 0 ? Math.min(topK || Infinity, logits.length) : 1;
  const among = sumOfFirst(chances, most);
  let kept = 0;
  let reached = 0;
  while (kept < most && (kept === 0 || reached < topP)) {
    reached += chances[kept] / among;
    kept++;
  }
  const total = sumOfFirst(chances, kept);
  const drawn = chances.map((chance, i) => (i < kept ? chance / total : 0));
  return { chances, drawn, kept };
}

/** The place of the token that a number from 0 to 1 falls on. */
export function tokenAtNumber(drawn, number) {
  let place = 0;
  for (let left = number - drawn[0]; left >= 0 && drawn[place + 1] > 0; left -= drawn[place]) {
    place++;
  }
  return place;
}

/** The number for the next token: the same seed and place always give the same. */
export function randomNumberFor(seed, place) {
  return new Random(seed, place).uniform();
}

function sumOfFirst(numbers, count) {
  let sum = 0;
  for (let i = 0; i < count; i++) sum += numbers[i];
  return sum;
}
