// The controls that the live figures share. Every one is a real form element with a label.

import { uid } from "../shell/shelf.js";
import { make } from "./elements.js";

/** A labelled text box, and a line for what is wrong with what is typed. */
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
  const error = make("p", { id: `${id}-error`, class: "al-error", role: "alert" });
  const field = make("div", { class: "al-field" }, make("label", { for: id }, label), input);
  function complain(message) {
    error.textContent = message;
    input.setAttribute("aria-invalid", message ? "true" : "false");
  }
  return { field, error, input, complain };
}

/**
 * A labelled text box for a number; ↑ and ↓ count in steps. `set(number)` shows a number.
 * The `inputmode` picks a phone's keys: "numeric" has digits alone, "text" all there are.
 */
export function numberBox({ label, parse, onNumber, step = 1, inputmode = "numeric" }) {
  const { field, error, input, complain } = typingBox({ label, inputmode });
  let current = null;
  function read() {
    const answer = parse(input.value);
    complain(answer.error ?? "");
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
    input.value = String(current);
    complain("");
  }
  // As `set`; but what was refused goes in any case, unless it is being typed.
  function settle(number) {
    set(number);
    const refused = input.getAttribute("aria-invalid") === "true";
    if (refused && input !== document.activeElement) forget();
  }
  return { field, error, input, set, settle, forget, complain };
}

/**
 * A number box and a slider for the same number: the box takes any, the slider goes over
 * those of `numberAt(place)`, from place `min` to `max`. Takes what `numberBox` takes, and
 * `short`, what the slider's label calls the number. A figure lays box and track out itself.
 */
export function numberSlider({ short, min = 0, max = 1, numberAt, ...options }) {
  const box = numberBox(options);
  const track = slider({
    label: `${short ?? options.label}, slider`,
    min,
    max,
    onValue: (place) => options.onNumber(numberAt(place)),
  });
  track.field.firstChild.classList.add("al-hidden");
  return { box, track };
}

/** Radio buttons in a labelled group. `options` is a list of [value, text]. */
export function choices({ label, options, onChoice }) {
  const name = uid("choice");
  const inputs = options.map(([value]) => make("input", { type: "radio", name, value }));
  const strip = make(
    "div",
    { class: "al-choices" },
    ...options.map(([, text], i) => make("label", {}, inputs[i], make("span", {}, text))),
  );
  const field = make("fieldset", { class: "al-field" }, make("legend", {}, label), strip);
  for (const input of inputs) {
    input.addEventListener("change", () => onChoice(input.value));
  }
  function set(value) {
    for (const input of inputs) input.checked = input.value === String(value);
  }
  return { field, set };
}

/** A labelled drop-down. `options` is a list of [value, text]. */
export function menu({ label, options, onChoice }) {
  const id = uid("menu");
  const select = make("select", { id });
  const field = make("div", { class: "al-field" }, make("label", { for: id }, label), select);
  select.addEventListener("change", () => onChoice(select.value));
  function fill(list) {
    select.replaceChildren(...list.map(([value, text]) => make("option", { value }, text)));
  }
  fill(options);
  const set = (value) => {
    select.value = value;
  };
  return { field, fill, set };
}

/** A labelled slider. `set(value, max, text)`; `text` is what a screen reader says. */
export function slider({ label, min, max, onValue }) {
  const id = uid("slider");
  const input = make("input", { id, type: "range", min, max, step: 1 });
  const field = make("div", { class: "al-field" }, make("label", { for: id }, label), input);
  input.addEventListener("input", () => onValue(Number(input.value)));
  function set(value, newMax, text) {
    input.max = newMax;
    input.value = value;
    input.setAttribute("aria-valuetext", text);
  }
  return { field, input, set };
}

/** A button with its name written on it. */
export function textButton(name, onPress, attributes = {}) {
  const button = make("button", { type: "button", ...attributes }, name);
  button.addEventListener("click", onPress);
  return button;
}

/** A button with a sign to look at and a name to hear. */
export function pressButton({ sign, name, onPress }) {
  const button = make("button", { type: "button", "aria-label": name, title: name }, sign);
  button.addEventListener("click", () => {
    if (button.getAttribute("aria-disabled") !== "true") onPress();
  });
  return button;
}

/** Let the button work or not. One that is `disabled` would drop the keyboard's focus. */
export function allow(button, allowed) {
  button.setAttribute("aria-disabled", String(!allowed));
}

/** Make the button say what pressing it does: `name`, which starts the play, or "Pause". */
export function showPlaying(button, playing, name, text = { play: "", pause: "" }) {
  button.textContent = playing ? `❚❚\uFE0E${text.pause}` : `▶\uFE0E${text.play}`;
  button.title = playing ? "Pause" : name;
  button.setAttribute("aria-label", button.title);
}
