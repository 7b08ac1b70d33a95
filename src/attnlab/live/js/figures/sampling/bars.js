// The most probable tokens as bars, which are buttons, and all others as one.

import { setEnabled, textButton } from "../../parts/buttons.js";
import { make } from "../../parts/elements.js";
import { groupDigits } from "../../words/phrases.js";
import { formatProbability } from "./words.js";

/** `onChoose(place)` is called for the bar of the most probable token, the second, … */
export function tokenBars({ count, onChoose }) {
  const bars = Array.from({ length: count }, (_, place) => tokenBar(() => onChoose(place)));
  const others = remainderBar();
  const items = [...bars, others].map(({ element }) => make("li", element));
  const list = make("ol.sa-bars", { "aria-label": "What may come next" }, ...items);

  /** `ended`: nothing may follow. */
  function update({ names, chances, drawn, kept, ended }) {
    const sizes = names.map((_, i) => (i < kept ? drawn[i] : chances[i]));
    const rest = {
      drawn: sumFromIndex(drawn, names.length),
      size: sumFromIndex(kept > names.length ? drawn : chances, names.length),
      count: drawn.length - names.length,
      kept: Math.max(0, kept - names.length),
    };
    bars.forEach((bar, i) =>
      bar.update({
        name: names[i],
        chance: drawn[i],
        size: sizes[i],
        out: i >= kept,
        allowed: !ended,
      }),
    );
    others.update(rest);
  }
  return { element: list, update };
}

function tokenBar(onPress) {
  const name = make("span.sa-name");
  const chance = make("span.sa-chance");
  const button = textButton(name, onPress, { class: "sa-bar" });
  button.append(chance);

  function update({ name: token, chance: share, size, out, allowed }) {
    name.textContent = token;
    chance.textContent = out ? "left out" : formatProbability(share);
    button.classList.toggle("out", out);
    button.style.setProperty("--size", size.toFixed(4));
    setEnabled(button, allowed);
  }
  return { element: button, update };
}

function remainderBar() {
  const name = make("span.sa-name");
  const chance = make("span.sa-chance");
  const element = make("div.sa-bar.sa-rest", name, chance);

  function update({ drawn, size, count, kept }) {
    name.textContent = `${groupDigits(count)} others`;
    chance.textContent = kept ? formatProbability(drawn) : "left out";
    element.classList.toggle("out", kept === 0);
    element.style.setProperty("--size", size.toFixed(4));
  }
  return { element, update };
}

function sumFromIndex(numbers, start) {
  let sum = 0;
  for (let i = start; i < numbers.length; i++) sum += numbers[i];
  return sum;
}
