// One of several: radio buttons and a drop-down.

import { uid } from "../shell/shelf.js";
import { make } from "./elements.js";

/** Radio buttons in a labelled group. `options` are texts by value, or [value, text] each. */
export function choices(label, options, onChoice) {
  const name = uid("choice");
  const entries = entriesOf(options);
  const inputs = entries.map(([value]) => make("input", { type: "radio", name, value }));
  const strip = make(
    "div.al-choices",
    ...entries.map(([, text], i) => make("label", inputs[i], make("span", text))),
  );
  const field = make("fieldset.al-field", make("legend", label), strip);
  for (const input of inputs) {
    input.addEventListener("change", () => onChoice(input.value));
  }
  function set(value) {
    for (const input of inputs) input.checked = input.value === String(value);
  }
  return { field, set };
}

/** A labelled drop-down, with `options` as above. */
export function menu(label, options, onChoice) {
  const id = uid("menu");
  const select = make("select", { id });
  const field = make("div.al-field", make("label", { for: id }, label), select);
  select.addEventListener("change", () => onChoice(select.value));
  function fill(list) {
    select.replaceChildren(
      ...entriesOf(list).map(([value, text]) => make("option", { value }, text)),
    );
  }
  fill(options);
  const set = (value) => {
    select.value = value;
  };
  return { field, fill, set };
}

function entriesOf(options) {
  return Array.isArray(options) ? options : Object.entries(options);
}
