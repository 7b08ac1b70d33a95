// What moves the words of one translation, held against the known alignment.

import { sourceGradients } from "../../models/gradients.js";
import { sourceIds } from "../../models/stored.js";
import { linkPicture } from "../../parts/links.js";
import { linkVerdict } from "../../words/links.js";
import { numberTokens } from "../../words/spell.js";

/**
 * What a network makes of the number that is requested, in the form that the figure of
 * alignments draws: `weights[t][s]` is how far source word s moves log P of written word t, as
 * a share of the largest in its row. (The end mark is no word, and left out.)
 */
export function influencePicture(network, request) {
  const { number } = request;
  const columns = numberTokens(number, "en");
  const { words, norms } = sourceGradients(network, sourceIds(network, columns));
  const weights = norms.map((row) => inShares(row.slice(0, columns.length)));
  const picture = linkPicture({ words, weights }, { ...request, language: "de" });
  return { ...picture, columns };
}

function inShares(row) {
  const largest = Math.max(...row) || 1;
  return row.map((norm) => norm / largest);
}

/** Of how many words that have a counterpart it moves them most. */
export function influenceHits(picture) {
  const verdicts = picture.words.map((_, t) => linkVerdict(picture, t));
  const count = (verdict) => verdicts.filter((one) => one === verdict).length;
  return { hits: count("hit"), judged: count("hit") + count("miss") };
}
