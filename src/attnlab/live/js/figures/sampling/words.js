// What the sampling figure says.

import { groupDigits, joinWithAnd } from "../../words/phrases.js";

const LARGEST_SEED = 2 ** 32 - 1;
const TOKENS_NAMED = 3; // tokens that are told
const MIN_PIECES_NAMED = 2; // a word of so many pieces is told

/** 0.234 as "23%", 0.0234 as "2.3%", less than a thousandth as "<0.1%". */
export function formatProbability(share) {
  if (share > 0.9995) return "100%";
  if (share < 0.0005) return share > 0 ? "<0.1%" : "0%";
  return `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)}%`;
}

/** The seed that the text says, as { number }, or why it will not do, as { error }. */
export function parseSeed(text) {
  const typed = text.trim();
  if (/^\d{1,10}$/.test(typed) && Number(typed) <= LARGEST_SEED) return { number: Number(typed) };
  return { error: `Seed: a whole number from 0 to ${LARGEST_SEED}, please.` };
}

/** Which words of the beginning the model has to read in pieces, or "". */
export function splitWordsText({ pieces }) {
  const words = [];
  for (const piece of pieces) {
    if (piece.startsWith("-") && piece.length > 1 && words.length) words.at(-1).push(piece);
    else words.push([piece]);
  }
  const cut = words.filter((parts) => parts.length >= MIN_PIECES_NAMED);
  if (!cut.length) return "";
  const told = cut.slice(0, TOKENS_NAMED).map((parts) => `“${parts.join(" ")}”`);
  return `Words that the model does not know whole it reads in pieces: ${joinWithAnd(told)}.`;
}

/** What the bars belong to, where that is not what was asked for, or "". */
export function waitingText({ asked, shownText, loaded }) {
  if (asked === shownText || loaded) return "";
  return `The bars are those after “${shownText}”: press “Write a word” to load the model.`;
}

/** The whole picture. */
export function describeSampling({ after, names, drawn, chances, kept, ended, full }) {
  if (ended) return `The caption has come to its end: “${after}”`;
  const told = names.slice(0, Math.min(TOKENS_NAMED, kept)).map((name, i) => {
    return `“${name}” (${formatProbability(drawn[i])})`;
  });
  const begins = after ? `After “${after}”` : "At the beginning";
  const all = chances.length;
  let held = 0;
  for (let i = 0; i < kept; i++) held += chances[i];
  const from =
    kept === all
      ? `It is drawn from all ${groupDigits(all)} tokens.`
      : `It is drawn from ${groupDigits(kept)} of ${groupDigits(all)} tokens, `
        + `which hold ${formatProbability(held)} of the probability.`;
  const stops = full ? " The caption is as long as the figure lets it be." : "";
  return `${begins} comes most likely ${joinWithAnd(told)}. ${from}${stops}`;
}
