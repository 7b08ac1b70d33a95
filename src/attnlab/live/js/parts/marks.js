// Marks by which what is drawn is told apart without its colour.

import { makeSvg } from "./elements.js";

const MARK_PATHS = {
  circle: "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z",
  square: "M-3.6-3.6h7.2v7.2h-7.2Z",
  diamond: "M0-5L5 0L0 5L-5 0Z",
  triangle: "M0-4.8L4.8 3.6H-4.8Z",
  wedge: "M0 4.8L4.8-3.6H-4.8Z",
  cross: "M-4.5-1.5h3v-3h3v3h3v3h-3v3h-3v-3h-3Z",
};

/** A mark by name, of a class, in the middle of x and y. */
export function drawnMark(mark, x, y, name) {
  const transform = `translate(${x.toFixed(1)} ${y.toFixed(1)})`;
  return makeSvg("path", { class: name, d: MARK_PATHS[mark], transform });
}
