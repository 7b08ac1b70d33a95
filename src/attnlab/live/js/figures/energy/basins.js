// The energy of a modern Hopfield network in the plane: its heights, its resting places
// and the edges of their basins. The plane shown goes from −view to view both ways; a grid
// of so many cells a side lies over it, its nodes row after row from the bottom left.

import { hopfieldStep } from "../../models/hopfield.js";

const SAME_POINT_DISTANCE = 0.05;
const MAX_REST_STEPS = 300; // steps to a resting place; near where two merge they are many
const SEARCH_STARTS_PER_SIDE = 9; // to find resting places that no pattern falls to
const STEP_LENGTH = 0.02; // the length of a short step
const STEPS_PER_LEAP = 8; // such steps at once
const HALVINGS = 5; // to find where an edge crosses the side of a cell

/** The energy at the nodes of the grid. */
export function energyAtNodes(patterns, beta, view, cells) {
  const heights = new Float64Array((cells + 1) ** 2);
  const longest = Math.max(...patterns.map(([x, y]) => x * x + y * y));
  const constant = Math.log(patterns.length) / beta + longest / 2;
  const scores = new Float64Array(patterns.length);
  let at = 0;
  for (let row = 0; row <= cells; row++) {
    const y = nodeCoordinate(row, cells, view);
    for (let column = 0; column <= cells; column++) {
      const x = nodeCoordinate(column, cells, view);
      let top = -Infinity;
      for (let i = 0; i < scores.length; i++) {
        scores[i] = patterns[i][0] * x + patterns[i][1] * y;
        if (scores[i] > top) top = scores[i];
      }
      let sum = 0;
      for (let i = 0; i < scores.length; i++) sum += Math.exp(beta * (scores[i] - top));
      heights[at++] = constant - top - Math.log(sum) / beta + (x * x + y * y) / 2;
    }
  }
  return heights;
}

function nodeCoordinate(index, cells, view) {
  return view * ((2 * index) / cells - 1);
}

/**
 * Where a line of equal height crosses the grid: [x1, y1, x2, y2] one after another, in
 * cells from the bottom left.
 */
export function contour(heights, cells, level) {
  const lines = [];
  const width = cells + 1;
  for (let row = 0; row < cells; row++) {
    for (let column = 0; column < cells; column++) {
      const node = row * width + column;
      const a = heights[node] - level;
      const b = heights[node + 1] - level;
      const c = heights[node + width + 1] - level;
      const d = heights[node + width] - level;
      if (a < 0 === b < 0 && b < 0 === c < 0 && c < 0 === d < 0) continue;
      const ends = [];
      if (a < 0 !== b < 0) ends.push(column + a / (a - b), row);
      if (b < 0 !== c < 0) ends.push(column + 1, row + b / (b - c));
      if (c < 0 !== d < 0) ends.push(column + d / (d - c), row + 1);
      if (d < 0 !== a < 0) ends.push(column, row + a / (a - d));
      lines.push(...ends); // two ends, or four: two lines
    }
  }
  return lines;
}

/** One update of the state (x, y), without the arrays; `plane` is from `preparePlane`. */
function updatePoint(plane, x, y) {
  const { xs, ys, beta, scores } = plane;
  let top = -Infinity;
  for (let i = 0; i < scores.length; i++) {
    scores[i] = beta * (xs[i] * x + ys[i] * y);
    if (scores[i] > top) top = scores[i];
  }
  let sum = 0;
  let nextX = 0;
  let nextY = 0;
  for (let i = 0; i < scores.length; i++) {
    const share = Math.exp(scores[i] - top);
    sum += share;
    nextX += share * xs[i];
    nextY += share * ys[i];
  }
  plane.x = nextX / sum;
  plane.y = nextY / sum;
}

function preparePlane(patterns, beta) {
  return {
    xs: Float64Array.from(patterns, ([x]) => x),
    ys: Float64Array.from(patterns, ([, y]) => y),
    scores: new Float64Array(patterns.length),
    beta,
    x: 0,
    y: 0,
  };
}

/**
 * How much a small push from a resting place grows in one step, at most: the larger
 * eigenvalue of β Σ wᵢ (xᵢ − m)(xᵢ − m)ᵀ, m = Σ wᵢ xᵢ. Above 1 nothing rests there long.
 */
export function largestEigenvalue(patterns, state, beta) {
  const { weights, next } = hopfieldStep(patterns, state, beta);
  let [xx, xy, yy] = [0, 0, 0];
  patterns.forEach(([x, y], i) => {
    xx += beta * weights[i] * (x - next[0]) ** 2;
    xy += beta * weights[i] * (x - next[0]) * (y - next[1]);
    yy += beta * weights[i] * (y - next[1]) ** 2;
  });
  return (xx + yy) / 2 + Math.hypot((xx - yy) / 2, xy);
}

