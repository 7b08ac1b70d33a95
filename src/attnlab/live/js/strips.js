// Vectors as strips of cells: blue above zero, orange below, fainter towards zero.
import { make, makeSvg } from "./controls.js";

const CELLS_A_LINE = 64; // a longer vector goes on in a second line

/**
 * A column of strips, one a vector, in the element `home`. All cells have one size, so
 * that a longer vector takes more room. Returns show(vectors, labels).
 */
export function stripColumn(home) {
  const strips = [];

  function grow() {
    const label = make("span", { class: "strip-label" });
    const svg = makeSvg("svg", { preserveAspectRatio: "none", class: "strip-cells", "aria-hidden": "true" });
    const row = make("div", { class: "strip" }, label, svg);
    strips.push({ row, label, svg, cells: [] });
    home.append(row);
  }

  return function show(vectors, labels) {
    while (strips.length < vectors.length) grow();
    strips.forEach(({ row, label, svg, cells }, i) => {
      row.hidden = i >= vectors.length;
      if (row.hidden) return;
      const vector = vectors[i];
      const lines = Math.ceil(vector.length / CELLS_A_LINE);
      label.textContent = labels[i];
      svg.setAttribute("viewBox", `0 0 ${CELLS_A_LINE} ${lines}`);
      svg.style.setProperty("--lines", lines);
      while (cells.length < vector.length) {
        cells.push(svg.appendChild(makeSvg("rect", { x: cells.length % CELLS_A_LINE,
          y: Math.floor(cells.length / CELLS_A_LINE), width: 0.92, height: 0.92 })));
      }
      while (cells.length > vector.length) cells.pop().remove();
      vector.forEach((value, k) => {
        cells[k].setAttribute("class", value < 0 ? "below" : "above");
        cells[k].setAttribute("fill-opacity", Math.min(1, Math.abs(value)).toFixed(2));
      });
    });
  };
}
