// The colours of cells: olive below zero, the panel's ground, violet above.

import { colourOf, onColourChange } from "../../parts/colours.js";

/** `shades()` are the colours for the values −1 … 1; `watch(repaint)` tells of others. */
export function cellPalette(figure, signal) {
  const watchers = [];
  let shades = null;
  onColourChange(figure, figure, signal, () => {
    shades = null;
    for (const repaint of watchers) repaint();
  });
  return {
    shades: () => (shades ??= computeShades(figure)),
    watch: (repaint) => watchers.push(repaint),
  };
}

/** Where the shade of a value stands among the shades. */
export function shadeIndex(value) {
  return Math.round(255 * (value + 1));
}

// 511 pixels for the values from −1 to 1.
function computeShades(figure) {
  const [low, middle, high] = ["--al-below", "--al-panel", "--al-above"].map((name) =>
    colourOf(figure, name),
  );
  const bytes = new Uint8ClampedArray(4 * 511);
  for (let i = 0; i < 511; i++) {
    const share = Math.abs(i - 255) / 255;
    const end = i < 255 ? low : high;
    for (let c = 0; c < 3; c++) bytes[4 * i + c] = middle[c] + share * (end[c] - middle[c]);
    bytes[4 * i + 3] = 255;
  }
  return new Uint32Array(bytes.buffer);
}
