// The four views of the figure of positions, and its numbers in words. Each view is an
// object with an `element` and a function `show`, which takes what is to be shown:
// base, d, n, position, shift; rates, rows and kernel of the table; row and second, the
// rows of p and p + k; products of `row` with the table; gap, what the rotation misses;
// lookAlike and verdict, what the kernel confuses; fresh, whether the table is a new one.

import { firstBelowHalf, firstLookAlike, rowProducts, shiftBlock } from "../../math/sinusoids.js";
import { make, makeSvg } from "../../parts/elements.js";
import { onNewWidth } from "../../parts/timing.js";
import { uid } from "../../shell/shelf.js";
import { grouped, signed } from "../../words/phrases.js";

const MOST_HANDS = 6;
const HAND = 40; // the length of a hand, in a dial of radius 46
const MAP_SIZE = 320; // pixels of the picture of the shift matrix

// The colours of the cells -----------------------------------------------------------

/** `shades()` are the colours for the values −1 … 1; `watch(repaint)` tells of others. */
export function cellPalette(figure, signal) {
  const watchers = [];
  let shades = null;
  function renew() {
    shades = null;
    for (const repaint of watchers) repaint();
  }
  figure.addEventListener("themechange", renew, { signal });
  for (const medium of ["print", "(forced-colors: active)"]) {
    matchMedia(medium).addEventListener("change", renew, { signal });
  }
  onNewWidth(figure, signal, renew); // a view that was not in the page yet has no colours
  return {
    shades: () => (shades ??= shadesOf(figure)),
    watch: (repaint) => watchers.push(repaint),
  };
}

// 511 pixels for the values from −1 to 1: orange, the panel's ground, blue.
function shadesOf(figure) {
  const [low, middle, high] = ["--al-key", "--al-panel", "--al-query"].map((name) =>
    colourOf(figure, name),
  );
  const bytes = new Uint8ClampedArray(4 * 511);
  for (let i = 0; i < 511; i++) {
    const share = Math.abs(i - 255) / 255;
    const end = i < 255 ? low : high;
    for (let c = 0; c < 3; c++) bytes[4 * i + c] = middle[c] + share * (end[c] - middle[c]);
    bytes[4 * i + 3] = 255;
  }
  return new Uint32Array(bytes.buffer);
}

// A custom property as [red, green, blue]: the browser resolves it for the theme.
function colourOf(figure, name) {
  const probe = figure.appendChild(make("span", { class: "pos-probe" }));
  probe.style.color = `var(${name})`;
  const numbers = getComputedStyle(probe).color.match(/[\d.]+/g) ?? [0, 0, 0];
  probe.remove();
  return numbers.slice(0, 3).map(Number);
}

// 1 · The table ----------------------------------------------------------------------

