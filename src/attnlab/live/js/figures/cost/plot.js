// The chart of the figure of costs: curves, measured points, crossings and the upright
// line, all in pixels, drawn anew for every state.

import { followDrag } from "../../parts/drag.js";
import { make, makeSvg, setAttributes } from "../../parts/elements.js";
import { groupDigits } from "../../words/phrases.js";
import { COST_STYLES, costMark } from "./looks.js";

/**
 * `update(state)` draws; `onPlace(value)` is called with the value of the size along the axis
 * that the upright line is dragged to, `onCross(from, to)` with those that the ring is dragged
 * from and to. The state has x, the size's name; at, its value;
 * span, its range; places, the values drawn; axis, what the curves are; tickText(value);
 * curves, each with layer, values or null, points, lost (where memory ran out) and now;
 * crossing with at and value, or null; other, what `otherCrossing` found.
 */
export function costPlot({ onPlace, onCross }) {
  const svg = makeSvg("svg.cost-svg", { "aria-hidden": "true" });
  const handle = make("div.cost-handle");
  const cross = make("div.cost-cross");
  const element = make("div.cost-plot", svg, handle, cross);
  let [frame, crossing] = [null, null];

  function update(state) {
    frame = makeFrame(element.clientWidth, state);
    crossing = state.crossing;
    const { width, height, right, left, top, bottom } = frame;
    setAttributes(svg, { viewBox: `0 0 ${width} ${height}`, width, height });
    handle.style.top = `${bottom}px`;
    const area = { x: left, y: top, width: right - left, height: bottom - top };
    svg.replaceChildren(
      makeSvg("rect.cost-area", { ...area }),
      ...grid(frame, state),
      ...drawOtherCrossing(frame, state),
      drawSizeLine(frame, state),
      ...state.curves.map((curve) => drawCurve(frame, curve, state)),
      ...drawEndLabels(frame, state),
      ...drawCrossingRing(frame, state),
      ...drawSizeHandle(frame, state),
    );
    cross.hidden = !crossing || (state.x !== "n" && state.x !== "d");
    if (crossing) {
      cross.style.left = `${frame.x(crossing.at)}px`;
      cross.style.top = `${frame.y(crossing.value)}px`;
    }
    if (frame.drawable) return;
    const empty = "nothing to draw at these sizes";
    svg.append(textAt((left + right) / 2, (top + bottom) / 2, empty, "cost-empty", "middle"));
  }

  const sizeAt = (event) => frame.sizeAtX(event.clientX - element.getBoundingClientRect().left);
  for (const part of [svg, handle]) followDrag(part, (event) => onPlace(sizeAt(event)));
  followDrag(cross, (event) => onCross(crossing.at, sizeAt(event)));
  return { element, update };
}

// Scales -----------------------------------------------------------------------------

function makeFrame(width, { span, curves }) {
  const narrow = width < 560;
  const [left, top, height] = [narrow ? 54 : 58, 22, narrow ? 236 : width < 800 ? 226 : 330];
  const right = width - (narrow ? 84 : 170);
  const bottom = height - 46;
  const [least, most] = span.map(Math.log);
  const x = (value) => left + ((Math.log(value) - least) / (most - least)) * (right - left);
  const sizeAtX = (px) => Math.exp(least + ((px - left) / (right - left)) * (most - least));
  const heights = valueRange(curves);
  // What is nothing has no logarithm: a shelf of its own under the others. And no curve lies
  // on the axis.
  const floor = bottom - (heights.zero ? 30 : 12);
  const [low, high] = heights.decades;
  const y = (value) =>
    value === 0 ? bottom - 8 : floor - ((Math.log10(value) - low) / (high - low)) * (floor - top);
  return { width, height, left, right, top, bottom, narrow, x, sizeAtX, y, ...heights };
}

function valueRange(curves) {
  let [low, high, zero] = [Infinity, -Infinity, false];
  const extendRange = (value) => {
    if (value === 0) zero = true;
    if (!(value > 0)) return;
    low = Math.min(low, value);
    high = Math.max(high, value);
  };
  for (const { values, points, now } of curves) {
    values?.forEach(extendRange);
    extendRange(now);
    for (const { low: least, high: most } of points) [least, most].forEach(extendRange);
  }
  const drawable = low <= high || zero;
  if (low > high) return { decades: [0, 1], zero, drawable };
  const decades = [Math.floor(Math.log10(low) + 1e-9), Math.ceil(Math.log10(high) - 1e-9)];
  if (decades[0] === decades[1]) decades[1] += 1;
  return { decades, zero, drawable };
}

function grid({ x, y, left, right, top, bottom, narrow, decades, zero }, { span, axis, tickText }) {
  const parts = [textAt(left, 12, axis, "cost-axis")];
  const [low, high] = decades;
  const step = Math.ceil((high - low) / 8);
  const rows = zero ? [[0, "0"]] : [];
  for (let power = low; power <= high; power += step)
    rows.push([10 ** power, tickText(10 ** power)]);
  for (const [value, text] of rows) {
    parts.push(makeSvg("path.cost-grid", { d: `M${left} ${y(value)}H${right}` }));
    parts.push(textAt(left - 6, y(value) + 4, text, "cost-tick", "end"));
  }
  const [first, last] = span.map((value) => Math.ceil(Math.log2(value)));
  const stride = Math.ceil((last - first) / (narrow ? 4 : 8));
  for (let power = first; power <= last && 2 ** power <= span[1]; power += stride) {
    const place = x(2 ** power);
    parts.push(makeSvg("path.cost-grid", { d: `M${place} ${top}V${bottom}` }));
    parts.push(textAt(place, bottom + 15, 2 ** power, "cost-tick", "middle"));
  }
  return parts;
}

