// x, and x with what the head adds, in the plane that the two span: lengths and angles are
// those of the full width.

import { make, makeSvg, setAttributes } from "../../parts/elements.js";
import { twoDecimals } from "../../words/phrases.js";
import { arrowPath } from "./arrow.js";
import { projectToSpan } from "./reading.js";

// All in parts of the longest way.
const MARGIN = 0.22;
const HEAD = 0.06;
const MIN_ASPECT = 0.4; // the least height
const LETTERS = 0.19; // of the picture's height, above and below

export function sumPlane() {
  const axis = makeSvg("line", { class: "axis", y1: 0, y2: 0 });
  const own = makeSvg("path", { class: "nr-own-arrow" });
  const added = makeSvg("path", { class: "nu-arrow" });
  const sum = makeSvg("path", { class: "nr-sum-arrow" });
  const letters = ["x", "z", "x + z"].map((name) => makeSvg("text", {}, name));
  const drawn = [axis, own, sum, added, ...letters];
  const svg = makeSvg("svg", { class: "nu-plane nr-plane", "aria-hidden": "true" }, ...drawn);
  const note = make("p", { class: "al-note" });

  function show({ x, added: z }) {
    const { length, along, across } = projectToSpan(x, z);
    const longest = Math.max(length, Math.abs(along), across);
    const [start, tip] = [
      [length / longest, 0],
      [along / longest, across / longest],
    ];
    const left = Math.min(0, tip[0]) - MARGIN;
    const right = Math.max(start[0], tip[0]) + MARGIN;
    const height = Math.max(tip[1], MIN_ASPECT) / (1 - 2 * LETTERS);
    const letter = LETTERS * height;
    setAttributes(svg, { viewBox: `${left} ${letter - height} ${right - left} ${height}` });
    svg.style.setProperty("--letters", `${0.8 * letter}px`);
    setAttributes(axis, { x1: left, x2: right });
    setAttributes(own, { d: arrowPath([0, 0], start, HEAD) });
    setAttributes(added, { d: arrowPath(start, tip, HEAD) });
    setAttributes(sum, { d: arrowPath([0, 0], tip, HEAD) });
    const middle = [(start[0] + tip[0]) / 2, tip[1] / 2];
    const spots = [[start[0] / 2, -0.8 * letter], [middle[0] + 0.04, middle[1]], tip];
    letters.forEach((letter, i) => setAttributes(letter, { x: spots[i][0], y: -spots[i][1] }));
    const [ownLength, addedLength] = [length, Math.hypot(along - length, across)].map(twoDecimals);
    const lengths = `x is ${ownLength} long, z · W_O ${addedLength}`;
    note.textContent = `In the plane of both, of ${x.length} numbers each: ${lengths}.`;
  }
  return { element: make("div", { class: "nr-sum" }, svg, note), show };
}