/** `onPosition` and `onSecond` are called with the row that p or p + k is dragged to. */
export function tablePicture({ palette, onPosition, onSecond }) {
  const canvas = make("canvas", { class: "pos-canvas", role: "img" });
  const marks = {
    p: make("div", { class: "pos-mark" }),
    second: make("div", { class: "pos-mark second" }),
  };
  const chips = {
    p: make("span", { class: "pos-chip" }),
    second: make("span", { class: "pos-chip second" }),
  };
  const tracks = {
    p: make("div", { class: "pos-track", "aria-hidden": "true" }, chips.p),
    second: make("div", { class: "pos-track second", "aria-hidden": "true" }, chips.second),
  };
  const cells = make("div", { class: "pos-cells" }, canvas, marks.p, marks.second);
  const ticks = make("div", { class: "pos-ticks", "aria-hidden": "true" });
  const axes = make("p", { class: "al-note" });
  const element = make(
    "div",
    { class: "pos-panel pos-table" },
    make("p", { class: "pos-heading" }, "1 · The table"),
    make("div", { class: "pos-tablebox" }, tracks.p, cells, tracks.second, ticks),
    make(
      "p",
      { class: "pos-legend al-note", "aria-hidden": "true" },
      "−1",
      make("span", { class: "pos-ramp" }),
      "1",
    ),
    axes,
  );
  let shown = null;

  function show(state) {
    const { d, n, position, shift, fresh, pairs, pair } = state;
    shown = state;
    const to = position + shift;
    if (fresh) {
      paintTable(canvas, state, palette.shades());
      axes.textContent =
        `Down: positions 0 to ${n - 1}. Across: dimensions 0 to ${d - 1}, `
        + "a sine and a cosine in turn. ▴ the pairs whose hands are drawn.";
    }
    canvas.setAttribute(
      "aria-label",
      `The table, ${n} rows by ${d} columns, rows ${position} and ${signed(to)} marked`,
    );
    place(marks.p, chips.p, position, `p ${position}`);
    place(
      marks.second,
      chips.second,
      to,
      to < 0 ? `▴ ${signed(to)}` : to >= n ? `▾ ${to}` : `p+k ${to}`,
    );
    ticks.replaceChildren(
      ...pairs.map((i) => {
        const tick = make("span", { class: i === pair ? "chosen" : "" }, "▴");
        tick.style.left = `${(100 * (2 * i + 1)) / d}%`;
        return tick;
      }),
    );
  }

  function place(mark, chip, row, text) {
    const { n } = shown;
    mark.hidden = row < 0 || row >= n;
    mark.style.top = `${(100 * row) / n}%`;
    mark.style.height = `${100 / n}%`;
    chip.style.top = `${(100 * (within(row, 0, n - 1) + 0.5)) / n}%`;
    chip.textContent = text;
  }

  function rowAt(event) {
    const { top, height } = cells.getBoundingClientRect();
    return within(Math.floor(((event.clientY - top) / height) * shown.n), 0, shown.n - 1);
  }

  // In the table a drag takes the second row if it begins there, else the first.
  let dragged = onPosition;
  function grasp(event) {
    const row = rowAt(event);
    const reach = Math.max(1, Math.round((6 * shown.n) / cells.clientHeight));
    const fromSecond = Math.abs(row - shown.position - shown.shift);
    const nearSecond = fromSecond <= reach && fromSecond < Math.abs(row - shown.position);
    dragged = nearSecond ? onSecond : onPosition;
  }
  followDrag(tracks.p, (event) => onPosition(rowAt(event)));
  followDrag(tracks.second, (event) => onSecond(rowAt(event)));
  followDrag(cells, (event) => dragged(rowAt(event)), grasp);

  palette.watch(() => {
    if (shown) paintTable(canvas, shown, palette.shades());
  });
  return { element, show };
}

function paintTable(canvas, { rows, d, n }, shades) {
  const image = new ImageData(d, n);
  const pixels = new Uint32Array(image.data.buffer);
  for (let p = 0; p < n; p++) {
    for (let j = 0; j < d; j++) pixels[p * d + j] = shades[Math.round(255 * (rows[p][j] + 1))];
  }
  canvas.width = d;
  canvas.height = n;
  canvas.getContext("2d").putImageData(image, 0, 0);
  // Cells larger than a pixel keep their edges; smaller ones blend, or some would vanish.
  const large = d <= canvas.clientWidth && n <= canvas.clientHeight;
  canvas.style.imageRendering = large ? "pixelated" : "auto";
}

// Follow a mouse or a pen while it is down. A finger may want to scroll the page: where the
// style says `touch-action: none` it is followed as well, elsewhere its tap counts.
function followDrag(element, onMove, onStart = () => {}) {
  const leads = (event) =>
    event.pointerType !== "touch" || getComputedStyle(element).touchAction === "none";
  let led = true;
  element.addEventListener("pointerdown", (event) => {
    led = leads(event);
    if (event.button !== 0 || !led) return;
    event.preventDefault();
    element.setPointerCapture(event.pointerId);
    onStart(event);
    onMove(event);
  });
  element.addEventListener("pointermove", (event) => {
    if (led && element.hasPointerCapture(event.pointerId)) onMove(event);
  });
  element.addEventListener("click", (event) => {
    if (led) return;
    onStart(event);
    onMove(event);
  });
}

