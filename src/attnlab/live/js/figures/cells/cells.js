// A decoder writes in three ways at once: the scores that each computes, step by step.

import { make, makeSvg } from "../../parts/elements.js";
import { slider } from "../../parts/numbers.js";
import { stepper } from "../../parts/stepper.js";
import { debounce, rafThrottle } from "../../parts/timing.js";
import { traitsOf } from "../../shell/traits.js";
import { WRITING_WAYS, countedUpTo, scoresAt } from "./counts.js";

const CELL = 20; // units of the drawing
const CELLS_PAUSE = 900; // milliseconds a step

export function render({ model, el, say, signal }) {
  const speak = debounce(say);
  const traits = traitsOf(model, ["words", "step"]);
  const [fewest, most] = model.get("_frame").limits.words;
  const panels = WRITING_WAYS.map(wayPanel);
  const size = slider({
    label: "Words to write",
    min: fewest,
    max: most,
    onValue: (words) => traits.change({ words }),
  });
  const readout = make("strong", { "aria-hidden": "true" });
  size.field.append(readout);
  const steps = stepper({
    label: "Step",
    first: 1,
    pause: CELLS_PAUSE,
    signal,
    now: () => ({ step: state().step, last: state().words }),
    onStep: (step) => traits.change({ step }),
  });
  const controls = make("div", { class: "al-controls ce-controls" }, size.field, steps.field);
  el.append(controls, make("div", { class: "ce-ways" }, ...panels.map((one) => one.element)));

  function state() {
    const { words, step } = traits.read();
    return { words, step: Math.min(step, words) };
  }

  function draw() {
    const { words, step } = state();
    size.set(words, most, String(words));
    readout.textContent = words;
    steps.show();
    const told = panels.map((one) => one.show(step, words));
    speak(`Step ${step} of ${words}. Through the decoder so far: ${told.join("; ")}.`);
  }
  traits.follow(rafThrottle(draw));
  draw();
}

// `show(step, words)` draws a way to write, and returns what it has cost in words.
function wayPanel(way) {
  const svg = makeSvg("svg", { class: "ce-svg", "aria-hidden": "true" });
  const count = make("p", { class: "ce-count", "aria-hidden": "true" });
  const element = make("div", {}, make("p", { class: "ce-way" }, way), svg, count);

  function show(step, words) {
    const counted = countedUpTo(way, step, words);
    const { from, to, across } = scoresAt(way, step, words);
    const cells = counted.times.flatMap((row, i) => row.map((times, j) => drawCell(times, i, j)));
    const frame = {
      x: 0,
      y: (from - 1) * CELL,
      width: across * CELL,
      height: (to - from + 1) * CELL,
    };
    svg.setAttribute("viewBox", `-1 -1 ${words * CELL + 2} ${words * CELL + 2}`);
    svg.replaceChildren(...cells, makeSvg("rect", { class: "ce-now", ...frame }));
    count.replaceChildren(
      ...["words", "scores"].map((name) =>
        make("span", {}, make("b", {}, counted[name]), ` ${name}`),
      ),
    );
    return `${way} ${counted.words} words and ${counted.scores} scores`;
  }
  return { element, show };
}

function drawCell(times, row, column) {
  const [x, y] = [column * CELL, row * CELL];
  const name = `ce-cell${times ? " computed" : ""}`;
  const box = makeSvg("rect", { class: name, x, y, width: CELL, height: CELL });
  if (!times) return box;
  const number = makeSvg("text", { x: x + CELL / 2, y: y + CELL / 2 + 4 }, times);
  const hatch = `M${x} ${y + CELL}L${x + CELL} ${y}`;
  const masked = column > row ? [makeSvg("path", { class: "ce-masked", d: hatch })] : [];
  return makeSvg("g", {}, box, ...masked, number);
}
