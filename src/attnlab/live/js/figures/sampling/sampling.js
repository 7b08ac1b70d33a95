// What comes next? A small language model's probabilities, and what temperature, top-k and
// top-p leave of them; words are drawn, or chosen by hand.

import { make } from "../../parts/elements.js";
import { textBox } from "../../parts/textbox.js";
import { calmly, oncePerFrame, prefersStillness } from "../../parts/timing.js";
import { tokenBars } from "./bars.js";
import { seedField, settingSliders, writingButtons } from "./controls.js";
import { afterSettings, numberFor, placeOf } from "./draw.js";
import { wordSource } from "./source.js";
import { samplingState } from "./state.js";
import { piecesText, samplingInWords, waitingText } from "./words.js";

const WORD_PAUSE = 120; // milliseconds between two words that are written by themselves

export function render({ model, el, say, signal }) {
  const speak = calmly(say);
  const drawSoon = oncePerFrame(draw);
  const state = samplingState(model, follow);
  const { stored, limits } = state;
  const source = wordSource({ model, stored, limits, signal, onFound: found });
  let waiting = null; // what is to be done when the text has been read
  let playing = false;
  let timer = 0;
  signal.addEventListener("abort", () => clearTimeout(timer));

  const box = textBox({ label: "Your beginning", className: "sa-text", lang: "en", onText: typed });
  const bars = tokenBars({ count: limits.bars, onChoose: (place) => act(() => choose(place)) });
  const sliders = settingSliders(state);
  const seed = seedField(state);
  const buttons = writingButtons({
    word: () => act(writeWord),
    play: () => act(togglePlay),
    back: () => act(state.takeBack),
    again: () => act(() => state.begin(state.now().text)),
  });
  const given = make("span", { class: "sa-given" });
  const written = make("span", { class: "sa-written" });
  const line = make("p", { class: "sa-line", lang: "en" }, given, written);
  const pieces = make("p", { class: "al-note sa-pieces" });
  const settings = make("div", {}, sliders.element, seed.element, seed.error, source.note, pieces);
  el.append(
    make("div", { class: "al-controls" }, box.field, buttons.element, box.error),
    line,
    make("div", { class: "sa-columns" }, bars.element, settings),
  );

  // What is typed, or chosen in Python, is looked up as soon as the model is there.
  function typed(text) {
    const fault = source.faultOf(text);
    if (fault) return fault;
    stopPlaying();
    if (text !== state.now().text) state.begin(text);
    if (!source.isShown(state.now())) act(() => {});
    return "";
  }

  function follow() {
    source.meet(state.now());
    drawSoon();
  }

  function found() {
    drawSoon();
    const action = waiting;
    waiting = null;
    if (action) action();
    else if (playing) timer = setTimeout(goOn, prefersStillness() ? 0 : WORD_PAUSE);
  }

  // Do what the reader asks for, once the model is there and has read the text.
  async function act(action) {
    if (source.isLoaded() && source.isShown(state.now())) {
      action();
      return;
    }
    waiting = action;
    if (source.isLoaded()) return;
    const came = await source.load();
    if (signal.aborted) return;
    const fault = came && source.faultOf(state.now().text);
    if (came && !fault) source.meet(state.now());
    else giveUp(fault);
  }

  // The model did not come, or cannot read this: it is no longer asked for.
  function giveUp(fault) {
    waiting = null;
    const { text } = source.shown();
    if (state.now().text !== text) state.begin(text);
    draw();
    if (fault) box.complain(fault);
  }

  function choose(place) {
    stopPlaying();
    state.choose(source.shown().ids[place]);
  }

  function writeWord() {
    stopPlaying();
    drawWord();
  }

  function drawWord() {
    const { ids, logits, written: before } = source.shown();
    const { drawn } = afterSettings(logits, settingsNow());
    state.choose(ids[placeOf(drawn, numberFor(state.now().seed, before.length))]);
  }

  function togglePlay() {
    if (playing) {
      stopPlaying();
      drawSoon();
    } else {
      playing = true;
      goOn();
    }
  }

  function goOn() {
    if (!playing) return;
    const { ended, full } = state.now();
    if (ended || full) {
      stopPlaying();
      drawSoon();
    } else drawWord();
  }

  function stopPlaying() {
    playing = false;
    clearTimeout(timer);
  }

  function settingsNow() {
    const { temperature, top_k: topK, top_p: topP } = state.now();
    return { temperature, topK: topK ?? 0, topP };
  }

  function draw() {
    const now = state.now();
    const shown = source.shown();
    // The end that was chosen is shown once what came before it is.
    const ended = now.ended && source.isShown(now);
    const left = afterSettings(shown.logits, settingsNow());
    const scene = { ...shown, ...now, ...left, ended, playing };
    box.set(now.text);
    for (const part of [bars, sliders, seed, buttons]) part.show(scene);
    given.textContent = shown.given;
    written.textContent = shown.after.slice(shown.given.length);
    line.classList.toggle("ended", ended);
    const loaded = source.isLoaded();
    const waits = waitingText({ text: now.text, shownText: shown.text, loaded });
    pieces.textContent = waits || piecesText(shown);
    speak(source.failure() || samplingInWords(scene));
  }
  draw();
}
