// Where the answer is typed or chosen.

import { uid } from "../../shell/shelf.js";
import { make } from "../../parts/elements.js";
import { typingBox } from "../../parts/typing.js";
import { formatHint } from "./reading.js";

/** A text box; Enter checks. */
export function typedEntry(asked, onText, onEnter) {
  const label = `Exercise ${asked.number}: ${formatHint(asked)}`;
  const { field, error, input, complain } = typingBox({ label, autocapitalize: "off" });
  field.classList.add("ex-field");
  input.dataset.kind = asked.kind;
  input.addEventListener("input", () => {
    complain("");
    onText(input.value);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing) onEnter();
  });
  function show(text) {
    if (input.value !== text) input.value = text;
  }
  return { field, error, complain, show };
}

/** Radio buttons, one under the other. */
export function choiceEntry({ number, choices }, onText) {
  const name = uid("answer");
  const error = make("p", { class: "al-error", role: "alert" });
  const inputs = choices.map((text) => make("input", { type: "radio", name, value: text }));
  const rows = inputs.map((input) =>
    make("label", { class: "ex-choice" }, input, make("span", {}, input.value)),
  );
  const legend = make("legend", {}, `Exercise ${number}: choose one`);
  const field = make("fieldset", { class: "al-field ex-field" }, legend, ...rows);
  for (const input of inputs) {
    input.addEventListener("change", () => {
      complain("");
      onText(input.value);
    });
  }
  function complain(message) {
    error.textContent = message;
  }
  function show(text) {
    for (const input of inputs) input.checked = input.value === text;
  }
  return { field, error, complain, show };
}
