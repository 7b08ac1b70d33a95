// Which layer costs least? Each layer's formula against one of the sizes, what a machine
// measured, where curves cross, and a table of the costs at the chosen sizes.

import { choices, menu } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { calmly, onNewWidth, oncePerFrame } from "../../parts/timing.js";
import { crossingsOf } from "./crossings.js";
import { layerBoxes } from "./layers.js";
import { costPlot } from "./plot.js";
import { COST_PHASES, COST_QUANTITIES, axisText, costTick } from "./quantities.js";
import { roundSize, sizeControls } from "./sizes.js";
import { COST_SIZES, costPicture, costRows, costState } from "./state.js";
import { valuesTable } from "./table.js";
import { costTries } from "./tries.js";
import { costInWords, costNote } from "./words.js";

export function renderCost({ model, el, say, signal }) {
  const speak = calmly(say);
  const state = costState(model);
  const { limits } = state;
  const wishes = costControls(state);
  const sizes = sizeControls(state);
  const layers = layerBoxes((names) => state.change({ layers: names }));
  const plot = costPlot({
    onPlace: (value) => {
      const { x } = state.read();
      state.change({ [x]: roundSize(x, limits[x], value) });
    },
  });
  const tries = costTries((values) => {
    state.change(values);
    sizes.forget();
  });
  const note = make("p", { class: "al-note" });
  const crossed = make("ol", { class: "cost-crossings" });
  const values = valuesTable();
  // While sizes and layers are chosen the plot stays in sight.
  const seen = [plot, sizes, layers].map(({ element }) => element);
  const stage = make("div", { class: "cost-stage" }, ...seen);
  el.append(wishes.element, tries.element, stage, note, crossed, values.element);

  function draw() {
    const now = state.read();
    const picture = costPicture(now, limits);
    const { costs, curves, places } = picture;
    const crossings = crossingsOf(picture, now);
    for (const part of [wishes, tries, sizes]) part.show(now);
    layers.show(now.layers);
    plot.show({
      x: now.x,
      at: now[now.x],
      span: limits[now.x],
      places,
      curves,
      crossings,
      axis: axisText(now),
      tickText: (value) => costTick(value, now.quantity),
    });
    note.textContent = costNote(now, costs, curves);
    crossed.replaceChildren(...crossings.map(({ text }) => make("li", {}, text)));
    values.show(now, costRows(now, costs, state.formulas));
    speak(costInWords(now, curves, crossings));
  }

  const drawNext = oncePerFrame(draw);
  state.follow(drawNext);
  onNewWidth(plot.element, signal, drawNext);
  draw();
}

/** What is shown, along which size, measured where and how, and whether layers look back only. */
function costControls({ change }) {
  const quantities = Object.entries(COST_QUANTITIES).map(([key, { name }]) => [key, name]);
  const along = COST_SIZES.map(([name]) => [name, name]);
  const wish = (trait) => (value) => change({ [trait]: value });
  const quantity = menu({ label: "Quantity", options: quantities, onChoice: wish("quantity") });
  const axis = choices({ label: "Along", options: along, onChoice: wish("x") });
  const machine = menu({ label: "Machine", options: [], onChoice: wish("machine") });
  const phase = menu({ label: "Measured", options: COST_PHASES, onChoice: wish("phase") });
  const causal = make("input", { type: "checkbox" });
  causal.addEventListener("change", () => change({ causal: causal.checked }));
  const element = make(
    "div",
    { class: "al-controls cost-controls" },
    ...[quantity, axis, machine, phase].map(({ field }) => field),
    make("label", { class: "cost-check" }, causal, "look back only (causal)"),
  );
  let listed = null;

  function show(now) {
    const none = now.machines.length ? "none" : "none measured yet";
    const options = [...now.machines.map(({ name }) => [name, name]), ["", none]];
    if (now.machines !== listed) machine.fill(options);
    listed = now.machines;
    quantity.set(now.quantity);
    axis.set(now.x);
    machine.set(now.machine);
    phase.set(now.phase);
    phase.field.hidden = now.machine === "";
    causal.checked = now.causal;
  }
  return { element, show };
}
