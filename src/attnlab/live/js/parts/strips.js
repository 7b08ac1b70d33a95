// Vectors as strips of cells: violet above zero, olive below, fainter towards zero.

import { makeSvg } from "./elements.js";

const SHADES = 5; // an element a shade, not one a cell: a drag redraws a thousand cells

/**
 * A picture of vectors, one below the other; one longer than a line goes on in the next.
 * `update(vectors)` draws them.
 */
export function stripRows(cellsPerLine = 32) {
  const svg = makeSvg("svg.strip-cells", { preserveAspectRatio: "none", "aria-hidden": "true" });
  const shades = {};
  for (const sign of ["below", "above"]) {
    shades[sign] = Array.from({ length: SHADES }, (_, i) =>
      svg.appendChild(makeSvg("path", { class: sign, "fill-opacity": (i + 1) / SHADES })),
    );
  }

  function update(vectors) {
    const outlines = { below: Array(SHADES).fill(""), above: Array(SHADES).fill("") };
    const lines = Math.ceil(vectors[0].length / cellsPerLine);
    vectors.forEach((vector, row) =>
      vector.forEach((value, k) => {
        const shade = Math.min(SHADES - 1, Math.floor(Math.abs(value) * SHADES));
        const y = row * lines + Math.floor(k / cellsPerLine);
        outlines[value < 0 ? "below" : "above"][shade] += `M${k % cellsPerLine} ${y}h.92v.86h-.92z`;
      }),
    );
    for (const [sign, paths] of Object.entries(shades)) {
      paths.forEach((path, i) => path.setAttribute("d", outlines[sign][i]));
    }
    svg.setAttribute("viewBox", `0 0 ${cellsPerLine} ${lines * vectors.length}`);
    svg.style.setProperty("--lines", lines * vectors.length);
  }
  return { svg, update };
}
