// The runs that are kept side by side, in the page's address. What a run comes to need not be
// told: the same settings come to the same numbers on every machine.

import { linkButton, parseOneOf, parseWholeUpTo } from "../../parts/address.js";

// In this order a run stands in a link: "run1-numerals-de-transformer-2-4-…".
const LINKED = ["task", "language", "model", "layers", "heads", "width", "inner", "positions"];
LINKED.push("norm", "score", "reads", "sees", "rate", "warmup", "batch", "steps", "optimizer");
LINKED.push("seed", "units");
// What links and files of earlier editions do not tell, and how it was.
const LATER = { activation: "relu", scale: "sqrt_d", residual: true };
LINKED.push(...Object.keys(LATER));

/**
 * { button, show }: the button is null where there is no page to link to; `update(runs)` tells
 * which runs there are, at most `most`. Before the first, a link holds what is chosen. Pairs of
 * the reader's own, and runs from a file, it never holds. `onRuns(all)` gets the settings of
 * each run with whose link the page was opened.
 */
export function runsLink({ model, el, traits, limits, most, onRuns }) {
  const names = Array.from({ length: most }, (_, i) => `run${i + 1}`);
  const parseRun = (text) => decodeRun(text, limits);
  let shown = [];
  let forget = () => {};
  const linked = {
    read() {
      const told = shown.filter((run) => !run.file && run.settings.task !== "own");
      const all = told.length ? told.map(({ settings }) => settings) : [traits.read()];
      return Object.fromEntries(all.map((settings, i) => [names[i], encodeRun(settings)]));
    },
    change(values) {
      const all = Object.values(values);
      if (all.length) onRuns(all);
    },
    follow(onChange) {
      forget = onChange;
      traits.follow(onChange);
    },
  };
  const accepts = Object.fromEntries(names.map((name) => [name, parseRun]));
  const button = linkButton({ model, el, traits: linked, accepts });

  function update(runs) {
    const newestNumber = (all) => all.at(-1)?.number;
    if (newestNumber(runs) !== newestNumber(shown)) forget(); // what was copied holds fewer
    shown = runs;
  }
  return { button, update };
}

// An address that names an element can have no point.
const encodeValue = (value) => String(value).replace(".", "_");

function encodeRun(settings) {
  return LINKED.map((name) => encodeValue(settings[name] ?? LATER[name])).join("-");
}

/** Settings from elsewhere, or undefined if one of them is none that the figure has. */
export function checkedSettings(settings, limits) {
  return decodeRun(encodeRun(settings), limits);
}

// The settings, or undefined if one of them is none that the figure has.
function decodeRun(text, limits) {
  const texts = text.split("-");
  const later = Object.values(LATER).map(encodeValue);
  if (texts.length === LINKED.length - later.length) texts.push(...later);
  if (texts.length !== LINKED.length) return undefined;
  const values = LINKED.map((name, i) => parserFor(name, limits)(texts[i]));
  if (values.includes(undefined)) return undefined;
  return Object.fromEntries(LINKED.map((name, i) => [name, values[i]]));
}

function parserFor(name, limits) {
  if (name === "seed") return parseWholeUpTo(limits.seed);
  if (name === "steps") return (text) => parseWholeUpTo(limits.steps)(text) || undefined; // not 0
  if (name === "rate") return (text) => parseRate(text, limits.rate);
  return (text) =>
    parseOneOf(limits[name])(text.replace("_", ".")) ?? parseOneOf(limits[name])(text);
}

function parseRate(text, [least, most]) {
  const rate = /^\d+(_\d+)?$/.test(text) ? Number(text.replace("_", ".")) : NaN;
  return rate >= least && rate <= most ? rate : undefined;
}
