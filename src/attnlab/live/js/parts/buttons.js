// Buttons, by name or by sign, and what they say and allow.

import { make } from "./elements.js";

/** A button with its name written on it. */
export function textButton(name, onPress, attributes = {}) {
  const button = make("button", { type: "button", ...attributes }, name);
  button.addEventListener("click", onPress);
  return button;
}

/** A button with a sign to look at and a name to hear. */
export function pressButton(sign, name, onPress) {
  const button = make("button", { type: "button", "aria-label": name, title: name }, sign);
  button.addEventListener("click", () => {
    if (button.getAttribute("aria-disabled") !== "true") onPress();
  });
  return button;
}

/** Let the button work or not. One that is `disabled` would drop the keyboard's focus. */
export function setEnabled(button, allowed) {
  button.setAttribute("aria-disabled", String(!allowed));
}

/** Make the button say what pressing it does: `name`, which starts the play, or "Pause". */
export function showPlaying(button, playing, name, text = { play: "", pause: "" }) {
  button.textContent = playing ? `❚❚\uFE0E${text.pause}` : `▶\uFE0E${text.play}`;
  button.title = playing ? "Pause" : name;
  button.setAttribute("aria-label", button.title);
}
