// The state of the figure of heads: plain data, and what may change it.

import { traitsOf } from "../../shell/traits.js";
import { allHeads, hasHead, readWithout, computeReading } from "./reading.js";

/**
 * The traits, the reading that is drawn, and the word under the mouse. `onRequest` is called
 * when another text, language or model is wanted, `onHeads` when other heads speak
 * or something else speaks for them, `onWord` when one looks from another word.
 */
export function headsState(model, { onRequest, onHeads, onWord }) {
  const requests = traitsOf(model, ["text", "language", "layers"]);
  const heads = traitsOf(model, ["heads_off", "instead"]);
  const words = traitsOf(model, ["word"]);
  const { change } = requests;
  let [reading, pointed] = [null, null];
  let heard = null; // the heads that are silent, and what is read without them
  requests.follow(onRequest);
  heads.follow(() => reading && onHeads());
  words.follow(() => reading && onWord());

  /** All that is drawn; null before there is anything. */
  function currentReading() {
    if (!reading) return null;
    const { heads_off: silent, instead } = heads.read();
    const { network, language, tokens } = reading;
    const off = allHeads(network).filter((one) => hasHead(silent, one));
    if (String(off) !== String(heard?.off) || instead !== heard.instead) {
      const readAblated = () => readWithout(network, language, tokens.slice(0, -1), off, instead);
      heard = { off, instead, now: off.length ? readAblated() : reading.whole };
    }
    const reached = Math.min(words.read().word, tokens.length - 1); // by the Tab key
    return { ...reading, ...heard, reached, index: pointed ?? reached };
  }

  /** Read words with a network. Returns false if they are what is drawn already. */
  function startReading(network, language, typed) {
    const known = reading?.network === network;
    if (known && String(typed.tokens) === String(reading.tokens.slice(0, -1))) return false;
    reading = computeReading(network, language, typed);
    heard = pointed = null;
    return true;
  }

  function switchHead(head, on) {
    const { network, off } = currentReading();
    const isAblated = (one) => (hasHead([head], one) ? !on : hasHead(off, one));
    change({ heads_off: allHeads(network).filter(isAblated) });
  }

  function chooseWord(word) {
    pointed = null;
    change({ word });
    onWord();
  }

  function hoverWord(index) {
    const moved = pointed !== index;
    pointed = index;
    if (moved) onWord();
  }

  return {
    limits: model.get("_frame").limits,
    request: requests.read,
    shown: currentReading,
    begin: startReading,
    change,
    changeText: (values) => change({ ...values, word: 0 }),
    changeModel: (layers) => change({ layers, heads_off: [] }),
    instead: () => heads.read().instead,
    changeInstead: (instead) => change({ instead }),
    silence: (gone) => change({ heads_off: gone }),
    switchHead,
    chooseWord,
    point: hoverWord,
  };
}
