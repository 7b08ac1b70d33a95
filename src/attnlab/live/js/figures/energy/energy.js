// Attention as a memory: a query falls to one of the stored patterns, or to a mixture, and
// the energy of the modern Hopfield network falls with it. In the plane, and with pictures.

import { choices } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { debounce, rafThrottle } from "../../parts/timing.js";
import { fallPanel } from "./fall.js";
import { pictureView } from "./pictureview.js";
import { planeView } from "./planeview.js";
import { energyState } from "./state.js";
import { energyTries } from "./tries.js";

const ENERGY_VIEWS = [
  ["pictures", "pictures"],
  ["plane", "points in the plane"],
];

const SPEECH_PAUSE = 60; // milliseconds after which a drag is said, 100 at most with the drawing

export function render({ model, el, say, signal }) {
  const speak = debounce(say, SPEECH_PAUSE);
  const redraw = rafThrottle(draw);
  const state = energyState(model, redraw);
  const onChoice = (view) => state.change({ view });
  const chooser = choices({ label: "Patterns", options: ENERGY_VIEWS, onChoice });
  chooser.field.firstChild.classList.add("al-hidden");
  const figure = el.closest("figure");
  const views = {
    plane: planeView({ figure, signal, state }),
    pictures: pictureView({ signal, state, redraw }),
  };
  const fall = fallPanel({ signal, state });
  const tries = {};
  for (const [name, { elements }] of Object.entries(views)) {
    tries[name] = energyTries(name, state, fall.stop);
    elements.top = [tries[name].field];
  }
  layOut(el, chooser.field, fall, Object.values(views));

  function draw() {
    const now = state.now();
    el.dataset.view = now.view;
    for (const [name, { elements }] of Object.entries(views)) {
      for (const element of Object.values(elements).flat()) element.hidden = name !== now.view;
    }
    chooser.set(now.view);
    tries[now.view].show(now);
    const way = views[now.view].fall(now);
    const words = views[now.view].show(now, way);
    fall.show(now, way);
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
function layOut(el, chooser, { controls, energies }, views) {
  const of = (place) => views.flatMap(({ elements }) => elements[place] ?? []);
  const beside = [...controls, ...of("settings"), ...energies, ...of("beside")];
  el.append(
    make("div", { class: "en-top al-more" }, chooser, ...of("top")),
    make(
      "div",
      { class: "en-columns" },
      make("div", { class: "en-stage" }, ...of("stage")),
      make("div", { class: "en-beside" }, ...beside),
      make("div", { class: "en-below" }, ...of("below")),
    ),
  );
}
