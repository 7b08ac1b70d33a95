// What comes next? A small language model's probabilities, and what temperature, top-k and
// top-p leave of them; words are drawn, or chosen by hand.

import { isEnd } from "../../models/writer.js";
import { make } from "../../parts/elements.js";
import { textBox } from "../../parts/textbox.js";
import { debounce, rafThrottle } from "../../parts/timing.js";
import { traitsOf } from "../../shell/traits.js";
import { tokenBars } from "./bars.js";
import { seedField, settingSliders, writingButtons } from "./controls.js";
import { applySettings } from "./draw.js";
import { nextTokenSource } from "./source.js";
import { splitWordsText, describeSampling, waitingText } from "./words.js";
import { whenModelReady, samplerSettings, wordWriter } from "./writing.js";

const SAMPLING_TRAITS = ["text", "written", "temperature", "top_k", "top_p", "seed"];

export function render({ model, el, say, signal }) {
  const speak = debounce(say);
  const drawSoon = rafThrottle(draw);
  const state = samplingState(model, () => {
    source.answerRequest(state.now());
    drawSoon();
  });
  const source = nextTokenSource({ ...state, model, signal, onFound });
  const { whenLoaded, found } = whenModelReady({ state, source, signal, onRefused });
  const writer = wordWriter({ state, source, signal, onStop: drawSoon });
  const { box, parts, line, pieces } = makePanel({ state, source, typed, ...makeActions() });

  function makeActions() {
    const stopAndRun = (action) => () => {
      writer.stop();
      whenLoaded(action);
    };
    return {
      el,
      onChoose: (place) => stopAndRun(() => state.choose(source.shown().ids[place]))(),
      on: {
        word: stopAndRun(writer.write),
        play: () => whenLoaded(writer.toggle),
        back: stopAndRun(state.removeLast),
        again: stopAndRun(() => state.begin(state.now().text)),
      },
    };
  }

  function typed(text) {
    const fault = source.findFault(text);
    if (fault) return fault;
    writer.stop();
    if (text !== state.now().text) state.begin(text);
    if (!source.isShown(state.now())) whenLoaded(() => {});
    return "";
  }

  function onFound() {
    drawSoon();
    if (!found()) writer.scheduleNext();
  }

  // What the model cannot read, or what it did not come for, is no longer asked for.
  function onRefused(fault) {
    const { text } = source.shown();
    if (state.now().text !== text) state.begin(text);
    draw();
    if (fault) box.showError(fault);
  }

  function draw() {
    const scene = computeScene(state.now(), source.shown(), source, writer.isPlaying());
    box.set(scene.asked);
    for (const part of parts) part.update(scene);
    line.update(scene);
    pieces.textContent = waitingText(scene) || splitWordsText(scene);
    speak(source.failure() || describeSampling(scene));
  }
  draw();
}

// All that is shown: the state, what may follow, and what the sliders leave of it. An end that
// was chosen is shown once what stands before it is.
function computeScene(now, shown, source, playing) {
  const ended = now.ended && source.isShown(now);
  const left = applySettings(shown.logits, samplerSettings(now));
  const texts = { asked: now.text, shownText: shown.text, loaded: source.isLoaded() };
  return { ...shown, ...now, ...left, ...texts, ended, playing };
}

function makePanel({ el, state, source, typed, onChoose, on }) {
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
  const startText = (text) => change({ text, written: [] });
  function appendToken(id) {
    const { written, ended, full } = now();
    if (!ended && !full) change({ written: [...written, id] });
  }
  const removeLast = () => change({ written: now().written.slice(0, -1) });
  return { limits, stored, now, change, begin: startText, choose: appendToken, removeLast };
}