function textAt(x, y, text, name, anchor = "start") {
  return makeSvg("text", { class: name, x, y, "text-anchor": anchor }, String(text));
}

// What is drawn ----------------------------------------------------------------------

function drawCurve(frame, { layer, values, points, lost, now }, { places, at }) {
  const { hue, dash } = COST_STYLES[layer];
  const { x, y, top } = frame;
  const group = makeSvg("g", { class: hue, "data-layer": layer });
  const d = values ? curvePath(frame, places, values) : pointsPath(frame, points);
  if (d) group.append(makeSvg("path.cost-line", { d, "stroke-dasharray": dash }));
  for (const point of points) {
    const bar = `M${x(point.at)} ${y(point.low)}V${y(point.high)}`;
    group.append(
      makeSvg("path.cost-bar", { d: bar }),
      costMark(layer, x(point.at), y(point.value), "cost-point"),
    );
  }
  for (const place of lost) {
    group.append(
      makeSvg("path.cost-lost", { d: `M${x(place) - 5} ${top + 3}l10 10m0 -10l-10 10` }),
    );
  }
  if (!Number.isNaN(now)) group.append(costMark(layer, x(at), y(now), "cost-now"));
  return group;
}

// Where there is no value the pen is lifted; one alone is a dot.
function curvePath({ x, y }, places, values) {
  let [path, pen] = ["", "M"];
  values.forEach((value, i) => {
    const gap = Number.isNaN(value);
    if (!gap)
      path += `${pen}${x(places[i]).toFixed(1)} ${y(value).toFixed(1)}${pen === "M" ? "h0" : ""}`;
    pen = gap ? "M" : "L";
  });
  return path;
}

function pointsPath({ x, y }, points) {
  if (points.length < 2) return "";
  const places = points.map(({ at, value }) => `${x(at).toFixed(1)} ${y(value).toFixed(1)}`);
  return `M${places.join("L")}`;
}

/** Names at the ends of the curves, moved apart where they would overlap. */
function drawEndLabels(frame, { curves, places }) {
  const { x, y, right, narrow } = frame;
  const labels = curves.flatMap(({ layer, values, points }) => {
    const end = values
      ? { at: places.at(-1), value: values.findLast((value) => !Number.isNaN(value)) }
      : points.at(-1);
    if (end?.value === undefined) return [];
    return [{ layer, from: x(end.at), end: y(end.value), place: y(end.value) }];
  });
  spreadLabels(labels, frame);
  return labels.map(({ layer, from, end, place }) => {
    const { hue, name, short } = COST_STYLES[layer];
    const start = right + (narrow ? 8 : 14);
    return makeSvg(
      "g",
      { class: `${hue} cost-label` },
      makeSvg("path.cost-leader", { d: `M${from} ${end}H${right}L${start} ${place}` }),
      ...(narrow ? [] : [costMark(layer, start + 5, place, "cost-now")]),
      textAt(start + (narrow ? 2 : 14), place + 4, narrow ? short : name, "cost-name"),
    );
  });
}

// Down where one is too close to that above it, then up where they go beyond the bottom.
function spreadLabels(labels, { top, bottom }) {
  const size = bottom - top < 225 ? 13 : 16; // so that there is room for all layers
  labels.sort((a, b) => a.end - b.end);
  let free = top - size / 2;
  for (const label of labels) {
    label.place = Math.max(label.place, free + size);
    free = label.place;
  }
  let limit = bottom + size / 2;
  for (const label of labels.reverse()) {
    label.place = Math.min(label.place, limit - size);
    limit = label.place;
  }
}

// Below the ring there is room for its number, as all costs rise.
function drawCrossingRing({ x, y, right }, { x: name, crossing }) {
  if (!crossing) return [];
  const [cx, cy] = [x(crossing.at), y(crossing.value)];
  const text = `${name} = ${groupDigits(Math.round(crossing.at))}`;
  const end = cx > right - 60;
  return [
    makeSvg("circle.cost-ring", { cx, cy, r: 9 }),
    textAt(cx + (end ? 0 : 6), cy + 25, text, "cost-crosstext", end ? "end" : "start"),
  ];
}

// Where the two cross in seconds, if these are FLOPs, or the other way round.
function drawOtherCrossing({ x, right, top, bottom, narrow }, { other, x: name }) {
  if (!other || other.at === null) return [];
  const place = x(other.at);
  const end = place > right - 20;
  const by = other.quantity === "flops" ? "in FLOPs" : "in seconds";
  const text = narrow ? by : `${by}: ${name} = ${groupDigits(Math.round(other.at))}`;
  return [
    makeSvg("path.cost-other", { d: `M${place} ${top}V${bottom}` }),
    textAt(place + (end ? -5 : 5), bottom - 6, text, "cost-othertext", end ? "end" : "start"),
  ];
}

function drawSizeLine({ x, top, bottom }, { at }) {
  return makeSvg("path.cost-upright", { d: `M${x(at)} ${top}V${bottom}` });
}

function drawSizeHandle({ x, left, right, bottom }, { x: name, at }) {
  const text = `◂ ${name} = ${at} ▸`;
  const half = 4 + 3.6 * text.length;
  const centre = Math.max(left - 30 + half, Math.min(x(at), right + 60 - half));
  const box = { x: centre - half, y: bottom + 21, width: 2 * half, height: 22, rx: 11 };
  return [
    makeSvg("rect.cost-pill", { ...box }),
    textAt(centre, bottom + 36, text, "cost-pilltext", "middle"),
  ];
}
