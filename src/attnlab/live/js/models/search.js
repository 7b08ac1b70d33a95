// From a Transformer to a translation: beam search, as in attnlab/decoding.py. Every step
// is kept, with what it did not choose.

import { runToEnd } from "./atonce.js";
import { BOS, EOS } from "./tokens.js";
import { readToken } from "./transformer.js";

/**
 * The `width` most probable beginnings at every step: 1 is greedy search. One that ends
 * with EOS leaves the beam, and its place is not filled again (Sutskever et al. 2014,
 * section 3.2). `prefix` holds the target's first tokens, where somebody else has chosen
 * them; `heads` says who speaks (see `Transformer`).
 *
 * The score of a beginning of `length` tokens is its log-probability divided by
 * ((5 + length) / 6)^lengthPenalty (Wu et al. 2016, eq. 14).
 *
 * Returns { hypotheses, encoded, written, steps }. Hypotheses, the best first: { tokens,
 * score, logProb, finished, read }, not finished if maxLength cut them off; `read` is what
 * `model.attentionOf` makes their maps of. `written` holds the log-probabilities of all
 * tokens where those of the prefix were read. A step has `beams`, the
 * beginnings it goes on from ({ tokens, logProb }), and `candidates`, the best first:
 * { parent, token, logProb, score, kept, finished }. They are the `alternatives` most
 * probable continuations of every beam, at least `width`. Those kept and not finished are
 * the next step's beams.
 */
export function beamSearch(model, ids, options = {}) {
  return runToEnd(beamSearchSteps(model, ids, options));
}

/** The same search as a generator, which pauses after every step. */
export function* beamSearchSteps(model, ids, options = {}) {
  const { width = 5, lengthPenalty = 1, maxLength = 100, heads = {}, prefix = [] } = options;
  const { alternatives = width } = options;
  checkSearch(maxLength, prefix);
  checkCount("width", width);
  const encoded = model.encode(ids, heads);
  yield;
  const written = [];
  const out = { hypotheses: [], encoded, written, steps: [] };
  let beams = [yield* beamAfterPrefix(model, model.start(encoded, heads), prefix, written)];
  let room = width;
  for (let length = prefix.length + 1; beams.length; length++) {
    const states = beams.map((beam) => beam.state);
    const latest = beams.map((beam) => beam.tokens.at(-1) ?? BOS);
    const nexts = model.steps(states, latest);
    const penalty = ((5 + length) / 6) ** lengthPenalty;
    const candidates = continuations(beams, nexts, Math.max(width, alternatives));
    const continuing = [];
    let endedCount = 0;
    candidates.forEach((one, place) => {
      one.score = one.logProb / penalty;
      one.kept = place < room;
      one.finished = one.token === EOS || length === maxLength;
      if (!one.kept) return;
      const { logProb, score, parent, token } = one;
      const tokens = [...beams[parent].tokens, token];
      const read = [...beams[parent].read, readToken(nexts[parent], token)];
      if (one.finished) {
        endedCount += 1;
        out.hypotheses.push({ tokens, score, logProb, finished: token === EOS, read });
      } else {
        continuing.push({ tokens, logProb, read, state: nexts[parent].state });
      }
    });
    const shown = beams.map(({ tokens, logProb }) => ({ tokens, logProb }));
    out.steps.push({ beams: shown, candidates });
    beams = continuing;
    room -= endedCount;
    yield;
  }
  out.hypotheses.sort((a, b) => b.score - a.score);
  return out;
}

// Of every beam the `count` most probable next tokens; all together, the best first.
function continuations(beams, nexts, count) {
  const candidates = beams.flatMap((beam, parent) => {
    const { logProbs } = nexts[parent];
    return mostProbable(logProbs, count).map((token) => ({
      parent,
      token,
      logProb: beam.logProb + logProbs[token],
    }));
  });
  return candidates.sort((a, b) => b.logProb - a.logProb);
}

// The one beginning that a search with a prefix starts from.
function* beamAfterPrefix(model, state, prefix, written) {
  let logProb = 0;
  const read = [];
  for (const [i, token] of prefix.entries()) {
    const step = model.step(state, i ? prefix[i - 1] : BOS);
    ({ state } = step);
    logProb += step.logProbs[token];
    read.push(readToken(step, token));
    written.push(step.logProbs);
    yield;
  }
  return { tokens: [...prefix], logProb, read, state };
}

/** The places of the `count` largest numbers, the largest first. */
export function mostProbable(logProbs, count) {
  const best = [];
  for (let i = 0; i < logProbs.length; i++) {
    if (best.length === count && !(logProbs[i] > logProbs[best[count - 1]])) continue;
    let place = best.length;
    while (place > 0 && logProbs[i] > logProbs[best[place - 1]]) place -= 1;
    best.splice(place, 0, i);
    if (best.length > count) best.pop();
  }
  return best;
}

function checkSearch(maxLength, prefix) {
  checkCount("maxLength", maxLength);
  if (prefix.length >= maxLength) {
    throw new RangeError(
      `A beginning of ${prefix.length} tokens leaves no room: at most ${maxLength}.`,
    );
  }
  if (prefix.includes(EOS)) throw new RangeError("The beginning has an end in it.");
}

function checkCount(name, count) {
  if (Number.isInteger(count) && count >= 1) return;
  throw new RangeError(`${name} must be a whole number from 1, not ${count}.`);
}
