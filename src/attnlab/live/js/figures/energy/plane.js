// The plane: patterns and a query that can be dragged over the landscape of the energy,
// and the query's way down, step by step.

import { make, makeSvg } from "../../parts/elements.js";
import { onNewWidth } from "../../parts/timing.js";
import { uid } from "../../shell/shelf.js";
import { basinEdges, contour, landscape, restingPlaces } from "./basins.js";

export const PLANE_REACH = 3; // coordinates go from −3 to 3
const PLANE_VIEW = 3.3; // what is shown around them
const HEIGHT_CELLS = 80; // a side
const BASIN_CELLS = 60;
const LEVELS = Array.from({ length: 18 }, (_, k) => 0.05 * (k + 1) ** 2); // above the lowest place
const PALEST = 4; // so high above the lowest place, and higher, the ground is palest
const DRAG_SNAP = 0.05; // a dragged vector's coordinates are multiples of this
const ARROW_STEP = 0.1;
const FAR_ARROW_STEP = 0.5; // with Shift
const MOST_DOTS = 60; // on the way

/**
 * `onPattern(index, vector)` and `onQuery(vector)` are called with where they are moved.
 * `show(state)` draws pattern, query, beta, the path and the chosen step of it;
 * `survey(pattern, beta)` gives the landscape: its places and the edges of their basins.
 */
