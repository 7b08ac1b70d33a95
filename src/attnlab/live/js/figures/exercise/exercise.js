// An exercise whose answer is checked where it stands.

import { textButton } from "../../parts/buttons.js";
import { make } from "../../parts/elements.js";
import { rafThrottle } from "../../parts/timing.js";
import { typingBox } from "../../parts/typing.js";
import { uid } from "../../shell/shelf.js";
import { exerciseVerdict } from "./judging.js";
import { formatHint } from "./reading.js";
import { exerciseState } from "./state.js";

export function render({ model, el, say, signal }) {
  const state = exerciseState(model, signal, rafThrottle(draw));
  const { asked } = state;
  const makeEntry = asked.kind === "choice" ? choiceEntry : typedEntry;
  const entry = makeEntry(asked, state.type, onCheck);
  const hint = hintButton(asked.hint);
  const clear = textButton("Clear", onClear);
  const buttons = make(
    "div.ex-buttons",
    textButton("Check", onCheck, { class: "al-primary" }),
    hint.button,
    clear,
  );
  el.classList.add("ex-body");
  const figure = el.closest("figure");
  const first = document.querySelector(`[data-figure="${figure.dataset.figure}"]`);
  figure.classList.toggle("ex-another", figure !== first); // what all captions say, one does
  el.append(make("div.ex-row", entry.field, buttons), entry.error, hint.text);

  function onCheck() {
    entry.showError(state.check());
    draw();
  }
  function onClear() {
    entry.showError("");
    state.clear();
    draw();
    el.querySelector("input").focus(); // the button is gone
  }

  function draw() {
    const now = state.now();
    const verdict = exerciseVerdict(asked, now.answer);
    entry.update(now.typed);
    el.dataset.verdict = now.answer === null ? "none" : verdict === "Right." ? "right" : "wrong";
    clear.hidden = now.answer === null;
    hint.setCheckEnabled(!verdict.endsWith(asked.hint)); // it may have said it already
    say(inWords(now, verdict));
  }
  draw();
}

// What came of the answer. While another one is typed, it says of which.
function inWords({ answer, checked, changed, stored }, verdict) {
  if (answer === null) return verdict;
  const kept = stored ? "" : " This browser keeps nothing: the answer goes with the page.";
  return `${changed ? `Checked last: ${checked}. ` : ""}${verdict}${kept}`;
}

/** A button that shows the hint and hides it again. */
function hintButton(words) {
  const text = make("p.ex-hint", { hidden: true });
  const button = textButton("Show the hint", onPress, { "aria-expanded": "false" });
  function onPress() {
    text.hidden = !text.hidden;
    text.textContent = text.hidden ? "" : words;
    button.textContent = text.hidden ? "Show the hint" : "Hide the hint";
    button.setAttribute("aria-expanded", String(!text.hidden));
  }
  function setCheckEnabled(allowed) {
    if (!allowed && !text.hidden) onPress();
    button.hidden = !allowed;
  }
  return { button, text, setCheckEnabled };
}

// Where the answer is typed or chosen.

/** A text box; Enter checks. */
function typedEntry(asked, onText, onEnter) {
  const label = `Exercise ${asked.number}: ${formatHint(asked)}`;
  const { field, error, input, showError } = typingBox({ label, autocapitalize: "off" });
  field.classList.add("ex-field");
  input.dataset.kind = asked.kind;
  input.addEventListener("input", () => {
    showError("");
    onText(input.value);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing) onEnter();
  });
  function update(text) {
    if (input.value !== text) input.value = text;
  }
  return { field, error, showError, update };
}

/** Radio buttons, one under the other. */
function choiceEntry({ number, choices }, onText) {
  const name = uid("answer");
  const error = make("p.al-error", { role: "alert" });
  const inputs = choices.map((text) => make("input", { type: "radio", name, value: text }));
  const rows = inputs.map((input) => make("label.ex-choice", input, make("span", input.value)));
  const legend = make("legend", `Exercise ${number}: choose one`);
  const field = make("fieldset.al-field.ex-field", legend, ...rows);
  for (const input of inputs) {
    input.addEventListener("change", () => {
      showError("");
      onText(input.value);
    });
  }
  function showError(message) {
    error.textContent = message;
  }
  function update(text) {
    for (const input of inputs) input.checked = input.value === text;
  }
  return { field, error, showError, update };
}
