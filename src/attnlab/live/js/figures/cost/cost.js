// Which layer costs least? The formulas of two layers against one of the sizes, what a
// machine measured, where the two cross, and a table of the costs at the chosen sizes.

import { make } from "../../parts/elements.js";
import { debounce, onWidthChange, rafThrottle } from "../../parts/timing.js";
import { costControls, machineControls } from "./controls.js";
import { otherCrossing, crossingsOf, nearestCrossing, otherSize } from "./crossings.js";
import { notesBelow } from "./notes.js";
import { costPlot } from "./plot.js";
import { axisText, costTick } from "./quantities.js";
import { roundSize, sizeControls } from "./sizes.js";
import { costPicture, costRows, costState } from "./state.js";
import { valuesTable } from "./table.js";
import { costTries } from "./tries.js";
import { costInWords } from "./words.js";

export function render({ model, el, say, signal }) {
  const speak = debounce(say);
  const state = costState(model);
  const { limits, formulas } = state;
  const sizes = sizeControls(state);
  const tries = costTries((values) => {
    state.change(values);
    sizes.forget();
  });
  const requests = costControls(state, tries.field);
  const machine = machineControls(state);
  const table = valuesTable();
  const notes = notesBelow();
  const plot = costPlot({
    onPlace: (value) => {
      const { x } = state.read();
      state.change({ [x]: roundSize(x, limits[x], value) });
    },
    onCross: (from, to) => state.change(otherSize(state.read(), limits, from, to)),
  });
  const more = make(
    "details",
    { class: "cost-more al-more" },
    make("summary", {}, "Machine, all numbers, notes"),
    machine.element,
    sizes.back,
    table.element,
    notes.element,
  );
  const stage = make("div", { class: "cost-stage" }, sizes.element, plot.element);
  el.append(requests.element, tries.question, stage, more);

  function draw() {
    const now = state.read();
    const found = costPicture(now, limits);
    const crossings = crossingsOf(found, now);
    const crossing = nearestCrossing(crossings, now);
    const other = otherCrossing(now, limits);
    for (const part of [requests, tries, sizes, machine]) part.show(now);
    plot.show({
      x: now.x,
      at: now[now.x],
      span: limits[now.x],
      places: found.places,
      curves: found.curves,
      crossing,
      other,
      axis: axisText(now),
      tickText: (value) => costTick(value, now.quantity),
    });
    table.show(now, costRows(now, found.costs, formulas));
    notes.show(now, found, crossings);
    speak(costInWords(now, found.curves, crossing, other));
  }

  const drawNext = rafThrottle(draw);
  state.follow(drawNext);
  onWidthChange(plot.element, signal, drawNext);
  draw();
}
