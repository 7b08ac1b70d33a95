// What there is to try in the figure of energies.

import { menu } from "../../parts/choices.js";
import { letterPictures, shuffledPixels } from "../../words/glyphs.js";

// The patterns are the keys of the figure of chapter 3, and two to add.
export const PATTERN_POOL = [
  [2, 1],
  [-0.5, 2.2],
  [-2.2, -0.6],
  [1, -2],
  [2.4, -0.6],
  [-1.4, 1.6],
];
export const ENERGY_START = {
  view: "pictures",
  pattern: PATTERN_POOL.slice(0, 4),
  query: [0.4, 0.9],
  beta: 1,
  step: 1,
  pictures: "letters",
  stored: 26,
  picture: 0,
  flipped: shuffledPixels(1).slice(0, 10),
  picture_beta: 0.125,
  rule: "attention",
};
const TRAITS_OF_VIEW = {
  plane: ["pattern", "query", "beta", "step"],
  pictures: ["pictures", "stored", "picture", "flipped", "picture_beta", "rule", "step"],
};

// A name, the traits that differ from the start of the view, and what it shows.
const ENERGY_PRESETS = {
  plane: [
    [
      "Small β",
      { beta: 0.1 },
      "A small β: from everywhere the way leads to one place, near the mean",
    ],
    ["Large β", { beta: 10 }, "A large β: to the nearest pattern, almost at once"],
    [
      "Two merge",
      {
        pattern: [
          [2.4, 0.5],
          [1.8, 1.6],
          [-2.4, 0.2],
          [0.2, -2.4],
        ],
        query: [0.5, 0.1],
        beta: 1.2,
      },
      "Patterns 1 and 2 lie close together and share a resting place between them; "
        + "raise β until they part",
    ],
    [
      "Mean or pattern",
      {
        pattern: [
          [0, 2.4],
          [-2.08, -1.2],
          [2.08, -1.2],
        ],
        query: [0.4, 0.7],
        beta: 0.34,
      },
      "Three patterns, all equally far apart: their mean is a resting place beside those "
        + "of the patterns",
    ],
    [
      "On a ridge",
      {
        pattern: [
          [2, 1],
          [-2, 1],
          [0, -2.2],
        ],
        query: [0, 2],
        beta: 1,
      },
      "The query is as near to pattern 1 as to pattern 2",
    ],
    [
      "Never found",
      {
        pattern: [
          [2, 1],
          [-0.5, 2.2],
          [-2.2, -0.6],
          [0.2, 0.4],
        ],
        query: [0.2, 0.4],
        beta: 4,
      },
      "Pattern 4 is short, and the query lies on it. Others have larger products with it",
    ],
  ],
  pictures: [
    ["Large β", { picture_beta: 0.5 }, "A large β: one step is enough"],
    ["Small β", { picture_beta: 0.03 }, "A small β: all letters at once"],
    [
      "G and its like",
      { picture: 6 },
      "G, O, Q and C are alike, and share one resting place; raise β until they part",
    ],
    [
      "Lower half gone",
      { picture: 17, picture_beta: 0.5, flipped: inkBelow(17) },
      "The lower half of the R is blank; what is left could be a P",
    ],
    [
      "Sign rule, 4 letters",
      { rule: "classical", stored: 4, picture: 1 },
      "The sign rule with four letters",
    ],
    ["Sign rule, 5 letters", { rule: "classical", stored: 5, picture: 1 }, "One letter more"],
    [
      "Sign rule, 10 random",
      { rule: "classical", pictures: "random", stored: 10, picture: 1 },
      "Pictures drawn by lot are less alike than letters",
    ],
  ],
};

function inkBelow(picture) {
  return letterPictures()[picture].flatMap((ink, k) => (ink > 0 && k >= 32 ? [k] : []));
}

/**
 * A menu of all there is to try in a view; `onTry()` is called before one is. `show(now)`
 * keeps the name of the last one in sight until something else is changed.
 */
export function energyTries(view, { atFirst, change }, onTry) {
  const start = Object.fromEntries(TRAITS_OF_VIEW[view].map((name) => [name, ENERGY_START[name]]));
  const again = Object.fromEntries(TRAITS_OF_VIEW[view].map((name) => [name, atFirst[name]]));
  const tries = [...ENERGY_PRESETS[view], ["Start again", again, "As it was at first"]];
  const options = [["", "Try …"], ...tries.map(([name]) => [name, name])];
  const { field, set } = menu({ label: "Try", options, onChoice: put });
  field.firstChild.classList.add("al-hidden");

  function put(chosen) {
    const [, values, text] = tries.find(([name]) => name === chosen) ?? [];
    if (!values) return;
    onTry();
    change({ ...start, ...values }, text);
  }
  const show = ({ news }) => set(tries.find(([, , text]) => text === news)?.[0] ?? "");
  return { field, show };
}
