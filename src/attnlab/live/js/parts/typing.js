// A text box, and what is wrong with what is typed there.

import { uid } from "../shell/shelf.js";
import { make } from "./elements.js";

/**
 * A labelled text box, and a line for what is wrong with what is typed.
 *
 * @param {Record<string, any>} asked
 */
export function typingBox({ label, ...attributes }) {
  const id = uid("text");
  const input = make("input", {
    id,
    type: "text",
    autocomplete: "off",
    spellcheck: "false",
    "aria-describedby": `${id}-error`,
    ...attributes,
  });
  const error = make("p.al-error", { id: `${id}-error`, role: "alert" });
  const field = make("div.al-field", make("label", { for: id }, label), input);
  function showError(message) {
    error.textContent = message;
    input.setAttribute("aria-invalid", message ? "true" : "false");
  }
  return { field, error, input, showError };
}
