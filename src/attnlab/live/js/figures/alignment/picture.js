// A translation, its weights, and the known alignment that they are held against.

import { translate } from "../../models/seq2seq.js";
import { sourceIds } from "../../models/stored.js";
import { compareTokens } from "../../words/compare.js";
import { goldLinks, numberTokens } from "../../words/spell.js";

/**
 * What a model makes of the number that is wished for: `weights` by written word and by
 * column, an English word or the end; `truth` and the number of `slips` against it; `gold`,
 * the links that are known, null if there are slips; the `strongest` column of every word.
 */
export function alignmentPicture(network, wish) {
  const { number, language } = wish;
  const source = numberTokens(number, "en");
  const { words, weights } = translate(network, sourceIds(network, source));
  const truth = numberTokens(number, language);
  const slips = compareTokens(words, truth).filter((mark) => mark.kind !== "right").length;
  const gold = slips ? null : goldLinks(number, "en", language);
  const strongest = words.map((_, t) => weights[t].indexOf(Math.max(...weights[t])));
  return { ...wish, columns: [...source, "end"], words, weights, truth, slips, gold, strongest };
}

export function isGold({ gold }, t, s) {
  return gold !== null && gold.some(([i, j]) => i === t && j === s);
}

/** "hit", "miss" or "free": is the strongest link of word t a known one? */
export function linkVerdict(picture, t) {
  if (!linksOf(picture, t)) return "free";
  return isGold(picture, t, picture.strongest[t]) ? "hit" : "miss";
}

// How many words word t is known to be linked to.
function linksOf({ gold }, t) {
  return gold === null ? 0 : gold.filter(([i]) => i === t).length;
}

/**
 * Och and Ney's alignment error rate of this number, as attnlab.data computes it: A links
 * each word that has a counterpart to the word it looks at most, P are the known links, S
 * those of words that have only one; 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|).
 */
export function alignmentErrors(picture) {
  const judged = picture.words.map((_, t) => t).filter((t) => linksOf(picture, t) > 0);
  const hits = judged.filter((t) => linkVerdict(picture, t) === "hit");
  const single = (list) => list.filter((t) => linksOf(picture, t) === 1).length;
  const rate = 1 - (single(hits) + hits.length) / (judged.length + single(judged));
  return { hits: hits.length, judged: judged.length, rate };
}
