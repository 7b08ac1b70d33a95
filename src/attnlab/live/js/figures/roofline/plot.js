// The roof and the layers under it: FLOPs a byte across, GFLOP/s up, both logarithmic.

import { make, makeSvg, setAttributes } from "../../parts/elements.js";
import { drawnMark } from "../../parts/marks.js";
import { formatNumber } from "../../words/phrases.js";
import { ROOF_STYLES } from "./looks.js";

const X_RANGE = [0.2, 1000]; // FLOPs a byte
const Y_RANGE = [0.1, 5000]; // GFLOP/s
const SLOPE_SIZES = [1e6, 256e6]; // bytes, of the slopes that are drawn
const LABEL_GAP = 15; // pixels between two names

/** `update(standings, measured)` draws: where the model puts layers, where they were measured. */
export function roofPlot(roof, machine) {
  const svg = makeSvg("svg.rf-svg", { "aria-hidden": "true" });
  const element = make("div.rf-plot", svg);

  function update(standings, measured) {
    const frame = makeFrame(element.clientWidth);
    const { width, height } = frame;
    setAttributes(svg, { viewBox: `0 0 ${width} ${height}`, width, height });
    svg.replaceChildren(
      ...grid(frame),
      ...drawRoofLines(frame, roof),
      drawText(frame.right - 6, frame.bottom - 8, "rf-limit", machine, "end"),
      ...measured.map((dot) => drawMeasuredDot(frame, dot, standings)),
      ...drawLayerMarks(frame, standings, frame.y(roof.peak / 1e9)),
    );
  }
  return { element, update };
}

function makeFrame(width) {
  const narrow = width < 340;
  const height = narrow ? 200 : 300;
  const [left, right, top, bottom] = [40, width - 8, 20, height - 34];
  const scale =
    ([least, most], from, to) =>
    (value) => {
      const share = Math.log(value / least) / Math.log(most / least);
      return from + Math.max(0, Math.min(1, share)) * (to - from);
    };
  const [x, y] = [scale(X_RANGE, left, right), scale(Y_RANGE, bottom, top)];
  return { width, height, narrow, left, right, top, bottom, x, y };
}

function drawText(x, y, name, content, anchor = "start") {
  return makeSvg("text", { class: name, x, y, "text-anchor": anchor }, content);
}

function grid({ x, y, left, right, top, bottom, height }) {
  const parts = [
    drawText(0, 11, "rf-axis", "GFLOP/s"),
    drawText(right, height - 3, "rf-axis", "FLOPs a byte", "end"),
  ];
  for (const value of [1, 10, 100, 1000]) {
    const anchor = value === X_RANGE[1] ? "end" : "middle";
    parts.push(makeSvg("path.rf-grid", { d: `M${x(value)} ${top}V${bottom}` }));
    parts.push(drawText(x(value), bottom + 15, "rf-tick", formatNumber(value), anchor));
  }
  for (const value of [0.1, 1, 10, 100, 1000]) {
    parts.push(makeSvg("path.rf-grid", { d: `M${left} ${y(value)}H${right}` }));
    parts.push(drawText(left - 5, y(value) + 4, "rf-tick", formatNumber(value), "end"));
  }
  return parts;
}

/** Slopes for few bytes that are gone over and for many, and the level of the peak. */
function drawRoofLines({ x, y, right, narrow }, { peak, slopes }) {
  const [level, knee] = [y(peak / 1e9), ([, rate]) => x(peak / rate)];
  const shown = SLOPE_SIZES.map((size) => slopes.find(([bytes]) => bytes === size));
  const lines = shown.map((slope) => {
    const from = `M${x(X_RANGE[0])} ${y((X_RANGE[0] * slope[1]) / 1e9)}`;
    return makeSvg("path.rf-roof.slope", { d: `${from}L${knee(slope)} ${level}` });
  });
  return [
    makeSvg("path.rf-roof", { d: `M${knee(shown[0])} ${level}H${right}` }),
    ...lines,
    drawText(
      right - 2,
      level + (narrow ? -6 : 15),
      "rf-limit",
      `${Math.round(peak / 1e9)} GFLOP/s`,
      "end",
    ),
    drawSlopeName({ x, y }, shown[0], X_RANGE[0], -4),
    drawSlopeName({ x, y }, shown[1], 1, 14),
  ];
}

