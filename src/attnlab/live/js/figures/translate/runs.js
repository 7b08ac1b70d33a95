// The translator, once it is there, and the runs that it made of what the reader requested.

import { makeTranslator } from "../../models/translator.js";
import { timeSliced, nextTask } from "../../parts/timing.js";
import { ablationChange, listHeads, rankHypotheses, readPrefix, translateText } from "./run.js";
import { prefixError, textError } from "./words.js";

const TRANSLATE_MODEL = "translator-en-zh";
// All in milliseconds.
const TRANSLATION_SLICE = 25; // at a stretch: more would keep the page from answering
const TRIAL_SLICE = 10; // at a stretch, which nobody waits for
const QUIET_PAUSE = 250; // before the heads are tried one by one

/**
 * `stored` is the run that came with the page. `shown()` is { request, whole, run }: the
 * last request that could be met, and its runs with all heads and with those that are on.
 * `onMet()` is called when the translator has met a request, which takes it some frames.
 */
export function translateRuns({ stored, limits, trained, signal, onMet }) {
  const mine = expandStoredRun(stored);
  const { text, width } = stored;
  const first = { request: { text, width, heads_off: [], prefix: "" }, whole: mine, run: mine };
  let translator = null;
  let shown = first;
  let underWay = false; // is the translator at work?
  let stop = () => {};
  const here = trained.ready(TRANSLATE_MODEL); // if another figure has asked for it
  if (here) translator = makeTranslator(here);

  async function load() {
    const weights = await trained.load(TRANSLATE_MODEL);
    await nextTask();
    translator ??= makeTranslator(weights);
    await nextTask();
  }

  /** Is this the request whose run came with the page? */
  const isStoredRequest = (request) => JSON.stringify(request) === JSON.stringify(first.request);

  function faultOfText(typed) {
    const pieces = translator ? translator.read(typed).tokens.length - 1 : 0; // without the end
    return textError(typed, pieces, { letters: limits.letters, pieces: stored.about.longest });
  }

  function faultOfPrefix(typed) {
    const unknown = translator ? readPrefix(translator, typed).unknown : [];
    const characters = translator ? translator.target.tokens.length - 4 : 0;
    return prefixError(typed, unknown, { length: limits.prefix, characters });
  }

  /**
   * Meet a request, if it can be met. Returns what is wrong with its text and its prefix, and
   * whether the translator has begun.
   */
  function answerRequest(request) {
    stop();
    underWay = false;
    if (!translator) {
      if (isStoredRequest(request)) shown = first;
      return { text: "", prefix: "", begun: false };
    }
    const faults = { text: faultOfText(request.text), prefix: faultOfPrefix(request.prefix) };
    const begun = !faults.text && !faults.prefix;
    underWay = begun;
    if (begun) stop = timeSliced(runTranslation(request), signal, onMet, TRANSLATION_SLICE);
    return { ...faults, begun };
  }

  function* runTranslation(request) {
    const read = translator.read(request.text);
    const prefix = readPrefix(translator, request.prefix).ids;
    const settings = { width: request.width, prefix, limits };
    const runWith = (off) => translateText(translator, read, { ...settings, off });
    const asked = JSON.stringify([request.text, request.width, prefix]);
    const known = shown.whole.asked === asked;
    const whole = known
      ? shown.whole
      : { ...(yield* runWith([])), asked, unknown: read.unknown, harms: [] };
    shown = {
      request,
      whole,
      run: request.heads_off.length ? yield* runWith(request.heads_off) : whole,
    };
    underWay = false;
  }

  const checks = { isStored: isStoredRequest, faultOfText, faultOfPrefix };
  const now = { loaded: () => translator, shown: () => shown, underWay: () => underWay };
  return { load, meet: answerRequest, ...now, ...checks };
}

// What is stored holds the encoder's maps once for all hypotheses.
function expandStoredRun(stored) {
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
export function ablateHeads({ config, signal, loaded, onHarms }) {
  const heads = listHeads(config);
  let timer = 0;
  let stop = () => {};
  signal.addEventListener("abort", () => clearTimeout(timer));

  function* tryEachHead(run) {
    const [best] = rankHypotheses(run, 1);
    for (const head of heads.slice(run.harms.length)) {
      run.harms.push(yield* ablationChange(loaded(), run.ids, best, head));
    }
  }

  function tryAll(run) {
    stop = timeSliced(tryEachHead(run), signal, () => onHarms(run.harms), TRIAL_SLICE);
  }

  return (run) => {
    clearTimeout(timer);
    stop();
    onHarms(run.harms);
    if (!loaded() || run.harms.length === heads.length) return;
    timer = setTimeout(tryAll, QUIET_PAUSE, run);
  };
}
