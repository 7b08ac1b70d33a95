// What has been written, what the key brings back, and how many values are found.

import { pluralize, twoDecimals } from "../../words/phrases.js";

export function describeReadings({ rule, written }, { pairs, asked, right }) {
  const kept = pairs.filter(Boolean).length;
  const lost = pairs.flatMap((pair, i) => (pair && !pair.named ? [i + 1] : []));
  const span =
    lost.length > 1 ? `; lost are ${lost.length}, from ${lost[0]} to ${lost.at(-1)}` : "";
  return (
    `${pluralize(written, "pair")} written by the rule “${rule}”. `
    + `Pair ${asked + 1}: ${answerText(pairs[asked])}. `
    + `${right} of ${kept} values are read back${span}.`
  );
}

function answerText(pair) {
  if (!pair) return "a later pair has the same key";
  return `the answer has a cosine of ${twoDecimals(pair.like)} with its value`;
}
