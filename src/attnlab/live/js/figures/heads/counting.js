// How many of the numbers that a tagger's file brings along it reads right with some heads
// silent, and what each head looks at.

import { percent } from "../../words/phrases.js";
import { worthsOf } from "../../words/places.js";
import { numberTokens } from "../../words/spell.js";
import { allHeads, readWithout } from "./reading.js";

const COUNT_PAUSE = 8; // milliseconds of counting at a stretch: the page stays responsive

/** None silent, each head silent, all but one silent. */
export function everySetting(network) {
  const heads = allHeads(network);
  return [[], ...heads.map((head) => [head]), ...heads.map((head) => allBut(network, head))];
}

export function allBut(network, head) {
  return allHeads(network).filter((other) => String(other) !== String(head));
}

/** How many numbers the model reads right, and where each head's weight goes. */
export async function countWithout(network, off, signal) {
  const { language, test_numbers: numbers } = network.metadata;
  const heads = allHeads(network);
  const looks = heads.map(() => new Map());
  let right = 0;
  let start = performance.now();
  for (const number of numbers) {
    const words = numberTokens(number, language);
    const read = readWithout(network, language, words, off);
    if (read.number === number) right += 1;
    heads.forEach(([layer, head], h) =>
      gather(looks[h], words, read.weights[layer][head], language),
    );
    if (performance.now() - start > COUNT_PAUSE) {
      await new Promise((resolve) => setTimeout(resolve));
      if (signal.aborted) break;
      start = performance.now();
    }
  }
  return { right, looks };
}

// Adds up the weights that go out from words with a worth, by the word they go to.
function gather(sums, words, weights, language) {
  const worths = worthsOf(language);
  words.forEach((word, from) => {
    if (!worths.has(word)) return;
    weights[from].forEach((weight, to) => {
      let name = `“${words[to]}”`;
      if (to === from) name = "itself";
      else if (to === words.length) name = "the end";
      else if (worths.has(words[to])) name = "other digits";
      sums.set(name, (sums.get(name) ?? 0) + weight);
    });
  });
}

/** The three words that get most of a head's weight, with their shares. */
export function mostOf(sums) {
  const total = [...sums.values()].reduce((sum, x) => sum + x, 0);
  return [...sums]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 3)
    .map(([name, weight]) => `${name} ${percent(weight / total)}`)
    .join(", ");
}
