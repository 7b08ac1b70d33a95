// The view of the plane: the plane itself, the patterns in it and what each weighs.

import { setEnabled, textButton } from "../../parts/buttons.js";
import { coordinateFields } from "../../parts/decimals.js";
import { make } from "../../parts/elements.js";
import { surveyor } from "./ground.js";
import { energyPlane } from "./plane.js";
import { fallInPlane } from "./state.js";
import { planeInWords } from "./words.js";

const PLANE_MARGIN = 0.3; // what is shown beyond the reach

/**
 * Returns the `elements` by where they go, `fall(now)`, what follows from a state, and
 * `show(now, fall)`, which returns what it shows in words.
 */
export function planeView({ figure, signal, state }) {
  const [fewest, most] = state.limits.patterns;
  const view = state.limits.reach + PLANE_MARGIN;
  const plane = energyPlane({ figure, signal, view, state });
  const survey = surveyor(view, signal, plane.showGround);
  const coordinates = coordinateBoxes(state);
  const bars = weightBars();
  const count = () => state.now().pattern.length;
  const add = textButton("Add a pattern", () => {
    if (count() < most) state.addPattern();
  });
  const remove = textButton("Remove the last", () => {
    if (count() > fewest) state.removePattern();
  });

  function show(now, fall) {
    const { pattern, beta } = now;
    const ground = survey(pattern, beta);
    plane.show(now, fall, ground);
    coordinates.show(now);
    setEnabled(add, pattern.length < most);
    setEnabled(remove, pattern.length > fewest);
    bars.show(fall.path.weights[fall.step], fall.step);
    return planeInWords(now, fall, ground.places);
  }
  const buttons = make("div", { class: "en-buttons al-more" }, add, remove);
  const folds = make("div", { class: "en-folds al-more" }, plane.reading, coordinates.element);
  const below = [buttons, folds];
  const elements = { stage: [plane.element], beside: [bars.element], below };
  return { elements, fall: fallInPlane, show };
}

// The coordinates as boxes, made anew for another number of patterns.
function coordinateBoxes(state) {
  const element = make("div");
  let count = 0;
  let fields = null;

  function vectors() {
    const query = {
      name: "Query",
      read: () => state.now().query,
      write: (query) => state.change({ query }),
    };
    const patterns = Array.from({ length: count }, (_, i) => ({
      name: `Pattern ${i + 1}`,
      read: () => state.now().pattern[i],
      write: (at) => state.movePattern(i, at),
    }));
    return [query, ...patterns];
  }

  function show({ pattern }) {
    if (count !== pattern.length) {
      count = pattern.length;
      const open = fields?.element.open;
      fields = coordinateFields({ kind: "en", vectors: vectors(), reach: state.limits.reach });
      fields.element.open = open;
      element.replaceChildren(fields.element);
    }
    fields.show();
  }
  return { element, show };
}

// The weights of the patterns, as bars.
function weightBars() {
  const heading = make("p", { class: "en-heading" });
  const box = make("div", { class: "en-bars" });
  const element = make("div", { class: "en-panel en-weights" }, heading, box);

  function line(weight, i) {
    const share = make("data", { class: "en-share", value: weight.toFixed(6) }, weight.toFixed(3));
    const bar = make("span", { class: "en-bar", "aria-hidden": "true" });
    const made = make(
      "div",
      { class: "en-weight" },
      make("span", {}, `pattern ${i + 1}`),
      bar,
      share,
    );
    made.style.setProperty("--share", weight.toFixed(4));
    return made;
  }

  function show(weights, step) {
    heading.textContent = `Weights at step ${step}, softmax(β X ξ)`;
    box.replaceChildren(...weights.map(line));
  }
  return { element, show };
}
