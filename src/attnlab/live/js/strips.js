// Vectors as strips of cells: blue above zero, orange below, fainter towards zero.
import { make, makeSvg } from "./controls.js";

/**
 * A column of strips, one a vector, in the element `home`. All cells have the same width,
 * a share 1/`widest` of the strip's room, so that a longer vector is a longer strip.
 * Returns show(vectors, labels).
 */
export function stripColumn(home, widest) {
  const strips = [];

  function grow() {
    const label = make("span", { class: "strip-label" });
    const svg = makeSvg("svg", { viewBox: `0 0 ${widest} 1`, preserveAspectRatio: "none",
      class: "strip-cells", "aria-hidden": "true" });
    const row = make("div", { class: "strip" }, label, svg);
    strips.push({ row, label, svg, cells: [] });
    home.append(row);
  }

  return function show(vectors, labels) {
    while (strips.length < vectors.length) grow();
    strips.forEach(({ row, label, svg, cells }, i) => {
      row.hidden = i >= vectors.length;
      if (row.hidden) return;
      label.textContent = labels[i];
      while (cells.length < vectors[i].length) {
        cells.push(svg.appendChild(
          makeSvg("rect", { x: cells.length, y: 0, width: 0.94, height: 1 })));
      }
      while (cells.length > vectors[i].length) cells.pop().remove();
      vectors[i].forEach((value, k) => {
        cells[k].setAttribute("class", value < 0 ? "below" : "above");
        cells[k].setAttribute("fill-opacity", Math.min(1, Math.abs(value)).toFixed(2));
      });
    });
  };
}
