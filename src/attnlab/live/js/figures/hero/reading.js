// What the model at the top of the book makes of a number.

import { translate } from "../../models/seq2seq.js";
import { sourceIds } from "../../models/stored.js";
import { alignTokens } from "../../words/compare.js";
import { numberTokens } from "../../words/spell.js";

export const HERO_END = "end"; // the mark after the last English word, which is read as well
export const HERO_MIN_WEIGHT = 0.04; // a weight below this is not shown: they would all be a haze

/**
 * A translation with its words by kind, "source" (the end mark last) and "target", its
 * `weights` by target and source word, and the `marks` of where it departs from the truth.
 */
export function heroReading(network, number) {
  const english = numberTokens(number, "en");
  const { words: target, weights } = translate(network, sourceIds(network, english));
  const source = [...english, HERO_END];
  const marks = alignTokens(target, numberTokens(number, "de"));
  return { number, words: { source, target }, weights, marks };
}

/** The weight between the chosen word, { kind, index }, and a word of the other line. */
export function heroShare({ weights }, { kind, index }, other) {
  return kind === "target" ? weights[index][other] : weights[other][index];
}
