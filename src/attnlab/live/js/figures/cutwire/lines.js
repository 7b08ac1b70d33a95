// What joins the words: wires of attention, or one vector between the two sentences.

import { makeSvg } from "../../parts/elements.js";
import { uid } from "../../shell/shelf.js";

const MAX_WIRE_WIDTH = 10; // pixels, for a weight of 1
const MIN_DRAWN_WEIGHT = 0.03; // a weight below this is not drawn
const MIN_CUT_WEIGHT = { word: 0.03, weight: 0.03, others: 0.2 }; // nor cut, where many are
const VECTOR = { width: 12, share: 0.5 }; // of the plain network

const curvePath = (x1, y1, x2, y2) => {
  const middle = (x1 + x2) / 2;
  // A gradient has no effect on a perfectly straight line's empty box: bend it a hair.
  return `M${x1},${y1} C${middle},${y1} ${middle},${y2 + 0.1} ${x2},${y2 + 0.1}`;
};
const yOfWord = (index, count, height) => ((index + 0.5) / count) * height;

/**
 * `update(reading)` draws the weights, `highlight(t)` lets those of a German word stand out;
 * `onCut(j)` is called when a ribbon of English word j is pressed.
 */
export function attentionWires(onCut) {
  const fade = uid("wire");
  const svg = makeSvg("svg.cw-lines.wires", { "aria-hidden": "true" });

  function update({ source, attentive, place, cut: kind }) {
    const { clientWidth: width, clientHeight: height } = svg;
    const ribbonsOfWord = (j) => {
      const from = yOfWord(j, source.length, height);
      return attentive.flatMap(({ weights, whole }, t) => {
        const cut = place !== null && weights[j] === 0 && whole[j] >= MIN_CUT_WEIGHT[kind];
        if (!cut && weights[j] < MIN_DRAWN_WEIGHT) return [];
        const d = curvePath(0, from, width, yOfWord(t, attentive.length, height));
        const look = cut ? { class: "cut" } : wireStyle(weights[j], fade);
        const grip = makeSvg("path.grip", { d }); // a thin one is hard to press
        return [makeSvg("path", { d, ...look, "data-target": t }), grip];
      });
    };
    const fans = source.map((word, j) => {
      const name = makeSvg("title", `Cut attention’s weight to “${word}”, or put it back`);
      const group = makeSvg("g", name, ...ribbonsOfWord(j));
      group.addEventListener("click", () => onCut(j));
      return group;
    });
    svg.replaceChildren(makeSvg("defs", wireGradient(fade, width)), ...fans);
  }

  function highlight(t) {
    for (const path of svg.querySelectorAll("[data-target]")) {
      path.classList.toggle("lit", Number(path.dataset.target) === t);
    }
  }
  return { svg, update, highlight };
}

function wireStyle(weight, fade) {
  return { class: "wire", stroke: `url(#${fade})`, "stroke-width": MAX_WIRE_WIDTH * weight };
}

function wireGradient(id, width) {
  return makeSvg(
    "linearGradient",
    { id, gradientUnits: "userSpaceOnUse", x1: 0, x2: width },
    makeSvg("stop", { offset: 0, style: "stop-color: var(--al-key)" }),
    makeSvg("stop", { offset: 1, style: "stop-color: var(--al-query)" }),
  );
}

/** All words go into one vector, and every German word comes out of it: from right to left. */
export function vectorLines() {
  const svg = makeSvg("svg.cw-lines.vector", { "aria-hidden": "true" });

  function update({ source, plain, gone }) {
    const { clientWidth: width, clientHeight: height } = svg;
    const [x, y] = [VECTOR.share * width, height / 2];
    const half = VECTOR.width / 2;
    const into = source.flatMap((_, j) => {
      const d = curvePath(x + half, y, width, yOfWord(j, source.length, height));
      return [makeSvg("path", { d, class: gone[j] ? "cut" : "" })];
    });
    const out = plain.map((_, t) =>
      makeSvg("path", { d: curvePath(0, yOfWord(t, plain.length, height), x - half, y) }),
    );
    const tall = Math.min(64, height / 3);
    const box = { x: x - half, y: y - tall / 2, width: VECTOR.width, height: tall, rx: 3 };
    const name = makeSvg("text", { x, y: y + tall / 2 + 15 }, "C");
    svg.replaceChildren(...into, ...out, makeSvg("rect", box), name);
  }
  return { svg, update };
}
