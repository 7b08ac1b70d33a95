// What the figure of energies says: functions of its state and of what follows from it.

import { SIDE_PIXELS } from "../../words/glyphs.js";
import {
  capitalized,
  pluralize,
  indicesOfLargest,
  joinWithAnd,
  formatNumber,
  twoDecimals,
} from "../../words/phrases.js";

const PIXELS = SIDE_PIXELS * SIDE_PIXELS;

/** What the plane shows, as sentences without their stops; some are empty. */
export function describePlane({ pattern, query }, fall, places) {
  const names = pattern.map((_, i) => String(i + 1));
  const way = endText(fall, planePoint(fall.path.states[fall.last]));
  return [
    `The query at ${planePoint(query)} ${way}: ${weightsText(fall, fall.last, names, "pattern")}`,
    stepText(fall, names, "pattern"),
    `The plane has ${pluralize(places.length, "resting place")}`,
  ];
}

/** What the pictures show, as sentences without their stops; some are empty. */
export function describePictures(state, fall) {
  const { names, wanted, attends, path, last } = fall;
  const kind = state.pictures === "letters" ? "letter" : "picture";
  const name = names[state.picture];
  const rule = attends ? `Attention with β ${shortNumber(state.picture_beta)}` : "The sign rule";
  const wrong = PIXELS - countSharedPixels(wanted, path.states[last]);
  const rest = attends ? `: ${weightsText(fall, last, names, kind)}` : "";
  return [
    `${capitalized(kind)} ${name}, ${state.flipped.length} of ${PIXELS} pixels flipped; `
      + `${state.stored} are stored`,
    `${rule} ${endText(fall, `${wrong} pixels from the ${name}`)}${rest}`,
    stepText(fall, names, kind),
  ];
}

function endText({ path, last }, place) {
  if (last === 0) return `is at rest from the start; energy ${formatEnergyAt(path, 0)}`;
  const rests = path.settled ? "comes to rest after" : "is still moving after";
  return (
    `${rests} ${pluralize(last, "step")}, ${place}; `
    + `the energy falls from ${formatEnergyAt(path, 0)} to ${formatEnergyAt(path, last)}`
  );
}

// What is shown, if that is not the end.
function stepText(fall, names, kind) {
  const { path, step, last, attends = true } = fall;
  if (step === last) return "";
  const weights = attends ? `, ${weightsText(fall, step, names, kind)}` : "";
  return `After ${pluralize(step, "step")}: energy ${formatEnergyAt(path, step)}${weights}`;
}

// The largest weights at a step: "weight 0.54 on pattern 2 and 0.45 on pattern 1".
function weightsText({ path }, step, names, kind) {
  const weights = path.weights[step];
  const told = indicesOfLargest(weights, 0.005).map(
    (i) => `${weightText(weights[i])} on ${kind} ${names[i]}`,
  );
  return `weight ${joinWithAnd(told)}`;
}

/** How many of the stored pictures come back; `curve` has the counts for 1, 2, … stored. */
export function recallText({ pictures, stored, flipped }, curve) {
  const { attention, classical } = curve[stored - 1];
  return (
    `Of the ${stored} stored ${pictures === "letters" ? "letters" : "pictures"}, each with these `
    + `${pluralize(flipped.length, "pixel")} flipped, attention gives back ${attention}, `
    + `the sign rule ${classical}`
  );
}

/** What stands below the box for β. */
export function betaNote({ view, rule }) {
  if (view === "plane") return "The scale of attention: 1/√d = 0.7071";
  return rule === "attention" ? "The scale of attention: 1/√d = 0.125" : "The sign rule has no β";
}

/** The energy at the step as the sum it is: a formula, and its numbers. */
export function sumTexts({ view, rule }, { path, step }) {
  const { energy, lse, half, constant } = path.energies[step];
  if (view === "pictures" && rule === "classical") {
    return ["E = −½ sᵀW s", `= ${shortNumber(energy)}`];
  }
  const parts = [-lse, half, constant].map(twoDecimals).join(" + ");
  return ["E = −lse + ½|ξ|² + constant", `= ${parts} = ${twoDecimals(energy)}`];
}

/** A weight that is neither 0 nor 1 is not written so. */
export function weightText(weight) {
  if (weight > 0 && weight < 0.005) return "<.01";
  if (weight < 1 && weight >= 0.995) return ">.99";
  return weight.toFixed(2);
}

/** −1.5 as "−1.5". */
export function shortNumber(number) {
  return formatNumber(number, 4);
}

export function planePoint(vector) {
  return `(${vector.map((x) => shortNumber(Number(x.toFixed(2)) || 0)).join(", ")})`;
}

function formatEnergyAt(path, step) {
  return shortNumber(path.energies[step].energy);
}

/** How many signs a picture and a state have in common. */
export function countSharedPixels(pixels, state) {
  return pixels.reduce((count, ink, k) => count + (ink * state[k] > 0), 0);
}
