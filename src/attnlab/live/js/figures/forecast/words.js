// What a forecast says: what is still to be done, and how the guess came out.

import { formatNumber, withMinusSign } from "../../words/phrases.js";
import { distanceToAnswer, isGuessRight } from "./state.js";

export const SURE_WORDS = { guess: "a guess", fairly: "fairly sure", sure: "sure" };

/** A number with its unit, rounded as the step is. */
export function forecastNumber({ step, unit }, number) {
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const space = ["", "%", "°"].includes(unit) ? "" : "\u00a0";
  return `${withMinusSign(number.toFixed(decimals))}${space}${unit}`;
}

/** A guess or an answer in words. */
export function describeValue(asked, value) {
  if (asked.kind === "choice") return value;
  if (asked.kind === "number") return forecastNumber(asked, value);
  return asked.x.map((x, i) => `${x}: ${forecastNumber(asked, value[i])}`).join(", ");
}

/** What the picture shows. */
export function describeForecast(asked, { guess, sure, shown, stored }) {
  if (!shown) return guessText(asked, guess, sure);
  if (guess === null) return `${describeAnswer(asked)} ${asked.because}`.trim();
  const kept = stored ? "" : "This browser keeps nothing: the guess goes with the page.";
  const list = asked.kind === "curve" ? describeAnswer(asked) : "";
  return [outcomeText(asked, guess, sure), asked.because, list, kept].filter(Boolean).join(" ");
}

/** What happened, without a guess. */
export function describeAnswer(asked) {
  const { kind, ylabel, xlabel, answer } = asked;
  const head = kind === "curve" ? [ylabel, xlabel].filter(Boolean).join(", by ") : "";
  return `What happened${head && `, ${head}`}: ${describeValue(asked, answer)}.`;
}

/** What is missing before a guess can be kept, or "". */
export function missingInputText({ kind }, { guess }) {
  if (guess !== null) return "";
  const wanted = { choice: "Choose an answer", number: "Give a number", curve: "Draw a curve" };
  return `${wanted[kind]}, or skip.`;
}

/** How right a guess was: "Right" or "Not right", or "" for what was skipped. */
export function forecastVerdict(asked, { guess, shown }) {
  if (!shown || guess === null) return "";
  return isGuessRight(asked, guess) ? "Right" : "Not right";
}

function guessText(asked, guess, sure) {
  if (guess === null) return "No guess yet.";
  return `Your guess: ${describeValue(asked, guess)}${describeSure(sure)}.`;
}

function describeSure(sure) {
  return sure ? ` (${SURE_WORDS[sure]})` : "";
}

function outcomeText(asked, guess, sure) {
  const said = describeSure(sure);
  const { kind, answer, tolerance } = asked;
  if (kind === "choice") {
    const start = `You said ${guess}${said}`;
    return guess === answer ? `${start}, and so it was.` : `${start}. What happened: ${answer}.`;
  }
  const most = `the ${formatNumber(tolerance, 3)} that counts as right`;
  const verdict = isGuessRight(asked, guess) ? `within ${most}` : `more than ${most}`;
  const off = `${formatNumber(distanceToAnswer(answer, guess), 2)} off`;
  if (kind === "number") {
    const [yours, truth] = [guess, answer].map((value) => forecastNumber(asked, value));
    return `You said ${yours}${said}, it was ${truth}: ${off}, ${verdict}.`;
  }
  const start = `Your curve${said} is ${off} on average, ${verdict}.`;
  return `${start} ${largestMissText(asked, guess)}`.trim();
}

function largestMissText({ answer, x, xlabel, ...asked }, guess) {
  const apart = answer.map((y, i) => Math.abs(y - guess[i]));
  const most = apart.indexOf(Math.max(...apart));
  if (!apart[most]) return "";
  const [yours, truth] = [guess, answer].map((values) => forecastNumber(asked, values[most]));
  return `Farthest at ${x[most]}${xlabel && ` (${xlabel})`}: you ${yours}, it ${truth}.`;
}
