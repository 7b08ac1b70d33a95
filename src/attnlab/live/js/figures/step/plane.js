// The state, the memory and the context in the plane, where the state is moved.

import { make, makeSvg, setAttributes } from "../../parts/elements.js";
import { movingPlane } from "../../parts/plane.js";
import { stateNames } from "./wiring.js";
import { pairText } from "./words.js";

const STEP_MARGIN = 0.2; // what the plane shows beyond the reach
const NAME_GAP = 0.45;

/** `read()` gives the state, `write(vector)` is told where it goes. */
export function stepPlane({ words, memory, reach }, { read, write }) {
  const view = reach + STEP_MARGIN;
  const named = { role: "group", "aria-label": "State, memory and context in the plane" };
  const stage = make("div", { class: "st-plane", ...named });
  const plane = movingPlane(stage, { view, reach });
  const handle = plane.handle({ class: "st-handle query", read, write }, "s");
  const [context, next] = [planeMark("context", "c"), planeMark("next", "")];
  const lines = planeDrawing(memory, view);
  stage.append(lines.svg, context, next, handle);
  memory.forEach((h, j) => {
    const label = planeMark("memory", `h${"₁₂₃"[j]} ${words[j]}`);
    plane.place(label, besidePoint(h));
    stage.append(label);
  });

  function show(shown) {
    const { asks, next: made } = stateNames(shown.wiring);
    plane.place(handle, shown.query);
    plane.place(context, shown.context);
    plane.place(next, shown.nextState);
    context.hidden = shown.step < 4;
    next.hidden = shown.step < 5;
    next.textContent = made;
    handle.setAttribute("aria-label", `State ${asks} at ${pairText(shown.query)}: move it`);
    lines.show(shown);
  }
  return { element: stage, show };
}

// A name stands over its point, or below it.
function besidePoint([x, y]) {
  return [x, y + (y < 0 ? -NAME_GAP : NAME_GAP)];
}

function planeMark(kind, text) {
  return make("span", { class: `st-mark ${kind}`, "aria-hidden": "true" }, text);
}

// The grid, the triangle of all mixtures, halos for the weights, the arrow to the state.
function planeDrawing(memory, view) {
  const box = `${-view} ${-view} ${2 * view} ${2 * view}`;
  const triangle = makeSvg("polygon", { points: memory.map(([x, y]) => [x, -y]).join(" ") });
  const halos = memory.map(([x, y]) => makeSvg("circle", { class: "halo", cx: x, cy: -y }));
  const dots = memory.map(([x, y]) => makeSvg("circle", { class: "dot", cx: x, cy: -y, r: 0.12 }));
  const arrow = makeSvg("line", { class: "state", x1: 0, y1: 0 });
  const drawn = [...gridOf(view), triangle, ...halos, ...dots, arrow];
  const svg = makeSvg("svg", { viewBox: box, "aria-hidden": "true" }, ...drawn);

  function show({ query, weights, step }) {
    setAttributes(arrow, { x2: query[0], y2: -query[1] });
    halos.forEach((halo, j) => {
      const weight = step < 3 ? 0 : weights[j];
      setAttributes(halo, { r: 0.3 + 0.6 * Math.sqrt(weight), opacity: 0.2 + 0.5 * weight });
    });
  }
  return { svg, show };
}

function gridOf(view) {
  const whole = Math.floor(view);
  const places = Array.from({ length: 2 * whole + 1 }, (_, i) => i - whole);
  return places.flatMap((at) => {
    const name = at === 0 ? "axis" : "grid";
    return [
      makeSvg("line", { class: name, x1: at, x2: at, y1: -view, y2: view }),
      makeSvg("line", { class: name, y1: at, y2: at, x1: -view, x2: view }),
    ];
  });
}
