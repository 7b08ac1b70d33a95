// The table, as cells, with the rows of p and p + k marked: both can be dragged.

import { followDrag } from "../../parts/drag.js";
import { make } from "../../parts/elements.js";
import { withMinusSign } from "../../words/phrases.js";
import { shadeIndex } from "./palette.js";
import { clamp } from "./state.js";

export function tablePicture(palette, state) {
  const canvas = make("canvas.pos-canvas", { role: "img" });
  const [first, second] = [rowMarker(""), rowMarker(" second")];
  const cells = make("div.pos-cells", canvas, first.mark, second.mark);
  const ticks = make("div.pos-ticks", { "aria-hidden": "true" });
  const axes = make("p.al-note");
  const heading = make("p.pos-heading", "The table");
  const element = make(
    "div.pos-panel.pos-table",
    make("div.pos-tablehead", heading, shadesLegend()),
    make("div.pos-tablebox", first.track, cells, second.track, ticks),
    axes,
  );
  let shown = null;

  function update(next) {
    const { d, n, position, shift, fresh } = next;
    shown = next;
    const to = position + shift;
    if (fresh) {
      paintTable(canvas, next, palette.shades());
      axes.textContent = `Down: positions 0 to ${n - 1}. Across: dimensions 0 to ${d - 1}.`;
    }
    setPixelated(canvas, next);
    const marked = `rows ${position} and ${withMinusSign(to)} marked`;
    canvas.setAttribute("aria-label", `The table, ${n} rows by ${d} columns, ${marked}`);
    first.update(position, n, `p ${position}`);
    second.update(to, n, to < 0 ? `▴ ${withMinusSign(to)}` : to >= n ? `▾ ${to}` : `p+k ${to}`);
    ticks.replaceChildren(make("b", "hands"), ...handTicks(next));
  }

  followRows({ cells, first: first.track, second: second.track }, () => shown, state);
  palette.watch(() => {
    if (shown) paintTable(canvas, shown, palette.shades());
  });
  return { element, update };
}

function shadesLegend() {
  const ramp = make("span.pos-ramp");
  return make("p.pos-legend.al-note.al-first", { "aria-hidden": "true" }, "−1", ramp, "1");
}

// The mark on a row, and beside the table a track with a chip that names it.
function rowMarker(kind) {
  const mark = make("div", { class: `pos-mark${kind}` });
  const chip = make("span", { class: `pos-chip${kind}` });
  const track = make("div", { class: `pos-track${kind}`, "aria-hidden": "true" }, chip);
  function update(row, n, text) {
    mark.hidden = row < 0 || row >= n;
    mark.style.top = `${(100 * row) / n}%`;
    mark.style.height = `${100 / n}%`;
    chip.style.top = `${(100 * (clamp(row, 0, n - 1) + 0.5)) / n}%`;
    chip.textContent = text;
  }
  return { mark, track, update };
}

function handTicks({ d, pairs, slot }) {
  return pairs.map((pair, i) => {
    const tick = make("span", { class: i === slot ? "chosen" : "" }, "▴");
    tick.style.left = `${(100 * (2 * pair + 1)) / d}%`;
    return tick;
  });
}

// What is dragged in the tracks and in the table sets p or p + k.
function followRows({ cells, first, second }, shown, { now, change }) {
  function rowAtPointer(event) {
    const { n } = shown();
    const { top, height } = cells.getBoundingClientRect();
    return clamp(Math.floor(((event.clientY - top) / height) * n), 0, n - 1);
  }
  const moveFirst = (event) => change({ position: rowAtPointer(event) });
  const moveSecond = (event) => change({ shift: rowAtPointer(event) - now().position });

  // In the table a drag takes the second row if it begins there, else the first.
  let dragged = moveFirst;
  function startDrag(event) {
    const { n, position, shift } = shown();
    const row = rowAtPointer(event);
    const reach = Math.max(1, Math.round((6 * n) / cells.clientHeight));
    const fromSecond = Math.abs(row - position - shift);
    const nearSecond = fromSecond <= reach && fromSecond < Math.abs(row - position);
    dragged = nearSecond ? moveSecond : moveFirst;
  }
  followDrag(first, moveFirst);
  followDrag(second, moveSecond);
  followDrag(cells, (event) => dragged(event), startDrag);
}

function paintTable(canvas, { rows, d, n }, shades) {
  const image = new ImageData(d, n);
  const pixels = new Uint32Array(image.data.buffer);
  for (let p = 0; p < n; p++) {
    for (let j = 0; j < d; j++) pixels[p * d + j] = shades[shadeIndex(rows[p][j])];
  }
  canvas.width = d;
  canvas.height = n;
  canvas.getContext("2d").putImageData(image, 0, 0);
}

// Cells larger than a pixel keep their edges; smaller ones blend, or some would vanish.
function setPixelated(canvas, { d, n }) {
  const large = d <= canvas.clientWidth && n <= canvas.clientHeight;
  canvas.style.imageRendering = large ? "pixelated" : "auto";
}
