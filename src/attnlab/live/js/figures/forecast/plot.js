// The picture of a curve: its ground, the guess, the answer, and what lies between them.

import { makeSvg } from "../../parts/elements.js";
import { formatNumber } from "../../words/phrases.js";

const LAYOUT = { height: 250, left: 46, right: 16, top: 12, bottom: 44, lines: 4, widest: 640 };

/** Where places and numbers stand in so much room, and which of them stand somewhere. */
export function curveFrame({ x, ends }, room) {
  const { height, left, right, top, bottom } = LAYOUT;
  const width = Math.min(room, LAYOUT.widest);
  const inner = width - left - right - 24;
  const last = x.length - 1;
  const floor = height - bottom;
  const clampToRange = (value, least, most) => Math.max(least, Math.min(most, value));
  return {
    width,
    floor,
    xAt: (i) => left + 12 + (i / last) * inner,
    yAt: (y) => floor - ((y - ends[0]) / (ends[1] - ends[0])) * (floor - top),
    placeAt: (px) => Math.round(clampToRange(((px - left - 12) / inner) * last, 0, last)),
    valueAt: (py) =>
      clampToRange(ends[0] + ((floor - py) / (floor - top)) * (ends[1] - ends[0]), ...ends),
  };
}

/** `draw(frame, guess, focused)`: the guess or null, and the place that the keyboard is at. */
export function curvePicture(asked) {
  const svg = makeSvg("svg.fc-plot", { "aria-hidden": "true" });
  const { answer } = asked;

  function draw(frame, guess, focused) {
    svg.setAttribute("viewBox", `0 0 ${frame.width} ${LAYOUT.height}`); // paper is narrower
    svg.replaceChildren(
      ...drawAxes(asked, frame),
      ...(guess ? [drawGap(frame, guess, answer)] : [drawHint(frame)]),
      ...drawCurve(frame, answer, "truth"),
      ...(guess ? drawCurve(frame, guess, "yours") : []),
      ...drawFocusRing(asked, frame, guess, focused),
    );
  }
  return { svg, draw };
}

function drawAxes({ x, xlabel, ends, unit }, { width, floor, xAt, yAt }) {
  const { height, left, right, lines } = LAYOUT;
  const parts = [];
  for (let i = 0; i <= lines; i++) {
    const y = ends[0] + (i / lines) * (ends[1] - ends[0]);
    const text = `${formatNumber(y, 3)}${unit === "%" ? unit : ""}`;
    parts.push(
      makeSvg("line.fc-grid", { x1: left, x2: width - right, y1: yAt(y), y2: yAt(y) }),
      makeSvg("text", { x: left - 6, y: yAt(y) + 4, "text-anchor": "end" }, text),
    );
  }
  x.forEach((text, i) =>
    parts.push(makeSvg("text", { x: xAt(i), y: floor + 18, "text-anchor": "middle" }, text)),
  );
  const middle = { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" };
  return [...parts, makeSvg("text", middle, xlabel)];
}

function toPoints({ xAt, yAt }, values) {
  return values.map((y, i) => [xAt(i), yAt(y)]);
}

function drawCurve(frame, values, whose) {
  const points = toPoints(frame, values);
  return [
    makeSvg("polyline", { class: `fc-line ${whose}`, points: points.join(" ") }),
    ...points.map(([cx, cy]) => makeSvg("circle", { class: `fc-dot ${whose}`, cx, cy, r: 5 })),
  ];
}

function drawGap(frame, guess, answer) {
  const there = toPoints(frame, guess);
  const back = toPoints(frame, answer).reverse();
  return makeSvg("polygon.fc-gap", { points: [...there, ...back].join(" ") });
}

function drawHint({ xAt, width }) {
  const y = LAYOUT.top + 0.45 * (LAYOUT.height - LAYOUT.top - LAYOUT.bottom);
  const place = { x: (xAt(0) + width - LAYOUT.right) / 2, y, "text-anchor": "middle" };
  return makeSvg("text.fc-invite", { ...place }, "Draw your curve here");
}

// Where the keyboard is: a line through the place, a ring around its point.
function drawFocusRing({ ends }, { xAt, yAt, floor }, guess, focused) {
  if (focused < 0) return [];
  const cx = xAt(focused);
  const cy = yAt(guess ? guess[focused] : (ends[0] + ends[1]) / 2);
  return [
    makeSvg("line.fc-focus", { x1: cx, x2: cx, y1: LAYOUT.top, y2: floor }),
    makeSvg("circle.fc-focus", { cx, cy, r: 10 }),
  ];
}
