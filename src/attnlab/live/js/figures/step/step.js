// What happens in one step of attention? A drawing in which every arrow is an operation,
// in five steps, and the state that asks, which can be moved in the plane.

import { choices } from "../../parts/choices.js";
import { coordinateFields } from "../../parts/decimals.js";
import { make, makeSvg, setAttributes } from "../../parts/elements.js";
import { gridLines, movingPlane } from "../../parts/plane.js";
import { player } from "../../parts/player.js";
import { debounce, rafThrottle } from "../../parts/timing.js";
import { traitsOf } from "../../shell/traits.js";
import { stepDrawing } from "./drawing.js";
import { computeStep } from "./taken.js";
import { stateNames } from "./wiring.js";
import { pairText, STEP_NAMES, describeStep } from "./words.js";

const STEP_MARGIN = 0.2; // what the plane shows beyond the reach
const NAME_GAP = 0.45;

const STEP_WIRINGS = { bahdanau: "Bahdanau", luong: "Luong", feeding: "+ feeding" };
const PLAY_PAUSE = 1800; // milliseconds
const LAST_STEP = STEP_NAMES.length;

export function render({ model, el, say, signal }) {
  const speak = debounce(say);
  const traits = traitsOf(model, ["wiring", "query", "step"]);
  const { limits } = model.get("_frame");
  const vector = { read: () => model.get("query"), write: (query) => traits.change({ query }) };
  const wiring = choices("Whose step?", STEP_WIRINGS, (name) => traits.change({ wiring: name }));
  const steps = stepChoice(traits, signal);
  const drawing = stepDrawing(limits);
  const plane = stepPlane(limits, vector);
  const typed = coordinateFields({
    kind: "st",
    vectors: [{ name: "State s", ...vector }],
    reach: limits.reach,
  });
  typed.element.classList.add("al-more");
  const right = make("div.st-right", plane.element, stepHint(), typed.element);
  el.append(
    make("div.al-controls.st-controls", wiring.field, steps.field),
    make("div.st-columns", drawing.element, right),
  );

  function draw() {
    const now = traits.read();
    const shown = { ...now, ...computeStep(now, limits) };
    wiring.set(now.wiring);
    steps.set(now.step);
    drawing.update(shown);
    plane.update(shown);
    typed.update();
    speak(describeStep(shown, limits));
  }

  // The digits lead to a step from wherever the focus is, but for where one types.
  el.addEventListener("keydown", (event) => {
    const step = Number(event.key);
    if (event.target.matches("input[type=text]") || event.ctrlKey || event.metaKey) return;
    if (step >= 1 && step <= LAST_STEP) steps.goTo(step);
  });
  traits.follow(rafThrottle(draw));
  draw();
}

function stepHint() {
  const keys = make("span.al-byhand", ", or use the arrow keys");
  return make("p.al-note.st-hint", "Drag s", keys, ".");
}

/** A button for each step, and one that plays them all. */
function stepChoice(traits, signal) {
  const stepOption = (name, i) => [
    i + 1,
    make("span", String(i + 1), make("span.st-called", ` ${name}`)),
  ];
  const { field, set } = choices("Step", STEP_NAMES.map(stepOption), (step) => goTo(Number(step)));
  const currentStep = () => traits.read().step;
  const play = player({
    name: "Play the steps",
    pause: PLAY_PAUSE,
    signal,
    begin: () => currentStep() === LAST_STEP && traits.change({ step: 1 }),
    tick() {
      traits.change({ step: Math.min(LAST_STEP, currentStep() + 1) });
      return currentStep() < LAST_STEP;
    },
  });
  field.classList.add("st-steps");
  field.lastChild.append(play.button);

  function goTo(step) {
    play.stop();
    traits.change({ step });
  }
  return { field, set, goTo };
}

// The state, the memory and the context in the plane, where the state is moved.

/** `read()` gives the state, `write(vector)` is told where it goes. */
function stepPlane({ words, memory, reach }, { read, write }) {
  const view = reach + STEP_MARGIN;
  const named = { role: "group", "aria-label": "State, memory and context in the plane" };
  const stage = make("div.st-plane", { ...named });
  const plane = movingPlane(stage, { view, reach });
  const handle = plane.handle({ class: "st-handle query", read, write }, "s");
  const [context, next] = [planeMark("context", "c"), planeMark("next", "")];
  const lines = planeDrawing(memory, view);
  stage.append(lines.svg, context, next, handle);
  memory.forEach((h, j) => {
    const label = planeMark("memory", `h${"₁₂₃"[j]} ${words[j]}`);
    plane.place(label, labelPosition(h));
    stage.append(label);
  });

  function update(shown) {
    const { asks, next: made } = stateNames(shown.wiring);
    plane.place(handle, shown.query);
    plane.place(context, shown.context);
    plane.place(next, shown.nextState);
    context.hidden = shown.step < 4;
    next.hidden = shown.step < 5;
    next.textContent = made;
    handle.setAttribute("aria-label", `State ${asks} at ${pairText(shown.query)}: move it`);
    lines.update(shown);
  }
  return { element: stage, update };
}

// A name stands over its point, or below it.
function labelPosition([x, y]) {
  return [x, y + (y < 0 ? -NAME_GAP : NAME_GAP)];
}

function planeMark(kind, text) {
  return make("span", { class: `st-mark ${kind}`, "aria-hidden": "true" }, text);
}

// The grid, the triangle of all mixtures, halos for the weights, the arrow to the state.
function planeDrawing(memory, view) {
  const box = `${-view} ${-view} ${2 * view} ${2 * view}`;
  const triangle = makeSvg("polygon", { points: memory.map(([x, y]) => [x, -y]).join(" ") });
  const halos = memory.map(([x, y]) => makeSvg("circle.halo", { cx: x, cy: -y }));
  const dots = memory.map(([x, y]) => makeSvg("circle.dot", { cx: x, cy: -y, r: 0.12 }));
  const arrow = makeSvg("line.state", { x1: 0, y1: 0 });
  const drawn = [...gridLines(Math.floor(view), view), triangle, ...halos, ...dots, arrow];
  const svg = makeSvg("svg", { viewBox: box, "aria-hidden": "true" }, ...drawn);

  function update({ query, weights, step }) {
    setAttributes(arrow, { x2: query[0], y2: -query[1] });
    halos.forEach((halo, j) => {
      const weight = step < 3 ? 0 : weights[j];
      setAttributes(halo, { r: 0.3 + 0.6 * Math.sqrt(weight), opacity: 0.2 + 0.5 * weight });
    });
  }
  return { svg, update };
}
