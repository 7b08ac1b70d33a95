// A search drawn as a tree, column by column.

import { make, makeSvg, setAttributes } from "../../parts/elements.js";
import { withMinusSign } from "../../words/phrases.js";
import { candidatePrefix } from "./run.js";
import { CHINESE, shownToken } from "./words.js";

const TREE_COLUMN = 64; // pixels from one step to the next
const TREE_ROW = 22;
const TREE_BOX = { width: 50, height: 20 };
const TREE_TOP = 22; // room for the numbers of the steps

/**
 * A search is { steps: [{ candidates, room }], hypotheses }. A step's candidates are its
 * most probable continuations, best first: { token, parent, total, fate }, where
 * `parent` counts the candidates of the step before and the fate is "kept", "ended" (kept
 * and finished), "dropped" or, for a token that the reader wrote, "written".
 *
 * `onStep(number)` is called for a press on a column.
 */
export function searchTree({ onStep }) {
  const svg = makeSvg("svg.bt-svg", { "aria-hidden": "true" });
  const label = "The search as a tree; the list of each step says the same";
  const region = { class: "bt-scroll", tabindex: 0, role: "region", "aria-label": label };
  const scroll = make("div", region, svg);
  const key = make("p.al-note.bt-key");
  let drawn = null; // the search in the picture
  let columns = []; // one <g> a step

  svg.addEventListener("click", (event) => {
    const index = columns.findIndex((column) => column.contains(event.target));
    if (index >= 0) onStep(index + 1);
  });

  function update({ run: { search }, step, best }) {
    if (search !== drawn) {
      drawn = search;
      columns = drawTree(svg, search);
      key.textContent = legendText(search);
    }
    const path = pathTo(search, step, best);
    columns.forEach((column, i) => markColumn(column, i + 1, step, path[i]));
    scrollToColumn(scroll, step);
  }
  return { elements: [scroll, key], update };
}

function legendText({ steps }) {
  const hasFate = (fate) =>
    steps.some(({ candidates }) => candidates.some((one) => one.fate === fate));
  return (
    "A column a step: the best beginnings, each with its log P so far. Dashed: dropped."
    + (hasFate("ended") ? " ■\uFE0E finished." : "")
    + (hasFate("written") ? " ✎\uFE0E written by you." : "")
  );
}

// The ranks, step by step, of the best hypothesis or, before the last step, of the
// beginning that leads.
function pathTo(search, step, best) {
  let at = step - 1;
  let rank = 0;
  if (step === search.steps.length) {
    at = best.tokens.length - 1;
    const text = String(best.tokens.map(shownToken));
    rank = search.steps[at].candidates.findIndex(
      (_, i) => String(candidatePrefix(search, at, i).map(shownToken)) === text,
    );
  }
  const path = Array(search.steps.length).fill(null);
  for (; at >= 0; at--) {
    path[at] = rank;
    rank = search.steps[at].candidates[rank].parent;
  }
  return path;
}

function markColumn(column, number, step, bestRank) {
  column.classList.toggle("future", number > step);
  column.classList.toggle("current", number === step);
  for (const part of column.querySelectorAll("[data-rank]")) {
    part.classList.toggle("best", bestRank === Number(part.dataset.rank));
  }
}

function scrollToColumn(scroll, step) {
  const [left, right] = [treeX(step - 1) - TREE_COLUMN, treeX(step) + 8];
  if (left < scroll.scrollLeft) scroll.scrollLeft = left;
  else if (right > scroll.scrollLeft + scroll.clientWidth) {
    scroll.scrollLeft = right - scroll.clientWidth;
  }
}

// Drawing ----------------------------------------------------------------------------------

function treeX(column) {
  return 4 + column * TREE_COLUMN;
}

function treeY(rank) {
  return TREE_TOP + rank * TREE_ROW + TREE_ROW / 2;
}

function drawTree(svg, { steps }) {
  const rows = Math.max(...steps.map(({ candidates }) => candidates.length));
  const [width, height] = [treeX(steps.length) + 8, TREE_TOP + rows * TREE_ROW + 4];
  const columns = steps.map((step, i) => drawColumn(step, i, height));
  svg.replaceChildren(...columns);
  setAttributes(svg, { width, height, viewBox: `0 0 ${width} ${height}` });
  return columns;
}

function drawColumn({ candidates, room }, i, height) {
  const x = treeX(i);
  const { width } = TREE_BOX;
  const ground = { x: x - 7, y: 2, width: width + 14, height: height - 4, rx: 8 };
  const y = TREE_TOP + room * TREE_ROW;
  const cut = { class: "bt-cut", x1: x - 5, x2: x + width + 5, y1: y, y2: y };
  return makeSvg(
    "g.bt-column",
    makeSvg("rect.bt-ground", { ...ground }),
    makeSvg("text.bt-number", { x: x + width / 2, y: 17 }, String(i + 1)),
    ...candidates.map((one, rank) => drawEdge(one, rank, i)),
    ...(room < candidates.length ? [makeSvg("line", cut)] : []),
    ...candidates.map((one, rank) => drawNode(one, rank, i)),
  );
}

function drawEdge({ parent, fate }, rank, i) {
  if (i === 0) return makeSvg("g");
  const [x, y] = [treeX(i), treeY(rank)];
  const [fromX, fromY] = [treeX(i - 1) + TREE_BOX.width, treeY(parent)];
  const middle = (fromX + x) / 2;
  const d = `M${fromX} ${fromY}C${middle} ${fromY} ${middle} ${y} ${x} ${y}`;
  return makeSvg("path", { class: `bt-edge ${fate}`, "data-rank": rank, d });
}

function drawNode({ token, total, fate }, rank, i) {
  const [x, y] = [treeX(i), treeY(rank)];
  const sum = fate === "written" ? "✎\uFE0E" : withMinusSign(total.toFixed(1));
  const name = { class: "bt-token", x: x + 13, y: y + 5.5, lang: CHINESE };
  return makeSvg(
    "g",
    { class: `bt-node ${fate}`, "data-rank": rank },
    makeSvg("rect", { x, y: y - TREE_BOX.height / 2, ...TREE_BOX, rx: 6 }),
    makeSvg("text", name, token ?? "■\uFE0E"),
    makeSvg("text.bt-sum", { x: x + 35, y: y + 4 }, sum),
  );
}
