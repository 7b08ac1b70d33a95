// Which layer costs least? The formulas of two layers against one of the sizes, what a
// machine measured, where the two cross, and a table of the costs at the chosen sizes.

import { choices, menu } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { debounce, rafThrottle, onWidthChange } from "../../parts/timing.js";
import { otherCrossing, crossingsOf, nearestCrossing, otherSize } from "./crossings.js";
import { COST_STYLES } from "./looks.js";
import { costPlot } from "./plot.js";
import { axisText, COST_PHASES, COST_QUANTITIES, costTick } from "./quantities.js";
import { roundSize, sizeControls } from "./sizes.js";
import { COST_SIZES, computeCostCurves, costRows, costState } from "./state.js";
import { valuesTable } from "./table.js";
import { describeCost, costNote, describeNoCrossing } from "./words.js";

const NO_SECOND_LAYER = ""; // the other layer, where Python shows more than two

export function render({ model, el, say, signal }) {
  const speak = debounce(say);
  const state = costState(model);
  const { limits, formulas } = state;
  const sizes = sizeControls(state);
  const requests = costControls(state);
  const machine = machineControls(state);
  const table = valuesTable();
  const notes = notesPanel();
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
  el.append(requests.element, stage, more);

  function draw() {
    const now = state.read();
    const found = computeCostCurves(now, limits);
    const crossings = crossingsOf(found, now);
    const crossing = nearestCrossing(crossings, now);
    const other = otherCrossing(now, limits);
    for (const part of [requests, sizes, machine]) part.update(now);
    plot.update({
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
    table.update(now, costRows(now, found.costs, formulas));
    notes.update(now, found, crossings);
    speak(describeCost(now, found.curves, crossing, other));
  }

  const drawNext = rafThrottle(draw);
  state.follow(drawNext);
  onWidthChange(plot.element, signal, drawNext);
  draw();
}

// What is folded below the figure: all crossings, and what is counted how. `update` takes what
// `computeCostCurves` found and its crossings.
function notesPanel() {
  const crossed = make("div");
  const note = make("p.al-note");
  const element = make("div.cost-notes", crossed, note);

  function update(now, { costs, curves }, crossings) {
    crossed.replaceChildren(crossingList(crossings, now));
    note.textContent = costNote(now, costs, curves);
  }
  return { element, update };
}

function crossingList(crossings, now) {
  if (!crossings.length) return make("p", describeNoCrossing(now));
  const items = crossings.map(({ text, measured }) => make("li", text + measured));
  return make("ul.cost-crossings", ...items);
}

// The controls of what is shown, and of where and how it was measured.

/** What is counted, of which two layers, and along which size. */
function costControls({ change, read }) {
  const quantities = Object.entries(COST_QUANTITIES).map(([key, { short }]) => [key, short]);
  const layers = Object.entries(COST_STYLES).map(([layer, { name }]) => [layer, name]);
  const compareLayers = (...pair) => change({ layers: [...new Set(pair)] });
  const quantity = choices("Quantity", quantities, (name) => change({ quantity: name }));
  const axis = choices(
    "Along",
    COST_SIZES.map(([name]) => [name, name]),
    (x) => change({ x }),
  );
  const one = menu("Compare", layers, (layer) =>
    compareLayers(layer, ...read().layers.slice(1, 2)),
  );
  const other = menu("with", [], (layer) =>
    compareLayers(read().layers[0], ...(layer === NO_SECOND_LAYER ? [] : [layer])),
  );
  for (const { field } of [quantity, axis]) field.firstChild.classList.add("al-hidden");
  axis.field.prepend(make("span.al-label", { "aria-hidden": "true" }, "along"));
  const makeRow = (...fields) => make("div.cost-row", ...fields);
  const element = make(
    "div.cost-controls.al-more",
    makeRow(quantity.field, axis.field),
    makeRow(one.field, other.field),
  );
  let listed = null; // what the second menu says where it names no layer

  function update(now) {
    quantity.set(now.quantity);
    axis.set(now.x);
    const [first, second, ...more] = now.layers;
    one.set(first);
    const rest = more.length ? `${more.length + 1} others` : "no other";
    if (listed !== rest) other.fill([[NO_SECOND_LAYER, rest], ...layers]);
    listed = rest;
    other.set(more.length || !second ? NO_SECOND_LAYER : second);
  }
  return { element, update };
}

/** Whose measurements are shown, and of what. */
function machineControls({ change }) {
  const machine = menu("Machine", [], (name) => change({ machine: name }));
  const phase = menu("Measured", COST_PHASES, (name) => change({ phase: name }));
  const element = make("div.al-controls", machine.field, phase.field);
  let listed = null;

  function update(now) {
    const none = now.machines.length ? "none" : "none measured yet";
    const options = [...now.machines.map(({ name }) => [name, name]), ["", none]];
    if (now.machines !== listed) machine.fill(options);
    listed = now.machines;
    machine.set(now.machine);
    phase.set(now.phase);
    phase.field.hidden = now.machine === "";
  }
  return { element, update };
}
