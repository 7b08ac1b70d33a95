// Which layer costs least? Each layer's formula against one of the sizes, what a machine
// measured, where curves cross, and a table of the costs at the chosen sizes.

import { make } from "../../parts/elements.js";
import { calmly, onNewWidth, oncePerFrame } from "../../parts/timing.js";
import { costControls, machineControls } from "./controls.js";
import { crossingsOf } from "./crossings.js";
import { layerBoxes } from "./layers.js";
import { roundSize, sizeControls } from "./sizes.js";
import { costPicture, costState } from "./state.js";
import { costTries } from "./tries.js";
import { costPanel, costViews } from "./views.js";
import { costInWords } from "./words.js";

export function render({ model, el, say, signal }) {
  const speak = calmly(say);
  const state = costState(model);
  const { limits, formulas } = state;
  const wishes = costControls(state);
  const sizes = sizeControls(state);
  const layers = layerBoxes((names) => state.change({ layers: names }));
  const machine = machineControls(state);
  const tries = costTries((values) => {
    state.change(values);
    sizes.forget();
  });
  const views = costViews({
    limits,
    formulas,
    onPlace: (value) => {
      const { x } = state.read();
      state.change({ [x]: roundSize(x, limits[x], value) });
    },
    onView: draw,
  });
  const panel = costPanel({ sizes, layers, machine });
  const stage = make("div", { class: "cost-stage" }, views.element, panel);
  wishes.element.append(tries.field);
  el.append(wishes.element, tries.question, stage);

  function draw() {
    const now = state.read();
    const found = costPicture(now, limits);
    const crossings = crossingsOf(found, now);
    for (const part of [wishes, tries, sizes, machine]) part.show(now);
    layers.show(now.layers);
    views.show(now, found, crossings);
    speak(costInWords(now, found.curves, crossings));
  }

  const drawNext = oncePerFrame(draw);
  state.follow(drawNext);
  onNewWidth(views.element, signal, drawNext);
  draw();
}
