// Share of test numbers translated without a slip, by number of digits.

import { make, makeSvg } from "../../parts/elements.js";
import { percent } from "../../words/phrases.js";
import { accuracyInWords } from "./words.js";

const CHART = { height: 130, left: 40, top: 14, bottom: 22 };
const WIDEST_CHART = 540;

/** `show(networks, current)` takes the plain model and the attentive one, and the digits now. */
export function accuracyChart(mostDigits) {
  const svg = makeSvg("svg", { height: CHART.height, role: "img", class: "bn-chart" });
  const plainName = make("span", { class: "bn-curve plain" });
  const names = [
    make("span", { class: "bn-curve attentive" }, "with attention"),
    plainName,
    make("span", { class: "bn-curve unseen" }, "lengths never trained on"),
  ];
  const element = make(
    "div",
    { class: "bn-accuracy" },
    make("p", { class: "al-label" }, "Test numbers translated without one slip, by digits"),
    svg,
    make("p", { class: "bn-legend", "aria-hidden": "true" }, ...names),
  );

  function show([plain, attentive], current) {
    const [few, many] = [plain, attentive].map(({ metadata }) => metadata.exact_match);
    const frame = chartFrame(svg, mostDigits);
    svg.replaceChildren(
      ...chartGround(frame, plain.metadata.digits[1], current, mostDigits),
      ...chartCurve(frame, "attentive", many),
      ...chartCurve(frame, "plain", few),
    );
    const stateSize = plain.config.d_model;
    plainName.textContent = `without, width ${stateSize}`;
    svg.setAttribute("aria-label", accuracyInWords(few, many, stateSize));
  }
  return { element, show };
}

// Where a number of digits and a share stand.
function chartFrame(svg, mostDigits) {
  const { height, left, top, bottom } = CHART;
  // 0 before the figure has its place in the page; onNewWidth draws again when it has.
  const width = Math.min(WIDEST_CHART, svg.clientWidth) || 320;
  const x = (count) => left + 12 + ((count - 1) / (mostDigits - 1)) * (width - left - 24);
  const y = (share) => top + (1 - share) * (height - top - bottom);
  return { x, y, left, top, edge: width - 2 };
}

function chartGround({ x, y, left, top, edge }, trained, current, mostDigits) {
  const text = (content, attributes) => makeSvg("text", attributes, content);
  const unseen = x(trained + 0.5);
  const area = { x: unseen, y: top, width: edge - unseen, height: y(0) - top };
  const parts = [makeSvg("rect", { class: "unseen", ...area })];
  for (const share of [0, 0.5, 1]) {
    parts.push(
      makeSvg("line", { class: "grid", x1: left, x2: edge, y1: y(share), y2: y(share) }),
      text(percent(share), { x: left - 6, y: y(share) + 4, "text-anchor": "end" }),
    );
  }
  for (let count = 1; count <= mostDigits; count++) {
    const place = { x: x(count), y: y(0) + 17, "text-anchor": "middle" };
    parts.push(text(String(count), { ...place, class: count === current ? "now" : "" }));
  }
  const upright = { x1: x(current), x2: x(current), y1: top - 8, y2: y(0) };
  return [...parts, makeSvg("line", { class: "current", ...upright })];
}

function chartCurve({ x, y }, name, shares) {
  const points = Object.entries(shares).map(([count, share]) => [x(Number(count)), y(share)]);
  const dots = points.map(([px, py]) =>
    name === "plain"
      ? makeSvg("rect", { class: name, x: px - 3, y: py - 3, width: 6, height: 6 })
      : makeSvg("circle", { class: name, cx: px, cy: py, r: 3.2 }),
  );
  return [makeSvg("polyline", { class: name, points: points.join(" ") }), ...dots];
}