// 2 · Clock hands --------------------------------------------------------------------

/** One dial a frequency, up to six. `chosen()` is the pair whose block is shown. */
export function clockHands({ onChoice }) {
  const group = uid("hands");
  const legend = make("legend", { class: "pos-heading" });
  const dials = Array.from({ length: MOST_HANDS }, (_, slot) => dial(group, slot, onChoice));
  const note = make("p", { class: "al-note" });
  const element = make(
    "fieldset",
    { class: "pos-panel pos-hands" },
    legend,
    make("div", { class: "pos-dials" }, ...dials.map(({ label }) => label)),
    note,
  );
  dials[1].input.checked = true;
  let pairs = [];

  function show({ d, position, shift, rates }) {
    pairs = spread(d / 2);
    dials.forEach(({ label, draw }, slot) => {
      label.hidden = slot >= pairs.length;
      if (slot < pairs.length) draw(pairs[slot], rates[pairs[slot]], position, shift);
    });
    const slot = dials.findIndex(({ input }) => input.checked);
    if (slot >= pairs.length) dials[pairs.length - 1].input.checked = true;
    const all = d / 2;
    legend.textContent =
      "2 · Clock hands: "
      + (all > pairs.length
        ? `${pairs.length} of the ${all}`
        : all === 1
          ? "the only one"
          : `all ${all}`);
    note.textContent =
      `● at p = ${position}, ■ at p + k = ${signed(position + shift)}, and the arc between. `
      + "λ: positions to a full turn. Choose one to see its block of the rotation.";
  }
  const chosen = () => pairs[dials.findIndex(({ input }) => input.checked)];
  return { element, show, chosen, pairs: () => pairs };
}

// Up to six pairs of `count`, from the fastest to the slowest, evenly spread.
function spread(count) {
  const hands = Math.min(MOST_HANDS, count);
  return Array.from({ length: hands }, (_, slot) =>
    Math.round((slot * (count - 1)) / Math.max(1, hands - 1)),
  );
}

function dial(group, slot, onChoice) {
  const input = make("input", { type: "radio", name: group, value: slot });
  const ring = makeSvg("circle", { class: "ring", r: 46 });
  const noon = makeSvg("path", { class: "noon", d: "M0-46v5M46 0h-5M0 46v-5M-46 0h5" });
  const lap = makeSvg("circle", { class: "lap", r: 22 });
  const arc = makeSvg("path", { class: "arc" });
  const first = makeSvg(
    "g",
    { class: "first" },
    makeSvg("path", { d: `M0 0V${-HAND}` }),
    makeSvg("circle", { cy: -HAND, r: 5 }),
  );
  const second = makeSvg(
    "g",
    { class: "second" },
    makeSvg("path", { d: `M0 0V${-HAND}` }),
    makeSvg("rect", { x: -5, y: -HAND - 5, width: 10, height: 10 }),
  );
  const svg = makeSvg(
    "svg",
    { viewBox: "-50 -50 100 100", "aria-hidden": "true" },
    ring,
    noon,
    lap,
    arc,
    second,
    first,
  );
  const lines = ["dims", "wave", "turned"].map((name) => make("span", { class: `pos-${name}` }));
  const label = make("label", { class: "pos-dial" }, input, svg, ...lines);
  input.addEventListener("change", onChoice);

  function draw(pair, rate, position, shift) {
    const degrees = (x) => ((x * rate * 180) / Math.PI) % 360;
    first.setAttribute("transform", `rotate(${degrees(position).toFixed(3)})`);
    second.setAttribute("transform", `rotate(${degrees(position + shift).toFixed(3)})`);
    arc.setAttribute("d", arcPath(position * rate, shift * rate, 22));
    lap.style.visibility = Math.abs(shift * rate) >= 2 * Math.PI ? "visible" : "hidden";
    lines[0].textContent = `dims ${2 * pair}, ${2 * pair + 1}`;
    lines[1].textContent = `λ ${threeFigures((2 * Math.PI) / rate)}`;
    lines[2].textContent = turnText(shift, rate);
  }
  return { label, input, draw };
}

