// An exercise whose answer is checked where it stands.

import { textButton } from "../../parts/buttons.js";
import { make } from "../../parts/elements.js";
import { rafThrottle } from "../../parts/timing.js";
import { choiceEntry, typedEntry } from "./entry.js";
import { exerciseVerdict } from "./judging.js";
import { exerciseState } from "./state.js";

export function render({ model, el, say, signal }) {
  const state = exerciseState(model, signal, rafThrottle(draw));
  const { asked } = state;
  const makeEntry = asked.kind === "choice" ? choiceEntry : typedEntry;
  const entry = makeEntry(asked, state.type, onCheck);
  const hint = hintButton(asked.hint);
  const clear = textButton("Clear", onClear);
  const buttons = make(
    "div",
    { class: "ex-buttons" },
    textButton("Check", onCheck, { class: "al-primary" }),
    hint.button,
    clear,
  );
  el.classList.add("ex-body");
  const figure = el.closest("figure");
  const first = document.querySelector(`[data-figure="${figure.dataset.figure}"]`);
  figure.classList.toggle("ex-another", figure !== first); // what all captions say, one does
  el.append(make("div", { class: "ex-row" }, entry.field, buttons), entry.error, hint.text);

  function onCheck() {
    entry.complain(state.check());
    draw();
  }
  function onClear() {
    entry.complain("");
    state.clear();
    draw();
    el.querySelector("input").focus(); // the button is gone
  }

  function draw() {
    const now = state.now();
    const verdict = exerciseVerdict(asked, now.answer);
    entry.show(now.typed);
    el.dataset.verdict = now.answer === null ? "none" : verdict === "Right." ? "right" : "wrong";
    clear.hidden = now.answer === null;
    hint.allow(!verdict.endsWith(asked.hint)); // a verdict that has it need not say it twice
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
  const text = make("p", { class: "ex-hint", hidden: true });
  const button = textButton("Show the hint", onPress, { "aria-expanded": "false" });
  function onPress() {
    text.hidden = !text.hidden;
    text.textContent = text.hidden ? "" : words;
    button.textContent = text.hidden ? "Show the hint" : "Hide the hint";
    button.setAttribute("aria-expanded", String(!text.hidden));
  }
  function allow(allowed) {
    if (!allowed && !text.hidden) onPress();
    button.hidden = !allowed;
  }
  return { button, text, allow };
}
