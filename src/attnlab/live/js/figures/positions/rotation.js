// The rotation that takes the row of any p to that of p + k, and one block of it.

import { shiftBlock } from "../../math/sinusoids.js";
import { make } from "../../parts/elements.js";
import { groupDigits, withMinusSign, twoDecimals } from "../../words/phrases.js";
import { shadeIndex } from "./palette.js";
import { turnText } from "./words.js";

const MAP_SIZE = 320; // pixels of the picture of the matrix

export function rotationPanel(palette) {
  const heading = make("p.pos-heading");
  const size = { width: MAP_SIZE, height: MAP_SIZE };
  const canvas = make("canvas.pos-canvas", { role: "img", ...size });
  const frame = make("div.pos-block");
  const map = make("div.pos-map", canvas, frame);
  const block = blockEquation();
  const note = make("p.al-note");
  const element = make(
    "div.pos-panel.pos-rotation.al-more",
    heading,
    make("div.pos-rotationbox", map, note),
    block.element,
  );
  let shown = null;

  function update(next) {
    const { d, shift, pairs, slot } = next;
    if (next.fresh || shift !== shown.shift) paintRotation(canvas, next, palette.shades());
    shown = next;
    heading.textContent = `The rotation for k = ${withMinusSign(shift)}`;
    const blocks = `${d / 2} blocks of 2 by 2 along the diagonal`;
    canvas.setAttribute("aria-label", `A matrix of ${d} by ${d}, 0 but for ${blocks}`);
    frame.style.left = frame.style.top = `${(100 * (2 * pairs[slot] + 1)) / d}%`;
    frame.style.width = `${200 / d}%`;
    block.update(next);
    note.textContent =
      `${groupDigits(2 * d)} of ${groupDigits(d * d)} entries are in the blocks, all others are 0. `
      + "k alone is in the blocks, not p: the rotation is the same for every p.";
  }
  palette.watch(() => {
    if (shown) paintRotation(canvas, shown, palette.shades());
  });
  return { element, update };
}

function paintRotation(canvas, { d, shift, rates }, shades) {
  const context = canvas.getContext("2d");
  const bytes = new Uint8ClampedArray(shades.buffer);
  const cell = MAP_SIZE / d;
  const fillCell = (value, row, column) => {
    const [r, g, b] = bytes.subarray(4 * shadeIndex(value));
    context.fillStyle = `rgb(${r} ${g} ${b})`;
    context.fillRect(column * cell, row * cell, Math.max(2, cell), Math.max(2, cell));
  };
  context.clearRect(0, 0, MAP_SIZE, MAP_SIZE);
  rates.forEach((rate, i) => {
    shiftBlock(shift, rate).forEach((line, row) =>
      line.forEach((value, column) => fillCell(value, 2 * i + row, 2 * i + column)),
    );
  });
}

// The chosen pair's block, times what the first row has there, is what the second has.
function blockEquation() {
  const which = make("p");
  const equation = make("div.pos-equation", { role: "img" });
  const element = make("div.pos-numbers", which, equation);

  function update({ position, shift, rates, row, second, pairs, slot }) {
    const pair = pairs[slot];
    const [sine, cosine] = [2 * pair, 2 * pair + 1];
    const turn = turnText(shift, rates[pair]);
    which.textContent = `Block of dimensions ${sine} and ${cosine}: a turn by ${turn}`;
    const block = shiftBlock(shift, rates[pair]);
    const before = [[row[sine]], [row[cosine]]];
    const after = [[second[sine]], [second[cosine]]];
    equation.replaceChildren(
      drawBracket(block, `k = ${withMinusSign(shift)}`),
      make("span", "·"),
      drawBracket(before, `PE(${position})`, "first"),
      make("span", "="),
      drawBracket(after, `PE(${withMinusSign(position + shift)})`, "second"),
    );
    const texts = [block, [before.flat()], [after.flat()]].map(matrixText);
    equation.setAttribute("aria-label", `${texts[0]} times ${texts[1]} is ${texts[2]}`);
  }
  return { element, update };
}

function drawBracket(lines, caption, kind = "") {
  const cells = lines.flat().map((value) => make("span", twoDecimals(value)));
  const body = make("span", { class: `pos-bracket ${kind}` }, ...cells);
  body.style.setProperty("--columns", lines[0].length);
  return make("span.pos-factor", body, make("span.pos-under", caption));
}

function matrixText(lines) {
  return lines.map((line) => line.map(twoDecimals).join(", ")).join("; ");
}
