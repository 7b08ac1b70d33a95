// The drawing of one step: boxes with numbers, and arrows that are operations.

import { make, makeSvg, setAttributes } from "../../parts/elements.js";
import { twoDecimals } from "../../words/phrases.js";
import { STEP_COLUMNS, STEP_SIZE, stepParts } from "./wiring.js";
import { pairText } from "./words.js";

const MIN_ARROW_WIDTH = 1.25; // an arrow of weight 0 …
const MAX_ARROW_WIDTH = 8; // … and one of weight 1

/** `update(shown)` draws the state of the figure and what `takeStep` makes of it. */
export function stepDrawing({ words, memory, outputs }) {
  const box = `0 0 ${STEP_SIZE.width} ${STEP_SIZE.height}`;
  const svg = makeSvg("svg", { viewBox: box, "aria-hidden": "true" });
  const element = make("div.st-drawing", svg);
  let drawn = null; // the wiring in the picture, and its parts
  let parts = [];

  function build(wiring) {
    const { boxes, arrows, texts } = stepParts(wiring);
    parts = [
      ...arrows.map(arrowPart),
      ...boxes.map((one) => (one.kind === "output" ? outputPart(one, outputs) : boxPart(one))),
      ...texts.map(textPart),
      ...words.map((word, j) => textPart({ step: 1, x: STEP_COLUMNS[j], y: 14, content: word })),
    ];
    svg.replaceChildren(...parts.map((part) => part.group));
    drawn = wiring;
  }

  function update(shown) {
    if (drawn !== shown.wiring) build(shown.wiring);
    const values = boxValues(shown, memory);
    for (const { group, step, update } of parts) {
      group.classList.toggle("now", step === shown.step);
      group.classList.toggle("later", step > shown.step);
      update(values, shown);
    }
  }
  return { element, update };
}

// What the boxes show, by name.
function boxValues(shown, memory) {
  const values = {};
  for (const name of ["query", "context", "mixed", "nextState"]) {
    values[name] = pairText(shown[name], 2);
  }
  memory.forEach((h, j) => {
    values[`memory${j}`] = pairText(h);
    values[`score${j}`] = twoDecimals(shown.scores[j]);
    values[`weight${j}`] = shown.weights[j].toFixed(2);
  });
  return values;
}

function partGroup(step, kind, ...children) {
  return makeSvg("g", { class: `st-part ${kind}`, "data-step": step }, ...children);
}

function textPart({ step, x, y, content, note }) {
  const label = makeSvg("text", { x, y, class: note ? "st-note" : "st-word" }, content);
  return { step, group: partGroup(step, "st-text", label), update() {} };
}

/** A box: its name and what it shows in one line, or in two if it is high. */
function boxPart({ step, kind, x, y, width, height, name, shows }) {
  const frame = { x: x - width / 2, y: y - height / 2, width, height, rx: 5 };
  const value = makeSvg("tspan.st-number", { "data-shows": shows });
  const label = makeSvg("tspan.st-name", name);
  const bar = makeSvg("rect.st-fill", { ...frame, width: 0 });
  const tall = height > 30;
  if (tall) setAttributes(value, { x, dy: "1.25em" });
  const line = makeSvg("text", { x, y: tall ? y - 4 : y + 4.5 }, label);
  if (shows) line.append(tall ? "" : "\u2002", value);
  const group = partGroup(step, kind, makeSvg("rect", frame), bar, line);

  function update(values, { weights }) {
    if (shows) value.textContent = values[shows];
    if (tall) squeezeText(value, width - 6);
    if (kind === "weight") bar.setAttribute("width", width * weights[Number(shows.at(-1))]);
  }
  return { step, group, update };
}

/** The next word: a line for each that it may be, as a bar and a number. */
function outputPart({ step, kind, x, y, width, height }, outputs) {
  const [left, top] = [x - width / 2, y - height / 2];
  const frame = makeSvg("rect", { x: left, y: top, width, height, rx: 5 });
  const lines = outputs.map((word, i) => {
    const [at, right] = [top + 17 + 18 * i, left + width - 6];
    const bar = makeSvg("rect.st-bar", { x: left + 52, y: at - 9, height: 10 });
    const number = makeSvg("text.st-number", { x: right, y: at });
    const name = makeSvg("text.st-word", { x: left + 8, y: at }, word);
    return { bar, name, number, group: makeSvg("g", bar, name, number) };
  });
  const group = partGroup(step, kind, frame, ...lines.map((line) => line.group));

  function update(values, { probabilities, best }) {
    lines.forEach(({ bar, name, number, group: line }, i) => {
      bar.setAttribute("width", 60 * probabilities[i]);
      number.textContent = probabilities[i].toFixed(2);
      line.classList.toggle("best", i === best);
      squeezeText(name, 42);
    });
  }
  return { step, group, update };
}

// Letters are wider on some machines than on others.
function squeezeText(text, room) {
  text.removeAttribute("textLength");
  if (text.getComputedTextLength() <= room) return;
  setAttributes(text, { textLength: room, lengthAdjust: "spacingAndGlyphs" });
}

/** An arrow along its points; one with a weight is as thick as that. */
function arrowPart({ step, kind, points, weight }) {
  const line = makeSvg("polyline", { points: points.join(" ") });
  const head = makeSvg("path.st-head", { d: arrowHead(points) });
  const group = partGroup(step, `st-arrow ${kind}`, line, head);

  function update(values, { weights }) {
    if (weight === undefined) return;
    const width = MIN_ARROW_WIDTH + (MAX_ARROW_WIDTH - MIN_ARROW_WIDTH) * weights[weight];
    line.style.strokeWidth = width.toFixed(2);
  }
  return { step, group, update };
}

// A small triangle at the last point, in the direction of the last stretch.
function arrowHead(points) {
  const [[x0, y0], [x, y]] = points.slice(-2);
  const length = Math.hypot(x - x0, y - y0);
  const [ux, uy] = [(x - x0) / length, (y - y0) / length];
  const headCorner = (back, aside) => `${x - back * ux - aside * uy} ${y - back * uy + aside * ux}`;
  return `M${headCorner(-1, 0)}L${headCorner(7, 4)}L${headCorner(7, -4)}z`;
}
