// What there is to set: four sizes, each over the powers of two, and how a layer is used.

import { choices } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { slider } from "../../parts/numbers.js";
import { groupDigits } from "../../words/phrases.js";

const SIZE_LABELS = { n: "Length n", d: "Width d", heads: "Heads h", batch: "Batch" };
const ROOF_PHASES = [
  ["forward", "all at once"],
  ["generation", "word by word"],
];

/** `element`, and `show(state)`; `change(values)` is called with what a reader sets. */
export function roofControls({ change, limits }) {
  const phase = choices({
    label: "Positions",
    options: ROOF_PHASES,
    onChoice: (name) => change({ phase: name }),
  });
  phase.field.firstChild.classList.add("al-hidden");
  const sizes = Object.entries(SIZE_LABELS).map(([name, label]) => {
    const [least, most] = limits[name].map(Math.log2);
    const chosen = make("output", { "aria-hidden": "true" });
    const track = slider({
      label,
      min: least,
      max: most,
      onValue: (power) => change({ [name]: 2 ** power }),
    });
    track.field.classList.add("rf-size");
    track.field.append(chosen);
    return { name, most, track, chosen };
  });
  const fields = sizes.map(({ track }) => track.field);
  const element = make(
    "div",
    { class: "rf-controls al-more" },
    phase.field,
    make("div", { class: "rf-sizes" }, ...fields),
  );

  function show(state) {
    phase.set(state.phase);
    for (const { name, most, track, chosen } of sizes) {
      track.set(Math.round(Math.log2(state[name])), most, String(state[name]));
      chosen.textContent = groupDigits(state[name]);
    }
  }
  return { element, show };
}
