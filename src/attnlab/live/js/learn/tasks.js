// What there is to learn: pairs of sequences, made here or the reader's own.

import { BOS, EOS, PAD } from "../models/tokens.js";
import { placeValues } from "../words/places.js";
import { goldLinks, numberTokens } from "../words/spell.js";
import { parsePairs } from "./ownpairs.js";

const SPECIAL = ["<pad>", "<bos>", "<eos>"]; // tokens 0, 1 and 2
const [TRAIN, HELD] = [6000, 200]; // pairs to learn from, and others to test with
const LETTERS = [..."abcdefghij"];
const [SHORTEST, LONGEST] = [3, 10]; // of what is copied, reversed, sorted
const [NUMERAL_DIGITS, PLACE_DIGITS] = [6, 9];
const NO_PLACE = 1; // the class of a word without a worth, as in attnlab.data.places
const FIRST_PLACE = 2;
const RECALL_LENGTH = 24;
const [RECALL_LETTERS, RECALL_DIGITS, RECALL_NOISE] = [
  [..."abcd"],
  [..."0123456789"],
  [..."uvwxyz"],
];

const TASK_MAKERS = {
  numerals: (random, { language }) =>
    drawNumbers(random, NUMERAL_DIGITS).map((number) => spellNumeral(number, language)),
  places: (random, { language }) =>
    drawNumbers(random, PLACE_DIGITS).map((number) => labelPlaces(number, language)),
  copy: (random) => makeStrings(random, (source) => source),
  reverse: (random) => makeStrings(random, (source) => source.toReversed()),
  sort: (random) => makeStrings(random, (source) => source.toSorted(), { alike: true }),
  recall: (random) => makeExamples(() => makeRecall(random, false)),
  recall2: (random) => makeExamples(() => makeRecall(random, true)),
  own: (random, { pairs, units }) => random.shuffle(parsePairs(pairs, units)),
};
const TAGGING = ["places", "recall", "recall2"];

/** Whether a task asks for a class for every token, not for a sequence. */
export function isTagging(task) {
  return TAGGING.includes(task);
}

// For a decoder alone: source, a mark and target in one row, and of each token the next one as
// its class, from the mark on.
function joinForDecoder({ source, target, links }, ids) {
  const unasked = source.map(() => PAD);
  return {
    source: [...source, SPECIAL[BOS], ...target],
    target: [...source.map(() => ""), ...target, SPECIAL[EOS]],
    classes: [...unasked, ...target.map((token) => ids.get(token)), EOS, PAD],
    links: links && links.map(([t, s]) => [source.length + t, s]),
  };
}

/**
 * A task's vocabularies and pairs: { srcTokens, tgtTokens, train, held }, each pair with its
 * ids, `src` and `tgt`, its words, `source` and `target`, and the `links` that are known,
 * [target index, source index], or null. Throws an Error that says what is wrong with the
 * reader's own.
 */
export function makeTask(settings, random) {
  const made = TASK_MAKERS[settings.task](random, settings);
  const alone = settings.model === "decoder";
  const tags = alone || isTagging(settings.task);
  const [sources, targets] = ["source", "target"].map((side) => made.map((pair) => pair[side]));
  const srcTokens = listTokens(alone ? [...sources, ...targets] : sources);
  const tgtTokens = alone ? srcTokens : tags ? classNames(settings.task) : listTokens(targets);
  const [srcIds, tgtIds] = [srcTokens, tgtTokens].map(
    (tokens) => new Map(tokens.map((token, id) => [token, id])),
  );
  const pairs = alone ? made.map((pair) => joinForDecoder(pair, tgtIds)) : made;
  const coded = pairs.map((pair) => ({
    ...pair,
    src: [...pair.source.map((token) => srcIds.get(token)), EOS],
    tgt: tags ? pair.classes : [BOS, ...pair.target.map((token) => tgtIds.get(token)), EOS],
  }));
  const held = Math.min(HELD, Math.floor(coded.length / 10));
  return { srcTokens, tgtTokens, train: coded.slice(held), held: coded.slice(0, held) };
}

function listTokens(sequences) {
  return [...SPECIAL, ...[...new Set(sequences.flat())].sort(compareStrings)];
}

function classNames(task) {
  if (task !== "places") return ["<pad>", ...RECALL_DIGITS];
  return ["<pad>", "none", ...Array.from({ length: 12 }, (_, place) => `10^${place}`)];
}

function compareStrings(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

function makeExamples(make) {
  return Array.from({ length: TRAIN + HELD }, make);
}

// Different numbers of one to so many digits, each length as often as there are any.
function drawNumbers(random, digits) {
  const drawn = new Set();
  while (drawn.size < TRAIN + HELD) {
    const length = 1 + random.below(digits);
    const number = random.below(10 ** length);
    drawn.add(drawn.has(number) ? random.below(10 ** digits) : number);
  }
  return [...drawn];
}

function spellNumeral(number, language) {
  const [source, target] = ["en", language].map((one) => numberTokens(number, one));
  return { source, target, links: goldLinks(number, "en", language) };
}

// A numeral, and the class of each of its words and of the end.
function labelPlaces(number, language) {
  const source = numberTokens(number, language);
  const places = placeValues(number, language);
  const classes = places.map((place) => (place === null ? NO_PLACE : FIRST_PLACE + place));
  const target = places.map((place) => (place === null ? "none" : `10^${place}`));
  return { source, target, classes: [...classes, NO_PLACE], links: null };
}

// Letters in another order. Of equal letters, nobody can say which one of them it is that
// comes first when they are sorted: they are linked `alike`.
function makeStrings(random, reordered, { alike = false } = {}) {
  return makeExamples(() => {
    const length = SHORTEST + random.below(LONGEST - SHORTEST + 1);
    const source = Array.from({ length }, () => LETTERS[random.below(LETTERS.length)]);
    const target = reordered(source);
    const places = reordered([...source.keys()]);
    const links = target.flatMap((letter, t) =>
      alike ? source.flatMap((other, s) => (other === letter ? [[t, s]] : [])) : [[t, places[t]]],
    );
    return { source, target, links };
  });
}

// Letters with a digit each, then questions among noise: what is a's digit? With `split` an
// item is two tokens, so that who finds the letter has not found the answer
// (attnlab.experiments.recall).
function makeRecall(random, split) {
  const source = [];
  const found = new Map(); // by letter: its digit, and where that stands
  for (const letter of random.shuffle([...RECALL_LETTERS])) {
    const digit = random.below(RECALL_DIGITS.length);
    source.push(...(split ? [letter, RECALL_DIGITS[digit]] : [letter + RECALL_DIGITS[digit]]));
    found.set(letter, { digit, at: source.length - 1 });
  }
  const classes = source.map(() => PAD);
  const links = [];
  while (source.length < RECALL_LENGTH) {
    const letter = RECALL_LETTERS[random.below(RECALL_LETTERS.length)];
    const asked = random.below(2) === 0;
    const { digit, at } = found.get(letter);
    if (asked) links.push([source.length, at]);
    classes.push(asked ? 1 + digit : PAD);
    source.push(asked ? `${letter}?` : RECALL_NOISE[random.below(RECALL_NOISE.length)]);
  }
  const target = classes.map((id) => (id === PAD ? "" : RECALL_DIGITS[id - 1]));
  return { source, target, classes: [...classes, PAD], links };
}