/** All places where a query comes to rest and stays when pushed, as [x, y]. */
export function findFixedPoints(patterns, beta, view) {
  const plane = preparePlane(patterns, beta);
  const mean = [0, 1].map(
    (axis) => patterns.reduce((sum, p) => sum + p[axis], 0) / patterns.length,
  );
  const starts = [...patterns, mean];
  for (let n = 0; n < SEARCH_STARTS_PER_SIDE ** 2; n++) {
    starts.push(
      [n % SEARCH_STARTS_PER_SIDE, Math.floor(n / SEARCH_STARTS_PER_SIDE)].map((at) =>
        nodeCoordinate(at, SEARCH_STARTS_PER_SIDE - 1, view),
      ),
    );
  }
  const places = [];
  const isKnownFixedPoint = (x, y) =>
    places.some((place) => Math.hypot(place[0] - x, place[1] - y) < SAME_POINT_DISTANCE);
  for (const start of starts) {
    let [x, y] = start;
    let moved = Infinity;
    for (let t = 0; t < MAX_REST_STEPS && moved > 1e-6; t++) {
      updatePoint(plane, x, y);
      moved = Math.hypot(plane.x - x, plane.y - y);
      [x, y] = [plane.x, plane.y];
      if (moved < SAME_POINT_DISTANCE && isKnownFixedPoint(x, y)) break;
    }
    if (!isKnownFixedPoint(x, y) && largestEigenvalue(patterns, [x, y], beta) < 1)
      places.push([x, y]);
  }
  return places;
}

/**
 * The edges of the basins of the places, row after row of cells: each gives its lines as
 * `contour` does. The first half of the rows have none: they look where each node falls.
 */
export function* basinEdges(patterns, beta, places, view, cells) {
  if (places.length < 2) return;
  const plane = preparePlane(patterns, beta);
  const near = Math.min(
    0.2,
    ...places.flatMap((place, i) =>
      places.slice(0, i).map((other) => Math.hypot(other[0] - place[0], other[1] - place[1]) / 4),
    ),
  );
  const nodeXY = (index) => nodeCoordinate(index, cells, view);
  const basinAtNode = (column, row) => basinOf(plane, places, near, nodeXY(column), nodeXY(row));

  const width = cells + 1;
  const basin = new Int8Array(width ** 2);
  for (let row = 0; row <= cells; row++) {
    for (let column = 0; column <= cells; column++) {
      basin[row * width + column] = basinAtNode(column, row);
    }
    yield [];
  }
  // Where the edge crosses from a node to the next one on its right, or above it.
  function findEdgeCrossing(column, row, right, up) {
    const home = basin[row * width + column];
    if (home === basin[(row + up) * width + column + right]) return null;
    let [near, far] = [0, 1];
    for (let n = 0; n < HALVINGS; n++) {
      const middle = (near + far) / 2;
      if (basinAtNode(column + right * middle, row + up * middle) === home) near = middle;
      else far = middle;
    }
    return [column + right * far, row + up * far];
  }
  let below = Array.from({ length: cells }, (_, column) => findEdgeCrossing(column, 0, 1, 0));
  for (let row = 0; row < cells; row++) {
    const lines = [];
    const above = [];
    let left = findEdgeCrossing(0, row, 0, 1);
    for (let column = 0; column < cells; column++) {
      above.push(findEdgeCrossing(column, row + 1, 1, 0));
      const right = findEdgeCrossing(column + 1, row, 0, 1);
      joinCrossings(lines, [below[column], right, above[column], left].filter(Boolean));
      left = right;
    }
    below = above;
    yield lines;
  }
}

// Two crossings make a line; where more basins meet, each line goes to their middle.
function joinCrossings(lines, ends) {
  if (ends.length === 2) lines.push(...ends[0], ...ends[1]);
  if (ends.length < 3) return;
  const middle = [0, 1].map((axis) => ends.reduce((sum, end) => sum + end[axis], 0) / ends.length);
  for (const end of ends) lines.push(...end, ...middle);
}

// The place a query from (x, y) falls to, by its index: the first that it comes near to.
// Where basins are about to merge it crawls; every third step is then a leap.
function basinOf(plane, places, near, x, y) {
  plane.x = x;
  plane.y = y;
  for (let t = 0; t < MAX_REST_STEPS; t++) {
    for (let i = 0; i < places.length; i++) {
      if (squaredNorm(places[i][0] - plane.x, places[i][1] - plane.y) < near * near) return i;
    }
    const fromX = plane.x;
    const fromY = plane.y;
    updatePoint(plane, fromX, fromY);
    const right = plane.x - fromX;
    const up = plane.y - fromY;
    if (t % 3 === 2 && squaredNorm(right, up) < STEP_LENGTH * STEP_LENGTH) {
      plane.x += STEPS_PER_LEAP * right;
      plane.y += STEPS_PER_LEAP * up;
    }
  }
  const far = places.map(([px, py]) => squaredNorm(px - plane.x, py - plane.y));
  return far.indexOf(Math.min(...far));
}

function squaredNorm(x, y) {
  // Math.hypot is many times slower
  return x * x + y * y;
}
