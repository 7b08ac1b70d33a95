// The matrix with the key on its left, the answer below it, and the value it should be.

import { make } from "../../parts/elements.js";
import { stripRows } from "../../parts/strips.js";

/** `update(readings)` draws them. Every strip is scaled to its own largest number. */
export function statePicture(width) {
  const key = stripRows(1);
  const [state, answer, value] = [0, 1, 2].map(() => stripRows(width));
  const label = (text) => make("span.sm-label", text);
  const element = make(
    "div.sm-state",
    label("key"),
    label(`state, ${width} × ${width} numbers`),
    part("sm-key", key.svg),
    part("sm-matrix", state.svg),
    make(
      "div.sm-reading",
      label("answer"),
      part("sm-row", answer.svg),
      label("value"),
      part("sm-row", value.svg),
    ),
  );

  function update(shown) {
    key.update(scaled(shown.key.map((x) => [x])));
    state.update(scaled(shown.state));
    answer.update(scaled([shown.answer]));
    value.update(scaled([shown.value]));
  }
  return { element, update };
}

function part(name, svg) {
  return make("div", { class: name }, svg);
}

function scaled(rows) {
  const largest = Math.max(...rows.flat().map(Math.abs)) || 1;
  return rows.map((row) => row.map((x) => x / largest));
}
