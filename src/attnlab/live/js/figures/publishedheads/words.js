// What the figure of a published model's heads says.

import { indicesOfLargest, joinWithAnd, ordinal, percent, quoted } from "../../words/phrases.js";
import { PLACES } from "./places.js";

const MIN_NAMED_WEIGHT = 0.05; // a weight below this is not read out

/** Under a head: where its words look most. */
export function kindText({ name, share }) {
  return `${name} ${percent(share)}`;
}

/** All of a head's shares in a line. */
export function sharesText(shares) {
  const each = PLACES.map((name, at) => `${name} ${percent(shares[at])}`);
  return `Its words look at: ${each.join(" · ")}`;
}

/** The head, and the row of the chosen token. */
export function headInWords({ layer, head, tokens, map, kind, word }) {
  const n = tokens.length;
  const row = map.slice(word * n, (word + 1) * n);
  const told = indicesOfLargest(row, MIN_NAMED_WEIGHT).map((at) =>
    `${ordinal(tokens, at)} ${tokens[at]} ${percent(row[at])}`.trim(),
  );
  return (
    `Layer ${layer}, head ${head}: its words look most at ${kindText(kind)}. `
    + `Here ${quoted(tokens, word)} looks at ${joinWithAnd(told)}.`
  );
}