export function energyPlane({ figure, signal, onPattern, onQuery }) {
  const canvas = make("canvas", { class: "en-ground", "aria-hidden": "true" });
  const halos = makeSvg("g", { class: "en-halos" });
  const casing = makeSvg("path", { class: "en-casing" });
  const line = makeSvg("path", { class: "en-path" });
  const dots = makeSvg("path", { class: "en-dots" });
  const rests = makeSvg("path", { class: "en-rests" });
  const end = makeSvg("path", { class: "en-end" });
  const view = PLANE_VIEW;
  const svg = makeSvg(
    "svg",
    { viewBox: `${-view} ${-view} ${2 * view} ${2 * view}`, "aria-hidden": "true" },
    halos,
    casing,
    line,
    rests,
    end,
    dots,
  );
  const now = make("span", { class: "en-now", "aria-hidden": "true" });
  const hint = make(
    "p",
    { class: "al-note", id: uid("hint") },
    "Drag, or use the arrow keys (Shift: farther); press anywhere to put the query there. "
      + "Darker is lower; along a line the energy is the same. Dashed: the edge of a basin. ◇ resting places; the ring has the number of the step shown.",
  );
  const query = handle("en-query", "ξ", () => shown.query, onQuery);
  let patterns = [];
  const stage = make(
    "div",
    { class: "en-plane", role: "group", "aria-label": "Patterns and a query in the plane" },
    canvas,
    svg,
    now,
    query,
  );
  const element = make("div", { class: "en-planebox" }, stage, hint);
  let shown = null;
  let ground = { key: "", heights: null, places: [], edges: [] };
  let colours = null;

  /** What the landscape of these patterns holds. */
  function survey(pattern, beta) {
    const key = JSON.stringify([pattern, beta]);
    if (key === ground.key) return ground;
    const places = restingPlaces(pattern, beta, view);
    ground = {
      key,
      places,
      heights: landscape(pattern, beta, view, HEIGHT_CELLS),
      edges: basinEdges(pattern, beta, places, view, BASIN_CELLS),
    };
    return ground;
  }

  function show(state) {
    const before = shown && ground.key;
    shown = state;
    if (patterns.length !== state.pattern.length) buildPatterns(state.pattern.length);
    survey(state.pattern, state.beta);
    if (before !== ground.key) paint();
    drawHandles(state);
    drawWay(state);
  }

  function buildPatterns(count) {
    for (const old of patterns) old.remove();
    patterns = Array.from({ length: count }, (_, i) =>
      handle(
        "en-pattern",
        `x${subscript(i + 1)}`,
        () => shown.pattern[i],
        (at) => onPattern(i, at),
      ),
    );
    query.before(...patterns);
    halos.replaceChildren(...patterns.map(() => makeSvg("circle")));
  }

  function drawHandles({ pattern, query: at, path, step }) {
    const weights = path.weights[step];
    patterns.forEach((button, i) => {
      putAt(button, pattern[i]);
      button.setAttribute("aria-label", `Pattern ${i + 1} at ${planePoint(pattern[i])}`);
      const halo = halos.children[i];
      halo.setAttribute("cx", pattern[i][0]);
      halo.setAttribute("cy", -pattern[i][1]);
      halo.setAttribute("r", (0.3 + 0.5 * Math.sqrt(weights[i])).toFixed(3));
      halo.setAttribute("opacity", (0.75 * weights[i]).toFixed(3));
    });
    putAt(query, at);
    query.setAttribute("aria-label", `Query at ${planePoint(at)}`);
  }

  function drawWay({ path, step }) {
    const { states } = path;
    const d = `M${states.map(svgPoint).join("L")}`;
    casing.setAttribute("d", d);
    line.setAttribute("d", d);
    dots.setAttribute(
      "d",
      states.length > MOST_DOTS
        ? ""
        : states
            .slice(1, -1)
            .map((state) => disc(state, 0.06))
            .join(""),
    );
    rests.setAttribute("d", ground.places.map((at) => diamond(at, 0.13)).join(""));
    end.setAttribute("d", diamond(states.at(-1), 0.17));
    now.hidden = step === 0;
    now.textContent = step;
    putAt(now, states[step]);
  }

  // The landscape, on the canvas ---------------------------------------------------------

  function paint() {
    const width = Math.round(stage.clientWidth * Math.min(2, devicePixelRatio || 1));
    if (!width || !ground.heights) return;
    canvas.width = canvas.height = width;
    colours ??= ["--en-low", "--en-high", "--en-contour", "--en-edge", "--al-ground"].map((name) =>
      resolved(figure, name),
    );
    const [low, high, contourColour, edgeColour, casingColour] = colours;
    const context = canvas.getContext("2d");
    context.setTransform(1, 0, 0, -1, 0, width); // from below upwards, as the grid
    shade(context, width, low, high);

    const bottom = ground.heights.reduce((least, height) => Math.min(least, height));
    context.strokeStyle = css(contourColour);
    context.lineWidth = width / 700;
    for (const level of LEVELS)
      stroke(context, contour(ground.heights, HEIGHT_CELLS, bottom + level), width / HEIGHT_CELLS);

    // Each piece is drawn but for its ends, which makes dashes.
    for (const [colour, thickness, share] of [
      [casingColour, 5, 0.8],
      [edgeColour, 2, 0.6],
    ]) {
      context.strokeStyle = css(colour);
      context.lineWidth = (thickness * width) / 432;
      stroke(context, ground.edges, width / BASIN_CELLS, share);
    }
  }

  // A pixel a node, blown up by the browser, which blends them.
  function shade(context, width, low, high) {
    const nodes = HEIGHT_CELLS + 1;
    const image = new ImageData(nodes, nodes);
    const bottom = ground.heights.reduce((least, height) => Math.min(least, height));
    ground.heights.forEach((height, node) => {
      const share = Math.min(1, Math.sqrt((height - bottom) / PALEST));
      for (let c = 0; c < 3; c++) image.data[4 * node + c] = low[c] + share * (high[c] - low[c]);
      image.data[4 * node + 3] = 255;
    });
    const small = make("canvas", { width: nodes, height: nodes });
    small.getContext("2d").putImageData(image, 0, 0);
    context.imageSmoothingQuality = "high";
    const cell = width / HEIGHT_CELLS;
    context.drawImage(small, -cell / 2, -cell / 2, width + cell, width + cell);
  }

  function repaint() {
    colours = null;
    paint();
  }
  figure.addEventListener("themechange", repaint, { signal });
  for (const medium of ["print", "(forced-colors: active)"]) {
    matchMedia(medium).addEventListener("change", repaint, { signal });
  }
  onNewWidth(stage, signal, repaint);

  // Moving -------------------------------------------------------------------------------

  function pointed(event) {
    const box = stage.getBoundingClientRect();
    return [
      ((2 * (event.clientX - box.left)) / box.width - 1) * view,
      (1 - (2 * (event.clientY - box.top)) / box.height) * view,
    ];
  }

  // A button that is dragged, or moved by the arrow keys.
  function handle(name, text, read, write) {
    const button = make(
      "button",
      { type: "button", class: `en-handle ${name}`, "aria-describedby": hint.id },
      text,
    );
    const move = (at) => write(at.map(inReach));
    let grip = null; // from the pointer to the vector, in the plane's units
    button.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      button.setPointerCapture(event.pointerId);
      const from = pointed(event);
      grip = read().map((x, axis) => x - from[axis]);
    });
    button.addEventListener("pointermove", (event) => {
      if (grip) move(pointed(event).map((x, axis) => snapped(x + grip[axis])));
    });
    for (const ending of ["pointerup", "pointercancel"]) {
      button.addEventListener(ending, () => {
        grip = null;
      });
    }
    button.addEventListener("keydown", (event) => {
      const way = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[
        event.key
      ];
      if (!way) return;
      event.preventDefault();
      const length = event.shiftKey ? FAR_ARROW_STEP : ARROW_STEP;
      move(read().map((x, axis) => x + length * way[axis]));
    });
    return button;
  }

  // On the open ground a mouse drags the query along. A finger may want to scroll, so only
  // where it is lifted counts, however long it was down; a scroll ends in pointercancel.
  const put = (event) => onQuery(pointed(event).map(snapped).map(inReach));
  const fingers = (event) => event.pointerType === "touch";
  svg.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || fingers(event)) return;
    event.preventDefault();
    svg.setPointerCapture(event.pointerId);
    put(event);
  });
  svg.addEventListener("pointermove", (event) => {
    if (!fingers(event) && svg.hasPointerCapture(event.pointerId)) put(event);
  });
  svg.addEventListener("pointerup", (event) => {
    if (fingers(event)) put(event);
  });

  return { element, show, survey };
}

