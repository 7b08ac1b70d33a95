// The controls of what is shown, and of where and how it was measured.

import { choices, menu } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { COST_LOOKS } from "./looks.js";
import { COST_PHASES, COST_QUANTITIES } from "./quantities.js";
import { COST_SIZES } from "./state.js";

const SEVERAL = ""; // the other layer, where Python shows more than two

/** What is counted, of which two layers, and along which size. */
export function costControls({ change, read }) {
  const quantities = Object.entries(COST_QUANTITIES).map(([key, { short }]) => [key, short]);
  const layers = Object.entries(COST_LOOKS).map(([layer, { name }]) => [layer, name]);
  const compare = (...pair) => change({ layers: [...new Set(pair)] });
  const quantity = choices("Quantity", quantities, (name) => change({ quantity: name }));
  const axis = choices(
    "Along",
    COST_SIZES.map(([name]) => [name, name]),
    (x) => change({ x }),
  );
  const one = menu("Compare", layers, (layer) => compare(layer, ...read().layers.slice(1, 2)));
  const other = menu(
    "with",
    layers,
    (layer) => layer && compare(...read().layers.slice(0, 1), layer),
  );
  for (const { field } of [quantity, axis]) field.firstChild.classList.add("al-hidden");
  axis.field.prepend(make("span.al-label", { "aria-hidden": "true" }, "along"));
  const row = (...fields) => make("div.cost-row", ...fields);
  const element = make(
    "div.cost-controls.al-more",
    row(quantity.field, axis.field),
    row(one.field, other.field),
  );
  let listed = null; // how many layers the second menu stands for

  function show(now) {
    quantity.set(now.quantity);
    axis.set(now.x);
    const [first, second, ...more] = now.layers;
    one.set(first);
    if (listed !== more.length) {
      const several = more.length ? [[SEVERAL, `${more.length + 1} others`]] : [];
      other.fill([...several, ...layers]);
    }
    listed = more.length;
    other.set(more.length ? SEVERAL : second);
  }
  return { element, show };
}

/** Whose measurements are shown, and of what. */
export function machineControls({ change }) {
  const machine = menu("Machine", [], (name) => change({ machine: name }));
  const phase = menu("Measured", COST_PHASES, (name) => change({ phase: name }));
  const element = make("div.al-controls", machine.field, phase.field);
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