// An arc clockwise from noon + `from` by `turn` less whole turns, with a point at its end.
function arcPath(from, turn, radius) {
  const rest = turn % (2 * Math.PI);
  const at = (angle, r = radius) =>
    `${(r * Math.sin(angle)).toFixed(2)} ${(-r * Math.cos(angle)).toFixed(2)}`;
  const end = from + rest;
  const large = Math.abs(rest) > Math.PI ? 1 : 0;
  const line = `M${at(from)}A${radius} ${radius} 0 ${large} ${rest > 0 ? 1 : 0} ${at(end)}`;
  if (Math.abs(rest) < 0.35) return line;
  const back = end - Math.sign(rest) * 0.3;
  return `${line}M${at(back, radius - 5)}L${at(end)}L${at(back, radius + 5)}`;
}

// 3 · The kernel ---------------------------------------------------------------------

/** The products of rows against their distance. `onShift` is called with a distance. */
export function kernelCurve({ onShift }) {
  const [zero, neighbour, whole, inside] = ["zero", "neighbour", "whole", "inside"].map((name) =>
    makeSvg("path", { class: name }),
  );
  const svg = makeSvg(
    "svg",
    { viewBox: "0 0 1000 1000", preserveAspectRatio: "none", "aria-hidden": "true" },
    zero,
    neighbour,
    whole,
    inside,
  );
  const dot = make("span", { class: "pos-dot" });
  const rings = [-1, 1].map(() => make("span", { class: "pos-ring" }));
  const plot = make("div", { class: "pos-plot" }, svg, ...rings, dot);
  const yTicks = make("div", { class: "pos-yticks", "aria-hidden": "true" });
  const xTicks = make("div", { class: "pos-xticks", "aria-hidden": "true" });
  const readout = make("p", { class: "pos-readout" });
  const note = make("p", { class: "al-note" });
  const alike = make("p", { class: "al-note" });
  const element = make(
    "div",
    { class: "pos-panel pos-kernel" },
    make("p", { class: "pos-heading" }, "3 · PE(p)·PE(p+k) by distance"),
    make(
      "div",
      { class: "pos-chart" },
      yTicks,
      plot,
      xTicks,
      make("p", { class: "pos-xlabel" }, "k, the positions from p to p + k"),
    ),
    readout,
    note,
    alike,
  );
  let length = 2;

  function show({
    d,
    n,
    position,
    shift,
    kernel,
    products,
    row,
    second,
    lookAlike,
    verdict,
    fresh,
  }) {
    const last = n - 1;
    length = n;
    const top = d / 2;
    const bottom = lowest(kernel, top);
    const x = (k) => (1000 * (k + last)) / (2 * last);
    const y = (product) => (1000 * (top - product)) / (top - bottom);
    const point = (k, product) => `${x(k).toFixed(1)} ${y(product).toFixed(1)}`;
    if (fresh) {
      const distances = Array.from({ length: 2 * n - 1 }, (_, i) => i - last);
      whole.setAttribute("d", `M${distances.map((k) => point(k, kernel[Math.abs(k)])).join("L")}`);
      zero.setAttribute("d", `M0 ${y(0)}H1000`);
      neighbour.setAttribute("d", `M0 ${y(kernel[1])}H1000`);
      const values = bottom < 0 ? [top, 0, bottom] : [top, 0];
      yTicks.replaceChildren(...values.map((value) => tickAt("top", y(value), signed(value))));
      xTicks.replaceChildren(...[-last, 0, last].map((k) => tickAt("left", x(k), signed(k))));
      rings.forEach((ring, i) => {
        ring.hidden = lookAlike === null;
        if (lookAlike === null) return;
        ring.style.left = `${x((i ? 1 : -1) * lookAlike) / 10}%`;
        ring.style.top = `${y(kernel[lookAlike]) / 10}%`;
      });
      alike.textContent = `Dotted: the product of neighbours. ${verdict}`;
    }
    inside.setAttribute(
      "d",
      `M${Array.from(products, (product, to) => point(to - position, product)).join("L")}`,
    );
    const product = rowProducts(row, [second])[0];
    dot.style.left = `${x(shift) / 10}%`;
    dot.style.top = `${y(product) / 10}%`;
    const gap = products.reduce(
      (most, value, to) => Math.max(most, Math.abs(value - kernel[Math.abs(to - position)])),
      0,
    );
    readout.textContent =
      `PE(${position})·PE(${signed(position + shift)}) = ${signed(product.toFixed(2))} `
      + `of ${top}, cosine ${signed((product / top).toFixed(2))}`;
    note.textContent =
      `Thick: row ${position} with every row of the table. Thin: row 0 with them, `
      + `mirrored. Where both are, they differ by at most ${powerOfTen(gap)}.`;
  }
  followDrag(plot, (event) => {
    const { left, width } = plot.getBoundingClientRect();
    onShift(Math.round(((event.clientX - left) / width) * 2 * (length - 1)) - (length - 1));
  });
  return { element, show };
}

