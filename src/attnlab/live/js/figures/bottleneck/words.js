// What the figure of the bottleneck says.

import { describeMark } from "../../words/compare.js";
import { grouped, percent } from "../../words/phrases.js";

/** How many parts of the truth are right, and how many words answer to nothing in it. */
export function countRight(marks) {
  const count = (kind) => marks.filter((mark) => mark.kind === kind).length;
  return { right: count("right"), all: marks.length - count("extra"), extra: count("extra") };
}

/** "7 of 9 word parts right, and 1 more besides". */
export function scoreText({ right, all, extra }, what = "") {
  return `${right} of ${all} ${what}right${extra ? `, and ${extra} more besides` : ""}`;
}

/** The number and both answers; a lane is { network, answer, marks }. */
export function bottleneckInWords(number, [plain, attentive], beyond) {
  const { length } = String(number);
  return (
    `${grouped(number)}, ${length} ${length === 1 ? "digit" : "digits"}`
    + `${beyond ? ", longer than anything in training" : ""}. `
    + `Without attention, width ${plain.network.config.d_model}: ${verdict(plain.marks)}. `
    + `With attention: ${verdict(attentive.marks)}.`
  );
}

function verdict(marks) {
  const counts = countRight(marks);
  const first = marks.findIndex((mark) => mark.kind !== "right");
  if (first < 0) return counts.all === 1 ? "right" : `all ${counts.all} word parts right`;
  return (
    `${scoreText(counts, "word parts ")}; it begins to go wrong at part ${first + 1}, `
    + describeMark(marks[first])
  );
}

/** The chart of both models' shares of exact translations. */
export function accuracyInWords(plain, attentive, stateSize) {
  const list = (shares) =>
    Object.entries(shares)
      .map(([count, share]) => `${count}: ${percent(share)}`)
      .join(", ");
  return (
    "Exact translations by number of digits. "
    + `Without attention, width ${stateSize}: ${list(plain)}. With attention: ${list(attentive)}.`
  );
}
