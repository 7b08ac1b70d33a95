// What the figure at the top of the book says.

import {
  capitalized,
  pluralize,
  groupDigits,
  ordinal,
  percent,
  quoted,
} from "../../words/phrases.js";
import { HERO_END, HERO_MIN_WEIGHT, heroShare } from "./reading.js";

/** A reading as a whole; `trained` is the most digits that a number in training had. */
export function heroSummary({ number, words, marks }, trained) {
  const length = String(number).length;
  const beyond =
    length > trained
      ? ` Nothing in training was longer than ${trained} digits; this has ${length}.`
      : "";
  return (
    `${groupDigits(number)}: ${pluralize(words.target.length, "German word part")}, `
    + `${heroVerdict(marks)}.${beyond} Choose a word to see where the model looked.`
  );
}

function heroVerdict(marks) {
  const countMarks = (...kinds) => marks.filter((mark) => kinds.includes(mark.kind)).length;
  const [slips, missing] = [countMarks("wrong", "extra"), countMarks("missing")];
  const faults = [
    slips && `${pluralize(slips, "slip")}, marked ✗`,
    missing && `${pluralize(missing, "part")} left out`,
  ];
  return faults.filter(Boolean).join(", and ") || "every part right";
}

/** Where the model looked to write the chosen word, or for what it looked at it. */
export function heroLooks(reading, chosen) {
  const others = reading.words[chosen.kind === "target" ? "source" : "target"];
  const linked = others
    .map((word, index) => ({
      word: word === HERO_END ? "the end" : `${ordinal(others, index)} ${word}`.trim(),
      weight: heroShare(reading, chosen, index),
    }))
    .filter(({ weight }) => weight >= HERO_MIN_WEIGHT)
    .sort((a, b) => b.weight - a.weight)
    .map(({ word, weight }) => `${word} (${percent(weight)})`);
  const words = reading.words[chosen.kind];
  const word = words[chosen.index] === HERO_END ? "the end" : quoted(words, chosen.index);
  const list = linked.join(", ") || "none of these words";
  return chosen.kind === "target"
    ? `To write ${word}, the model looked at ${list}.`
    : `${capitalized(word)} was looked at for ${list}.`;
}
