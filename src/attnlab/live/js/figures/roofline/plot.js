// The roof and the layers under it: FLOPs a byte across, GFLOP/s up, both logarithmic.

import { make, makeSvg, setAttributes } from "../../parts/elements.js";
import { drawnMark } from "../../parts/marks.js";
import { formatNumber } from "../../words/phrases.js";
import { ROOF_STYLES } from "./looks.js";

const X_RANGE = [0.2, 1000]; // FLOPs a byte
const Y_RANGE = [0.1, 1000]; // GFLOP/s
const MARK_GAP = 14; // pixels between two marks, which do not lie on each other
const [CACHE_BYTES, MEMORY_BYTES] = [1e6, 256e6]; // of the slopes that are drawn
const MAX_CACHED_BYTES = 64e6; // more come at the rate of memory

/** `update(standings)` draws layers as `predictTime` has them, and as `measured` if they were. */
export function roofPlot(roof, machine) {
  const svg = makeSvg("svg.rf-svg", { "aria-hidden": "true" });
  const element = make("div.rf-plot", svg);

  function update(standings) {
    const frame = makeFrame(element.clientWidth);
    const { width, height } = frame;
    setAttributes(svg, { viewBox: `0 0 ${width} ${height}`, width, height });
    const uncached = standings.some(({ held }) => held > MAX_CACHED_BYTES);
    svg.replaceChildren(
      ...grid(frame),
      ...drawRoof(frame, roof, uncached),
      drawText(frame.right - 6, frame.bottom - 8, "rf-limit", machine, "end"),
      ...spreadMarks(frame, standings).map((one) => drawLayer(frame, one)),
    );
  }
  return { element, update };
}

function makeFrame(width) {
  const height = width < 340 ? 220 : 300;
  const [left, right, top, bottom] = [40, width - 8, 20, height - 34];
  const scale =
    ([least, most], from, to) =>
    (value) => {
      const share = Math.log(value / least) / Math.log(most / least);
      return from + Math.max(0, Math.min(1, share)) * (to - from);
    };
  const [x, y] = [scale(X_RANGE, left, right), scale(Y_RANGE, bottom, top)];
  return { width, height, left, right, top, bottom, x, y };
}

function drawText(x, y, name, content, anchor = "start") {
  return makeSvg("text", { class: name, x, y, "text-anchor": anchor }, content);
}

function grid({ x, y, left, right, top, bottom, height }) {
  const parts = [
    drawText(0, 11, "rf-axis", "GFLOP/s: arithmetic in a second"),
    drawText(right, height - 3, "rf-axis", "FLOPs for each byte", "end"),
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

/** The slope of what the cache holds, of memory if bytes come from there, and the peak's level. */
function drawRoof({ x, y, left, right }, { peak, slopes }, uncached) {
  const rateOf = (size) => slopes.find(([bytes]) => bytes === size)[1];
  const [cache, memory] = [CACHE_BYTES, MEMORY_BYTES].map(rateOf);
  const at = (intensity, rate) => [x(intensity), y((intensity * rate) / 1e9)];
  const slope = (rate) =>
    makeSvg("path.rf-roof", { d: `M${at(X_RANGE[0], rate)}L${at(peak / rate, rate)}` });
  const speed = (rate) => `${Number((rate / 1e9).toPrecision(2))} GB/s`;
  const level = y(peak / 1e9);
  const [across, up] = at(1, memory);
  const lower = [
    slope(memory),
    drawText(across + 8, up + 14, "rf-limit", `from memory: ${speed(memory)}`),
  ];
  return [
    slope(cache),
    makeSvg("path.rf-roof", { d: `M${x(peak / cache)} ${level}H${right}` }),
    drawText(left + 6, level - 7, "rf-limit", `from the cache: ${speed(cache)}`),
    drawText(right - 2, level - 7, "rf-limit", `${Math.round(peak / 1e9)} GFLOP/s`, "end"),
    ...(uncached ? lower : []),
  ];
}

/** Layers in their places across: those that would lie on each other stand side by side. */
function spreadMarks({ x }, standings) {
  const placed = standings
    .map((one) => ({ ...one, across: x(one.intensity) }))
    .sort((a, b) => a.across - b.across);
  const starts = placed.flatMap(({ across }, i) =>
    i && across - placed[i - 1].across < MARK_GAP ? [] : [i],
  );
  return starts.flatMap((start, i) => {
    const group = placed.slice(start, starts[i + 1]);
    const middle = group.reduce((sum, { across }) => sum + across / group.length, 0);
    return group.map((one, at) => ({
      ...one,
      across: middle + MARK_GAP * (at - (group.length - 1) / 2),
    }));
  });
}

/** A filled mark where the model puts a layer, and a line to an open one where it was measured. */
function drawLayer({ y }, { layer, across, speed, seconds, measured }) {
  const { hue, mark } = ROOF_STYLES[layer];
  const [up, found] = [speed, (speed * seconds) / measured].map((value) => y(value / 1e9));
  const parts = measured
    ? [
        makeSvg("path.rf-gap", { d: `M${across} ${up}V${found}` }),
        drawnMark(mark, across, found, "rf-measured"),
      ]
    : [];
  const dot = drawnMark(mark, across, up, "rf-dot");
  return makeSvg("g", { class: hue, "data-layer": layer }, ...parts, dot);
}
