// Boxes to tick for the layers that are shown.

import { make } from "../../parts/elements.js";
import { COST_LOOKS, costSwatch } from "./looks.js";

const COST_FAMILIES = [
  ["Attention", ["attention", "attention_fused", "multi_head", "banded", "additive"]],
  ["Recurrence", ["rnn", "gru", "lstm", "rnn_fused", "gru_fused", "lstm_fused"]],
  ["Convolution", ["convolution", "dilated", "separable"]],
];

/** `onLayers(names)` is called with all that are ticked; `show(names)` ticks these. */
export function layerBoxes(onLayers) {
  const boxes = new Map();
  const ticked = () => [...boxes].filter(([, box]) => box.checked).map(([name]) => name);
  const boxOf = (layer) => {
    const input = make("input", { type: "checkbox", value: layer });
    input.addEventListener("change", () => onLayers(ticked()));
    boxes.set(layer, input);
    const { name } = COST_LOOKS[layer];
    return make("label", { class: "cost-check" }, input, costSwatch(layer), name);
  };
  const families = COST_FAMILIES.map(([family, layers]) =>
    make(
      "fieldset",
      { class: "al-field cost-family" },
      make("legend", { class: "al-hidden" }, family), // the hues tell them apart
      ...layers.map(boxOf),
    ),
  );

  function show(names) {
    for (const [layer, box] of boxes) box.checked = names.includes(layer);
  }
  return { element: make("div", { class: "cost-families" }, ...families), show };
}
