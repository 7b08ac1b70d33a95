// The matrix with the key on its left, the answer below it, and the value it should be.

import { make } from "../../parts/elements.js";
import { stripRows } from "../../parts/strips.js";

/** `update(readings)` draws them. Every strip is scaled to its own largest number. */
export function statePicture(width) {
  const key = stripRows(1);
  const [state, answer, value] = [0, 1, 2].map(() => stripRows(width));
  const makeLabel = (text) => make("span.sm-label", text);
  const element = make(
    "div.sm-state",
    makeLabel("key"),
    makeLabel(`state, ${width} × ${width} numbers`),
    labelledPart("sm-key", key.svg),
    labelledPart("sm-matrix", state.svg),
    make(
      "div.sm-reading",
      makeLabel("answer"),
      labelledPart("sm-row", answer.svg),
      makeLabel("value"),
      labelledPart("sm-row", value.svg),
    ),
  );

  function update(shown) {
    key.update(scaleRows(shown.key.map((x) => [x])));
    state.update(scaleRows(shown.state));
    answer.update(scaleRows([shown.answer]));
    value.update(scaleRows([shown.value]));
  }
  return { element, update };
}

function labelledPart(name, svg) {
  return make("div", { class: name }, svg);
}

function scaleRows(rows) {
  const largest = Math.max(...rows.flat().map(Math.abs)) || 1;
  return rows.map((row) => row.map((x) => x / largest));
}
