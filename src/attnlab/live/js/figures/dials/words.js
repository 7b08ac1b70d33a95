// What the dials and the scores are told as.

import { counted, plainNumber, twoDecimals } from "../../words/phrases.js";

/** How many hands have left their arcs, and how the keys beyond training score. */
export function dialsInWords({ position }, hands, scores, beyond) {
  const out = hands.filter((hand) => hand.out).length;
  const where = out
    ? `${out} of ${hands.length} hands stand where training has put none`
    : "every hand stands where training has had it";
  return `At ${position}, ${where}. ${keysText(scores, beyond)}`;
}

function keysText(scores, { far, higher, lower, least, most }) {
  const range = `${twoDecimals(least)} to ${twoDecimals(most)}`;
  if (far.length === 0) return `No key is farther back than in training; scores there: ${range}.`;
  const are = far.length === 1 ? "is" : "are";
  const best = far.reduce((a, b) => (scores[b] > scores[a] ? b : a));
  return (
    `${counted(far.length, "key")} ${are} farther back than in training: ${higher.length} above `
    + `and ${lower.length} below all scores it met (${range}), `
    + `the best ${twoDecimals(scores[best])} at ${best} back.`
  );
}

/** 229.183 as "229°", 7.162 as "7.2°". */
export function degreesText(angle) {
  return `${plainNumber(angle, angle < 100 ? 2 : 3)}°`;
}
