// What the figure of the bottleneck says.

import { pluralize, groupDigits, percent } from "../../words/phrases.js";

/** How many words of the truth are right, and how many answer to nothing in it. */
export function countRight(marks) {
  const count = (kind) => marks.filter((mark) => mark.kind === kind).length;
  return { right: count("right"), all: marks.length - count("extra"), extra: count("extra") };
}

/** "7 of 9 words right, 1 too many". */
export function scoreText({ right, all, extra }) {
  return `${right} of ${pluralize(all, "word")} right${extra ? `, ${extra} too many` : ""}`;
}

/** What the decoder is given and, where `sized`, how large the network is. */
export function describeMemory({ config, metadata }, vectors, sized) {
  const given = vectors === 1 ? "One vector" : `${vectors} vectors`;
  const size = sized ? `; ${groupDigits(metadata.parameters)} parameters` : "";
  return `${given} of ${config.d_model} entries${size}`;
}

/** The number and both answers, each { network, marks }. */
export function describeBottleneck(number, [plain, attentive], beyond) {
  const digits = pluralize(String(number).length, "digit");
  return (
    `${groupDigits(number)}, ${digits}${beyond ? ", not trained" : ""}. `
    + `Without attention, width ${plain.network.config.d_model}: ${describeMistakes(plain.marks)}. `
    + `With attention: ${describeMistakes(attentive.marks)}.`
  );
}

function describeMistakes(marks) {
  const text = scoreText(countRight(marks));
  const first = marks.findIndex((mark) => mark.kind !== "right");
  return first < 0 ? text : `${text}, the first slip is word ${first + 1}`;
}

/** The chart of both networks' shares of exact translations, each a list of [digits, share]. */
export function describeAccuracy(plain, attentive, width) {
  const list = (shares) => shares.map(([count, share]) => `${count}: ${percent(share)}`).join(", ");
  return (
    "Exact translations by number of digits. "
    + `Without attention, width ${width}: ${list(plain)}. With attention: ${list(attentive)}.`
  );
}
