// What two networks predict, whole and with something cut.

import { softmax } from "../../math/tensor.js";
import { predictWords } from "../../models/seq2seq.js";
import { sourceIds } from "../../models/stored.js";
import { BOS, EOS } from "../../models/tokens.js";
import { numberTokens } from "../../words/spell.js";

export const END_WORD = "end";

/**
 * `networks` are the plain one and the attentive one; `request` is { number, cut, place }.
 * Returns the request with `place` null where there is nothing to cut; `source`, the English
 * words and the end; `gone`, for each of them whether the sentence has lost it; `seen`,
 * whether attention may see it; and of each network the predicted `words`.
 */
export function predictAfterCut([plain, attentive], request) {
  const { number, cut } = request;
  const words = numberTokens(number, "en");
  const source = [...words, END_WORD];
  const place = canCut(request, source.length) ? request.place : null;
  const gone = source.map((_, j) => cut === "word" && j === place);
  const seen = source.map((_, j) => isVisible(cut, place, j));
  const truth = numberTokens(number, "de");
  const left = words.filter((_, j) => !gone[j]);
  const told = { words, left: left.length < words.length ? left : words, truth };
  return {
    ...request,
    ...{ place, source, gone, seen },
    plain: predictWith(plain, told, null),
    attentive: padWeights(predictWith(attentive, told, cut === "word" ? null : seen), gone),
  };
}

// The end mark is no word of the sentence: attention may lose it, the sentence may not.
function canCut({ cut, place }, length) {
  return place !== null && place < (cut === "word" ? length - 1 : length);
}

function isVisible(cut, place, j) {
  if (place === null) return true;
  return cut === "others" ? j === place : j !== place;
}

/**
 * For every German word and the end { wanted, before, after, chances, weights, whole }: the
 * right word, what is predicted of the whole sentence and of what is left, the right word's
 * probability in both, and the weights, cut and whole.
 */
function predictWith(network, { words, left, truth }, seen) {
  const given = [BOS, ...truth.map((word) => network.tgtTokens.indexOf(word))];
  const wanted = [...given.slice(1), EOS];
  const whole = predictUncut(network, words, given);
  const same = left === words && (seen === null || !seen.includes(false));
  const cut = same ? whole : predictWords(network, sourceIds(network, left), given, seen);
  const wordOfToken = (id) => (id === EOS ? END_WORD : network.tgtTokens[id]);
  return wanted.map((id, t) => ({
    wanted: wordOfToken(id),
    before: wordOfToken(whole[t].token),
    after: wordOfToken(cut[t].token),
    chances: [whole, cut].map((run) => softmax(run[t].logits)[id]),
    whole: whole[t].weights,
    weights: cut[t].weights,
  }));
}

// What a network predicts of a whole sentence is kept: the next cut needs it again.
const uncutPredictions = new WeakMap();

function predictUncut(network, words, given) {
  const sentence = words.join(" ");
  if (uncutPredictions.get(network)?.sentence !== sentence) {
    const run = predictWords(network, sourceIds(network, words), given);
    uncutPredictions.set(network, { sentence, run });
  }
  return uncutPredictions.get(network).run;
}

// The weights by place in the whole sentence: 0 for the word that is gone.
function padWeights(predicted, gone) {
  return predicted.map((word) => {
    const left = [...word.weights];
    return { ...word, weights: gone.map((lost) => (lost ? 0 : left.shift())) };
  });
}

/** "kept", "lost" (right before, wrong now), "found", "other" (another slip) or "slip". */
export function classifyChange({ wanted, before, after }) {
  if (after === before) return after === wanted ? "kept" : "slip";
  if (after === wanted) return "found";
  return before === wanted ? "lost" : "other";
}
