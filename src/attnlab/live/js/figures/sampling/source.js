// What may follow a text: as it came with the page, and from the model once it is there.

import { makeWriter } from "../../models/writer.js";
import { modelLoader } from "../../parts/loading.js";
import { timeSliced } from "../../parts/timing.js";

const WRITER = "writer-en";

/**
 * `shown()` is what was found last: { text, written, after, names, ids, logits, pieces,
 * unknown }, `after` being the whole text and `names` those of the most probable tokens.
 * `answerRequest(request)` finds it for another text, and calls `onFound()`, if the model is there.
 */
export function nextTokenSource({ model, stored, limits, signal, onFound }) {
  const loader = modelLoader(model, signal);
  let writer = null;
  let shown = { ...stored, written: [], ids: [], pieces: [], unknown: [] };
  let stop = () => {};

  /** A promise: is the model there? */
  async function load() {
    if (writer) return true;
    const saying = `The model is on its way (${stored.megabytes} MB).`;
    const found = await loader.load([WRITER], saying, () => WRITER);
    if (found?.length) writer ??= makeWriter(found[0]);
    return Boolean(writer);
  }

  /** What is wrong with a text, or "", as far as is known. */
  function findFault(text) {
    if (text.length > limits.letters) return `At most ${limits.letters} letters, please.`;
    if (!writer) return "";
    const { ids, unknown } = writer.read(text);
    if (unknown.length) {
      return `The model has never seen “${unknown[0]}”: it read English captions of photographs.`;
    }
    if (ids.length <= limits.pieces) return "";
    return `The model cuts this into ${ids.length} tokens, and ${limits.pieces} are the most.`;
  }

  function answerRequest({ text, written, ended }) {
    stop();
    if (!writer || findFault(text)) return;
    const read = writer.read(text);
    const all = [...read.ids, ...(ended ? written.slice(0, -1) : written)];
    stop = timeSliced(findNextTokens(), signal, onFound);

    function* findNextTokens() {
      const { ids, logits } = yield* writer.following(all);
      const names = ids.slice(0, limits.bars).map(writer.name);
      const whole = writer.write(all);
      const given = writer.write(read.ids);
      shown = { text, given, written, after: whole, names, ids, logits };
      shown.pieces = read.ids.map(writer.name);
    }
  }

  const isShown = ({ text, written }) =>
    shown.text === text && String(shown.written) === String(written);
  // What came with the page was not: it has no ids to choose from.
  const isRead = (now) => shown.ids.length > 0 && isShown(now);
  return {
    note: loader.note,
    failure: loader.failure,
    isLoaded: () => Boolean(writer),
    shown: () => shown,
    load,
    findFault,
    answerRequest,
    isShown,
    isRead,
  };
}
