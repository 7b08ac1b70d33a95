// The landscape of the energy: what it holds, and its picture on a canvas.

import { colourOf, onColourChange } from "../../parts/colours.js";
import { make } from "../../parts/elements.js";
import { timeSliced } from "../../parts/timing.js";
import { basinEdges, contour, energyAtNodes, findFixedPoints } from "./basins.js";

const HEIGHT_CELLS = 80; // a side
const BASIN_CELLS = 60;
const LEVELS = Array.from({ length: 18 }, (_, k) => 0.05 * (k + 1) ** 2); // above the lowest place
const MAX_SHADED_HEIGHT = 4; // so high above the lowest place, and higher, the ground is palest
const COLOURS = ["--en-low", "--en-high", "--en-contour", "--en-edge", "--al-ground"];

/**
 * Returns `survey(pattern, beta)`, which gives { places, heights, edges }: the resting
 * places, and what is painted. While neither changes, it is the same object. Where basins
 * are about to merge their edges take longer than a frame: they are [] until all are
 * found, and then `onEdges(ground)` is called.
 */
export function landscapeCache(view, signal, onEdges) {
  let [known, ground] = ["", null];
  let stop = () => {};
  return (pattern, beta) => {
    const key = JSON.stringify([pattern, beta]);
    if (key === known) return ground;
    stop();
    const places = findFixedPoints(pattern, beta, view);
    const heights = energyAtNodes(pattern, beta, view, HEIGHT_CELLS);
    const made = { places, heights, edges: [] };
    [known, ground] = [key, made];
    stop = timeSliced(basinEdges(pattern, beta, places, view, BASIN_CELLS), signal, (rows) => {
      made.edges = rows.flat();
      onEdges(made);
    });
    return ground;
  };
}

/**
 * A canvas that fills the stage. `update(ground)` paints it, and then it follows the theme;
 * `repaintIfShown(ground)` paints one that has changed, if it is the one shown.
 */
export function landscapeCanvas({ stage, figure, signal }) {
  const canvas = make("canvas.en-ground", { "aria-hidden": "true" });
  let colours = null;
  let shown = null;

  function paint() {
    const width = Math.round(stage.clientWidth * Math.min(2, devicePixelRatio || 1));
    if (!width || !shown) return;
    canvas.width = canvas.height = width;
    colours ??= COLOURS.map((name) => colourOf(figure, name));
    paintLandscape(canvas.getContext("2d"), width, shown, colours);
  }

  function repaint() {
    colours = null;
    paint();
  }
  onColourChange(figure, stage, signal, repaint);

  function update(ground) {
    if (ground === shown) return;
    shown = ground;
    paint();
  }

  function repaintIfShown(ground) {
    if (ground === shown) paint();
  }
  return { canvas, update, repaintIfShown };
}

function paintLandscape(context, width, { heights, edges }, colours) {
  const [low, high, contourColour, edgeColour, casingColour] = colours;
  const bottom = heights.reduce((least, height) => Math.min(least, height));
  context.setTransform(1, 0, 0, -1, 0, width); // from below upwards, as the grid
  paintHeights(context, width, heights, bottom, [low, high]);

  context.strokeStyle = cssColour(contourColour);
  context.lineWidth = width / 700;
  for (const level of LEVELS) {
    strokeLines(context, contour(heights, HEIGHT_CELLS, bottom + level), width / HEIGHT_CELLS);
  }

  // Each piece is drawn but for its ends, which makes dashes.
  const layers = [
    [casingColour, 5, 0.8],
    [edgeColour, 2, 0.6],
  ];
  for (const [colour, thickness, share] of layers) {
    context.strokeStyle = cssColour(colour);
    context.lineWidth = (thickness * width) / 432;
    strokeLines(context, edges, width / BASIN_CELLS, share);
  }
}

// A pixel a node, blown up by the browser, which blends them.
function paintHeights(context, width, heights, bottom, [low, high]) {
  const nodes = HEIGHT_CELLS + 1;
  const image = new ImageData(nodes, nodes);
  heights.forEach((height, node) => {
    const share = Math.min(1, Math.sqrt((height - bottom) / MAX_SHADED_HEIGHT));
    for (let c = 0; c < 3; c++) image.data[4 * node + c] = low[c] + share * (high[c] - low[c]);
    image.data[4 * node + 3] = 255;
  });
  const small = make("canvas", { width: nodes, height: nodes });
  small.getContext("2d").putImageData(image, 0, 0);
  context.imageSmoothingQuality = "high";
  const cell = width / HEIGHT_CELLS;
  context.drawImage(small, -cell / 2, -cell / 2, width + cell, width + cell);
}

// Draws the middle `share` of each line.
function strokeLines(context, lines, cell, share = 1) {
  const [near, far] = [(1 + share) / 2, (1 - share) / 2];
  context.beginPath();
  for (let i = 0; i < lines.length; i += 4) {
    const [x1, y1] = [lines[i] * cell, lines[i + 1] * cell];
    const [x2, y2] = [lines[i + 2] * cell, lines[i + 3] * cell];
    context.moveTo(near * x1 + far * x2, near * y1 + far * y2);
    context.lineTo(far * x1 + near * x2, far * y1 + near * y2);
  }
  context.stroke();
}

function cssColour([red, green, blue]) {
  return `rgb(${red} ${green} ${blue})`;
}
