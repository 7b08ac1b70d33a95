// The controls of what is shown, and of where and how it was measured.

import { choices, menu } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { COST_PHASES, COST_QUANTITIES } from "./quantities.js";
import { COST_SIZES } from "./state.js";

/** What is shown, and along which size. */
export function costControls({ change }) {
  const quantities = Object.entries(COST_QUANTITIES).map(([key, { name }]) => [key, name]);
  const along = COST_SIZES.map(([name]) => [name, name]);
  const quantity = menu({
    label: "Quantity",
    options: quantities,
    onChoice: (name) => change({ quantity: name }),
  });
  const axis = choices({ label: "Along", options: along, onChoice: (x) => change({ x }) });
  const element = make(
    "div",
    { class: "al-controls cost-controls" },
    ...[quantity, axis].map(({ field }) => field),
  );

  function show(now) {
    quantity.set(now.quantity);
    axis.set(now.x);
  }
  return { element, show };
}

/** Whose measurements are shown, and of what. */
export function machineControls({ change }) {
  const machine = menu({
    label: "Machine",
    options: [],
    onChoice: (name) => change({ machine: name }),
  });
  const phase = menu({
    label: "Measured",
    options: COST_PHASES,
    onChoice: (name) => change({ phase: name }),
  });
  const element = make("div", { class: "cost-machine" }, machine.field, phase.field);
  let listed = null;

  function show(now) {
    const none = now.machines.length ? "none" : "none measured yet";
    const options = [...now.machines.map(({ name }) => [name, name]), ["", none]];
    if (now.machines !== listed) machine.fill(options);
    listed = now.machines;
    machine.set(now.machine);
    phase.set(now.phase);
    phase.field.hidden = now.machine === "";
  }
  return { element, show };
}
