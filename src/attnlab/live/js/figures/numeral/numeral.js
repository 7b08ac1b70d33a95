// A word asks the words of its numeral: two words by hand, or a trained reader's.

import { choices } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { calmly, oncePerFrame } from "../../parts/timing.js";
import { traitsOf } from "../../shell/traits.js";
import { handExample } from "./hand.js";
import { trainedReader } from "./reader.js";

const SHOWN = { hand: "two words, by hand", reader: "a trained reader" };

export function render({ model, el, say, signal }) {
  const speak = calmly(say);
  const traits = traitsOf(model, ["shown"]);
  const drawNext = oncePerFrame(draw);
  const parts = {
    hand: handExample(model, speak, drawNext),
    reader: trainedReader(model, { speak, signal, follow: drawNext }),
  };
  const shown = choices("Whose words", SHOWN, (name) => traits.change({ shown: name }));
  shown.field.classList.add("nu-shown");
  const { head } = parts.reader;
  const views = Object.values(parts).map(({ element }) => element);
  el.append(make("div.al-controls", shown.field, head), ...views);

  function draw() {
    const name = traits.read().shown;
    shown.set(name);
    head.hidden = name !== "reader";
    for (const [part, { element }] of Object.entries(parts)) element.hidden = part !== name;
    parts[name].draw();
  }

  traits.follow(drawNext);
  draw();
}
