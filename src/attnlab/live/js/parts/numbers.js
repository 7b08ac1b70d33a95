// Numbers that are typed or slid.

import { uid } from "../shell/shelf.js";
import { make } from "./elements.js";
import { typingBox } from "./typing.js";

/**
 * A labelled text box for a number; ↑ and ↓ count in steps. `set(number)` shows a number, or
 * nothing for null. The `inputmode` picks a phone's keys: "numeric" has digits alone, "text"
 * all there are.
 *
 * @param {Record<string, any>} asked
 */
export function numberBox({ label, parse, onNumber, step = 1, inputmode = "numeric" }) {
  const { field, error, input, showError } = typingBox({ label, inputmode });
  let current = null;
  function read() {
    const answer = parse(input.value);
    showError(answer.error ?? "");
    if (answer.error !== undefined || answer.number === current) return;
    current = answer.number;
    onNumber(current);
  }
  input.addEventListener("input", read);
  input.addEventListener("keydown", (event) => {
    const change = { ArrowUp: step, ArrowDown: -step }[event.key];
    if (!change || current === null) return;
    event.preventDefault();
    const answer = parse(String(Number((current + change).toPrecision(12))));
    if (answer.error !== undefined) return;
    input.value = String(answer.number);
    read();
  });

  function set(number) {
    // What stands in the box is not rewritten while it is typed, nor a complaint about it.
    if (number === current) return;
    current = number;
    forget();
  }
  // What was typed in vain goes, and the complaint with it.
  function forget() {
    input.value = String(current ?? "");
    showError("");
  }
  // As `set`; but what was refused goes in any case, unless it is being typed.
  function setAndClear(number) {
    set(number);
    const refused = input.getAttribute("aria-invalid") === "true";
    if (refused && input !== document.activeElement) forget();
  }
  return { field, error, input, set, settle: setAndClear, showError };
}

/**
 * A number box and a slider for the same number: the box takes any, the slider goes over
 * those of `numberAt(place)`, from place `min` to `max`. Takes what `numberBox` takes, and
 * `short`, what the slider's label calls the number. A figure lays box and track out itself.
 *
 * @param {Record<string, any>} asked
 */
export function numberSlider({ short, min = 0, max = 1, numberAt, ...options }) {
  const box = numberBox(options);
  const track = slider(`${short ?? options.label}, slider`, min, max, (place) =>
    options.onNumber(numberAt(place)),
  );
  track.field.firstChild.classList.add("al-hidden");
  return { box, track };
}

/** A labelled slider. `set(value, max, text)`; `text` is what a screen reader says. */
export function slider(label, min, max, onValue) {
  const id = uid("slider");
  const input = make("input", { id, type: "range", min, max, step: 1 });
  const field = make("div.al-field", make("label", { for: id }, label), input);
  input.addEventListener("input", () => onValue(Number(input.value)));
  function set(value, newMax, text) {
    input.max = newMax;
    input.value = value;
    input.setAttribute("aria-valuetext", text);
  }
  return { field, input, set };
}
