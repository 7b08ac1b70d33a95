// What writes: a word that is drawn or chosen, and words to the end; each once the model is
// there and has read what stands before.

import { prefersReducedMotion } from "../../parts/timing.js";
import { applySettings, randomNumberFor, tokenAtNumber } from "./draw.js";

const WORD_PAUSE = 120; // milliseconds between two words that are written by themselves

/** What the state's sliders say, as `applySettings` takes it. */
export function samplerSettings({ temperature, top_k: topK, top_p: topP }) {
  return { temperature, topK: topK ?? 0, topP };
}

/**
 * `whenLoaded(action)` calls `action` when the model has read the text of the state, which it
 * loads if need be; `runPending()` is to be called whenever it has. `onRefused(fault)` is called
 * when the model did not come, or has the `fault` to find with the text.
 */
export function whenModelReady({ state, source, signal, onRefused }) {
  let waiting = null;

  async function whenLoaded(action) {
    if (source.isRead(state.now())) {
      action();
      return;
    }
    waiting = action;
    if (source.isLoaded()) return;
    const came = await source.load();
    if (signal.aborted) return;
    const fault = came ? source.findFault(state.now().text) : "";
    if (came && !fault) source.answerRequest(state.now());
    else {
      waiting = null;
      onRefused(fault);
    }
  }

  /** Was something to be done? Then it is done. */
  function runPending() {
    const action = waiting;
    waiting = null;
    action?.();
    return Boolean(action);
  }
  return { whenLoaded, found: runPending };
}

/** Draws words: one, or one after the other to the end. `onStop()` is called at the end. */
export function wordWriter({ state, source, signal, onStop }) {
  let playing = false;
  let timer = 0;
  signal.addEventListener("abort", () => clearTimeout(timer));

  function write() {
    const { ids, logits, written } = source.shown();
    const { drawn } = applySettings(logits, samplerSettings(state.now()));
    state.choose(ids[tokenAtNumber(drawn, randomNumberFor(state.now().seed, written.length))]);
  }

  function writeNext() {
    const { ended, full } = state.now();
    if (playing && !ended && !full) write();
    else stop();
  }

  function scheduleNext() {
    if (playing) timer = setTimeout(writeNext, prefersReducedMotion() ? 0 : WORD_PAUSE);
  }

  function toggle() {
    if (playing) {
      stop();
      return;
    }
    playing = true;
    writeNext();
  }

  function stop() {
    if (playing) onStop();
    playing = false;
    clearTimeout(timer);
  }
  return { write, toggle, stop, scheduleNext, isPlaying: () => playing };
}
