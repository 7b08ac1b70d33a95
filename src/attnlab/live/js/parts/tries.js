// Buttons that each show something worth trying.

import { uid } from "../shell/shelf.js";
import { textButton } from "./buttons.js";
import { make } from "./elements.js";

/**
 * The buttons over a question, which each of them changes: `tries` is a list of [name,
 * onPress, question], `prefix` that of the classes. Returns the element, its buttons, and
 * `forget()`, which asks the first question once more.
 */
export function tryButtons({ prefix, question, tries }) {
  const label = make("p", { class: "al-label", id: uid("try") }, "Try");
  const asked = make("p", { class: `${prefix}-question`, "aria-live": "polite" }, question);
  const buttons = tries.map(([name, onPress, next]) =>
    textButton(name, () => {
      onPress();
      asked.textContent = next;
    }),
  );
  const element = make(
    "div",
    { class: `${prefix}-try`, role: "group", "aria-labelledby": label.id },
    label,
    make("div", { class: `${prefix}-buttons` }, ...buttons),
    asked,
  );
  const forget = () => {
    if (asked.textContent !== question) asked.textContent = question;
  };
  return { element, buttons, forget };
}
