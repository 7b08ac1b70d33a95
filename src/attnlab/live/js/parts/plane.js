// A plane whose vectors are moved by mouse, finger and arrow keys.

import { make, makeSvg } from "./elements.js";

const MOVE_SNAP = 0.05; // a dragged vector's coordinates are multiples of this
const NEAR_STEP = 0.1;
const FAR_STEP = 0.5; // with Shift
const ARROWS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/**
 * Makes the element `stage` a plane that shows coordinates from −view to view; vectors stay
 * within −reach to reach.
 *
 * Returns place(element, vector), which puts an element of the stage there; pointed(event),
 * the vector that the pointer is nearest to; and handle(…), below.
 */
export function movingPlane(stage, { view, reach }) {
  stage.classList.add("al-plane");

  function place(element, [x, y]) {
    element.style.left = `${(50 * (x + view)) / view}%`;
    element.style.top = `${(50 * (view - y)) / view}%`;
  }

  function vectorUnderPointer(event) {
    const box = stage.getBoundingClientRect();
    return [
      ((2 * (event.clientX - box.left)) / box.width - 1) * view,
      (1 - (2 * (event.clientY - box.top)) / box.height) * view,
    ];
  }

  // What would leave the plane stays at its edge.
  function clampToReach(x) {
    return Number(Math.max(-reach, Math.min(reach, x)).toFixed(2)) || 0; // no −0
  }
  const pointedVector = (event) =>
    vectorUnderPointer(event).map((x) => clampToReach(snapToGrid(x)));

  /** A button for the vector that `read()` gives; `write(vector)` is told where it goes. */
  function handle({ read, write, ...attributes }, text) {
    const button = make("button", { type: "button", ...attributes }, text);
    button.classList.add("al-handle");
    const move = (at) => write(at.map(clampToReach));
    let grip = null; // from the pointer to the vector, in the plane's units
    button.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      button.setPointerCapture(event.pointerId);
      const from = vectorUnderPointer(event);
      grip = read().map((x, axis) => x - from[axis]);
    });
    button.addEventListener("pointermove", (event) => {
      if (grip) move(vectorUnderPointer(event).map((x, axis) => snapToGrid(x + grip[axis])));
    });
    for (const end of ["pointerup", "pointercancel"]) {
      button.addEventListener(end, () => {
        grip = null;
      });
    }
    button.addEventListener("keydown", (event) => {
      const way = ARROWS[event.key];
      if (!way) return;
      event.preventDefault();
      const length = event.shiftKey ? FAR_STEP : NEAR_STEP;
      move(read().map((x, axis) => x + length * way[axis]));
    });
    return button;
  }
  return { place, pointed: pointedVector, handle };
}

function snapToGrid(x) {
  return Math.round(x / MOVE_SNAP) * MOVE_SNAP;
}

/** Lines through the whole numbers up to `reach`, across a drawing from −view to view. */
export function gridLines(reach, view) {
  const places = Array.from({ length: 2 * reach + 1 }, (_, i) => i - reach);
  return places.flatMap((at) => {
    const name = at === 0 ? "axis" : "grid";
    return [
      makeSvg("line", { class: name, x1: at, x2: at, y1: -view, y2: view }),
      makeSvg("line", { class: name, y1: at, y2: at, x1: -view, x2: view }),
    ];
  });
}
