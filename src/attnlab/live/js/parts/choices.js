// One of several: radio buttons and a drop-down.

import { uid } from "../shell/shelf.js";
import { make } from "./elements.js";

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
