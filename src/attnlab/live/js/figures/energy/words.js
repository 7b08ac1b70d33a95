// What the figure of energies says: functions of its state and of what follows from it.

import { hopfieldStep } from "../../models/hopfield.js";
import { pluralize, joinWithAnd, formatNumber, twoDecimals } from "../../words/phrases.js";
import { largestEigenvalue } from "./basins.js";

/** What the plane shows, as sentences without their stops; some are empty. */
export function planeInWords(state, fall, places) {
  const { pattern, beta } = state;
  const { path, step, last } = fall;
  const names = pattern.map((_, i) => String(i + 1));
  const ridge = largestEigenvalue(pattern, path.states[last], beta) > 1;
  const weights = () => path.weights[step].map(weightText).join(", ");
  const rests = places.map((at) =>
    restText(hopfieldStep(pattern, at, beta).weights, names, "pattern", false),
  );
  return [
    pathInWords(state, fall, names),
    ridge && "There it is balanced on a ridge: the smallest push sends it to one side",
    step < last && `${stepText(step)}: energy ${energyAt(path, step)}, weights ${weights()}`,
    rests.length === 1
      ? `The plane has one resting place: ${rests[0]}`
      : `The plane has ${rests.length} resting places: ${rests.join("; ")}`,
  ];
}

function pathInWords({ pattern, query }, { path, last }, names) {
  const nearest = closestTo(pattern, query) + 1;
  const from = `The query at ${planePoint(query)}, nearest to pattern ${nearest}`;
  const where = restText(path.weights[last], names, "pattern");
  if (last === 0) return `${from}, is at rest: it is ${where}; energy ${energyAt(path, 0)}`;
  const way = path.settled
    ? `falls to ${where}, in ${pluralize(last, "step")}`
    : `is still falling to ${where}, after ${pluralize(last, "step")}`;
  return (
    `${from}, ${way}, to ${planePoint(path.states[last])}; `
    + `its energy falls from ${energyAt(path, 0)} to ${energyAt(path, last)}`
  );
}

/** What the pictures show, as sentences without their stops; some are empty. */
export function picturesInWords(state, fall) {
  const end = fall.attends ? attentionsEnd(state, fall) : signRulesEnd(state, fall);
  return [cueText(state, fall), ...end];
}

function cueText(state, { names, kept, path }) {
  const kind = kindOf(state);
  const shared = kept.map((pixels) => sharedPixels(pixels, path.states[0]));
  const best = names[shared.indexOf(Math.max(...shared))];
  return (
    `${kind === "letter" ? "Letter" : "Picture"} ${names[state.picture]}, `
    + `${state.flipped.length} of 64 pixels flipped, `
    + `is nearest to ${kind} ${best} of the ${state.stored} stored`
  );
}

function attentionsEnd(state, fall) {
  const { names, wanted, path, step, last } = fall;
  const kind = kindOf(state);
  const name = names[state.picture];
  const wrong = 64 - sharedPixels(wanted, path.states[last]);
  const rest = (t) => restText(path.weights[t], names, kind);
  return [
    `Attention with β ${shortNumber(state.picture_beta)} ${endText(fall, rest(last))}`,
    wrong
      ? `${pluralize(wrong, "pixel")} ${wrong === 1 ? "has" : "have"} another sign there `
        + `than in the ${name}`
      : `Its signs are those of the ${name}`,
    step < last && `${stepText(step)}: energy ${energyAt(path, step)}, ${rest(step)}`,
  ];
}

function signRulesEnd(state, fall) {
  const { names, kept, path, step, last } = fall;
  const kind = kindOf(state);
  const shared = kept.map((pixels) => sharedPixels(pixels, path.states[last]));
  const [least, most] = [Math.min(...shared), Math.max(...shared)];
  const nameOf = (count) => `${kind} ${names[shared.indexOf(count)]}`;
  let place = `none of the stored pictures; the nearest is ${nameOf(most)}, `;
  place += `${most} of 64 pixels alike`;
  if (most === 64) place = nameOf(most);
  else if (least === 0) place = `the negative of ${nameOf(least)}`;
  return [
    `The sign rule ${endText(fall, place)}`,
    step < last && `After step ${step}: energy ${energyAt(path, step)}`,
  ];
}

function endText({ path, last }, place) {
  const count = pluralize(last, "step");
  let rests = `comes to rest after ${count} at`;
  if (!path.settled) rests = `is still moving after ${count}, near`;
  else if (last === 0) rests = "is at rest from the start, at";
  const fall = `the energy falls from ${energyAt(path, 0)} to ${energyAt(path, last)}`;
  return `${rests} ${place}; ${last === 0 ? `energy ${energyAt(path, 0)}` : fall}`;
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

/**
 * What weights make: "pattern 2 (weight 0.97)", "a mixture, mostly pattern 2 (weight 0.7)",
 * "a mixture of patterns 1 and 2 (weights 0.48 and 0.45)", "the mean of all 4 patterns".
 */
export function restText(weights, names, kind, numbers = true) {
  const order = weights.map((_, i) => i).sort((a, b) => weights[b] - weights[a]);
  const [first] = order;
  const [most, least] = [weights[first], weights[order.at(-1)]];
  const named = (list) => joinWithAnd(list.map((i) => names[i]));
  const told = (list) => {
    const plural = list.length > 1 ? "s" : "";
    const shares = joinWithAnd(list.map((i) => weightText(weights[i])));
    return numbers ? ` (weight${plural} ${shares})` : "";
  };
  if (most >= 0.9) return `${kind} ${names[first]}${told([first])}`;
  if (weights.length > 2 && most - least <= 0.05) {
    const range = `, weights ${weightText(least)} to ${weightText(most)}`;
    return `the mean of all ${weights.length} ${kind}s${numbers ? range : ""}`;
  }
  if (most >= 0.6) return `a mixture, mostly ${kind} ${names[first]}${told([first])}`;
  const part = order.filter((i) => weights[i] >= 0.05);
  if (part.length <= 3) return `a mixture of ${kind}s ${named(part)}${told(part)}`;
  const few = order.slice(0, 3);
  return `a mixture of ${part.length} ${kind}s, most of it ${named(few)}${told(few)}`;
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

function stepText(step) {
  if (step === 0) return "Before the first step";
  return step === 1 ? "After step 1 (attention)" : `After step ${step}`;
}

function energyAt(path, step) {
  return shortNumber(path.energies[step].energy);
}

function kindOf({ pictures }) {
  return pictures === "letters" ? "letter" : "picture";
}

/** How many signs a picture and a state have in common. */
export function sharedPixels(pixels, state) {
  return pixels.reduce((count, ink, k) => count + (ink * state[k] > 0), 0);
}

function closestTo(pattern, [x, y]) {
  const far = pattern.map(([px, py]) => Math.hypot(px - x, py - y));
  return far.indexOf(Math.min(...far));
}
