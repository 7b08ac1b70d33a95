// What the figure of six scores says.

import { alignmentErrors } from "../../words/links.js";
import { groupDigits, joinWithAnd, quoted } from "../../words/phrases.js";
import { detokenize } from "../../words/spell.js";

/** "scaled dot" */
export function scoreName(score) {
  return score.replace("_", " ");
}

export function loadName(megabytes) {
  return `Translate it (loads ${megabytes} MB)`;
}

/** "✗ 2", the mistakes in this number. */
export function slipText({ slips }) {
  return slips ? `✗\uFE0E ${slips}` : "";
}

/** All six maps. */
export function describeScores({ scores, pictures }) {
  const rates = scores.map((score, at) => {
    const { slips } = pictures[at];
    return `${scoreName(score)} ${slips ? "none" : alignmentErrors(pictures[at]).rate.toFixed(2)}`;
  });
  return `Alignment error rate: ${joinWithAnd(rates)}. ${describeSlips(scores, pictures)}`;
}

/** What the large map is of. */
export function describeLarge({ number, seed }, score, row) {
  const what = row === null ? `${groupDigits(number)}, seed ${seed}, ` : "";
  return `${what}${scoreName(score)} large.`;
}

function describeSlips(scores, pictures) {
  const wrong = scores.filter((_, at) => pictures[at].slips);
  if (!wrong.length) return "All six translations are right.";
  const { truth, language } = pictures[0];
  const who = wrong.length === scores.length ? "All six" : joinWithAnd(wrong.map(scoreName));
  const verb = wrong.length === 1 ? "translates" : "translate";
  return `${who} ${verb} it wrongly: it should be “${detokenize(truth, language)}”.`;
}

/** One written word of the large map, and where all six look to write it. */
export function describeWord({ scores, pictures }, { words, columns }, row) {
  const places = new Map(); // column → the scores that look there most
  const others = [];
  pictures.forEach((picture, at) => {
    if (picture.words[row] !== words[row]) others.push(scoreName(scores[at]));
    else {
      const place = picture.strongest[row];
      const weight = picture.weights[row][place].toFixed(2);
      places.set(place, [...(places.get(place) ?? []), `${scoreName(scores[at])} ${weight}`]);
    }
  });
  const parts = [...places].map(([place, who]) => `${quoted(columns, place)}: ${joinWithAnd(who)}`);
  const rest = others.length ? `; ${joinWithAnd(others)} write another word there` : "";
  return `To write ${quoted(words, row)}, most weight on ${parts.join("; on ")}${rest}.`;
}
