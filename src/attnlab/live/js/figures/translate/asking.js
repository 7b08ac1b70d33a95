// What the reader asks for: a sentence, how to search, a beginning, and the model itself.

import { textButton } from "../../parts/buttons.js";
import { choices } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { textBox } from "../../parts/textbox.js";
import { CHINESE, noteText } from "./words.js";

const TRANSLATE_EXAMPLES = [
  "There is a cat under the table.",
  "My sister doesn't like coffee.",
  "He gave her a red flower.",
  "The red car is faster than the blue one.",
  "Attention is all you need.",
];

/**
 * The sentence and the button that loads the model; `onLoaded()` is called when that came,
 * or did not. `show(now)` follows the state, and `tell(now)` returns what it notes, or "".
 */
export function sentencePanel({ state, runs, stored, signal, onLoaded }) {
  const box = textBox({
    label: "English sentence",
    className: "tr-sentence",
    lang: "en",
    onText(text) {
      const fault = runs.faultOfText(text);
      if (!fault) state.ask({ text, prefix: "" });
      return fault;
    },
  });
  const loader = loadButton({ state, runs, signal, megabytes: stored.about.megabytes, onDone });
  const examples = exampleButtons((text) => {
    box.replace(text);
    state.ask({ text, prefix: "" });
  });
  const note = make("p", { class: "al-note tr-note", hidden: true });
  const controls = make("div", { class: "al-controls" }, box.field, loader, box.error);

  function onDone() {
    const focused = document.activeElement === loader;
    loader.hidden = Boolean(runs.loaded());
    if (focused && loader.hidden) box.input.focus();
    onLoaded();
  }

  /** What stands between the reader and what is wished for; also returned. */
  function tell({ failure }) {
    const loaded = Boolean(runs.loaded());
    const waits = !loaded && !runs.isStored(state.wish());
    const { whole } = runs.shown();
    note.textContent = noteText({ failure, waits, loaded, stored, whole });
    note.hidden = !note.textContent;
    loader.classList.toggle("wanted", waits);
    return note.textContent;
  }
  const show = ({ text }) => box.set(text);
  return { elements: [controls, examples, note], complain: box.complain, show, tell };
}

function exampleButtons(onExample) {
  const buttons = TRANSLATE_EXAMPLES.map((text) =>
    textButton(text, () => onExample(text), { lang: "en" }),
  );
  const label = "Examples, none of them from its training";
  return make(
    "div",
    { class: "tr-examples", role: "group", "aria-label": "Examples" },
    make("span", { class: "al-label" }, label),
    ...buttons,
  );
}

function loadButton({ state, runs, signal, megabytes, onDone }) {
  const name = `Load the model (${megabytes} MB)`;
  const button = textButton(name, load, { class: "tr-load", hidden: Boolean(runs.loaded()) });
  let loading = false;

  async function load() {
    if (loading || runs.loaded()) return;
    loading = true;
    state.fail("");
    button.textContent = "Loading the model …";
    try {
      await runs.load();
    } catch (error) {
      state.fail(error.message);
    }
    if (signal.aborted) return;
    loading = false;
    button.textContent = name;
    onDone();
  }
  return button;
}

/** How to search, where to begin, and all heads on. `show(now)` follows the state. */
export function settingsPanel({ state, runs }) {
  const width = choices({
    label: "Beam width (1 is greedy)",
    options: Array.from({ length: state.limits.width }, (_, i) => [String(i + 1), String(i + 1)]),
    onChoice: (n) => state.ask({ width: Number(n) }),
  });
  const start = textBox({
    label: "It must begin with",
    className: "tr-prefix",
    lang: CHINESE,
    onText(typed) {
      const prefix = typed.replace(/\s+/g, "");
      const fault = runs.faultOfPrefix(prefix);
      if (!fault) state.ask({ prefix });
      return fault;
    },
  });
  const free = { class: "tr-clear" };
  const clear = textButton("Let it begin freely", () => takePrefix("", start.input), free);
  const allOn = textButton("All heads on", () => state.ask({ heads_off: [] }));
  const element = make(
    "div",
    { class: "al-controls tr-settings" },
    width.field,
    start.field,
    clear,
    allOn,
    start.error,
  );

  function takePrefix(prefix, focused) {
    start.replace(prefix);
    state.ask({ prefix });
    clear.hidden = false;
    focused.focus();
  }

  function show({ width: wide, prefix, heads_off: off }) {
    start.set(prefix);
    width.set(wide);
    clear.hidden = !prefix;
    allOn.hidden = off.length === 0;
  }
  // The button that was pressed goes with its list: the focus goes to the way back.
  const goOnFrom = (prefix) => takePrefix(prefix, clear);
  return { element, complain: start.complain, goOnFrom, show };
}
