// What comes next? A small language model's probabilities, and what temperature, top-k and
// top-p leave of them; words are drawn, or chosen by hand.

import { isEnd } from "../../models/writer.js";
import { make } from "../../parts/elements.js";
import { textBox } from "../../parts/textbox.js";
import { debounce, rafThrottle } from "../../parts/timing.js";
import { traitsOf } from "../../shell/traits.js";
import { tokenBars } from "./bars.js";
import { seedField, settingSliders, writingButtons } from "./controls.js";
import { afterSettings } from "./draw.js";
import { wordSource } from "./source.js";
import { piecesText, samplingInWords, waitingText } from "./words.js";
import { reading, settingsOf, wordWriter } from "./writing.js";

const SAMPLING_TRAITS = ["text", "written", "temperature", "top_k", "top_p", "seed"];

export function render({ model, el, say, signal }) {
  const speak = debounce(say);
  const drawSoon = rafThrottle(draw);
  const state = samplingState(model, () => {
    source.meet(state.now());
    drawSoon();
  });
  const source = wordSource({ ...state, model, signal, onFound });
  const { whenRead, found } = reading({ state, source, signal, onRefused });
  const writer = wordWriter({ state, source, signal, onStop: drawSoon });
  const { box, parts, line, pieces } = panel({ state, source, typed, ...actions() });

  function actions() {
    const byHand = (action) => () => {
      writer.stop();
      whenRead(action);
    };
    return {
      el,
      onChoose: (place) => byHand(() => state.choose(source.shown().ids[place]))(),
      on: {
        word: byHand(writer.write),
        play: () => whenRead(writer.toggle),
        back: byHand(state.takeBack),
        again: byHand(() => state.begin(state.now().text)),
      },
    };
  }

  function typed(text) {
    const fault = source.faultOf(text);
    if (fault) return fault;
    writer.stop();
    if (text !== state.now().text) state.begin(text);
    if (!source.isShown(state.now())) whenRead(() => {});
    return "";
  }

  function onFound() {
    drawSoon();
    if (!found()) writer.goOnSoon();
  }

  // What the model cannot read, or what it did not come for, is no longer asked for.
  function onRefused(fault) {
    const { text } = source.shown();
    if (state.now().text !== text) state.begin(text);
    draw();
    if (fault) box.complain(fault);
  }

  function draw() {
    const scene = sceneOf(state.now(), source.shown(), source, writer.isPlaying());
    box.set(scene.asked);
    for (const part of parts) part.update(scene);
    line.update(scene);
    pieces.textContent = waitingText(scene) || piecesText(scene);
    speak(source.failure() || samplingInWords(scene));
  }
  draw();
}

// All that is shown: the state, what may follow, and what the sliders leave of it. An end that
// was chosen is shown once what stands before it is.
function sceneOf(now, shown, source, playing) {
  const ended = now.ended && source.isShown(now);
  const left = afterSettings(shown.logits, settingsOf(now));
  const texts = { asked: now.text, shownText: shown.text, loaded: source.isLoaded() };
  return { ...shown, ...now, ...left, ...texts, ended, playing };
}

function panel({ el, state, source, typed, onChoose, on }) {
  const box = textBox({ label: "Your beginning", className: "sa-text", lang: "en", onText: typed });
  const bars = tokenBars({ count: state.limits.bars, onChoose });
  const sliders = settingSliders(state);
  const seed = seedField(state);
  const buttons = writingButtons(on);
  const line = captionLine();
  const pieces = make("p.al-note.sa-pieces");
  bars.element.classList.add("al-still");
  const settings = make(
    "div.sa-settings.al-more",
    sliders.element,
    seed.element,
    seed.error,
    source.note,
    pieces,
  );
  el.append(
    make("div.al-controls", box.field, buttons.element, box.error),
    line.element,
    make("div.sa-columns", bars.element, settings),
  );
  return { box, parts: [bars, sliders, seed, buttons], line, pieces };
}

// The caption so far: what was given, and what was written behind it.
function captionLine() {
  const given = make("span.sa-given");
  const written = make("span.sa-written");
  const element = make("p.sa-line", { lang: "en" }, given, written);
  function update(scene) {
    given.textContent = scene.given;
    written.textContent = scene.after.slice(scene.given.length);
    element.classList.toggle("ended", scene.ended);
  }
  return { element, update };
}

// The state of the sampling figure, and all that may change it.

/** `onChange` is called after every change. */
function samplingState(model, onChange) {
  const traits = traitsOf(model, SAMPLING_TRAITS);
  const { limits, stored } = model.get("_frame");
  traits.follow(onChange);

  function now() {
    const found = traits.read();
    const ended = found.written.length > 0 && isEnd(found.written.at(-1));
    return { ...found, ended, full: found.written.length >= limits.written };
  }

  const change = (values) => traits.change(values);
  const begin = (text) => change({ text, written: [] });
  function choose(id) {
    const { written, ended, full } = now();
    if (!ended && !full) change({ written: [...written, id] });
  }
  const takeBack = () => change({ written: now().written.slice(0, -1) });
  return { limits, stored, now, change, begin, choose, takeBack };
}
