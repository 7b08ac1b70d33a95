// What the dials and the scores are told as.

import { pluralize, groupDigits, formatNumber, twoDecimals } from "../../words/phrases.js";

/** How many hands have left their arcs, and how the keys beyond training score. */
export function describeDials({ position }, hands, scores, beyond) {
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
    `${pluralize(far.length, "key")} ${are} farther back than in training: ${higher.length} above `
    + `and ${lower.length} below all scores it met (${range}), `
    + `the best ${twoDecimals(scores[best])} at ${best} back.`
  );
}

/** What training has met of a dial. */
export function metText({ met }) {
  return met === 360 ? "met: all" : `met: ${degreesText(met)}`;
}

/** How fast a hand turns, by the positions that it takes to come round. */
export function roundText({ round }) {
  return `round: ${round < 100 ? formatNumber(round, 2) : groupDigits(Math.round(round))}`;
}

/** What a clock says of a position: how far the fastest hand has turned, and the slowest. */
export function describeClock(position, hands) {
  const [fastest, slowest] = [hands[0], hands.at(-1)];
  const round = 1 + Math.floor(position / fastest.round);
  const been = hands.filter(({ met }) => met === 360).length;
  return (
    `Position ${position}: the fastest hand is in round ${round} and stands at `
    + `${degreesText(fastest.angle)}, the slowest at ${degreesText(slowest.angle)}. `
    + `${been} of ${hands.length} have come round.`
  );
}

/** 229.183 as "229°", 7.162 as "7.2°". */
export function degreesText(angle) {
  return `${formatNumber(angle, angle < 100 ? 2 : 3)}°`;
}