// Where the axis ends below: 0, or the first eighth of the scale below the curve.
function lowest(kernel, top) {
  const least = kernel.reduce((a, b) => Math.min(a, b));
  return Math.min(0, Math.floor((4 * least) / top) * (top / 4)) || 0;
}

function tickAt(side, place, text) {
  const tick = make("span", {}, text);
  tick.style[side] = `${place / 10}%`;
  return tick;
}

// 4 · The rotation -------------------------------------------------------------------

export function rotationPanel({ palette }) {
  const heading = make("p", { class: "pos-heading" });
  const canvas = make("canvas", {
    class: "pos-canvas",
    width: MAP_SIZE,
    height: MAP_SIZE,
    role: "img",
  });
  const frame = make("div", { class: "pos-block" });
  const equation = make("div", { class: "pos-equation", role: "img" });
  const which = make("p", {});
  const check = make("p", { class: "pos-readout" });
  const note = make("p", { class: "al-note" });
  const element = make(
    "div",
    { class: "pos-panel pos-rotation" },
    heading,
    make(
      "div",
      { class: "pos-rotationbox" },
      make("div", { class: "pos-map" }, canvas, frame),
      make("div", { class: "pos-numbers" }, which, equation),
    ),
    check,
    note,
  );
  let shown = null;

  function show(state) {
    const { d, position, shift, rates, row, second, pair, gap } = state;
    if (state.fresh || shift !== shown.shift) paintRotation(canvas, state, palette.shades());
    shown = state;
    const k = signed(shift);
    const to = signed(position + shift);
    heading.textContent = `4 · The rotation for k = ${k}, the same for every p`;
    canvas.setAttribute(
      "aria-label",
      `A matrix of ${d} by ${d}, 0 but for ${d / 2} blocks of 2 by 2 along the diagonal`,
    );
    frame.style.left = frame.style.top = `${(100 * (2 * pair + 1)) / d}%`;
    frame.style.width = `${200 / d}%`;
    which.textContent = `Block of dimensions ${2 * pair} and ${2 * pair + 1}: a turn by ${turnText(shift, rates[pair])}`;
    const block = shiftBlock(shift, rates[pair]);
    const before = [row[2 * pair], row[2 * pair + 1]];
    const after = [second[2 * pair], second[2 * pair + 1]];
    equation.replaceChildren(
      bracket(block, `k = ${k}`),
      make("span", {}, "·"),
      bracket(
        before.map((x) => [x]),
        `PE(${position})`,
        "first",
      ),
      make("span", {}, "="),
      bracket(
        after.map((x) => [x]),
        `PE(${to})`,
        "second",
      ),
    );
    equation.setAttribute(
      "aria-label",
      `${matrixText(block)} times ${matrixText([before])} is ${matrixText([after])}`,
    );
    check.textContent = `Largest |R PE(${position}) − PE(${to})| over all ${d} dimensions: ${powerOfTen(gap)}`;
    note.textContent =
      `${grouped(2 * d)} of ${grouped(d * d)} entries are in the blocks; all others are 0. `
      + "k alone is in the blocks, not p.";
  }
  palette.watch(() => {
    if (shown) paintRotation(canvas, shown, palette.shades());
  });
  return { element, show };
}

