// One sentence through the translator: what the search did at every step, what came out of
// it, and where every head looked. What is stored in the page has the same form.

import { mostProbable, beamSearchSteps } from "../../models/search.js";
import { WORD_MARK } from "../../models/subwords.js";
import { EOS, UNK } from "../../models/tokens.js";

export const MAP_KINDS = ["encoder", "decoder", "cross"];
export const UNKNOWN_SIGN = "□"; // stands for a character that the model cannot write
const DROPPED_BY_GREEDY = 5; // beginnings thrown away at a step that are shown

/** [kind, layer, head] of every head. */
export function listHeads({ num_layers: layers, num_heads: heads }) {
  return MAP_KINDS.flatMap((kind) =>
    Array.from({ length: layers * heads }, (_, i) => [kind, Math.floor(i / heads), i % heads]),
  );
}

/** A piece of a word as it is shown: "▁sing" begins a word, "ing" goes on with one. */
export function shownPiece(token) {
  if (token === "<eos>") return "end";
  if (token === WORD_MARK) return token;
  return token.startsWith(WORD_MARK) ? token.slice(1) : `-${token}`;
}

/**
 * Translate, as a generator that pauses after every step. `read` is what `translator.read`
 * made of the sentence, `prefix` are ids, `off` is a list of heads, and `limits` are Python's.
 *
 * Returns { pieces, ids, off, search: { steps, hypotheses } }; a hypothesis is { tokens,
 * logProb, maps }, whose tokens are characters and null for the end, and whose maps come
 * when they are asked for: { encoder, decoder, cross: [layer][head], logProbs }.
 */
export function* translateText(translator, read, { width, prefix, off, limits }) {
  const { model } = translator;
  const heads = headSwitches(model.config, off);
  const dropped = width === 1 ? DROPPED_BY_GREEDY : limits.dropped;
  const found = yield* beamSearchSteps(model, read.ids, {
    width,
    prefix,
    heads,
    lengthPenalty: 0,
    maxLength: limits.written,
    alternatives: width + dropped,
  });
  const steps = [
    ...prefixSteps(translator, prefix, found.written, limits.dropped),
    ...searchSteps(translator, found.steps, prefix.length, dropped),
  ];
  const hypotheses = found.hypotheses.map(({ tokens, logProb, read: looks }) => {
    let maps = null;
    return {
      tokens: tokens.map((id) => characterOf(translator, id)),
      logProb,
      get maps() {
        return (maps ??= model.attentionOf(found.encoded, looks));
      },
    };
  });
  return { pieces: read.tokens.map(shownPiece), ids: read.ids, off, search: { steps, hypotheses } };
}

/** Wu et al. 2016, eq. 14; the length counts the end. */
export function lengthDivisor(length, alpha) {
  return ((5 + length) / 6) ** alpha;
}

/** A hypothesis' score with the length penalty α. */
export function penalizedScore({ tokens, logProb }, alpha) {
  return logProb / lengthDivisor(tokens.length, alpha);
}

/** The hypotheses of a run, the best first. */
export function rankHypotheses({ search }, alpha) {
  return [...search.hypotheses].sort((a, b) => penalizedScore(b, alpha) - penalizedScore(a, alpha));
}

/** The tokens that lead to a candidate of a step, the first one first. */
export function candidatePrefix({ steps }, step, rank) {
  const tokens = [];
  for (let i = step; i >= 0 && rank >= 0; i--) {
    const one = steps[i].candidates[rank];
    tokens.unshift(one.token);
    rank = one.parent;
  }
  return tokens;
}

/**
 * How the log-probability of a translation changes if this head alone is silent, as a
 * generator that pauses after every step.
 */
export function* ablationChange(translator, ids, { tokens, logProb }, head) {
  const { model, target } = translator;
  const known = tokens.map((token) => idOf(target, token));
  const { logProbs } = yield* model.attending(ids, known, headSwitches(model.config, [head]));
  return logProbs.reduce((sum, x) => sum + x, 0) - logProb;
}

/** The ids of what the reader wrote, and the characters that the model does not know. */
export function readPrefix(translator, text) {
  const { ids, unknown } = translator.target.encode(text);
  return { ids, unknown: unknown.filter((one) => one !== UNKNOWN_SIGN) };
}

function headSwitches({ num_layers: layers, num_heads: heads }, off) {
  const allOn = () => Array.from({ length: layers }, () => Array(heads).fill(true));
  const active = Object.fromEntries(MAP_KINDS.map((kind) => [kind, allOn()]));
  for (const [kind, layer, head] of off) active[kind][layer][head] = false;
  return active;
}

function characterOf({ target }, id) {
  if (id === EOS) return null;
  return id === UNK ? UNKNOWN_SIGN : target.tokens[id];
}

function idOf(target, token) {
  if (token === null) return EOS;
  return token === UNKNOWN_SIGN ? UNK : target.encode(token).ids[0];
}

// The steps of what the reader wrote, with what the model would have preferred: `logProbs`
// has those of all tokens, step by step.
function prefixSteps(translator, prefix, logProbs, dropped) {
  let before = 0;
  return prefix.map((id, t) => {
    const preferred = mostProbable(logProbs[t], dropped + 1).filter((other) => other !== id);
    const makeCandidate = (token, fate) => ({
      token: characterOf(translator, token),
      parent: t === 0 ? -1 : 0,
      logProb: logProbs[t][token],
      total: before + logProbs[t][token],
      fate,
    });
    const candidates = [
      makeCandidate(id, "written"),
      ...preferred.slice(0, dropped).map((other) => makeCandidate(other, "dropped")),
    ];
    before += logProbs[t][id];
    return { candidates, room: 1 };
  });
}

// The steps of the search proper. A step's beams are what the step before kept and did not
// finish; here parents are counted among all its candidates.
function searchSteps(translator, steps, written, dropped) {
  let alive = [written ? 0 : -1];
  return steps.map(({ beams, candidates }) => {
    const room = candidates.filter(({ kept }) => kept).length;
    const shown = candidates.slice(0, room + dropped);
    const parents = alive;
    alive = shown.flatMap(({ kept, finished }, rank) => (kept && !finished ? [rank] : []));
    return {
      room,
      candidates: shown.map(({ parent, token, logProb, kept, finished }) => ({
        token: characterOf(translator, token),
        parent: parents[parent],
        logProb: logProb - beams[parent].logProb,
        total: logProb,
        fate: !kept ? "dropped" : finished && token === EOS ? "ended" : "kept",
      })),
    };
  });
}