function putAt(element, [x, y]) {
  element.style.left = `${(50 * (x + PLANE_VIEW)) / PLANE_VIEW}%`;
  element.style.top = `${(50 * (PLANE_VIEW - y)) / PLANE_VIEW}%`;
}

function snapped(x) {
  return Math.round(x / DRAG_SNAP) * DRAG_SNAP;
}

function inReach(x) {
  return Number(Math.max(-PLANE_REACH, Math.min(PLANE_REACH, x)).toFixed(2)) || 0; // no −0
}

// Draws the middle `share` of each line.
function stroke(context, lines, cell, share = 1) {
  const [near, far] = [(1 + share) / 2, (1 - share) / 2];
  context.beginPath();
  for (let i = 0; i < lines.length; i += 4) {
    const [x1, y1, x2, y2] = [
      lines[i] * cell,
      lines[i + 1] * cell,
      lines[i + 2] * cell,
      lines[i + 3] * cell,
    ];
    context.moveTo(near * x1 + far * x2, near * y1 + far * y2);
    context.lineTo(far * x1 + near * x2, far * y1 + near * y2);
  }
  context.stroke();
}

function svgPoint([x, y]) {
  return `${x.toFixed(4)} ${(-y).toFixed(4)}`;
}

function disc([x, y], r) {
  return `M${svgPoint([x - r, y])}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
}

function diamond([x, y], r) {
  return `M${svgPoint([x - r, y])}L${svgPoint([x, y + r])}L${svgPoint([x + r, y])}L${svgPoint([x, y - r])}Z`;
}

// A custom property as [red, green, blue]: the browser resolves it for the theme.
function resolved(figure, name) {
  const probe = figure.appendChild(make("span", { class: "en-probe" }));
  probe.style.color = `var(${name})`;
  const numbers = getComputedStyle(probe).color.match(/[\d.]+/g) ?? [0, 0, 0];
  probe.remove();
  return numbers.slice(0, 3).map(Number);
}

function css([red, green, blue]) {
  return `rgb(${red} ${green} ${blue})`;
}

function subscript(number) {
  return [...String(number)].map((digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]).join("");
}

/** −1.5 as "−1.5". */
export function shortNumber(number) {
  return String(Number(number.toPrecision(4))).replace("-", "−");
}

export function planePoint(vector) {
  return `(${vector.map((x) => shortNumber(Number(x.toFixed(2)) || 0)).join(", ")})`;
}
