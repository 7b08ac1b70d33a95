// A box for a text, which is read when the typing rests.

import { typingBox } from "./typing.js";

const TYPING_PAUSE = 150; // milliseconds after the last key

/**
 * `onText(typed)` gets what is typed, its spaces tidied, and returns what is wrong with it,
 * or "". `set(text)` shows another text, `replace(text)` even where this one was refused.
 */
export function textBox({ className, onText, ...attributes }) {
  const box = typingBox({ autocapitalize: "off", ...attributes });
  const { field, error, input, showError } = box;
  field.classList.add(className);
  let current = null; // what the figure shows
  let timer = 0;

  function read() {
    clearTimeout(timer);
    const text = input.value.trim().replace(/\s+/g, " ");
    const wrong = text === current ? "" : onText(text);
    if (!wrong) current = text;
    showError(wrong);
  }
  input.addEventListener("input", (event) => {
    clearTimeout(timer);
    // What an input method is still composing is no text yet.
    if (!event.isComposing) timer = setTimeout(read, TYPING_PAUSE);
  });
  input.addEventListener("compositionend", read);
  input.addEventListener("change", read);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing) read();
  });

  function replace(text) {
    clearTimeout(timer);
    current = text;
    input.value = text;
    showError("");
  }
  function set(text) {
    // What stands in the box is not rewritten while it is typed, nor a complaint about it.
    if (text !== current) replace(text);
  }
  return { field, error, input, showError, replace, set };
}
