// What the translator figure says: functions of what it shows.

import { indicesOfLargest, joinWithAnd, percent, twoDecimals } from "../../words/phrases.js";
import { candidatePrefix, penalizedScore } from "./run.js";

export const CHINESE = "zh-Hans"; // the language of what is written
const MAX_HEADS_NAMED = 4; // more than this many are not named one by one
const MIN_RARE_PIECES = 3; // of a word that the model does not know as a whole

// Names ------------------------------------------------------------------------------------

/** "cross 1.2": head 2 of layer 1. */
export function mapName([kind, layer, head]) {
  return `${kind} ${layer + 1}.${head + 1}`;
}

/** The tokens at the side and at the top of a kind of map. */
export function mapAxes(kind, { run, best }) {
  const written = best.tokens.map(shownToken);
  if (kind === "encoder") return [run.pieces, run.pieces];
  return [written, kind === "cross" ? run.pieces : ["start", ...written.slice(0, -1)]];
}

export function shownToken(token) {
  return token === null ? "end" : token;
}

/** The text of a hypothesis' tokens, of which the end is null. */
export function joinTokens(tokens) {
  return tokens.filter((token) => token !== null).join("");
}

/** What a logarithm of a probability is in percent: "93%", or "<1%". */
export function sharePercent(logProb) {
  const share = Math.exp(logProb);
  return share < 0.005 ? "<1%" : percent(share);
}

/** The heads that are silent, if they are few by name: "cross 1.2 and cross 2.1". */
export function ablatedHeads({ run: { off } }) {
  return joinWithAnd(off.length > MAX_HEADS_NAMED ? [`${off.length} heads`] : off.map(mapName));
}

/** "score −1.25" */
export function hypothesisScore(hypothesis, alpha) {
  return `score ${twoDecimals(penalizedScore(hypothesis, alpha))}`;
}

// What is wrong with what is typed, or "" --------------------------------------------------

/** `pieces` is how many the model cuts the text into; `most` has { letters, pieces }. */
export function textError(text, pieces, most) {
  if (!/[\p{L}\p{N}]/u.test(text)) return "Please type an English sentence.";
  const long = "This sentence is too long";
  if (text.length > most.letters) {
    return `${long}: it has ${text.length} letters, and ${most.letters} are the most.`;
  }
  if (pieces <= most.pieces) return "";
  return (
    `${long}: it is cut into ${pieces} pieces, and the longest that the model has learned `
    + `from has ${most.pieces}.`
  );
}

/** `most` has its { length }, and how many `characters` the model knows. */
export function prefixError(prefix, unknown, most) {
  if ([...prefix].length > most.length) return `A beginning has at most ${most.length} characters.`;
  if (!unknown.length) return "";
  const signs = joinWithAnd(unknown.map((one) => `“${one}”`));
  return `The model does not know ${signs}: it writes ${most.characters} characters of Chinese.`;
}

// Notes ------------------------------------------------------------------------------------

/**
 * What the reader has to know before the picture is read, or "". `waits` says whether the
 * request waits for the model, `stored` is what is shown meanwhile.
 */
export function statusText({ failure, waits, loaded, stored, whole }) {
  const lines = [failure];
  if (waits) {
    lines.push(
      `The picture still shows “${stored.text}”. Load the model to see what you asked for.`,
    );
  } else if (loaded) lines.push(unknownNote(whole.unknown), rareNote(whole.pieces));
  else lines.push("This came with the page.");
  return lines.filter(Boolean).join(" ");
}

function unknownNote(unknown) {
  if (!unknown.length) return "";
  const signs = joinWithAnd(unknown.map((one) => `“${one}”`));
  return `The model does not know ${signs}: it reads an unknown sign there.`;
}

// What is cut into pieces the model has hardly met.
function rareNote(pieces) {
  const words = [];
  for (const piece of pieces.slice(0, -1)) {
    if (piece.startsWith("-") && piece.length > 1 && words.length) {
      words.at(-1).push(piece.slice(1));
    } else words.push([piece]);
  }
  const rare = words
    .filter((parts) => parts.length >= MIN_RARE_PIECES)
    .map((parts) => `“${parts.join("")}” in ${parts.length}`);
  return rare.length ? `The model has no word for it and reads ${joinWithAnd(rare)} pieces.` : "";
}

// The whole picture ------------------------------------------------------------------------

/** What a `translateScene` shows, but the sentence itself. */
export function describeTranslate(scene) {
  const { request, run, alpha, best, full } = scene;
  const how = request.width === 1 ? "greedily" : `by a beam of width ${request.width}`;
  const heads = `without head${run.off.length > 1 ? "s" : ""} ${joinWithAnd(run.off.map(mapName))}`;
  const becomes = `“${request.text}” becomes “${joinTokens(best.tokens)}”`;
  return [
    `${becomes}${run.off.length ? ` ${heads}` : ""}, ${how}, ${hypothesisScore(best, alpha)}.`,
    request.prefix && `It had to begin with “${request.prefix}”.`,
    run.off.length
      && `With all heads it is “${joinTokens(full.tokens)}”, ${hypothesisScore(full, alpha)}.`,
    scene.view === "heads" ? describeHead(scene) : describeSearch(scene),
  ]
    .filter(Boolean)
    .join(" ");
}

/** The row of the chosen head's map that is chosen: its weights. */
export function chosenWeights({ best, chosen: [kind, layer, head], rows, ...scene }) {
  const count = mapAxes(kind, { best, ...scene })[1].length;
  return best.maps[kind][layer][head].slice(rows[kind] * count, (rows[kind] + 1) * count);
}

function describeHead(scene) {
  const [kind] = scene.chosen;
  const [rows, columns] = mapAxes(kind, scene);
  const weights = chosenWeights(scene);
  const top = indicesOfLargest(weights, 0.05).map(
    (j) => `“${columns[j]}” (${percent(weights[j])})`,
  );
  const name = rows[scene.rows[kind]];
  const doing = kind === "encoder" ? `From “${name}”` : `To write “${name}”`;
  return `${doing} head ${mapName(scene.chosen)} looks most at ${joinWithAnd(top)}.`;
}

function describeSearch({ run: { search }, step, total }) {
  const describeCandidate = (one, rank) => {
    const tokens = candidatePrefix(search, step - 1, rank);
    return `“${tokens.map(shownToken).join("")}” (${twoDecimals(one.total)})`;
  };
  const countFates = (...fates) =>
    search.steps[step - 1].candidates.flatMap((one, rank) =>
      fates.includes(one.fate) ? [describeCandidate(one, rank)] : [],
    );
  const parts = [
    ["kept", countFates("kept", "written")],
    ["finished", countFates("ended")],
    ["dropped", countFates("dropped")],
  ];
  const all = parts
    .filter(([, list]) => list.length)
    .map(([what, list]) => `${what} ${joinWithAnd(list)}`);
  return `Step ${step} of ${total}: ${all.join("; ")}.`;
}
