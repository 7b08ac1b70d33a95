// A choice: one of several answers.

import { uid } from "../../shell/shelf.js";
import { make } from "../../parts/elements.js";
import { forecastTag } from "./tags.js";

/** Radio buttons, one under the other; afterwards the same rows, marked. */
export function choiceGuess({ choices, answer, question }, onGuess) {
  const name = uid("forecast");
  const rows = choices.map((text) => {
    const input = make("input", { type: "radio", name, value: text });
    input.addEventListener("change", () => onGuess(text));
    const yours = forecastTag("yours");
    const tags = [yours, ...(text === answer ? [forecastTag("truth")] : [])];
    const label = make("label", { class: "fc-choice" }, input, make("span", {}, text), ...tags);
    label.dataset.answer = text === answer;
    return { text, input, yours, label };
  });
  const legend = make("legend", { class: "al-hidden" }, question);
  const list = make("div", { class: "fc-choices" }, ...rows.map(({ label }) => label));
  const element = make("fieldset", {}, legend, list);

  function show({ guess, shown }) {
    for (const { text, input, yours, label } of rows) {
      input.checked = text === guess;
      input.disabled = shown;
      yours.hidden = !shown || text !== guess;
      label.dataset.guess = text === guess;
    }
  }
  return { element, show };
}
