// The plane: patterns and a query that can be dragged over the landscape of the energy,
// and the query's way down, step by step.

import { make, makeSvg } from "../../parts/elements.js";
import { movingPlane } from "../../parts/plane.js";
import { uid } from "../../shell/shelf.js";
import { landscapeCanvas } from "./ground.js";
import { planePoint } from "./words.js";

const PLANE_HINT =
  "Drag, or use the arrow keys (Shift: farther); press anywhere to put the query there. "
  + "Squares are the stored patterns; the query ξ moves to their mean, weighted by "
  + "softmax(β X ξ), again and again. "
  + "Darker is lower; along a line the energy is the same. Dashed: the edge of a basin. "
  + "◇ resting places; the ring has the number of the step shown.";
const MAX_DOTS = 60; // on the way

/**
 * It shows coordinates from −view to view; `reading` tells how to read and to move it.
 * `update(now, fall, ground)` draws pattern, query, the way down and the landscape, and
 * `showGround(ground)` the landscape, when its edges have been found.
 */
export function energyPlane({ figure, signal, view, state }) {
  const label = "Patterns and a query in the plane";
  const stage = make("div.en-plane", { role: "group", "aria-label": label });
  const hint = make("p.al-note", { id: uid("hint") }, PLANE_HINT);
  const { place, pointed, handle } = movingPlane(stage, { view, reach: state.limits.reach });
  const movableHandle = (name, text, read, write) =>
    handle({ class: `en-handle ${name}`, "aria-describedby": hint.id, read, write }, text);

  const moveQuery = (at) => state.change({ query: at });
  const ground = landscapeCanvas({ stage, figure, signal });
  const way = descentPath(view);
  const number = make("span.en-now", { "aria-hidden": "true" });
  const query = movableHandle("en-query query", "ξ", () => state.now().query, moveQuery);
  let patterns = [];
  stage.append(ground.canvas, way.svg, number, query);
  enableQueryPress(way.svg, (event) => moveQuery(pointed(event)));

  function update({ pattern, query: at }, fall, survey) {
    if (patterns.length !== pattern.length) buildPatterns(pattern.length);
    ground.update(survey);
    patterns.forEach((button, i) => placeButton(button, `Pattern ${i + 1}`, pattern[i]));
    placeButton(query, "Query", at);
    way.update(pattern, fall, survey.places);
    number.hidden = fall.step === 0;
    number.textContent = fall.step;
    place(number, fall.path.states[fall.step]);
  }

  function buildPatterns(count) {
    for (const old of patterns) old.remove();
    patterns = Array.from({ length: count }, (_, i) => {
      const read = () => state.now().pattern[i];
      return movableHandle("en-pattern key al-still", `x${subscript(i + 1)}`, read, (at) =>
        state.movePattern(i, at),
      );
    });
    query.before(...patterns);
  }

  function placeButton(button, name, at) {
    place(button, at);
    button.setAttribute("aria-label", `${name} at ${planePoint(at)}`);
  }

  const reading = make("details", make("summary", "How to read it"), hint);
  return { element: stage, reading, update, showGround: ground.repaintIfShown };
}

// The query's way, the resting places, and a halo about each pattern, as large as its weight.
function descentPath(view) {
  const makePath = (name) => makeSvg("path", { class: `en-${name}` });
  const [casing, line, rests, end, dots] = ["casing", "path", "rests", "end", "dots"].map(makePath);
  const halos = makeSvg("g.en-halos");
  const box = { viewBox: `${-view} ${-view} ${2 * view} ${2 * view}`, "aria-hidden": "true" };
  const svg = makeSvg("svg", box, halos, casing, line, rests, end, dots);

  function update(pattern, { path: { states, weights }, step }, places) {
    halos.replaceChildren(...pattern.map((at, i) => drawHalo(at, weights[step][i])));
    const d = `M${states.map(svgPoint).join("L")}`;
    casing.setAttribute("d", d);
    line.setAttribute("d", d);
    const between = states.length > MAX_DOTS ? [] : states.slice(1, -1);
    dots.setAttribute("d", between.map((state) => discPath(state, 0.06)).join(""));
    rests.setAttribute("d", places.map((at) => diamondPath(at, 0.13)).join(""));
    end.setAttribute("d", diamondPath(states.at(-1), 0.17));
  }
  return { svg, update };
}

// On the open ground a mouse drags the query along. A finger may want to scroll, so only
// where it is lifted counts, however long it was down; a scroll ends in pointercancel.
function enableQueryPress(svg, put) {
  const isTouch = (event) => event.pointerType === "touch";
  svg.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || isTouch(event)) return;
    event.preventDefault();
    svg.setPointerCapture(event.pointerId);
    put(event);
  });
  svg.addEventListener("pointermove", (event) => {
    if (!isTouch(event) && svg.hasPointerCapture(event.pointerId)) put(event);
  });
  svg.addEventListener("pointerup", (event) => {
    if (isTouch(event)) put(event);
  });
}

function drawHalo([x, y], weight) {
  const [r, opacity] = [0.3 + 0.5 * Math.sqrt(weight), 0.75 * weight].map((n) => n.toFixed(3));
  return makeSvg("circle", { cx: x, cy: -y, r, opacity });
}

function svgPoint([x, y]) {
  return `${x.toFixed(4)} ${(-y).toFixed(4)}`;
}

function discPath([x, y], r) {
  return `M${svgPoint([x - r, y])}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
}

function diamondPath([x, y], r) {
  const [left, right] = [svgPoint([x - r, y]), svgPoint([x + r, y])];
  return `M${left}L${svgPoint([x, y + r])}L${right}L${svgPoint([x, y - r])}Z`;
}

function subscript(number) {
  return [...String(number)].map((digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]).join("");
}
