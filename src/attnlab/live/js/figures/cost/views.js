// What takes turns: the curves, the table and the notes; and beside them the sizes, the
// layers and the machine.

import { make } from "../../parts/elements.js";
import { oneView } from "../../parts/views.js";
import { costPlot } from "./plot.js";
import { axisText, costTick } from "./quantities.js";
import { costRows } from "./state.js";
import { valuesTable } from "./table.js";
import { costNote, noCrossing } from "./words.js";

/**
 * The views of the costs. `onPlace(value)` is called when the upright line is dragged,
 * `onView()` when another view is shown; `show(now, picture, crossings)` takes the traits,
 * what `costPicture` found, and the crossings of that.
 */
export function costViews({ limits, formulas, onPlace, onView }) {
  const plot = costPlot({ onPlace });
  const table = valuesTable();
  const notes = notesView();
  const { field, shown } = oneView({
    label: "Show",
    views: [
      ["curves", "Curves", plot.element],
      ["table", "Table", table.element],
      ["notes", "Notes", notes.element],
    ],
    onView,
  });
  const element = underTabs(field, plot.element, table.element, notes.element);

  function show(now, picture, crossings) {
    // While it is hidden, the plot has no width to be drawn in.
    if (shown() === "curves") plot.show(plotOf(now, limits, picture, crossings));
    table.show(now, costRows(now, picture.costs, formulas));
    notes.show(now, picture, crossings);
  }
  return { element, show };
}

/** Where all the curves cross, by the numbers of their rings, and what is counted how. */
function notesView() {
  const crossed = make("div");
  const note = make("p", { class: "al-note" });
  const region = { tabindex: 0, role: "region", "aria-label": "Notes" };
  const heading = (text) => make("p", { class: "al-label" }, text);
  const element = make(
    "div",
    { class: "cost-notes", ...region },
    heading("Where curves cross"),
    crossed,
    heading("What is drawn"),
    note,
  );

  function show(now, { costs, curves }, crossings) {
    crossed.replaceChildren(crossingList(crossings, now));
    note.textContent = costNote(now, costs, curves);
  }
  return { element, show };
}

/** One of three kinds of settings at a time. */
export function costPanel({ sizes, layers, machine }) {
  const { field } = oneView({
    label: "Set",
    views: [
      ["sizes", "Sizes", sizes.element],
      ["layers", "Layers", layers.element],
      ["machine", "Machine", machine.element],
    ],
  });
  return underTabs(field, sizes.element, layers.element, machine.element);
}

// What chooses a view says by itself what it does: its label is for those who hear it.
function underTabs(field, ...elements) {
  field.classList.add("cost-tabs");
  field.firstChild.classList.add("al-hidden");
  return make("div", {}, field, ...elements);
}

// What `costPlot` draws.
function plotOf(now, limits, { places, curves }, crossings) {
  return {
    x: now.x,
    at: now[now.x],
    span: limits[now.x],
    places,
    curves,
    crossings,
    axis: axisText(now),
    tickText: (value) => costTick(value, now.quantity),
  };
}

function crossingList(crossings, now) {
  if (!crossings.length) return make("p", {}, noCrossing(now));
  const items = crossings.map(({ text, measured }) => make("li", {}, text + measured));
  return make("ol", { class: "cost-crossings" }, ...items);
}
