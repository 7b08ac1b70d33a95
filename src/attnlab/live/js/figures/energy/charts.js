// The charts of the figure of energies: the way down, and how many pictures come back.

import { make, makeSvg } from "../../parts/elements.js";

const MAX_MARKS = 40;

function chart({ name, title, xText }) {
  const svg = makeSvg("svg", {
    viewBox: "0 0 1000 1000",
    preserveAspectRatio: "none",
    "aria-hidden": "true",
  });
  const marks = make("div", { "aria-hidden": "true" });
  const plot = make("div", { class: "en-plot" }, svg, marks);
  const yTicks = make("div", { class: "en-yticks", "aria-hidden": "true" });
  const xTicks = make("div", { class: "en-xticks", "aria-hidden": "true" });
  const xLabel = make("p", { class: "en-xlabel", "aria-hidden": "true" }, xText);
  const heading = make("p", { class: "en-heading" }, title);
  const element = make(
    "div",
    { class: `en-panel ${name}` },
    heading,
    make("div", { class: "en-chart" }, yTicks, plot, xTicks, xLabel),
  );
  return { element, heading, svg, marks, plot, yTicks, xTicks };
}

// A text at a place of an axis, in thousandths of it.
function tick(side, thousandths, text) {
  const made = make("span", {}, text);
  made.style[side] = `${thousandths / 10}%`;
  return made;
}

function mark(name, x, y) {
  const made = make("span", { class: name });
  made.style.left = `${x / 10}%`;
  made.style.top = `${y / 10}%`;
  return made;
}

/** The energy after every step. `show(energies, step, text)`; text: how to write one. */
export function energyLine() {
  const { element, svg, marks, yTicks, xTicks } = chart({
    name: "en-energy",
    title: "Energy",
    xText: "steps",
  });
  const upright = makeSvg("path", { class: "en-upright" });
  const curve = makeSvg("path", { class: "en-curve" });
  svg.append(upright, curve);

  function show(energies, step, text) {
    const last = energies.length - 1;
    const [top, bottom] = [energies[0], energies[last]];
    const fall = top - bottom;
    const x = (t) => (last ? (1000 * t) / last : 0);
    const y = (energy) => (fall > 1e-9 ? 60 + (880 * (top - energy)) / fall : 500);
    curve.setAttribute(
      "d",
      `M${energies.map((energy, t) => `${x(t).toFixed(1)} ${y(energy).toFixed(1)}`).join("L")}`,
    );
    upright.setAttribute("d", `M${x(step)} 0V1000`);
    marks.replaceChildren(
      ...(last > MAX_MARKS ? [] : energies.map((energy, t) => mark("en-mark", x(t), y(energy)))),
      mark("en-mark chosen", x(step), y(energies[step])),
    );
    yTicks.replaceChildren(
      ...(fall > 1e-9 ? [top, bottom] : [top]).map((energy) =>
        tick("top", y(energy), text(energy)),
      ),
    );
    xTicks.replaceChildren(...(last ? [0, last] : [0]).map((t) => tick("left", x(t), String(t))));
  }
  return { element, show };
}

/**
 * How many of the stored pictures come back, by how many are stored. `show(curve, stored,
 * most)`: the curve has { attention, classical } for 1, 2, … stored; it may lack the last.
 */
export function recallChart() {
  const { element, heading, svg, marks, yTicks, xTicks } = chart({
    name: "en-recall",
    title: "",
    xText: "pictures stored",
  });
  const readout = make("p", { class: "en-readout" });
  const upright = makeSvg("path", { class: "en-upright" });
  const lines = ["attention", "classical"].map((name) =>
    makeSvg("path", { class: `en-line ${name}` }),
  );
  svg.append(upright, ...lines);
  heading.append(
    "Share that comes back: ",
    ...[
      ["attention", "attention"],
      ["classical", "sign rule"],
    ].map(([name, text]) => make("span", { class: "en-key" }, swatch(name), text)),
  );
  element.append(readout);
  yTicks.append(tick("top", 60, "100%"), tick("top", 940, "0%"));

  function show(curve, stored, most, text) {
    const x = (count) => (1000 * (count - 1)) / (most - 1);
    const y = (back, count) => 940 - (880 * back) / count;
    lines.forEach((line, i) => {
      const points = curve.map(
        (back, n) => `${x(n + 1).toFixed(1)} ${y(Object.values(back)[i], n + 1).toFixed(1)}`,
      );
      line.setAttribute("d", points.length ? `M${points.join("L")}` : "");
    });
    upright.setAttribute("d", `M${x(stored)} 0V1000`);
    const here = curve[stored - 1];
    marks.replaceChildren(
      ...(here
        ? [
            mark("en-mark attention", x(stored), y(here.attention, stored)),
            mark("en-mark classical", x(stored), y(here.classical, stored)),
          ]
        : []),
    );
    xTicks.replaceChildren(...[1, most].map((count) => tick("left", x(count), String(count))));
    readout.textContent = text;
  }
  return { element, show };
}

function swatch(name) {
  return makeSvg(
    "svg",
    { class: "en-swatch", viewBox: "0 0 30 12", width: 30, height: 12, "aria-hidden": "true" },
    makeSvg("path", { class: `en-line ${name}`, d: "M1 6H29" }),
    name === "attention"
      ? makeSvg("circle", { class: "en-spot", cx: 15, cy: 6, r: 4 })
      : makeSvg("rect", { class: "en-spot", x: 11.5, y: 2.5, width: 7, height: 7 }),
  );
}
