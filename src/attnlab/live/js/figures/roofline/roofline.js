// Six layers under the roof of a measured machine: do they wait for arithmetic or memory?

import { make, makeSvg } from "../../parts/elements.js";
import { drawnMark } from "../../parts/marks.js";
import { columnHead, tableRow } from "../../parts/tables.js";
import { debounce, onWidthChange, rafThrottle } from "../../parts/timing.js";
import { traitsOf } from "../../shell/traits.js";
import { roofControls } from "./controls.js";
import { ROOF_STYLES } from "./looks.js";
import { roofPlot } from "./plot.js";
import { underRoof, workOf } from "./roof.js";
import { roofInWords, shortTime } from "./words.js";

const MEASURED_SIZES = ["phase", "n", "d", "batch"];

export function render({ model, el, say, signal }) {
  const speak = debounce(say);
  const traits = traitsOf(model, ["n", "d", "heads", "batch", "phase"]);
  const { limits, machine, roof, calls, measured } = model.get("_frame");
  const change = (values) =>
    traits.change({ ...values, ...fitting({ ...traits.read(), ...values }) });
  const controls = roofControls({ change, limits });
  const plot = roofPlot(roof, machine);
  const body = make("tbody");
  const head = columnHead("", "at best", "measured");
  const table = make("table", { class: "al-table rf-table al-more" }, head, body);
  el.append(controls.element, make("div", { class: "rf-stage" }, plot.element, table));

  function draw() {
    const state = traits.read();
    const standings = Object.keys(ROOF_STYLES).map((layer) =>
      underRoof(layer, state.phase, state, roof, calls[layer][state.phase]),
    );
    const times = Object.fromEntries(
      measured
        .filter((row) => isMeasuredAt(row, state))
        .map(([layer, ...rest]) => [layer, rest.at(-1)]),
    );
    const dots = standings.flatMap(({ layer, intensity }) =>
      layer in times
        ? [{ layer, intensity, speed: workOf(layer, state.phase, state) / times[layer] }]
        : [],
    );
    controls.show(state);
    body.replaceChildren(...standings.map((one) => standingRow(one, times[one.layer])));
    plot.show(standings, dots); // as wide as the table leaves it
    speak(roofInWords(standings));
  }

  const drawNext = rafThrottle(draw);
  traits.follow(drawNext);
  draw();
  onWidthChange(plot.element, signal, drawNext);
}

/** As many heads as are asked for, or fewer, so that they share the width evenly. */
function fitting({ d, heads }) {
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

function standingRow(standing, time) {
  const { hue, mark, name } = ROOF_STYLES[standing.layer];
  const sign = makeSvg(
    "svg",
    { class: `rf-sign ${hue}`, viewBox: "-6 -6 12 12", "aria-hidden": "true" },
    drawnMark(mark, 0, 0, "rf-dot"),
  );
  const row = tableRow(
    name,
    make("td", {}, shortTime(standing.seconds)),
    make("td", {}, time === undefined ? "–" : shortTime(time)),
  );
  row.firstChild.prepend(sign);
  return row;
}
