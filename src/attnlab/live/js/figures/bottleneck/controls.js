// The number and the width of the plain network: one row of controls.

import { allow, pressButton } from "../../parts/buttons.js";
import { choices } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { numberBox } from "../../parts/numbers.js";
import { parseNumber } from "../../words/spell.js";
import { MOST_DIGITS, digitsOf, withDigits } from "./digits.js";

/**
 * `asked()` is the number asked for, drawn or not yet; `onNumber` and `onWidth` get what the
 * reader asks for; `note` says what is under way.
 */
export function bottleneckControls({ widths, note, asked, onNumber, onWidth }) {
  const box = numberBox({ label: "Number", parse: parseNumber, onNumber });
  const [shorter, longer] = [
    digitButton("−", "One digit shorter", -1),
    digitButton("+", "One digit longer", 1),
  ];
  box.field.append(make("div", { class: "al-row" }, box.input, shorter, longer));
  const width = choices({
    label: "Width of the network without attention",
    options: widths.map((n) => [n, String(n)]),
    onChoice: (n) => onWidth(Number(n)),
  });
  const element = make("div", { class: "al-controls" }, box.field, width.field, box.error, note);

  function digitButton(sign, name, by) {
    const onPress = () => onNumber(withDigits(asked(), digitsOf(asked()) + by));
    return pressButton({ sign, name, onPress });
  }

  function showNumber(number) {
    box.set(number);
    allow(shorter, digitsOf(number) > 1);
    allow(longer, digitsOf(number) < MOST_DIGITS);
  }
  return { element, showNumber, showWidth: width.set };
}
