// What number words are worth, as in attnlab/data/places.py, and the way back from words
// that somebody typed to tokens and to the number that they mean.

import { LARGEST_NUMBER, numberTokens, parseNumber, spellSpeech } from "./spell.js";

const PLACE_NUMBERS = {
  en:
    "zero one two three four five six seven eight nine ten eleven twelve thirteen "
    + "fourteen fifteen sixteen seventeen eighteen nineteen",
  de: "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
};
const PLACE_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const PLACE_OTHERS = {
  en: Object.fromEntries(PLACE_TENS.map((word, i) => [word, 10 * (i + 2)])),
  de: { ein: 1, eine: 1, zwan: 2, sech: 6, sieb: 7 },
};
const PLACE_POWERS = {
  en: { hundred: 2, thousand: 3, million: 6, billion: 9 },
  de: {
    zig: 1,
    ßig: 1,
    hundert: 2,
    tausend: 3,
    Million: 6,
    Millionen: 6,
    Milliarde: 9,
    Milliarden: 9,
  },
};
const PLACE_FILLERS = { en: "and", de: "und" };
const KNOWN_WORDS = {
  en: "the English number words from zero to ninety, and, hundred, thousand, million and billion",
  de:
    "the parts of German number words: null to zwölf, ein, eine, zwan, sech, sieb, zehn, zig, ßig, "
    + "und, hundert, tausend, Million, Millionen, Milliarde and Milliarden",
};
const FIRST_PLACE = 2; // the class of 10⁰; 0 is padding, 1 a word without a worth

const PLACE_WORTHS = Object.fromEntries(
  ["en", "de"].map((language) => {
    const counted = PLACE_NUMBERS[language].split(" ").map((word, value) => [word, value]);
    return [language, new Map([...counted, ...Object.entries(PLACE_OTHERS[language])])];
  }),
);

/** The words that have a worth of their own, each with it: a Map. */
export function digitValuesOf(language) {
  return PLACE_WORTHS[language];
}

/** For each token of a number the power of ten it is multiplied by, or null. */
export function placeValues(number, language) {
  const worths = digitValuesOf(language);
  return spellSpeech(number, language).map(([token, names]) => {
    const digits = names.filter((name) => name[0] === "d").map((name) => Number(name.slice(1)));
    if (!worths.has(token) || digits.length === 0) return null;
    return Math.max(...digits) - String(worths.get(token)).length + 1;
  });
}

/** The power of ten that a class stands for, or null. */
export function classPlace(index) {
  return index >= FIRST_PLACE ? index - FIRST_PLACE : null;
}

/** The class that says so of a word. */
export function placeClass(place) {
  return place === null ? FIRST_PLACE - 1 : place + FIRST_PLACE;
}

/** The number that a reader with these places reads: the sum of worth · 10^place. */
export function readNumber(tokens, places, language) {
  const worths = digitValuesOf(language);
  return tokens.reduce(
    (sum, token, i) => sum + (places[i] === null ? 0 : (worths.get(token) ?? 0) * 10 ** places[i]),
    0,
  );
}

/**
 * Read what somebody typed, in digits or at most `mostWords` words: { text, tokens, number },
 * or { error }, a sentence that says what is wrong. The number is null if no number is
 * written so.
 */
export function readTyped(typed, language, mostWords) {
  if (/\d/.test(typed)) {
    const { number, error } = parseNumber(typed);
    if (error !== undefined) return { error };
    return { text: String(number), tokens: numberTokens(number, language), number };
  }
  const { tokens, unknown } = splitWords(typed, language);
  if (unknown) {
    const shown = unknown.length > 24 ? `${unknown.slice(0, 24)}…` : unknown;
    const known = KNOWN_WORDS[language];
    return { error: `“${shown}” is no word that this model has learned. It knows ${known}.` };
  }
  if (tokens.length === 0) return { error: "Please type a number, in digits or in words." };
  if (tokens.length > mostWords) return { error: `Please type at most ${mostWords} words.` };
  return { text: tokens.join(" "), tokens, number: numberOfWords(tokens, language) };
}

// Cut a text into tokens, or name the first piece that is no number word. Case does not
// matter; words may be written apart or as one.
function splitWords(text, language) {
  const known = [
    ...digitValuesOf(language).keys(),
    ...Object.keys(PLACE_POWERS[language]),
    PLACE_FILLERS[language],
  ];
  known.sort((a, b) => b.length - a.length); // the longest match first
  const tokens = [];
  for (const piece of text
    .normalize("NFC")
    .split(/[\s,.–-]+/)
    .filter(Boolean)) {
    let rest = piece;
    while (rest) {
      const found = known.find((token) => rest.toLowerCase().startsWith(token.toLowerCase()));
      if (!found) return { tokens, unknown: piece };
      tokens.push(found);
      rest = rest.slice(found.length);
    }
  }
  return { tokens, unknown: "" };
}

// The number that the words mean, or null if no number is written so. An "and"
// after a power ("two hundred and five") may be there or not.
function numberOfWords(tokens, language) {
  const number = sumOfWords(tokens, language);
  if (!Number.isSafeInteger(number) || number > LARGEST_NUMBER) return null;
  const powers = PLACE_POWERS[language];
  const withoutOptionalAnd = (words) =>
    words
      .filter((word, i) => word !== PLACE_FILLERS[language] || !(powers[words[i - 1]] >= 2))
      .join(" ");
  return withoutOptionalAnd(numberTokens(number, language)) === withoutOptionalAnd(tokens)
    ? number
    : null;
}

// Reads from left to right: a power multiplies what stands before it. Of words in disorder
// it makes some number or other, which `numberOfWords` spells to see.
function sumOfWords(tokens, language) {
  const worths = digitValuesOf(language);
  let [total, group, last] = [0, 0, 0];
  for (const token of tokens) {
    const power = PLACE_POWERS[language][token];
    if (power >= 3) {
      total += (group + last) * 10 ** power;
      [group, last] = [0, 0];
    } else if (power !== undefined) {
      group += last * 10 ** power;
      last = 0;
    } else {
      group += last;
      last = worths.get(token) ?? 0;
    }
  }
  return total + group + last;
}