function paintRotation(canvas, { d, shift, rates }, shades) {
  const context = canvas.getContext("2d");
  const bytes = new Uint8ClampedArray(shades.buffer);
  const cell = MAP_SIZE / d;
  const fill = (value, row, column) => {
    const [r, g, b] = bytes.subarray(4 * Math.round(255 * (value + 1)));
    context.fillStyle = `rgb(${r} ${g} ${b})`;
    context.fillRect(column * cell, row * cell, Math.max(2, cell), Math.max(2, cell));
  };
  context.clearRect(0, 0, MAP_SIZE, MAP_SIZE);
  rates.forEach((rate, i) => {
    shiftBlock(shift, rate).forEach((line, row) =>
      line.forEach((value, column) => fill(value, 2 * i + row, 2 * i + column)),
    );
  });
}

function bracket(lines, caption, kind = "") {
  const cells = lines.flat().map((value) => make("span", {}, signed(value.toFixed(2))));
  const body = make("span", { class: `pos-bracket ${kind}` }, ...cells);
  body.style.setProperty("--columns", lines[0].length);
  return make("span", { class: "pos-factor" }, body, make("span", { class: "pos-under" }, caption));
}

function matrixText(lines) {
  return lines.map((line) => line.map((value) => signed(value.toFixed(2))).join(", ")).join("; ");
}

// Numbers in words -------------------------------------------------------------------

export function within(value, least, most) {
  return Math.max(least, Math.min(most, value));
}

/** 10000 as "10 000", 2.5 as "2.5". */
export function wholeOr(number) {
  return Number.isInteger(number) ? grouped(number) : String(number);
}

function threeFigures(number) {
  return wholeOr(Number(number.toPrecision(3)));
}

/** How far a hand turns in k positions: "71.5°", "1.11 turns back". */
export function turnText(k, rate) {
  const turns = Math.abs(k * rate) / (2 * Math.PI);
  const size = turns < 1 ? `${threeFigures(360 * turns)}°` : `${threeFigures(turns)} turns`;
  return k < 0 ? `${size} back` : size;
}

/** A tiny number: "2·10⁻¹⁶". */
export function powerOfTen(number) {
  if (number === 0) return "0";
  const [digit, exponent] = number.toExponential(0).split("e");
  const raised = [...signed(exponent)].map((sign) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[sign] ?? "⁻").join("");
  return `${digit}·10${raised}`;
}

/** How far the products tell near from far, and whether they take far for near. */
export function kernelInWords(kernel) {
  const cosine = (k) => signed((kernel[k] / kernel[0]).toFixed(2));
  const half = firstBelowHalf(kernel);
  const fall =
    half === null
      ? "The product stays above half in the whole table."
      : `The product first falls below half at distance ${half}.`;
  const alike = firstLookAlike(kernel);
  if (alike === null) {
    return `${fall} No row farther off is as similar as the neighbouring one (cosine ${cosine(1)}).`;
  }
  return (
    `${fall} The row ${alike} away (cosine ${cosine(alike)}) is at least as similar as the `
    + `neighbouring one (${cosine(1)}): the two are easily confused.`
  );
}
