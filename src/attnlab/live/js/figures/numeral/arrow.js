// The words in the plane, and the arrow from one to what it becomes.

import { makeSvg, setAttributes } from "../../parts/elements.js";

const MIN_COORDINATE = -0.35; // the least and the most that the plane shows, in x and in y
const MAX_COORDINATE = 2.3;
const HEAD_LENGTH = 0.13; // how long the head of an arrow is

/** `update(asking, becomes)` draws the arrow of one word; not a number has no arrow. */
export function arrowPlane({ words, embeddings }) {
  const size = MAX_COORDINATE - MIN_COORDINATE;
  const arrow = makeSvg("path.nu-arrow");
  const end = makeSvg("text.nu-end");
  const dots = embeddings.map(([x, y]) => makeSvg("circle", { cx: x, cy: -y, r: 0.06 }));
  const names = embeddings.map(([x, y], j) =>
    makeSvg("text", { x: x - 0.05, y: 0.22 - y }, words[j]),
  );
  const drawn = [...drawAxes(), ...dots, ...names, arrow, end];
  const viewBox = `${MIN_COORDINATE} ${-MAX_COORDINATE} ${size} ${size}`;
  const attributes = { class: "nu-plane", viewBox, "aria-hidden": "true" };

  function update(asking, becomes) {
    const known = !becomes.some(Number.isNaN);
    dots.forEach((dot, j) => dot.setAttribute("class", j === asking ? "asks" : "asked"));
    setAttributes(arrow, { d: known ? arrowPath(embeddings[asking], becomes) : "" });
    end.textContent = known ? "x + z" : "";
    if (known) setAttributes(end, { x: becomes[0] - 0.15, y: -becomes[1] - 0.12 });
  }
  return { element: makeSvg("svg", attributes, ...drawn), update };
}

function drawAxes() {
  return [0, 1, 2].flatMap((at) => {
    const name = at === 0 ? "axis" : "grid";
    return [
      makeSvg("line", { class: name, x1: at, x2: at, y1: -MAX_COORDINATE, y2: -MIN_COORDINATE }),
      makeSvg("line", { class: name, y1: -at, y2: -at, x1: MIN_COORDINATE, x2: MAX_COORDINATE }),
    ];
  });
}

/** From one point to another, with two strokes for its head; none if it is too short. */
export function arrowPath([x1, y1], [x2, y2], head = HEAD_LENGTH) {
  const length = Math.hypot(x2 - x1, y2 - y1);
  if (length < head) return "";
  const [along, across] = [(x2 - x1) / length, (y2 - y1) / length];
  const barb = (side) => {
    const x = x2 - head * (along + side * 0.6 * across);
    const y = y2 - head * (across - side * 0.6 * along);
    return `${x} ${-y}`;
  };
  return `M ${x1} ${-y1} L ${x2} ${-y2} M ${barb(1)} L ${x2} ${-y2} L ${barb(-1)}`;
}
