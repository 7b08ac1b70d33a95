// Attention as a memory: a query falls to one of the stored patterns, or to a mixture, and
// the energy of the modern Hopfield network falls with it. In the plane, and with pictures.

import { setEnabled, textButton } from "../../parts/buttons.js";
import { choices } from "../../parts/choices.js";
import { coordinateFields } from "../../parts/decimals.js";
import { make } from "../../parts/elements.js";
import { debounce, rafThrottle } from "../../parts/timing.js";
import { fallPanel } from "./fall.js";
import { landscapeCache } from "./ground.js";
import { pictureView } from "./pictureview.js";
import { energyPlane } from "./plane.js";
import { energyState, computePlanePath } from "./state.js";
import { describePlane } from "./words.js";

const PLANE_MARGIN = 0.3; // what is shown beyond the reach

const ENERGY_VIEWS = { pictures: "pictures", plane: "points in the plane" };

const SPEECH_PAUSE = 60; // milliseconds after which a drag is said, 100 at most with the drawing

export function render({ model, el, say, signal }) {
  const speak = debounce(say, SPEECH_PAUSE);
  const redraw = rafThrottle(draw);
  const state = energyState(model, redraw);
  const onChoice = (view) => state.change({ view });
  const chooser = choices("Patterns", ENERGY_VIEWS, onChoice);
  chooser.field.classList.add("en-top", "al-more");
  chooser.field.firstChild.classList.add("al-hidden");
  const figure = el.closest("figure");
  const views = {
    plane: planeView({ figure, signal, state }),
    pictures: pictureView({ signal, state, redraw }),
  };
  const fall = fallPanel({ signal, state });
  arrangeViews(el, chooser.field, fall, Object.values(views));

  function draw() {
    const now = state.now();
    el.dataset.view = now.view;
    for (const [name, { elements }] of Object.entries(views)) {
      for (const element of Object.values(elements).flat()) element.hidden = name !== now.view;
    }
    chooser.set(now.view);
    const way = views[now.view].fall(now);
    const words = views[now.view].update(now, way);
    fall.update(now, way);
    speak(
      [now.news, ...words]
        .filter(Boolean)
        .map((text) => `${text}.`)
        .join(" "),
    );
  }
  draw();
}

// The elements of both views take turns in the same places: the picture, what stands beside
// it and what stands below. A phone has them in this order, one below the other.
function arrangeViews(el, top, { controls, energies }, views) {
  const elementsAt = (place) => views.flatMap(({ elements }) => elements[place] ?? []);
  const beside = [...controls, ...elementsAt("settings"), ...energies, ...elementsAt("beside")];
  el.append(
    top,
    make(
      "div.en-columns",
      make("div.en-stage", ...elementsAt("stage")),
      make("div.en-beside", ...beside),
      make("div.en-below", ...elementsAt("below")),
    ),
  );
}

// The view of the plane: the plane itself, the patterns in it and what each weighs.

/**
 * Returns the `elements` by where they go, `fall(now)`, what follows from a state, and
 * `update(now, fall)`, which returns what it shows in words.
 */
function planeView({ figure, signal, state }) {
  const [fewest, most] = state.limits.patterns;
  const view = state.limits.reach + PLANE_MARGIN;
  const plane = energyPlane({ figure, signal, view, state });
  const survey = landscapeCache(view, signal, plane.showGround);
  const coordinates = coordinateBoxes(state);
  const bars = weightBars();
  const patternCount = () => state.now().pattern.length;
  const add = textButton("Add a pattern", () => {
    if (patternCount() < most) state.addPattern();
  });
  const remove = textButton("Remove the last", () => {
    if (patternCount() > fewest) state.removePattern();
  });

  function update(now, fall) {
    const { pattern, beta } = now;
    const ground = survey(pattern, beta);
    plane.update(now, fall, ground);
    coordinates.update(now);
    setEnabled(add, pattern.length < most);
    setEnabled(remove, pattern.length > fewest);
    bars.update(fall.path.weights[fall.step], fall.step);
    return describePlane(now, fall, ground.places);
  }
  const buttons = make("div.en-buttons.al-more", add, remove);
  const folds = make("div.en-folds.al-more", plane.reading, coordinates.element);
  const below = [buttons, folds];
  const elements = { stage: [plane.element], beside: [bars.element], below };
  return { elements, fall: computePlanePath, update };
}

// The coordinates as boxes, made anew for another number of patterns.
function coordinateBoxes(state) {
  const element = make("div");
  let count = 0;
  let fields = null;

  function readVectors() {
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

  function update({ pattern }) {
    if (count !== pattern.length) {
      count = pattern.length;
      const open = fields?.element.open;
      fields = coordinateFields({ kind: "en", vectors: readVectors(), reach: state.limits.reach });
      fields.element.open = open;
      element.replaceChildren(fields.element);
    }
    fields.update();
  }
  return { element, update };
}

// The weights of the patterns, as bars.
function weightBars() {
  const heading = make("p.en-heading");
  const box = make("div.en-bars");
  const element = make("div.en-panel.en-weights", heading, box);

  function weightBar(weight, i) {
    const share = make("data.en-share", { value: weight.toFixed(6) }, weight.toFixed(3));
    const bar = make("span.en-bar", { "aria-hidden": "true" });
    const made = make("div.en-weight", make("span", `pattern ${i + 1}`), bar, share);
    made.style.setProperty("--share", weight.toFixed(4));
    return made;
  }

  function update(weights, step) {
    heading.textContent = `Weights at step ${step}, softmax(β X ξ)`;
    box.replaceChildren(...weights.map(weightBar));
  }
  return { element, update };
}
