// A decoder writes in three ways at once: the scores that each computes, step by step.

import { make, makeSvg } from "../../parts/elements.js";
import { slider } from "../../parts/numbers.js";
import { stepper } from "../../parts/stepper.js";
import { debounce, rafThrottle } from "../../parts/timing.js";
import { traitsOf } from "../../shell/traits.js";

const DECODING_METHODS = ["padded", "prefix", "cache"];

const CELL_SIZE = 20; // units of the drawing
const STEP_PAUSE = 900; // milliseconds a step

export function render({ model, el, say, signal }) {
  const speak = debounce(say);
  const traits = traitsOf(model, ["words", "step"]);
  const [fewest, most] = model.get("_frame").limits.words;
  const panels = DECODING_METHODS.map(decodingPanel);
  const size = slider("Words to write", fewest, most, (words) => traits.change({ words }));
  const readout = make("strong", { "aria-hidden": "true" });
  size.field.append(readout);
  const steps = stepper({
    label: "Step",
    first: 1,
    pause: STEP_PAUSE,
    signal,
    now: () => ({ step: state().step, last: state().words }),
    onStep: (step) => traits.change({ step }),
  });
  const controls = make("div.al-controls.ce-controls", size.field, steps.field);
  el.append(controls, make("div.ce-ways", ...panels.map((one) => one.element)));

  function state() {
    const { words, step } = traits.read();
    return { words, step: Math.min(step, words) };
  }

  function draw() {
    const { words, step } = state();
    size.set(words, most, String(words));
    readout.textContent = words;
    steps.update();
    const told = panels.map((one) => one.update(step, words));
    speak(`Step ${step} of ${words}. Through the decoder so far: ${told.join("; ")}.`);
  }
  traits.follow(rafThrottle(draw));
  draw();
}

// `update(step, words)` draws a way to write, and returns what it has cost in words.
function decodingPanel(way) {
  const svg = makeSvg("svg.ce-svg", { "aria-hidden": "true" });
  const count = make("p.ce-count", { "aria-hidden": "true" });
  const element = make("div", make("p.ce-way", way), svg, count);

  function update(step, words) {
    const counted = countCostUpTo(way, step, words);
    const { from, to, across } = scoresComputedAt(way, step, words);
    const cells = counted.times.flatMap((row, i) => row.map((times, j) => drawCell(times, i, j)));
    const frame = {
      x: 0,
      y: (from - 1) * CELL_SIZE,
      width: across * CELL_SIZE,
      height: (to - from + 1) * CELL_SIZE,
    };
    svg.setAttribute("viewBox", `-1 -1 ${words * CELL_SIZE + 2} ${words * CELL_SIZE + 2}`);
    svg.replaceChildren(...cells, makeSvg("rect.ce-now", { ...frame }));
    count.replaceChildren(
      ...["words", "scores"].map((name) => make("span", make("b", counted[name]), ` ${name}`)),
    );
    return `${way} ${counted.words} words and ${counted.scores} scores`;
  }
  return { element, update };
}

function drawCell(times, row, column) {
  const [x, y] = [column * CELL_SIZE, row * CELL_SIZE];
  const name = `ce-cell${times ? " computed" : ""}`;
  const box = makeSvg("rect", { class: name, x, y, width: CELL_SIZE, height: CELL_SIZE });
  if (!times) return box;
  const number = makeSvg("text", { x: x + CELL_SIZE / 2, y: y + CELL_SIZE / 2 + 4 }, times);
  const hatch = `M${x} ${y + CELL_SIZE}L${x + CELL_SIZE} ${y}`;
  const masked = column > row ? [makeSvg("path.ce-masked", { d: hatch })] : [];
  return makeSvg("g", box, ...masked, number);
}

// What a decoder computes when it writes: which scores at a step, and how many so far.

/** The scores that are computed at a step, from 1: rows `from` … `to`, columns 1 … `across`. */
function scoresComputedAt(way, step, words) {
  if (way === "padded") return { from: 1, to: words, across: words };
  return { from: way === "cache" ? step : 1, to: step, across: step };
}

/** Up to a step: the `words` through the decoder, the `scores` of a head, `times` of each. */
function countCostUpTo(way, step, words) {
  const times = Array.from({ length: words }, () => Array(words).fill(0));
  const total = { words: 0, scores: 0, times };
  for (let now = 1; now <= step; now++) {
    const { from, to, across } = scoresComputedAt(way, now, words);
    total.words += to - from + 1;
    total.scores += (to - from + 1) * across;
    for (let row = from - 1; row < to; row++) {
      for (let column = 0; column < across; column++) times[row][column] += 1;
    }
  }
  return total;
}
