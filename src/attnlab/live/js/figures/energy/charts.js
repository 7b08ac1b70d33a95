// The charts of the figure of energies: the way down, and how many pictures come back.

import { pathThroughPoints, positionMark, stretchedChart } from "../../parts/chart.js";
import { make, makeSvg } from "../../parts/elements.js";

const MAX_MARKS = 40;

function chartPanel(name, title, chart, ...below) {
  return make(
    "div",
    { class: `en-panel ${name}` },
    make("p.en-heading", ...title),
    chart,
    ...below,
  );
}

function chartMark(name, x, y) {
  return positionMark(make("span", { class: `en-mark ${name}` }), x, y);
}

/** The energy after every step. `update(energies, step, text)`; text: how to write one. */
export function energyLine() {
  const upright = makeSvg("path.en-upright");
  const curve = makeSvg("path.en-curve");
  const marks = make("div", { "aria-hidden": "true" });
  const chart = stretchedChart({ drawn: [upright, curve], marks: [marks], label: "steps" });
  const element = chartPanel("en-energy", ["Energy"], chart.element);

  function update(energies, step, text) {
    const last = energies.length - 1;
    const [top, bottom] = [energies[0], energies[last]];
    const fall = top - bottom;
    const x = (t) => (last ? (1000 * t) / last : 0);
    const y = (energy) => (fall > 1e-9 ? 60 + (880 * (top - energy)) / fall : 500);
    curve.setAttribute("d", pathThroughPoints(energies.map((energy, t) => [x(t), y(energy)])));
    upright.setAttribute("d", `M${x(step)} 0V1000`);
    marks.replaceChildren(
      ...(last > MAX_MARKS ? [] : energies.map((energy, t) => chartMark("", x(t), y(energy)))),
      chartMark("chosen", x(step), y(energies[step])),
    );
    chart.ticks({
      up: (fall > 1e-9 ? [top, bottom] : [top]).map((energy) => [y(energy), text(energy)]),
      across: (last ? [0, last] : [0]).map((t) => [x(t), String(t)]),
    });
  }
  return { element, update };
}

/**
 * How many of the stored pictures come back, by how many are stored. `update(curve, stored,
 * most)`: the curve has { attention, classical } for 1, 2, … stored; it may lack the last.
 */
export function recallChart() {
  const readout = make("p.en-readout");
  const upright = makeSvg("path.en-upright");
  const lines = ["attention", "classical"].map((name) =>
    makeSvg("path", { class: `en-line ${name}` }),
  );
  const marks = make("div", { "aria-hidden": "true" });
  const drawn = [upright, ...lines];
  const chart = stretchedChart({ drawn, marks: [marks], label: "pictures stored" });
  const keys = Object.entries({ attention: "attention", classical: "sign rule" }).map(
    ([name, text]) => make("span.en-key", legendSwatch(name), text),
  );
  const title = ["Share that comes back: ", ...keys];
  const element = chartPanel("en-recall", title, chart.element, readout);

  function update(curve, stored, most, text) {
    const x = (count) => (1000 * (count - 1)) / (most - 1);
    const y = (back, count) => 940 - (880 * back) / count;
    lines.forEach((line, i) => {
      const points = curve.map((back, n) => [x(n + 1), y(Object.values(back)[i], n + 1)]);
      line.setAttribute("d", pathThroughPoints(points));
    });
    upright.setAttribute("d", `M${x(stored)} 0V1000`);
    const here = Object.entries(curve[stored - 1] ?? {});
    marks.replaceChildren(
      ...here.map(([name, back]) => chartMark(name, x(stored), y(back, stored))),
    );
    chart.ticks({
      up: [y(1, 1), y(0, 1)].map((place, i) => [place, ["100%", "0%"][i]]),
      across: [1, most].map((count) => [x(count), String(count)]),
    });
    readout.textContent = text;
  }
  return { element, update };
}

function legendSwatch(name) {
  return makeSvg(
    "svg.en-swatch",
    { viewBox: "0 0 30 12", width: 30, height: 12, "aria-hidden": "true" },
    makeSvg("path", { class: `en-line ${name}`, d: "M1 6H29" }),
    name === "attention"
      ? makeSvg("circle.en-spot", { cx: 15, cy: 6, r: 4 })
      : makeSvg("rect.en-spot", { x: 11.5, y: 2.5, width: 7, height: 7 }),
  );
}
