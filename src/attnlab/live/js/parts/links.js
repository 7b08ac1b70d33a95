// A translation, its weights, and the known alignment that they are held against.

import { translate } from "../models/seq2seq.js";
import { sourceIds } from "../models/stored.js";
import { alignTokens } from "../words/compare.js";
import { goldLinks, numberTokens } from "../words/spell.js";

/** Translate the number of a request and return its `linkPicture`. */
export function alignmentPicture(network, request) {
  const source = numberTokens(request.number, "en");
  return linkPicture(translate(network, sourceIds(network, source)), request);
}

/**
 * A translation of the number that was requested, to look at: `weights` by written word and
 * by column, an English word or the end; `truth` and the `marks` that compare the words with
 * it, `slips` of them wrong; `gold`, the links that are known, null if there are slips; the
 * `strongest` column of every word.
 */
export function linkPicture({ words, weights }, request) {
  const { number, language } = request;
  const columns = [...numberTokens(number, "en"), "end"];
  const truth = numberTokens(number, language);
  const marks = alignTokens(words, truth);
  const slips = marks.filter((mark) => mark.kind !== "right").length;
  const gold = slips ? null : goldLinks(number, "en", language);
  const strongest = words.map((_, t) => weights[t].indexOf(Math.max(...weights[t])));
  return { ...request, columns, words, weights, truth, marks, slips, gold, strongest };
}
