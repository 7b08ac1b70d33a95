// One step of attention in words.

import { joinWithAnd, formatNumber, twoDecimals } from "../../words/phrases.js";
import { stateNames } from "./wiring.js";

export const STEP_NAMES = ["encode", "score", "weigh", "mix", "predict"];
const STEP_FIVE = {
  bahdanau: "update and predict",
  luong: "predict and update",
  feeding: "predict and update",
};

/** A vector of the plane: as it is, or with so many decimals. */
export function pairText(vector, decimals = null) {
  const formatCoordinate = (x) => (decimals === null ? formatNumber(x) : twoDecimals(x));
  return `(${[...vector].map(formatCoordinate).join(", ")})`;
}

/** The step that is shown, with its numbers. */
export function describeStep(shown, numbers) {
  const tell = [describeEncode, describeScore, describeWeights, describeContext, describeUpdate][
    shown.step - 1
  ];
  const name = shown.step === 5 ? STEP_FIVE[shown.wiring] : STEP_NAMES[shown.step - 1];
  return `Step ${shown.step}, ${name}: ${tell(shown, numbers)}`;
}

function describeEncode({ wiring, query }, { words, memory }) {
  const states = memory.map((h, j) => `${words[j]} ${pairText(h)}`);
  return (
    `the encoder has read the words once and keeps a state for each: ${joinWithAnd(states)}. `
    + `The decoder’s state ${stateNames(wiring).asks} is ${pairText(query)}.`
  );
}

function describeScore({ wiring, query, scores }, { words, memory }) {
  const { asks } = stateNames(wiring);
  const age = wiring === "bahdanau" ? "old" : "new";
  const top = scores.indexOf(Math.max(...scores));
  const products = query.map((x, axis) => `${formatNumber(x)}·${formatNumber(memory[top][axis])}`);
  const sum = products.join(" + ").replaceAll("+ −", "− ");
  return (
    `the ${age} state ${asks} = ${pairText(query)} asks, by dot products: `
    + `${listPairs(words, scores.map(twoDecimals))}. For ${words[top]}: `
    + `${sum} = ${twoDecimals(scores[top])}.`
  );
}

function describeWeights({ scores, weights }, { words }) {
  const top = scores.indexOf(Math.max(...scores));
  const texts = weights.map((weight) => weight.toFixed(2));
  const shares = listPairs(words, texts);
  return (
    `the softmax makes shares of the scores: ${shares}. `
    + `Together they are 1; ${words[top]} gets most.`
  );
}

function describeContext({ weights, context }, { memory }) {
  const terms = memory.map((h, j) => `${weights[j].toFixed(2)}·${pairText(h)}`);
  const sum = `${terms.join(" + ")} ≈ ${pairText(context, 2)}`;
  return `the memory in these shares is the context: ${sum}.`;
}

function describeUpdate(shown, numbers) {
  const { wiring, mixed, nextState, probabilities, best } = shown;
  const { next } = stateNames(wiring);
  const said = `“${numbers.outputs[best]}” (${probabilities[best].toFixed(2)})`;
  const made = `${next} = ${pairText(nextState, 2)}`;
  if (wiring === "bahdanau") {
    return (
      `the cell makes ${made} of the old state, yₜ₋₁ and the context. Context and `
      + `new state give h̃ₜ = ${pairText(mixed, 2)}, and that the next word, ${said}.`
    );
  }
  const fed = wiring === "feeding" ? ", and of h̃ₜ" : "";
  return (
    `context and state give h̃ₜ = ${pairText(mixed, 2)}, and that the next word, ${said}. `
    + `Then the cell makes ${made} of the state and that word${fed}.`
  );
}

function listPairs(words, values) {
  return joinWithAnd(words.map((word, j) => `${word} ${values[j]}`));
}
