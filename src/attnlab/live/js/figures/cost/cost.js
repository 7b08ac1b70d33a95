// Which layer costs least? The formulas of two layers against one of the sizes, what a
// machine measured, where the two cross, and a table of the costs at the chosen sizes.

import { make } from "../../parts/elements.js";
import { calmly, oncePerFrame, onNewWidth } from "../../parts/timing.js";
import { costControls, machineControls } from "./controls.js";
import { byTheOther, crossingsOf, nearestCrossing, otherSize } from "./crossings.js";
import { costPlot } from "./plot.js";
import { axisText, costTick } from "./quantities.js";
import { roundSize, sizeControls } from "./sizes.js";
import { costPicture, costRows, costState } from "./state.js";
import { valuesTable } from "./table.js";
import { costInWords, costNote, noCrossing } from "./words.js";

export function render({ model, el, say, signal }) {
  const speak = calmly(say);
  const state = costState(model);
  const { limits, formulas } = state;
  const sizes = sizeControls(state);
  const wishes = costControls(state);
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
    "details.cost-more.al-more",
    make("summary", "Machine, all numbers, notes"),
    machine.element,
    sizes.back,
    table.element,
    notes.element,
  );
  const stage = make("div.cost-stage", sizes.element, plot.element);
  el.append(wishes.element, stage, more);

  function draw() {
    const now = state.read();
    const found = costPicture(now, limits);
    const crossings = crossingsOf(found, now);
    const crossing = nearestCrossing(crossings, now);
    const other = byTheOther(now, limits);
    for (const part of [wishes, sizes, machine]) part.show(now);
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

  const drawNext = oncePerFrame(draw);
  state.follow(drawNext);
  onNewWidth(plot.element, signal, drawNext);
  draw();
}

// What is folded below the figure: all crossings, and what is counted how. `show` takes what
// `costPicture` found and its crossings.
function notesBelow() {
  const crossed = make("div");
  const note = make("p.al-note");
  const element = make("div.cost-notes", crossed, note);

  function show(now, { costs, curves }, crossings) {
    crossed.replaceChildren(crossingList(crossings, now));
    note.textContent = costNote(now, costs, curves);
  }
  return { element, show };
}

function crossingList(crossings, now) {
  if (!crossings.length) return make("p", noCrossing(now));
  const items = crossings.map(({ text, measured }) => make("li", text + measured));
  return make("ul.cost-crossings", ...items);
}
