// What the figure says.

import { joinWithAnd, percent, twoDecimals } from "../../words/phrases.js";

export function vectorInWords(vector) {
  return `(${vector.map(twoDecimals).join(", ")})`;
}

/** The step that is shown, and what noise does to the answer. */
export function handInWords({ found, step, noise }, { outputs }) {
  return `${stepInWords(found, step, outputs)} ${noiseInWords(found, noise)}`;
}

function stepInWords({ words, reads, context, scores, probabilities, best }, step, outputs) {
  if (step <= words.length) {
    const { word, next } = reads[step - 1];
    const last = step === words.length ? ", the context C" : "";
    return `“${word}” is read: the state becomes ${vectorInWords(next)}${last}.`;
  }
  if (step === words.length + 1) {
    const listed = outputs.map((word, i) => `${word} ${twoDecimals(scores[i])}`);
    return `C = ${vectorInWords(context)} gives the scores ${joinWithAnd(listed)}.`;
  }
  return `The softmax makes ${outputs[best]} the likeliest, ${percent(probabilities[best])}.`;
}

function noiseInWords({ right }, noise) {
  if (noise === 0) return "No noise is added to C.";
  const size = (noise / 10).toFixed(1);
  return `With noise of ${size} added, ${right} of 100 copies of C keep the answer.`;
}
