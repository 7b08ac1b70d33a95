// The links of a translation's words to those of its source, and what is said of them. A
// `picture` is what parts/links.js makes.

import { quoted } from "./phrases.js";

export const ALIGNMENT_LANGUAGES = { de: "German", fr: "French", da: "Danish", ja: "Japanese" };

export function isGold({ gold }, t, s) {
  return gold !== null && gold.some(([i, j]) => i === t && j === s);
}

/** "hit", "miss" or "free": is the strongest link of word t a known one? */
export function linkVerdict(picture, t) {
  if (!countLinks(picture, t)) return "free";
  return isGold(picture, t, picture.strongest[t]) ? "hit" : "miss";
}

// How many words word t is known to be linked to.
function countLinks({ gold }, t) {
  return gold === null ? 0 : gold.filter(([i]) => i === t).length;
}

/**
 * Och and Ney's alignment error rate of this number, as attnlab.data computes it: A links
 * each word that has a counterpart to the word it looks at most, P are the known links, S
 * those of words that have only one; 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|).
 */
export function alignmentErrors(picture) {
  const judged = picture.words.map((_, t) => t).filter((t) => countLinks(picture, t) > 0);
  const hits = judged.filter((t) => linkVerdict(picture, t) === "hit");
  const countSingle = (list) => list.filter((t) => countLinks(picture, t) === 1).length;
  const rate = 1 - (countSingle(hits) + hits.length) / (judged.length + countSingle(judged));
  return { hits: hits.length, judged: judged.length, rate };
}

export function languageName(code) {
  return ALIGNMENT_LANGUAGES[code];
}

/** One weight: "0.93, the strongest, known alignment". */
export function linkText(picture, t, s) {
  const parts = [picture.weights[t][s].toFixed(2)];
  if (s === picture.strongest[t]) parts.push("the strongest");
  if (isGold(picture, t, s)) parts.push("known alignment");
  return parts.join(", ");
}

/** The same with its two words. */
export function linkWithWords(picture, t, s) {
  const [word, column] = [quoted(picture.words, t), quoted(picture.columns, s)];
  return `${word} → ${column}: ${linkText(picture, t, s)}`;
}

export function alignmentKey({ gold }) {
  const order = "The fuller a cell, the more weight. Dashed: straight on, word for word.";
  return gold === null
    ? `${order} • where a word looks most.`
    : `${order} Outlined: the known counterpart. `
        + "Where a word looks most: ✓ there, ✗ elsewhere, • it has none.";
}
