// The loss of a batch, and what of it is right.

import { exp, log } from "./exact.js";
import { rowsOf } from "./tape.js";

const PAD = 0;

/**
 * The mean of −log P(target) over all targets that are not padding: logits (…, classes),
 * targets as many as rows. Returns { loss, right, wanted, answers }: `right` of `wanted`
 * targets have the largest logit; `answers` has the class of each row that has it.
 */
export function crossEntropy(logits, targets) {
  const { width, rows } = rowsOf(logits);
  const wanted = targets.reduce((count, target) => count + (target === PAD ? 0 : 1), 0);
  const answers = new Int32Array(rows);
  let [sum, right] = [0, 0];
  for (let r = 0; r < rows; r++) {
    const row = logits.data.subarray(r * width, (r + 1) * width);
    let best = 0;
    for (let j = 1; j < width; j++) if (row[j] > row[best]) best = j;
    answers[r] = best;
    if (targets[r] === PAD) continue;
    if (best === targets[r]) right += 1;
    sum += backFromRow(row, logits.grad.subarray(r * width, (r + 1) * width), targets[r], best, wanted);
  }
  return { loss: sum / wanted, right, wanted, answers };
}

// −log P(target), leaving (P − one-hot) / wanted as the gradient: nothing comes after a loss.
function backFromRow(row, grad, target, best, wanted) {
  let sum = 0;
  for (let j = 0; j < row.length; j++) {
    const e = exp(row[j] - row[best]);
    grad[j] = e;
    sum += e;
  }
  for (let j = 0; j < row.length; j++) grad[j] /= sum * wanted;
  grad[target] -= 1 / wanted;
  return log(sum) - (row[target] - row[best]);
}
