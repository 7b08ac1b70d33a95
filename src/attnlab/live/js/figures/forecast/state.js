// The state of a forecast: what is asked, what is guessed, and what is right.

import { recordStore } from "../../shell/records.js";

const QUESTION_TRAITS = [
  "id",
  "question",
  "choices",
  "scale",
  "x",
  "xlabel",
  "ylabel",
  "yrange",
  "unit",
  "step",
  "answer",
  "tolerance",
  "because",
];
const GUESS_TRAITS = ["guess", "sure", "shown"];

// What the ledger reads: what was guessed, how sure, whether right, when, and where it stands.
const FORECAST_RECORDS = recordStore("forecast");

/**
 * `asked` is fixed: the traits, with `kind`, "choice", "number" or "curve". `now()` has
 * guess, sure and shown; `change` changes them; `update(place)` shows the answer and keeps the
 * guess, with where it stands (or skips it, without a place), `forgetGuess()` forgets it.
 * `onChange` is called after every change.
 */
export function forecastState(model, signal, onChange) {
  const asked = Object.fromEntries(QUESTION_TRAITS.map((name) => [name, model.get(name)]));
  asked.kind = asked.choices.length ? "choice" : asked.x.length ? "curve" : "number";
  asked.ends = asked.kind === "curve" ? asked.yrange : asked.scale;
  let stored = true; // whether the browser keeps what it is given
  let known = null; // the record that the figure shows, as a text

  const now = () => ({
    ...Object.fromEntries(GUESS_TRAITS.map((name) => [name, model.get(name)])),
    stored,
  });
  function change(values) {
    for (const [name, value] of Object.entries(values)) model.set(name, value);
    model.save_changes();
  }
  function saveGuess(record) {
    known = JSON.stringify(record);
    stored = FORECAST_RECORDS.keep(asked.id, record);
  }
  function update(place) {
    const { guess, sure } = now();
    if (place) {
      const right = isGuessRight(asked, guess);
      saveGuess({ guess, sure, right, when: new Date().toISOString(), ...place });
      change({ shown: true });
    } else change({ guess: null, sure: null, shown: true });
  }
  function forgetGuess() {
    saveGuess(null);
    change({ guess: null, sure: null, shown: false });
  }
  // What the browser knows counts, where it fits the question as it is asked now.
  function adoptRecord() {
    const record = FORECAST_RECORDS.find(asked.id);
    if (JSON.stringify(record) === known) return;
    known = JSON.stringify(record);
    if (!record) {
      change({ guess: null, sure: null, shown: false });
      return;
    }
    const { guess, sure } = record;
    const { sure: words } = model.get("_frame").limits;
    const told = sure === null || words.includes(sure);
    if (told && fitsQuestion(asked, guess)) change({ guess, sure, shown: true });
  }
  if (FORECAST_RECORDS.find(asked.id)) adoptRecord();
  else known = JSON.stringify(null);
  FORECAST_RECORDS.follow(signal, adoptRecord);
  for (const name of GUESS_TRAITS) model.on(`change:${name}`, onChange);
  return { asked, now, change, update, again: forgetGuess };
}

/** Whether a guess could have been made of this question. */
export function fitsQuestion({ kind, choices, x, ends }, guess) {
  if (kind === "choice") return choices.includes(guess);
  const isInRange = (y) => typeof y === "number" && y >= ends[0] && y <= ends[1];
  if (kind === "number") return isInRange(guess);
  return Array.isArray(guess) && guess.length === x.length && guess.every(isInRange);
}

export function isGuessRight({ kind, answer, tolerance }, guess) {
  if (kind === "choice") return guess === answer;
  return distanceToAnswer(answer, guess) <= tolerance * (1 + 1e-9);
}

/** How far off a number is, or a curve on average. */
export function distanceToAnswer(answer, guess) {
  const apart = [answer].flat().map((y, i) => Math.abs(y - [guess].flat()[i]));
  return apart.reduce((sum, each) => sum + each, 0) / apart.length;
}

/** The nearest number that can be guessed. */
export function roundToStep({ ends: [least, most], step }, value) {
  const steps = Math.round((value - least) / step);
  const rounded = Number((least + steps * step).toPrecision(12));
  return Math.max(least, Math.min(most, rounded));
}

/**
 * A curve through the points that are drawn: straight between two of them, level beyond the
 * first and the last. `drawn` has a number or null for each place; null if all are null.
 */
export function interpolatePoints(drawn) {
  const places = drawn.flatMap((y, i) => (y === null ? [] : [i]));
  if (!places.length) return null;
  return drawn.map((y, i) => {
    if (y !== null) return y;
    const before = places.findLast((place) => place < i) ?? places[0];
    const after = places.find((place) => place > i) ?? places.at(-1);
    if (before >= after) return drawn[before > i ? places[0] : places.at(-1)];
    const share = (i - before) / (after - before);
    return drawn[before] + share * (drawn[after] - drawn[before]);
  });
}
