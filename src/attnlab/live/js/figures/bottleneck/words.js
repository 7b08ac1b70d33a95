// What the figure of the bottleneck says.

import { describeMark } from "../../words/compare.js";
import { counted, grouped, percent } from "../../words/phrases.js";

/** How many words of the truth are right, and how many answer to nothing in it. */
export function countRight(marks) {
  const count = (kind) => marks.filter((mark) => mark.kind === kind).length;
  return { right: count("right"), all: marks.length - count("extra"), extra: count("extra") };
}

/** "7 of 9 words right, and 1 more besides". */
export function scoreText({ right, all, extra }) {
  return `${right} of ${counted(all, "word")} right${extra ? `, and ${extra} more besides` : ""}`;
}

/** What the decoder is given. */
export function memoryInWords({ config }, vectors) {
  const given = vectors === 1 ? "one vector" : `${vectors} vectors`;
  return `Hands over ${given} of ${config.d_model} entries`;
}

/** The number and both answers, each { network, marks }. */
export function bottleneckInWords(number, [plain, attentive], beyond) {
  const { length } = String(number);
  return (
    `${grouped(number)}, ${counted(length, "digit")}`
    + `${beyond ? ", longer than anything in training" : ""}. `
    + `Without attention, ${sizeInWords(plain.network)}: ${verdict(plain.marks)}. `
    + `With attention, ${sizeInWords(attentive.network)}: ${verdict(attentive.marks)}.`
  );
}

function sizeInWords({ config, metadata }) {
  return `width ${config.d_model} and ${grouped(metadata.parameters)} parameters`;
}

function verdict(marks) {
  const text = scoreText(countRight(marks));
  const first = marks.findIndex((mark) => mark.kind !== "right");
  if (first < 0) return text;
  return `${text}; it begins to go wrong at word ${first + 1}, ${describeMark(marks[first])}`;
}

/** The chart of both networks' shares of exact translations, each a list of [digits, share]. */
export function accuracyInWords(plain, attentive, width) {
  const list = (shares) => shares.map(([count, share]) => `${count}: ${percent(share)}`).join(", ");
  return (
    "Exact translations by number of digits. "
    + `Without attention, width ${width}: ${list(plain)}. With attention: ${list(attentive)}.`
  );
}
