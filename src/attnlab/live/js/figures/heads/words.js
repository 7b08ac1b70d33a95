// The figure of heads in words: what is read, what broke, and what each head adds.

import {
  capitalized,
  groupDigits,
  joinWithAnd,
  percent,
  quoted,
  superscript,
  twoDecimals,
} from "../../words/phrases.js";
import { classPlace } from "../../words/places.js";
import {
  allHeads,
  answerOf,
  wordChange,
  hasDigit,
  headName,
  hasHead,
  judgeReading,
} from "./reading.js";
import { logitTerms } from "./terms.js";

/** All that the picture shows; `failure` says why other weights did not come. */
export function describeHeads(shown, failure) {
  return [failure, readText(shown), ablationText(shown), sumText(shown)].filter(Boolean).join(" ");
}

function readText(shown) {
  const { network, off, instead, now, number } = shown;
  const silent = off.map((head) => headName(network, head));
  const without = instead === "mean" ? "With the mean of" : "Without";
  const which = off.length > 1 ? "heads" : "head";
  const heads = off.length ? `${without} ${which} ${joinWithAnd(silent)}` : "With all heads";
  const verdicts = {
    unsaid: ". No number is written so: there is no right answer.",
    right: ", which is right.",
    wrong: `, but ${groupDigits(number ?? 0)} is meant.`,
  };
  return `${heads} the model reads ${groupDigits(now.number)}${verdicts[judgeReading(shown)]}`;
}

function ablationText(shown) {
  const { tokens, now, whole } = shown;
  const broken = tokens.flatMap((_, i) => {
    const { changed, wrong } = wordChange(shown, i);
    if (!changed && !wrong) return [];
    const before = changed ? ` instead of ${worthName(whole.places[i])}` : "";
    return [`${quoted(tokens, i)} counts ${worthName(now.places[i])}${before}`];
  });
  return broken.length ? `${capitalized(joinWithAnd(broken))}.` : "";
}

// The margin of the chosen word's answer as the sum that it is.
function sumText(shown) {
  const { network, tokens, index } = shown;
  const terms = logitTerms(shown, index, answerOf(shown, index));
  const last = allHeads(network).slice(-terms.heads.length);
  const added = terms.heads.map((term, i) => {
    const silent = hasHead(shown.off, last[i]) ? " (silent)" : "";
    return `head ${headName(network, last[i])}${silent} ${twoDecimals(term)}`;
  });
  const word = `${network.config.num_layers > 1 ? "the earlier layer" : "the word itself"}`;
  return (
    `Of ${quoted(tokens, index)} the ${marginName(shown, terms)} is `
    + `${twoDecimals(terms.margin)}: ${word} adds ${twoDecimals(terms.own)}, `
    + `${added.join(", ")}, all biases ${twoDecimals(terms.constant)}.`
  );
}

/** Which logit leads which. */
export function marginName(shown, { rival }) {
  const [answer, other] = [answerOf(shown, shown.index), rival].map((index) =>
    worthSign(classPlace(index)),
  );
  return `lead of ${answer} over ${other}`;
}

/** A word of the number with what has become of it. */
export function tileName(shown, index) {
  const { tokens, now, whole, truth } = shown;
  if (index === tokens.length - 1) return "the end of the number";
  if (!hasDigit(shown, index)) return `${quoted(tokens, index)}, no worth of its own`;
  const { changed, wrong } = wordChange(shown, index);
  return [
    `${quoted(tokens, index)}, ${worthName(now.places[index])}, ${percent(now.sure[index])} sure`,
    changed && `with all heads ${worthName(whole.places[index])}`,
    wrong && `wrong, it is ${worthName(truth[index])}`,
  ]
    .filter(Boolean)
    .join(", ");
}

/** A place as a power of ten: "×10³". */
export function worthSign(place) {
  if (place === null) return "none";
  return `×10${superscript(place)}`;
}

function worthName(place) {
  return place === null ? "nothing" : `times ${groupDigits(10 ** place)}`;
}
