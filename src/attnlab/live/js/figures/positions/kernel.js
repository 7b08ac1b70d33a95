// The kernel: the products of rows against their distance. A drag sets the distance.

import { pathThroughPoints, positionMark, stretchedChart } from "../../parts/chart.js";
import { followDrag } from "../../parts/drag.js";
import { make, makeSvg } from "../../parts/elements.js";
import { withMinusSign } from "../../words/phrases.js";
import { powerOfTen } from "./words.js";

export function kernelCurve({ change }) {
  const names = ["zero", "neighbour", "start", "whole", "inside"];
  const drawn = names.map((name) => makeSvg("path", { class: name }));
  const [zero, neighbour, start, whole, inside] = drawn;
  const dot = make("span.pos-dot");
  const rings = [-1, 1].map(() => make("span.pos-ring"));
  const label = "k, the positions from p to p + k";
  const chart = stretchedChart({ drawn, marks: [...rings, dot], label });
  const note = kernelNote();
  const heading = make("p.pos-heading", "PE(p)·PE(p+k) by distance");
  const attributes = { class: "pos-panel pos-kernel al-more" };
  const element = make("div", attributes, heading, chart.element, note.element);
  let last = 1;

  // What the table alone decides.
  function drawTableCurve({ kernel, lookAlike, start: before }, { x, y, top, bottom }) {
    const distances = Array.from({ length: 2 * last + 1 }, (_, i) => i - last);
    whole.setAttribute(
      "d",
      pathThroughPoints(distances.map((k) => [x(k), y(kernel[Math.abs(k)])])),
    );
    start.setAttribute(
      "d",
      pathThroughPoints(distances.map((k) => [x(k), y(top * before[Math.abs(k)])])),
    );
    zero.setAttribute("d", `M0 ${y(0)}H1000`);
    neighbour.setAttribute("d", `M0 ${y(kernel[1])}H1000`);
    const values = bottom < 0 ? [top, 0, bottom] : [top, 0];
    chart.ticks({
      up: values.map((value) => [y(value), withMinusSign(value)]),
      across: [-last, 0, last].map((k) => [x(k), withMinusSign(k)]),
    });
    rings.forEach((ring, i) => {
      ring.hidden = lookAlike === null;
      if (!ring.hidden) positionMark(ring, x((i ? 1 : -1) * lookAlike), y(kernel[lookAlike]));
    });
  }

  function update(shown) {
    const { position, shift, products, product } = shown;
    last = shown.n - 1;
    const scale = makeScales(shown);
    const { x, y } = scale;
    if (shown.fresh) drawTableCurve(shown, scale);
    inside.setAttribute(
      "d",
      pathThroughPoints(Array.from(products, (p, to) => [x(to - position), y(p)])),
    );
    positionMark(dot, x(shift), y(product));
    note.update(shown);
  }
  followDrag(chart.plot, (event) => {
    const { left, width } = chart.plot.getBoundingClientRect();
    change({ shift: Math.round(((event.clientX - left) / width) * 2 * last) - last });
  });
  return { element, update };
}

function kernelNote() {
  const element = make("p.al-note");

  function update({ position, kernel, products }) {
    const gap = products.reduce(
      (most, value, to) => Math.max(most, Math.abs(value - kernel[Math.abs(to - position)])),
      0,
    );
    element.textContent =
      `Thick: row ${position} with all rows; thin: row 0, mirrored, `
      + `within ${powerOfTen(gap)}. Dashed: base 10\u202f000, d = 32. Dotted: neighbours.`;
  }
  return { element, update };
}

// The axes, in thousandths of the plot. The lower end is 0, or the first eighth of the scale
// below the curve.
function makeScales({ d, n, kernel }) {
  const top = d / 2;
  const least = kernel.reduce((a, b) => Math.min(a, b));
  const bottom = Math.min(0, Math.floor((4 * least) / top) * (top / 4)) || 0;
  const x = (k) => (1000 * (k + n - 1)) / (2 * (n - 1));
  const y = (product) => (1000 * (top - product)) / (top - bottom);
  return { x, y, top, bottom };
}
