// The figure of heads in words: what is read, what broke, and where each head looks.

import { begun, grouped, inARow, percent, quoted, raised } from "../../words/phrases.js";
import { allHeads, fateOf, hasWorth, headName, strongest, verdictOf } from "./reading.js";

/** All that the picture shows; `failure` says why other weights did not come. */
export function headsInWords(shown, failure) {
  return [failure, readText(shown), brokenText(shown), looksText(shown)].filter(Boolean).join(" ");
}

function readText(shown) {
  const { network, off, now, number } = shown;
  const silent = off.map((head) => headName(network, head));
  const heads = off.length
    ? `Without head${off.length > 1 ? "s" : ""} ${inARow(silent)}`
    : "With all heads";
  const verdicts = {
    unsaid: ". No number is written so: there is no right answer.",
    right: ", which is right.",
    wrong: `, but ${grouped(number ?? 0)} is meant.`,
  };
  return `${heads} the model reads ${grouped(now.number)}${verdicts[verdictOf(shown)]}`;
}

function brokenText(shown) {
  const { tokens, now, whole } = shown;
  const broken = tokens.flatMap((_, i) => {
    const { changed, wrong } = fateOf(shown, i);
    if (!changed && !wrong) return [];
    const before = changed ? ` instead of ${worthName(whole.places[i])}` : "";
    return [`${quoted(tokens, i)} counts ${worthName(now.places[i])}${before}`];
  });
  return broken.length ? `${begun(inARow(broken))}.` : "";
}

// Of the head whose map is large; the others say it at their maps.
function looksText(shown) {
  const { network, tokens, index, large } = shown;
  const { to, weight } = strongest(shown, large, index);
  const word = to === tokens.length - 1 ? "the end" : quoted(tokens, to);
  const head = `head ${headName(network, large)}, whose map is large,`;
  return `From ${quoted(tokens, index)} ${head} looks most at ${word} (${percent(weight)}).`;
}

/** A word of the number with what has become of it. */
export function tileName(shown, index) {
  const { tokens, now, whole, truth } = shown;
  if (index === tokens.length - 1) return "the end of the number";
  if (!hasWorth(shown, index)) return `${quoted(tokens, index)}, no worth of its own`;
  const { changed, wrong } = fateOf(shown, index);
  return [
    `${quoted(tokens, index)}, ${worthName(now.places[index])}, ${percent(now.sure[index])} sure`,
    changed && `with all heads ${worthName(whole.places[index])}`,
    wrong && `wrong, it is ${worthName(truth[index])}`,
  ]
    .filter(Boolean)
    .join(", ");
}

/** What a model reads without each head; `rights` counts by the heads that are silent. */
export function countInWords(network, rights) {
  const heads = allHeads(network).map(
    (head) => `without head ${headName(network, head)} ${rights.get(String([head]))}`,
  );
  return (
    `Of ${network.metadata.test_numbers.length} numbers that it has not seen the model `
    + `reads ${rights.get("")} right; ${heads.join(", ")}.`
  );
}

/** A place as a power of ten: "×10³". */
export function worthSign(place) {
  if (place === null) return "none";
  return `×10${raised(place)}`;
}

function worthName(place) {
  return place === null ? "nothing" : `times ${grouped(10 ** place)}`;
}
