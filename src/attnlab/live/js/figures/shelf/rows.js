// Rows of weights over a shelf, what they bring back, and that in words.

import { dot, softmax } from "../../math/tensor.js";
import { joinWithAnd, percent, twoDecimals } from "../../words/phrases.js";

const MAX_NAMED = 4; // of other choices that bring back the same

/** The row of a head that asks for these places of the contents: { weights, brought }. */
export function readContents(contents, asked, sharpness) {
  const weights = softmax(contents.map((_, place) => (asked.includes(place) ? sharpness : 0)));
  return { weights, brought: dot(weights, contents) };
}

/** Which other one or two places bring back the same, to the two decimals that are shown. */
export function equalPlaces(contents, asked, sharpness) {
  const result = (places) => twoDecimals(readContents(contents, places, sharpness).brought);
  const places = contents.map((_, place) => place);
  const choices = places.flatMap((a) => places.slice(a).map((b) => [...new Set([a, b])]));
  const own = [...new Set(asked)].sort().join();
  return choices.filter((other) => other.join() !== own && result(other) === result(asked));
}

/** `asked` are the two places; `one` and `two` the rows of one head, and of two. */
export function describeShelf({ labels, contents }, { asked, sharpness }, one, two) {
  const [first, second] = asked.map((place) => labels[place]);
  const brings = twoDecimals(one.brought);
  const pair = two.map(({ brought }) => twoDecimals(brought));
  if (first === second) return `Both ask for ${first}: one head brings back ${brings}, as two do.`;
  const others = equalPlaces(contents, asked, sharpness).map((places) =>
    places.map((place) => labels[place]).join(" with "),
  );
  const named = others.length > MAX_NAMED ? `${others.length} other choices` : joinWithAnd(others);
  const confused = named ? `, and so it would for ${named}` : "";
  const weight = percent(one.weights[asked[0]]);
  return (
    `One head gives ${first} and ${second} ${weight} each and brings back ${brings}, in either `
    + `order${confused}. Two heads bring back ${pair[0]}, then ${pair[1]}.`
  );
}
