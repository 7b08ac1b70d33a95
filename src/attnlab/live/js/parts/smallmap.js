// A map of weights so small that nobody reads its cells.

import { makeSvg } from "./elements.js";

const SMALL_SHADES = 10; // an element a shade, not one a cell

/**
 * A picture of a map with a frame around one of its rows. `update(weights, columns)` takes the
 * weights row after row, `mark(row)` moves the frame.
 */
export function smallMap(attributes) {
  const svg = makeSvg("svg", { "aria-hidden": "true", ...attributes });
  const paths = Array.from({ length: SMALL_SHADES }, (_, i) =>
    svg.appendChild(makeSvg("path", { "fill-opacity": (i + 1) / SMALL_SHADES })),
  );
  const frame = svg.appendChild(makeSvg("rect.al-map-row", { x: 0, height: 1 }));
  let drawn = null;

  function update(weights, columns) {
    if (weights === drawn) return;
    drawn = weights;
    const outlines = Array(SMALL_SHADES).fill("");
    weights.forEach((weight, at) => {
      const shade = Math.min(SMALL_SHADES, Math.round(weight * SMALL_SHADES)) - 1;
      if (shade >= 0) outlines[shade] += `M${at % columns} ${Math.floor(at / columns)}h1v1h-1z`;
    });
    paths.forEach((path, shade) => path.setAttribute("d", outlines[shade]));
    svg.setAttribute("viewBox", `0 0 ${columns} ${weights.length / columns}`);
    frame.setAttribute("width", columns);
  }
  return { svg, update, mark: (row) => frame.setAttribute("y", row) };
}
