// Share of test numbers translated without a slip, by number of digits. Its axis is a slider
// that cuts or lengthens the number.

import { make, makeSvg } from "../../parts/elements.js";
import { slider } from "../../parts/numbers.js";
import { pluralize, percent } from "../../words/phrases.js";
import { MAX_DIGITS } from "./digits.js";
import { describeAccuracy } from "./words.js";

const CHART = { height: 100, left: 48, top: 18, bottom: 20 };
const AXIS_MARGIN = 12; // from either end of the axis to the first and the last number
const MAX_CHART_WIDTH = 460;
const MIN_DIGITS_DRAWN = 2; // there are ten numbers of one digit: too few to measure a share

/** `update([plain, attentive], current)`: the networks, and the number of digits now. */
export function accuracyChart(onDigits) {
  const svg = makeSvg("svg.bn-chart", { role: "img" });
  const digits = slider("Digits", 1, MAX_DIGITS, onDigits);
  digits.field.classList.add("bn-digits");
  const plainName = make("span.bn-curve.plain", { "aria-hidden": "true" });
  const legend = make(
    "div.bn-legend",
    make("p.al-label", "Translated without a slip:"),
    make("span.bn-curve.attentive", { "aria-hidden": "true" }, "with attention"),
    plainName,
  );
  const axis = make("div.bn-plot", svg, digits.field);
  const element = make("div.bn-accuracy", legend, axis);

  function update([plain, attentive], current) {
    const [few, many] = [plain, attentive].map(accuracyByDigits);
    const frame = chartFrame(svg);
    svg.setAttribute("viewBox", `0 0 ${frame.room} ${CHART.height}`); // paper is narrower
    svg.replaceChildren(
      ...drawAxes(frame, plain.metadata.digits[1], current),
      ...drawCurve(frame, "attentive", many),
      ...drawCurve(frame, "plain", few),
    );
    const width = plain.config.d_model;
    plainName.textContent = `without, width ${width}`;
    svg.setAttribute("aria-label", describeAccuracy(few, many, width));
    digits.set(current, MAX_DIGITS, pluralize(current, "digit"));
  }
  return { element, update };
}

function accuracyByDigits({ metadata }) {
  const shares = Object.entries(metadata.exact_match);
  return shares
    .map(([count, share]) => [Number(count), share])
    .filter(([n]) => n >= MIN_DIGITS_DRAWN);
}

// Where a number of digits and a share stand.
function chartFrame(svg) {
  const { height, left, top, bottom } = CHART;
  // 0 before the figure has its place in the page; onNewWidth draws again when it has.
  const room = svg.clientWidth || 320;
  const width = Math.min(MAX_CHART_WIDTH, room);
  const step = (width - left - 2 * AXIS_MARGIN) / (MAX_DIGITS - 1);
  const x = (count) => left + AXIS_MARGIN + (count - 1) * step;
  const y = (share) => top + (1 - share) * (height - top - bottom);
  return { x, y, left, top, room, edge: width - 2 };
}

function drawAxes({ x, y, left, top, edge }, trained, current) {
  const text = (content, attributes) => makeSvg("text", attributes, content);
  const unseen = x(trained + 0.5);
  const area = { x: unseen, y: top, width: edge - unseen, height: y(0) - top };
  const above = { x: (unseen + edge) / 2, y: top - 5, "text-anchor": "middle" };
  const untrained = { ...above, class: current > trained ? "now" : "" };
  const parts = [makeSvg("rect.unseen", { ...area })];
  for (const share of [0, 0.5, 1]) {
    parts.push(
      makeSvg("line.grid", { x1: left, x2: edge, y1: y(share), y2: y(share) }),
      text(percent(share), { x: left - 6, y: y(share) + 4, "text-anchor": "end" }),
    );
  }
  for (let count = 1; count <= MAX_DIGITS; count++) {
    const place = { x: x(count), y: y(0) + 16, "text-anchor": "middle" };
    parts.push(text(String(count), { ...place, class: count === current ? "now" : "" }));
  }
  const upright = { x1: x(current), x2: x(current), y1: top, y2: y(0) };
  return [...parts, text("not trained", untrained), makeSvg("line.current", { ...upright })];
}

function drawCurve({ x, y }, name, shares) {
  const points = shares.map(([count, share]) => [x(count), y(share)]);
  const dots = points.map(([px, py]) =>
    name === "plain"
      ? makeSvg("rect", { class: name, x: px - 3, y: py - 3, width: 6, height: 6 })
      : makeSvg("circle", { class: name, cx: px, cy: py, r: 3.2 }),
  );
  return [makeSvg("polyline", { class: name, points: points.join(" ") }), ...dots];
}
