// The dials: where each hand stands, on what training has swept of its dial.

import { make, makeSvg } from "../../parts/elements.js";
import { degreesText } from "./words.js";

const RIM = 46;
const HAND_LENGTH = 38; // how long a hand is

/** `update(hands)` draws them, each as `handsAt` has it; `note(hand)` stands below it. */
export function dialFaces(count, note) {
  const faces = Array.from({ length: count }, () => dialFace(note));
  const heading = make("p.di-heading", "Hands, from the fastest to the slowest");
  const element = make("div.di-dials", heading, ...faces.map((one) => one.element));
  const update = (hands) => hands.forEach((hand, i) => faces[i].update(hand));
  return { element, update };
}

function dialFace(note) {
  const met = makeSvg("path.di-met");
  const noon = makeSvg("path.noon", { d: `M0 ${-RIM}v7` });
  const hand = makeSvg("path.di-hand");
  const tip = makeSvg("path.tip");
  const turning = makeSvg("g", hand, tip);
  const ring = makeSvg("circle.ring", { r: RIM });
  const box = { viewBox: "-50 -50 100 100", "aria-hidden": "true" };
  const svg = makeSvg("svg", box, met, ring, noon, turning);
  const stands = make("strong");
  const known = make("small");
  const element = make("div.di-dial", svg, stands, known);

  function update(shown) {
    element.classList.toggle("out", shown.out);
    met.setAttribute("d", sectorPath(shown.met));
    turning.setAttribute("transform", `rotate(${shown.angle.toFixed(3)})`);
    hand.setAttribute("d", `M0 0V${-HAND_LENGTH}`);
    tip.setAttribute("d", shown.out ? drawDiamond() : drawDisc());
    stands.textContent = `${degreesText(shown.angle)}${shown.out ? " out" : ""}`;
    known.textContent = note(shown);
  }
  return { element, update };
}

/** The part of the dial from noon on, clockwise; a narrow one is a line. */
function sectorPath(met) {
  if (met === 360) return `M0 ${-RIM}A${RIM} ${RIM} 0 1 1 0 ${RIM}A${RIM} ${RIM} 0 1 1 0 ${-RIM}Z`;
  const angle = (met * Math.PI) / 180;
  const end = `${(RIM * Math.sin(angle)).toFixed(2)} ${(-RIM * Math.cos(angle)).toFixed(2)}`;
  return `M0 0V${-RIM}A${RIM} ${RIM} 0 ${met > 180 ? 1 : 0} 1 ${end}Z`;
}

function drawDisc() {
  return `M-5 ${-HAND_LENGTH}a5 5 0 1 1 10 0a5 5 0 1 1 -10 0Z`;
}

function drawDiamond() {
  return `M0 ${-HAND_LENGTH - 8}l8 8l-8 8l-8 -8Z`;
}
