// The number and the width of the plain network: one row of controls.

import { choices } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { numberBox } from "../../parts/numbers.js";
import { parseNumber } from "../../words/spell.js";

/** `onNumber` and `onWidth` get what the reader asks for; `notes` are put at the end. */
export function bottleneckControls({ widths, notes, onNumber, onWidth }) {
  const box = numberBox({ label: "Number", parse: parseNumber, onNumber });
  const width = choices({
    label: "Width without attention",
    options: widths.map((n) => [n, String(n)]),
    onChoice: (n) => onWidth(Number(n)),
  });
  width.field.classList.add("bn-width");
  const parts = [box.field, width.field, box.error, ...notes].filter(Boolean);
  const element = make("div", { class: "al-controls" }, ...parts);
  return { element, showNumber: box.set, showWidth: width.set };
}
