// The translator, once it is there, and the runs that it made of what the reader wished.

import { makeTranslator } from "../../models/translator.js";
import { changeWithout, everyHead, ranked, readPrefix, translateText } from "./run.js";
import { prefixFault, textFault } from "./words.js";

const TRANSLATE_MODEL = "translator-en-zh";
const QUIET_PAUSE = 250; // milliseconds before the heads are tried one by one

/**
 * `stored` is the run that came with the page. `shown()` is { wish, whole, run }: the last
 * wish that could be met, and its runs with all heads and with those that are on.
 */
export function translateRuns({ stored, limits, trained }) {
  const mine = completed(stored);
  const { text, width } = stored;
  const first = { wish: { text, width, heads_off: [], prefix: "" }, whole: mine, run: mine };
  let translator = null;
  let shown = first;
  const here = trained.ready(TRANSLATE_MODEL); // if another figure has asked for it
  if (here) translator = makeTranslator(here);

  async function load() {
    translator ??= makeTranslator(await trained.load(TRANSLATE_MODEL));
  }

  /** Is this the wish whose run came with the page? */
  const isStored = (wish) => JSON.stringify(wish) === JSON.stringify(first.wish);

  function faultOfText(typed) {
    const pieces = translator ? translator.read(typed).tokens.length - 1 : 0; // without the end
    return textFault(typed, pieces, { letters: limits.letters, pieces: stored.about.longest });
  }

  function faultOfPrefix(typed) {
    const unknown = translator ? readPrefix(translator, typed).unknown : [];
    const characters = translator ? translator.target.tokens.length - 4 : 0;
    return prefixFault(typed, unknown, { length: limits.prefix, characters });
  }

  /** Meet a wish, if it can be met; returns what is wrong with its text and its prefix. */
  function meet(wish) {
    if (!translator) {
      if (isStored(wish)) shown = first;
      return { text: "", prefix: "" };
    }
    const faults = { text: faultOfText(wish.text), prefix: faultOfPrefix(wish.prefix) };
    if (!faults.text && !faults.prefix) shown = translated(wish);
    return faults;
  }

  function translated(wish) {
    const read = translator.read(wish.text);
    const prefix = readPrefix(translator, wish.prefix).ids;
    const settings = { width: wish.width, prefix, limits };
    const run = (off) => translateText(translator, read, { ...settings, off });
    const asked = JSON.stringify([wish.text, wish.width, prefix]);
    const known = shown.whole.asked === asked;
    const whole = known ? shown.whole : { ...run([]), asked, unknown: read.unknown, harms: [] };
    return { wish, whole, run: wish.heads_off.length ? run(wish.heads_off) : whole };
  }

  const checks = { isStored, faultOfText, faultOfPrefix };
  return { load, loaded: () => translator, meet, shown: () => shown, ...checks };
}

// What is stored holds the encoder's maps once for all hypotheses.
function completed(stored) {
  const hypotheses = stored.search.hypotheses.map((one) => ({
    ...one,
    maps: { ...one.maps, encoder: stored.encoder },
  }));
  return { ...stored, off: [], unknown: [], search: { ...stored.search, hypotheses } };
}

/**
 * Finds out, when it is quiet, what each head alone is worth to a run's best translation:
 * `harms` of the run. `onHarms(harms)` gets them, at first those that are known.
 */
export function headTrials({ config, signal, loaded, onHarms }) {
  const heads = everyHead(config);
  let timer = 0;
  signal.addEventListener("abort", () => clearTimeout(timer));

  function next(run, best) {
    run.harms.push(changeWithout(loaded(), run.ids, best, heads[run.harms.length]));
    if (run.harms.length === heads.length) onHarms(run.harms);
    else timer = setTimeout(next, 0, run, best);
  }

  return (run) => {
    clearTimeout(timer);
    onHarms(run.harms);
    if (!loaded() || run.harms.length === heads.length) return;
    timer = setTimeout(next, QUIET_PAUSE, run, ranked(run, 1)[0]);
  };
}
