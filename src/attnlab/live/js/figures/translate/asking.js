// What the reader asks for: a sentence, how to search, a beginning, and the model itself.

import { pressButton, textButton } from "../../parts/buttons.js";
import { choices, menu } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { textBox } from "../../parts/textbox.js";
import { CHINESE, statusText } from "./words.js";

const TRANSLATE_EXAMPLES = [
  "There is a cat under the table.",
  "My sister doesn't like coffee.",
  "He gave her a red flower.",
  "The red car is faster than the blue one.",
  "Attention is all you need.",
];
const NO_EXAMPLE = ["", "Examples"];

/**
 * The sentence and the button that loads the model; `onLoaded()` is called when that came,
 * or did not. `update(now)` follows the state, and `tell(now)` returns what is to be said, or "".
 */
export function sentencePanel({ state, runs, stored, signal, onLoaded }) {
  const box = textBox({
    label: "English sentence",
    className: "tr-sentence",
    lang: "en",
    onText(text) {
      const fault = runs.faultOfText(text);
      if (!fault) state.requestRun({ text, prefix: "" });
      return fault;
    },
  });
  const loader = loadButton({ state, runs, signal, megabytes: stored.about.megabytes, onDone });
  const examples = exampleMenu((text) => {
    box.replace(text);
    state.requestRun({ text, prefix: "" });
  });
  for (const field of [box.field, examples]) field.firstChild.classList.add("al-hidden");
  const asking = [box.field, examples, loader, box.error];
  const controls = make("div.al-controls", ...asking);

  function onDone() {
    const focused = document.activeElement === loader;
    loader.hidden = Boolean(runs.loaded());
    if (focused && loader.hidden) box.input.focus();
    onLoaded();
  }

  /** What stands between the reader and what is wished for; also returned. */
  function tell({ failure }) {
    const loaded = Boolean(runs.loaded());
    const waits = !loaded && !runs.isStored(state.request());
    const { whole } = runs.shown();
    loader.classList.toggle("al-primary", waits);
    return statusText({ failure, waits, loaded, stored, whole });
  }

  const update = ({ text }) => box.set(text);
  return { element: controls, showError: box.showError, update, tell };
}

// What is chosen goes to the box; the menu waits for the next.
function exampleMenu(onExample) {
  const { field, set } = menu(
    "Examples",
    [NO_EXAMPLE, ...TRANSLATE_EXAMPLES.map((text) => [text, text])],
    (text) => {
      if (text) onExample(text);
      set("");
    },
  );
  field.classList.add("tr-examples");
  return field;
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

/**
 * How wide the beam is, and where to begin: two `fields`, and what was wrong with the latter.
 * `update(now)` follows the state.
 */
export function settingsPanel({ state, runs }) {
  const width = choices(
    "Beam width (1 is greedy)",
    Array.from({ length: state.limits.width }, (_, i) => [String(i + 1), String(i + 1)]),
    (n) => state.requestRun({ width: Number(n) }),
  );
  const start = textBox({
    label: "It must begin with",
    className: "tr-prefix",
    lang: CHINESE,
    onText(typed) {
      const prefix = typed.replace(/\s+/g, "");
      const fault = runs.faultOfPrefix(prefix);
      if (!fault) state.requestRun({ prefix });
      return fault;
    },
  });
  const clear = pressButton("✕\uFE0E", "Let it begin freely", () => submitPrefix("", start.input));
  width.field.classList.add("tr-width");
  start.field.append(make("div.al-row", start.input, clear));

  function submitPrefix(prefix, focused) {
    start.replace(prefix);
    state.requestRun({ prefix });
    clear.hidden = false;
    focused.focus();
  }

  function update({ width: wide, prefix }) {
    start.set(prefix);
    width.set(wide);
    clear.hidden = !prefix;
  }
  // The button that was pressed goes with its list: the focus goes to the way back.
  const setPrefixFrom = (prefix) => submitPrefix(prefix, clear);
  const fields = [width.field, start.field];
  return { fields, error: start.error, showError: start.showError, setPrefixFrom, update };
}
