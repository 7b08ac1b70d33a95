// What the figure of cut wires says.

import {
  capitalized,
  groupDigits,
  indicesOfLargest,
  joinWithAnd,
  quoted,
} from "../../words/phrases.js";
import { END_WORD, classifyChange } from "./reading.js";

const MIN_NAMED_WEIGHT = 0.05; // a weight below this is not told
const CUT_QUESTIONS = {
  word: "Choose an English word to delete.",
  weight: "Choose an English word, or a ribbon, to cut its weight.",
  others: "Choose the English word whose weight alone is kept.",
};

/** All that the picture shows. */
export function describeCut(reading, request) {
  if (reading.place === null) return `${cannotCutText(request)}${describeWhole(reading)}`;
  return `${cutName(reading)} ${effectsText(reading)}`;
}

function cannotCutText({ cut, place }) {
  if (place === null) return "";
  return cut === "word"
    ? "The end mark is no word that could be deleted: nothing is cut. "
    : "There is no such word: nothing is cut. ";
}

function describeWhole({ number, score, cut, plain, attentive }) {
  const describeNetwork = (name, words) => {
    const slips = words.filter((word) => classifyChange(word) === "slip");
    return `${name} ${slips.length ? slipText(slips) : "every part is right"}`;
  };
  return (
    `${groupDigits(number)}, nothing cut: ${describeNetwork("without attention", plain)}, `
    + `${describeNetwork(`with it, by ${score},`, attentive)}. ${CUT_QUESTIONS[cut]}`
  );
}

function slipText(slips) {
  return joinWithAnd(slips.map(({ wanted, after }) => `“${after}” stands for “${wanted}”`));
}

function cutName({ cut, source, place }) {
  const word = quoted(source, place);
  if (cut === "word") return `${capitalized(word)} is deleted.`;
  return cut === "weight"
    ? `The weight to ${word} is 0 at every step.`
    : `Only the weight to ${word} is left.`;
}

function effectsText({ cut, score, plain, attentive }) {
  const without = cut === "word" ? changesText(plain) : "there is no such weight";
  return `With attention by ${score} ${changesText(attentive)}. Without attention ${without}.`;
}

function changesText(words) {
  const changed = words.filter(({ before, after }) => before !== after);
  if (!changed.length) return "nothing changes";
  const [{ before, after }] = changed;
  const rest = changed.length - 1;
  const first = `“${before}” becomes “${after}”${rest ? ` and ${rest} more` : ""}`;
  return `${changed.length} of ${words.length} parts ${rest ? "change" : "changes"}: ${first}`;
}

/** Where the attentive network looks to predict word t, before and after the cut. */
export function lookText({ source, place, attentive }, t) {
  const { wanted, whole, weights, chances } = attentive[t];
  const [before, after] = chances.map((chance) => chance.toFixed(2));
  const what = wanted === END_WORD ? "the end" : `“${wanted}”`;
  if (place === null)
    return `For ${what} it looks at ${topText(source, whole)}; probability ${before}.`;
  return (
    `For ${what} it looked at ${topText(source, whole)}, and now at ${topText(source, weights)}; `
    + `its probability ${before === after ? `stays ${after}` : `goes from ${before} to ${after}`}.`
  );
}

function topText(source, weights) {
  const top = indicesOfLargest(weights, MIN_NAMED_WEIGHT);
  return joinWithAnd(top.map((j) => `${quoted(source, j)} ${weights[j].toFixed(2)}`));
}
