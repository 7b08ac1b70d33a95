// The scores against the distance, on what training has met of them.

import { make, makeSvg, setAttributes } from "../../parts/elements.js";
import { withMinusSign } from "../../words/phrases.js";

const TICKS_ACROSS = 4;

/** `show(scores, settings, beyond)` draws them; `beyond` as `beyondTraining` has it. */
export function scorePlot(farthest) {
  const met = makeSvg("rect", { class: "di-met", y: 0, height: 1000 });
  const names = ["zero", "range", "later", "known", "far", "beyond", "last"];
  const lines = Object.fromEntries(names.map((name) => [name, makeSvg("path", { class: name })]));
  const box = { viewBox: "0 0 1000 1000", preserveAspectRatio: "none", "aria-hidden": "true" };
  const svg = makeSvg("svg", box, met, ...Object.values(lines));
  const up = make("div", { class: "di-up", "aria-hidden": "true" });
  const across = make("div", { class: "di-across", "aria-hidden": "true" });
  const heading = make("p", { class: "di-heading" }, "Score with the key k positions back");
  const chart = make("div", { class: "di-chart" }, up, make("div", {}, svg), across);
  const element = make("div", { class: "di-plot al-more" }, heading, chart);
  const x = (k) => (1000 * k) / farthest;
  const marks = Array.from({ length: TICKS_ACROSS + 1 }, (_, i) => (i * farthest) / TICKS_ACROSS);
  across.replaceChildren(...marks.map((k) => tick("left", x(k), k)));

  function show(scores, { position, trained }, { least, most, higher, lower }) {
    const [bottom, top] = scaleOf(scores);
    const y = (score) => (1000 * (top - score)) / (top - bottom);
    const line = (from, to) => {
      const places = Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
      return places.map((k, i) => `${i ? "L" : "M"}${point(k)}`).join("");
    };
    const point = (k) => `${x(k).toFixed(1)} ${y(scores[k]).toFixed(1)}`;
    const level = (score) => `M0 ${y(score).toFixed(1)}H1000`;
    const edge = trained - 1;
    const drawn = {
      zero: level(0),
      range: level(least) + level(most),
      later: line(position, farthest),
      known: line(0, Math.min(position, edge)),
      far: position > edge ? line(edge, position) : "",
      beyond: [...higher, ...lower].map((k) => `M${point(k)}h0`).join(""),
      last: `M${x(position)} 0V1000`,
    };
    for (const name of names) lines[name].setAttribute("d", drawn[name]);
    setAttributes(met, { width: x(edge) });
    up.replaceChildren(...[top, 0, bottom].map((score) => tick("top", y(score), score)));
  }
  return { element, show };
}

/** The whole numbers that all scores, and 0, lie between. */
function scaleOf(scores) {
  return [Math.floor(Math.min(-1, ...scores)), Math.ceil(Math.max(1, ...scores))];
}

function tick(side, place, number) {
  const element = make("span", {}, withMinusSign(number));
  element.style[side] = `${place / 10}%`;
  return element;
}
