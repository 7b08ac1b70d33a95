// The loss of a batch, and what of it is right.

import { PAD } from "../models/tokens.js";
import { exactExp, exactLog } from "./exact.js";
import { countRows } from "./tape.js";

/**
 * The mean of −log P(target) over all targets that are not padding: logits (…, classes),
 * targets as many as rows. Returns { loss, right, wanted, answers }: `right` of `wanted`
 * targets have the largest logit; `answers` has the class of each row that has it.
 */
export function crossEntropy(logits, targets) {
  const { width, rows } = countRows(logits);
  const wanted = targets.reduce((count, target) => count + (target === PAD ? 0 : 1), 0);
  const answers = new Int32Array(rows);
  let [sum, right] = [0, 0];
  for (let r = 0; r < rows; r++) {
    answers[r] = argmaxOfRow(logits.data, r * width, width);
    if (targets[r] === PAD) continue;
    if (answers[r] === targets[r]) right += 1;
    sum += backwardRow(logits, r * width, targets[r], answers[r], wanted);
  }
  return { loss: sum / wanted, right, wanted, answers };
}

/** Which of the `width` numbers from `at` on is the largest; the first of several. */
export function argmaxOfRow(numbers, at, width) {
  let best = 0;
  for (let j = 1; j < width; j++) if (numbers[at + j] > numbers[at + best]) best = j;
  return best;
}

// −log P(target), leaving (P − one-hot) / wanted as the gradient: nothing comes after a loss.
function backwardRow({ shape, data, grad }, at, target, best, wanted) {
  const width = shape.at(-1);
  const most = data[at + best];
  let sum = 0;
  for (let j = at; j < at + width; j++) {
    grad[j] = exactExp(data[j] - most);
    sum += grad[j];
  }
  for (let j = at; j < at + width; j++) grad[j] /= sum * wanted;
  grad[at + target] -= 1 / wanted;
  return exactLog(sum) - (data[at + target] - most);
}
