// Six layers under the roof of a measured machine: do they wait for arithmetic or memory?

import { choices } from "../../parts/choices.js";
import { make, makeSvg } from "../../parts/elements.js";
import { drawnMark } from "../../parts/marks.js";
import { slider } from "../../parts/numbers.js";
import { columnHead, tableRow } from "../../parts/tables.js";
import { debounce, rafThrottle, onWidthChange } from "../../parts/timing.js";
import { traitsOf } from "../../shell/traits.js";
import { groupDigits, joinWithAnd } from "../../words/phrases.js";
import { ROOF_STYLES } from "./looks.js";
import { roofPlot } from "./plot.js";
import { predictTime } from "./roof.js";

const UNITS = [
  [1, "s"],
  [1e-3, "ms"],
  [1e-6, "µs"],
];

const SIZE_LABELS = { n: "Length n", d: "Width d", heads: "Heads h", batch: "Batch" };
const ROOF_PHASES = { forward: "all at once", generation: "word by word" };

const MEASURED_SIZES = ["phase", "n", "d", "batch"];

export function render({ model, el, say, signal }) {
  const speak = debounce(say);
  const traits = traitsOf(model, ["n", "d", "heads", "batch", "phase"]);
  const { limits, machine, roof, calls, measured } = model.get("_frame");
  const setTraits = (values) =>
    traits.change({ ...values, ...fitHeads({ ...traits.read(), ...values }) });
  const controls = roofControls({ change: setTraits, limits });
  const plot = roofPlot(roof, machine);
  const body = make("tbody");
  const head = columnHead("", "at best", "measured");
  for (const heading of [...head.firstChild.children].slice(1)) heading.classList.add("al-more");
  const table = make("table.al-table.rf-table", head, body);
  el.append(controls.element, make("div.rf-stage", plot.element, table));

  function draw() {
    const state = traits.read();
    const times = Object.fromEntries(
      measured
        .filter((row) => isMeasuredAt(row, state))
        .map(([layer, ...rest]) => [layer, rest.at(-1)]),
    );
    const standings = Object.keys(ROOF_STYLES).map((layer) => ({
      ...predictTime(layer, state.phase, state, roof, calls[layer][state.phase]),
      measured: times[layer],
    }));
    controls.update(state);
    body.replaceChildren(...standings.map(predictionRow));
    plot.update(standings); // as wide as the table leaves it
    speak(describeRoof(standings));
  }

  const drawNext = rafThrottle(draw);
  traits.follow(drawNext);
  draw();
  onWidthChange(plot.element, signal, drawNext);
}

/** As many heads as are asked for, or fewer, so that they share the width evenly. */
function fitHeads({ d, heads }) {
  let fit = heads;
  while (d % fit) fit -= 1;
  return { heads: fit };
}

/** Is a measured time one of just these sizes? Only attention has heads; others have 0. */
function isMeasuredAt([, phase, n, d, heads, batch], state) {
  const found = { phase, n, d, batch };
  const same = MEASURED_SIZES.every((name) => found[name] === state[name]);
  return same && (heads === 0 || heads === state.heads);
}

function predictionRow({ layer, seconds, measured }) {
  const { hue, mark, name } = ROOF_STYLES[layer];
  const sign = makeSvg(
    "svg",
    { class: `rf-sign ${hue}`, viewBox: "-6 -6 12 12", "aria-hidden": "true" },
    drawnMark(mark, 0, 0, "rf-dot"),
  );
  const row = tableRow(
    name,
    make("td.al-more", formatSeconds(seconds)),
    make("td.al-more", measured === undefined ? "–" : formatSeconds(measured)),
  );
  row.dataset.layer = layer;
  row.firstChild.prepend(sign);
  return row;
}

// What there is to set: four sizes, each over the powers of two, and how a layer is used.

/** `element`, and `update(state)`; `setTraits(values)` is called with what a reader sets. */
function roofControls({ change, limits }) {
  const phase = choices("Positions", ROOF_PHASES, (name) => change({ phase: name }));
  phase.field.firstChild.classList.add("al-hidden");
  const sizes = Object.entries(SIZE_LABELS).map(([name, label]) => {
    const [least, most] = limits[name].map(Math.log2);
    const chosen = make("output", { "aria-hidden": "true" });
    const track = slider(label, least, most, (power) => change({ [name]: 2 ** power }));
    track.field.classList.add("rf-size");
    track.field.append(chosen);
    return { name, most, track, chosen };
  });
  const fields = sizes.map(({ track }) => track.field);
  const element = make("div.rf-controls.al-more", phase.field, make("div.rf-sizes", ...fields));

  function update(state) {
    phase.set(state.phase);
    for (const { name, most, track, chosen } of sizes) {
      track.set(Math.round(Math.log2(state[name])), most, String(state[name]));
      chosen.textContent = groupDigits(state[name]);
    }
  }
  return { element, update };
}

// What the figure of the roof says.

/** 0.00312 seconds as "3.1 ms". */
function formatSeconds(seconds) {
  const [unit, name] = UNITS.find(([size]) => seconds >= 0.9995 * size) ?? UNITS.at(-1);
  const number = seconds / unit;
  return `${number >= 100 ? Math.round(number) : Number(number.toPrecision(2))}\u00a0${name}`;
}

/** Which layers wait for what, and which spend most of their time in calls. */
function describeRoof(standings) {
  const told = ["memory", "arithmetic"].flatMap((what) => {
    const those = standings.filter(({ waits }) => waits === what);
    return those.length ? [`for ${what}: ${listLayers(those)}`] : [];
  });
  const calling = standings.filter(({ calls, seconds }) => calls > seconds / 2);
  const mostly = calling.length === standings.length ? "all" : listLayers(calling);
  const calls = calling.length ? ` Mostly calls: ${mostly}.` : "";
  return `Waiting ${told.join("; ")}.${calls}`;
}

function listLayers(standings) {
  return joinWithAnd(standings.map(({ layer }) => ROOF_STYLES[layer].name));
}
