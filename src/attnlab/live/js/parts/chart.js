// A chart as large as its place: lines in thousandths of the plot, and ticks that are text.

import { make, makeSvg } from "./elements.js";

/**
 * A plot with `drawn` in its drawing and `marks` over it. `drawTicks({ up, across })` writes texts
 * at the axes: [place, text] each, places in thousandths from the top and from the left.
 */
export function stretchedChart({ drawn, marks = [], label = "" }) {
  const box = { viewBox: "0 0 1000 1000", preserveAspectRatio: "none", "aria-hidden": "true" };
  const plot = make("div.al-plot", makeSvg("svg", box, ...drawn), ...marks);
  const [up, across] = ["up", "across"].map((name) =>
    make(`div.al-${name}`, { "aria-hidden": "true" }),
  );
  const xLabel = make("p.al-xlabel", { "aria-hidden": "true" }, label);
  const element = make("div.al-chart", up, plot, across, ...(label ? [xLabel] : []));

  function drawTicks(texts) {
    if (texts.up) up.replaceChildren(...texts.up.map((each) => makeTick("top", ...each)));
    if (texts.across)
      across.replaceChildren(...texts.across.map((each) => makeTick("left", ...each)));
  }
  return { element, plot, ticks: drawTicks };
}

function makeTick(side, place, text) {
  const element = make("span", text);
  element.style[side] = `${place / 10}%`;
  return element;
}

/** Put a mark at a place of the plot. */
export function positionMark(mark, x, y) {
  mark.style.left = `${x / 10}%`;
  mark.style.top = `${y / 10}%`;
  return mark;
}

/** The path through [x, y] each; "" if there is none. */
export function pathThroughPoints(points) {
  const places = points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`);
  return places.length ? `M${places.join("L")}` : "";
}