function drawSlopeName({ x, y }, [bytes, bandwidth], at, off) {
  const place = [x(at), y((at * bandwidth) / 1e9)];
  const end = [x(2 * at), y((2 * at * bandwidth) / 1e9)];
  const turn = (Math.atan2(end[1] - place[1], end[0] - place[0]) * 180) / Math.PI;
  const transform = `translate(${place.join(" ")}) rotate(${turn})`;
  const rate = Number((bandwidth / 1e9).toPrecision(2));
  const content = `${bytes / 1e6} MB: ${rate} GB/s`;
  return makeSvg("text.rf-limit", { transform, x: 8, y: off }, content);
}

/** An open mark where a time was measured, and a line to the model's. */
function drawMeasuredDot({ x, y }, { layer, intensity, speed }, standings) {
  const { hue, mark } = ROOF_STYLES[layer];
  const model = standings.find((one) => one.layer === layer);
  const [across, up] = [x(intensity), y(speed / 1e9)];
  return makeSvg(
    "g",
    { class: hue },
    makeSvg("path.rf-gap", { d: `M${across} ${up}V${y(model.speed / 1e9)}` }),
    drawnMark(mark, across, up, "rf-measured"),
  );
}

/**
 * The layers' marks, with names that keep off each other: over the roof, or below it. In a
 * narrow picture the table beneath names them.
 */
function drawLayerMarks({ x, y, narrow, right, top, bottom }, standings, level) {
  const dots = standings.map((one) => {
    const [across, up] = [x(one.intensity), y(one.speed / 1e9)];
    const { short } = ROOF_STYLES[one.layer];
    const long = 6.6 * short.length;
    return { ...one, across, up, end: across + 9 + long > right, long, short };
  });
  if (narrow) return dots.map(layerMark);
  const taken = [{ from: right - 80, to: right, place: level + 11 }]; // the peak is written there
  return [...dots]
    .sort((a, b) => a.up - b.up)
    .flatMap((dot) => {
      const { hue } = ROOF_STYLES[dot.layer];
      const from = dot.end ? dot.across - 9 - dot.long : dot.across + 9;
      const width = { from, to: from + dot.long };
      const above =
        dot.up < level + 14 ? findFreeHeight(taken, width, level - LABEL_GAP, -1) : -Infinity;
      const below = findFreeHeight(taken, width, dot.up, 1);
      const place = above >= top - 6 ? above : Math.min(below, bottom - 4);
      taken.push({ from, to: from + dot.long, place });
      const at = dot.end ? dot.across - 9 : dot.across + 9;
      return [
        makeSvg("path", { class: `rf-lead ${hue}`, d: `M${dot.across} ${dot.up}L${at} ${place}` }),
        layerMark(dot),
        drawText(at, place + 4, "rf-name", dot.short, dot.end ? "end" : "start"),
      ];
    });
}

function layerMark({ layer, across, up }) {
  const { hue, mark } = ROOF_STYLES[layer];
  const drawn = drawnMark(mark, across, up, "rf-dot");
  return makeSvg("g", { class: hue, "data-layer": layer }, drawn);
}

/** The nearest height up or down at which a name of this width meets no other. */
function findFreeHeight(taken, width, start, step) {
  let place = start;
  while (taken.some((one) => overlaps(one, { ...width, place }))) place += step;
  return place;
}

function overlaps(one, other) {
  const apart = one.to + 6 < other.from || other.to + 6 < one.from;
  return !apart && Math.abs(one.place - other.place) < LABEL_GAP;
}
