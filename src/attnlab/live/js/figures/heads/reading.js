// What a tagger makes of the words of a number: plain data, with some heads silent or none.

import { argmax, softmax } from "../../math/tensor.js";
import { sourceIds } from "../../models/stored.js";
import { tag } from "../../models/tagger.js";
import {
  classPlace,
  placeClass,
  placeValues,
  readNumber,
  digitValuesOf,
} from "../../words/places.js";

/** All heads of a model, as [layer, head]. */
export function allHeads({ config }) {
  const { num_layers: layers, num_heads: heads } = config;
  return Array.from({ length: layers * heads }, (_, i) => [Math.floor(i / heads), i % heads]);
}

/** Head 2 of the only layer is "2", head 2 of the first of two layers "1.2". */
export function headName({ config }, [layer, head]) {
  return config.num_layers > 1 ? `${layer + 1}.${head + 1}` : String(head + 1);
}

/** Is this head among `heads`? */
export function hasHead(heads, [layer, head]) {
  return heads.some(([i, j]) => i === layer && j === head);
}

/**
 * The words and "end" as `tokens`, the `number` that they mean or null, each word's place in
 * it as `truth`, and as `whole` what the network reads with all its heads.
 */
export function computeReading(network, language, { tokens: said, number }) {
  return {
    network,
    language,
    tokens: [...said, "end"],
    number,
    truth: number === null ? [] : expectedPlaces(said, number, language),
    whole: readWithout(network, language, said, [], "zero"),
  };
}

// The places of the words of a number, also where an "and" stands that need not.
function expectedPlaces(said, number, language) {
  const worths = digitValuesOf(language);
  const known = placeValues(number, language).filter((place) => place !== null);
  return said.map((token) => (worths.has(token) ? known.shift() : null));
}

/**
 * What the network reads while the heads of `off` hand on nothing ("zero") or their mean
 * output ("mean"): the number, each token's place and how sure it is of it, all weights and
 * logits, and what goes into the last layer's sum.
 */
export function readWithout(network, language, said, off, instead) {
  const isActive = (layer, head) => !hasHead(off, [layer, head]);
  const means = instead === "mean" ? network.metadata.mean_outputs : null;
  const { logits, weights, last } = tag(network, sourceIds(network, said), isActive, means);
  const classes = logits.map(argmax);
  const places = classes.map(classPlace);
  return {
    logits,
    last,
    weights,
    places,
    number: readNumber(said, places.slice(0, -1), language), // the end is no word
    sure: logits.map((row, i) => softmax(row)[classes[i]]),
  };
}

/** Is what is read "right" or "wrong"? It is "unsaid" where no number is written so. */
export function judgeReading({ number, now }) {
  if (number === null) return "unsaid";
  return now.number === number ? "right" : "wrong";
}

export function hasDigit({ tokens, language }, index) {
  return digitValuesOf(language).has(tokens[index]);
}

/** The answer whose margin is shown: the right one, or what is read with all heads. */
export function answerOf({ number, truth, whole }, index) {
  return placeClass(number === null ? whole.places[index] : (truth[index] ?? null));
}

/** What has become of a word: is its worth another than with all heads, is it wrong? */
export function wordChange(shown, index) {
  const { number, truth, whole, now } = shown;
  if (!hasDigit(shown, index)) return { changed: false, wrong: false };
  const place = now.places[index];
  return {
    changed: place !== whole.places[index],
    wrong: number !== null && place !== truth[index],
  };
}

/** Where a head looks most from a word: the other word's index, and the weight. */
export function strongestWeight({ now }, [layer, head], from) {
  const row = now.weights[layer][head][from];
  const to = argmax(row);
  return { to, weight: row[to] };
}
