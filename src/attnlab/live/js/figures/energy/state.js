// The state of the figure of energies, all that may change it, and what follows from it.

import { hebbianWeights, hopfieldPath, signPath, flipSigns } from "../../models/hopfield.js";
import { traitsOf } from "../../shell/traits.js";
import {
  LETTER_NAMES,
  letterPictures,
  randomPictures,
  shuffledPixels,
} from "../../words/glyphs.js";
import { planePoint } from "./words.js";

export const ALBUMS = { letters: letterPictures(), random: randomPictures() };
// The patterns are the keys of the figure of chapter 3, and two to add.
const PATTERN_STOCK = [
  [2, 1],
  [-0.5, 2.2],
  [-2.2, -0.6],
  [1, -2],
  [2.4, -0.6],
  [-1.4, 1.6],
];
const ENERGY_TRAITS =
  "view pattern query beta step pictures stored picture flipped picture_beta rule".split(" ");
const ALBUM_NAMES = { letters: LETTER_NAMES, random: LETTER_NAMES.map((_, i) => String(i + 1)) };

/**
 * The traits and their `limits`, and beside them `news`, what the reader changed last, in
 * words. `onChange` is called after every change.
 */
export function energyState(model, onChange) {
  const traits = traitsOf(model, ENERGY_TRAITS);
  let news = "";
  let lot = 1; // by which the flipped pixels were drawn
  traits.follow(() => {
    news = "";
    onChange();
  });

  function now() {
    const read = traits.read();
    return { ...read, picture: Math.min(read.picture, read.stored - 1), news };
  }

  function change(values, text = "") {
    const { picture, stored } = { ...traits.read(), ...values };
    traits.change({ ...values, picture: Math.min(picture, stored - 1) });
    news = text;
    onChange();
  }

  function movePattern(index, at) {
    const text = `Pattern ${index + 1} at ${planePoint(at)}`;
    change({ pattern: now().pattern.with(index, at) }, text);
  }

  function addPattern() {
    const { pattern } = now();
    const next = PATTERN_STOCK[pattern.length];
    change({ pattern: [...pattern, next] }, `Pattern ${pattern.length + 1} added`);
  }

  function removePattern() {
    const { pattern } = now();
    change({ pattern: pattern.slice(0, -1) }, `Pattern ${pattern.length} removed`);
  }

  /** Give a pixel of the cue ink, or take it. */
  function paint(k, ink) {
    const { pictures, picture, flipped } = now();
    const others = flipped.filter((other) => other !== k);
    const right = ink === ALBUMS[pictures][picture][k] > 0;
    change({ flipped: right ? others : [...others, k] });
  }

  // More noise flips more pixels, less noise puts those right that were flipped last.
  function setNoise(count) {
    const { flipped } = now();
    const more = shuffledPixels(lot).filter((k) => !flipped.includes(k));
    change({ flipped: [...flipped, ...more].slice(0, count) });
  }

  function drawNoise() {
    lot += 1;
    const count = now().flipped.length;
    change({ flipped: shuffledPixels(lot).slice(0, count) }, `${count} other pixels flipped`);
  }

  const changes = { change, movePattern, addPattern, removePattern, paint, setNoise, drawNoise };
  return { limits: model.get("_frame").limits, now, ...changes };
}

// What follows ----------------------------------------------------------------------------

/** The way of the query in the plane: { path, step, last }, the step that is shown of it. */
export function computePlanePath({ pattern, query, beta, step }) {
  return clampStep(hopfieldPath(pattern, query, beta), step);
}

/** The same for the cue, and the pictures: all, their names, those kept, the one wanted. */
export function computePicturePath(state) {
  const { stored, picture, flipped, picture_beta: beta } = state;
  const pictures = ALBUMS[state.pictures];
  const kept = pictures.slice(0, stored);
  const wanted = pictures[picture];
  const cue = flipSigns(wanted, flipped);
  const attends = state.rule === "attention";
  const path = attends ? hopfieldPath(kept, cue, beta) : signPath(hebbianWeights(kept), cue);
  const names = ALBUM_NAMES[state.pictures];
  return { pictures, names, kept, wanted, cue, attends, ...clampStep(path, state.step) };
}

function clampStep(path, step) {
  const last = path.states.length - 1;
  return { path, last, step: Math.min(step, last) };
}
