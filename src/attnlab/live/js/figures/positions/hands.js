// Clock hands: a dial a frequency, with a hand at p and one at p + k.

import { make, makeSvg } from "../../parts/elements.js";
import { uid } from "../../shell/shelf.js";
import { withMinusSign } from "../../words/phrases.js";
import { MAX_HANDS } from "./state.js";
import { formatThreeFigures, turnText } from "./words.js";

const HAND_LENGTH = 40; // the length of a hand, in a dial of radius 46
const ARC_RADIUS = 22; // the radius of the arc between the hands

export function clockHands({ choose }) {
  const group = uid("hands");
  const legend = make("legend.pos-heading");
  const dials = Array.from({ length: MAX_HANDS }, (_, slot) => makeDial(group, slot, choose));
  const note = make("p.al-note");
  const element = make(
    "fieldset.pos-panel.pos-hands.al-more",
    legend,
    make("div.pos-dials", ...dials.map(({ label }) => label)),
    note,
  );

  function update(shown) {
    const { d, position, shift, pairs } = shown;
    for (const each of dials) each.update(shown);
    legend.textContent = `Clock hands: ${countText(pairs.length, d / 2)}`;
    const later = withMinusSign(position + shift);
    note.textContent = `● p = ${position}, ■ p + k = ${later}. λ: a full turn.`;
  }
  return { element, update };
}

function countText(drawn, all) {
  if (all > drawn) return `${drawn} of the ${all}`;
  return all === 1 ? "the only one" : `all ${all}`;
}

function makeDial(group, slot, choose) {
  const input = make("input", { type: "radio", name: group, value: slot });
  input.addEventListener("change", () => choose(slot));
  const drawing = dialDrawing();
  const [dims, wave, turned] = ["dims", "wave", "turned"].map((name) =>
    make("span", { class: `pos-${name}` }),
  );
  const label = make("label.al-tile.pos-dial", input, drawing.svg, dims, wave, turned);

  function update(shown) {
    const { position, shift, rates, pairs } = shown;
    label.hidden = slot >= pairs.length;
    input.checked = slot === shown.slot;
    if (label.hidden) return;
    const pair = pairs[slot];
    drawing.update(rates[pair], position, shift);
    dims.textContent = `dims ${2 * pair}, ${2 * pair + 1}`;
    wave.textContent = `λ ${formatThreeFigures((2 * Math.PI) / rates[pair])}`;
    turned.textContent = turnText(shift, rates[pair]);
  }
  return { label, update };
}

function dialDrawing() {
  const ring = makeSvg("circle.ring", { r: 46 });
  const noon = makeSvg("path.noon", { d: "M0-46v5M46 0h-5M0 46v-5M-46 0h5" });
  const lap = makeSvg("circle.lap", { r: ARC_RADIUS });
  const arc = makeSvg("path.arc");
  const drawHand = () => makeSvg("path", { d: `M0 0V${-HAND_LENGTH}` });
  const disc = makeSvg("circle", { cy: -HAND_LENGTH, r: 5 });
  const square = makeSvg("rect", { x: -5, y: -HAND_LENGTH - 5, width: 10, height: 10 });
  const first = makeSvg("g.first", drawHand(), disc);
  const second = makeSvg("g.second", drawHand(), square);
  const box = { viewBox: "-50 -50 100 100", "aria-hidden": "true" };
  const svg = makeSvg("svg", box, ring, noon, lap, arc, second, first);

  function update(rate, position, shift) {
    const handAngle = (x) => (((x * rate * 180) / Math.PI) % 360).toFixed(3);
    first.setAttribute("transform", `rotate(${handAngle(position)})`);
    second.setAttribute("transform", `rotate(${handAngle(position + shift)})`);
    arc.setAttribute("d", arcPath(position * rate, shift * rate));
    lap.style.visibility = Math.abs(shift * rate) >= 2 * Math.PI ? "visible" : "hidden";
  }
  return { svg, update };
}

// An arc clockwise from noon + `from` by `turn` less whole turns, with a point at its end.
function arcPath(from, turn) {
  const rest = turn % (2 * Math.PI);
  const at = (angle, r = ARC_RADIUS) =>
    `${(r * Math.sin(angle)).toFixed(2)} ${(-r * Math.cos(angle)).toFixed(2)}`;
  const end = from + rest;
  const large = Math.abs(rest) > Math.PI ? 1 : 0;
  const line = `M${at(from)}A${ARC_RADIUS} ${ARC_RADIUS} 0 ${large} ${rest > 0 ? 1 : 0} ${at(end)}`;
  if (Math.abs(rest) < 0.35) return line;
  const back = end - Math.sign(rest) * 0.3;
  return `${line}M${at(back, ARC_RADIUS - 5)}L${at(end)}L${at(back, ARC_RADIUS + 5)}`;
}
