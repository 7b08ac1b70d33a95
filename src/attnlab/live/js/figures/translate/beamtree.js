// How the words are chosen: a search drawn as a tree, column by column, and every step of
// it as a list, with what was kept and what was dropped.

import { make, makeSvg } from "../../parts/elements.js";
import { percent } from "../../words/phrases.js";

const TREE_CHINESE = "zh-Hans";
const TREE_COLUMN = 76; // pixels from one step to the next
const TREE_ROW = 34;
const TREE_BOX = { width: 54, height: 26 };
const TREE_TOP = 30; // room for the numbers of the steps

/**
 * A search is { steps: [{ candidates, room }], hypotheses }. A step's candidates are its
 * most probable continuations, best first: { token, parent, logProb, total, fate }, where
 * `parent` counts the candidates of the step before and the fate is "kept", "ended" (kept
 * and finished), "dropped" or, for a token that the reader wrote, "written".
 *
 * `onStep(number)` is called for a press on a column, `onTake(tokens)` for a beginning
 * that the model is to go on from.
 */
export function beamView({ onStep, onTake }) {
  const svg = makeSvg("svg", { class: "bt-svg", "aria-hidden": "true" });
  const scroll = make(
    "div",
    {
      class: "bt-scroll",
      tabindex: 0,
      role: "region",
      "aria-label": "The search as a tree; the list below says the same",
    },
    svg,
  );
  const key = make("p", { class: "al-note bt-key" });
  const caption = make("caption", { class: "al-label" });
  const body = make("tbody");
  const list = make(
    "table",
    { class: "bt-list" },
    caption,
    make(
      "thead",
      {},
      make(
        "tr",
        {},
        ...["Beginning", "Next", "Log P", "Fate"].map((name) => make("th", { scope: "col" }, name)),
      ),
    ),
    body,
  );
  const finished = make("table", { class: "bt-list bt-finished" });
  const tables = make("div", { class: "bt-tables" }, list, finished);
  const element = make("div", { class: "bt" }, scroll, key, tables);
  let drawn = null; // the search in the picture
  let listed = null; // the step in the list
  let columns = []; // one <g> a step

  svg.addEventListener("click", (event) => {
    const index = columns.findIndex((column) => column.contains(event.target));
    if (index >= 0) onStep(index + 1);
  });

  function show({ search, hypotheses, step, all, best, alpha }) {
    if (search !== drawn) build(search);
    const path = pathTo(search, step, best);
    columns.forEach((column, i) => {
      column.classList.toggle("future", i + 1 > step);
      column.classList.toggle("current", i + 1 === step);
      column
        .querySelectorAll("[data-rank]")
        .forEach((part) => part.classList.toggle("best", path[i] === Number(part.dataset.rank)));
    });
    if (all) scroll.scrollLeft = 0;
    else keepInSight(step);
    if (listed !== step) showList(search, step);
    showFinished(search, hypotheses, step, best, alpha);
  }

  function build(search) {
    [drawn, listed] = [search, null];
    const rows = Math.max(...search.steps.map(({ candidates }) => candidates.length));
    const [width, height] = [treeX(search.steps.length) - 14, TREE_TOP + rows * TREE_ROW + 4];
    columns = search.steps.map((step, i) => drawColumn(search, step, i, height));
    svg.replaceChildren(...columns);
    for (const [name, value] of Object.entries({
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
    })) {
      svg.setAttribute(name, value);
    }
    const some = (fate) =>
      search.steps.some(({ candidates }) => candidates.some((one) => one.fate === fate));
    key.textContent =
      "A column a step, the most probable beginning at the top, and the "
      + "percentage of its last token. Below the line, dashed: dropped."
      + (some("ended") ? " ■\uFE0E finished." : "")
      + (some("written") ? " ✎\uFE0E written by you." : "");
  }

  function keepInSight(step) {
    const [left, right] = [treeX(step - 1) - TREE_COLUMN, treeX(step) + 8];
    if (left < scroll.scrollLeft) scroll.scrollLeft = left;
    else if (right > scroll.scrollLeft + scroll.clientWidth)
      scroll.scrollLeft = right - scroll.clientWidth;
  }

  function showList(search, step) {
    listed = step;
    const { candidates, room } = search.steps[step - 1];
    caption.textContent = `Step ${step}: the most probable continuations. Press one to go on from it.`;
    body.replaceChildren(
      ...candidates.map((one, rank) => {
        const before = beginning(search, step - 2, one.parent);
        const words = [
          make("span", { lang: TREE_CHINESE, class: "bt-before" }, before.join("")),
          make("b", { lang: one.token === null ? "en" : TREE_CHINESE }, shownToken(one.token)),
        ];
        const row = make(
          "tr",
          { class: one.fate },
          make(
            "th",
            { scope: "row" },
            one.token === null
              ? make("span", { class: "bt-end" }, ...words)
              : takeButton([...before, one.token], words),
          ),
          make("td", {}, sharePercent(one.logProb)),
          make("td", {}, withMinus(one.total)),
          make("td", {}, FATES[one.fate]),
        );
        if (rank === room) row.classList.add("cut");
        return row;
      }),
    );
  }

  function takeButton(tokens, words) {
    const button = make(
      "button",
      { type: "button", class: "bt-take", "aria-label": `Go on from ${textOf(tokens)}` },
      ...words,
    );
    button.addEventListener("click", () => onTake(tokens));
    return button;
  }

  function showFinished(search, hypotheses, step, best, alpha) {
    const there = hypotheses.filter(({ tokens }) => endStep(tokens, search) <= step);
    const rows = there.map((one) =>
      make(
        "tr",
        { class: one === best ? "best" : "" },
        make(
          "th",
          { scope: "row", lang: TREE_CHINESE },
          `${one === best && step === search.steps.length ? "★\uFE0E " : ""}${textOf(one.tokens)}`,
        ),
        make("td", {}, withMinus(one.logProb)),
        make("td", {}, lengthDivisor(one.tokens.length, alpha).toFixed(2)),
        make("td", {}, withMinus(one.score)),
      ),
    );
    if (rows.length === 0)
      rows.push(make("tr", {}, make("td", { colspan: 4, class: "al-note" }, "none yet")));
    finished.replaceChildren(
      make(
        "caption",
        { class: "al-label" },
        "Finished so far, the best score first (★\uFE0E is the translation)",
      ),
      make(
        "thead",
        {},
        make(
          "tr",
          {},
          ...["Translation", "Log P", "÷", "Score"].map((name) =>
            make("th", { scope: "col" }, name),
          ),
        ),
      ),
      make("tbody", {}, ...rows),
    );
  }

  return { element, show };
}

const FATES = {
  kept: "✓\uFE0E kept",
  ended: "■\uFE0E finished",
  dropped: "✗\uFE0E dropped",
  written: "✎\uFE0E yours",
};

/** Wu et al. 2016, eq. 14; the length counts the end. */
export function lengthDivisor(length, alpha) {
  return ((5 + length) / 6) ** alpha;
}

/** The text of a hypothesis' tokens, of which the end is null. */
export function textOf(tokens) {
  return tokens.filter((token) => token !== null).join("");
}

/** −1.25, with a real minus. */
export function withMinus(number) {
  return number.toFixed(2).replace("-", "−");
}

/** What a logarithm of a probability is in percent: "93%", or "<1%". */
export function sharePercent(logProb) {
  const share = Math.exp(logProb);
  return share < 0.005 ? "<1%" : percent(share);
}

export function shownToken(token) {
  return token === null ? "end" : token;
}

/** The tokens that lead to a candidate, the first one first. */
export function beginning(search, step, rank) {
  const tokens = [];
  for (let i = step; i >= 0 && rank >= 0; i--) {
    const one = search.steps[i].candidates[rank];
    tokens.unshift(one.token);
    rank = one.parent;
  }
  return tokens;
}

// The step at which a hypothesis was finished, or cut off.
function endStep(tokens, search) {
  return Math.min(tokens.length, search.steps.length);
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
      (_, i) => String(beginning(search, at, i).map(shownToken)) === text,
    );
  }
  const path = Array(search.steps.length).fill(null);
  for (; at >= 0; at--) {
    path[at] = rank;
    rank = search.steps[at].candidates[rank].parent;
  }
  return path;
}

// Drawing ----------------------------------------------------------------------------------

function treeX(column) {
  return 4 + column * TREE_COLUMN;
}

function treeY(rank) {
  return TREE_TOP + rank * TREE_ROW + TREE_ROW / 2;
}

function drawColumn(search, { candidates, room }, i, height) {
  const x = treeX(i);
  const group = makeSvg("g", { class: "bt-column" });
  group.append(
    makeSvg("rect", {
      class: "bt-ground",
      x: x - 8,
      y: 2,
      width: TREE_BOX.width + 16,
      height: height - 4,
      rx: 8,
    }),
    makeSvg("text", { class: "bt-number", x: x + TREE_BOX.width / 2, y: 20 }, String(i + 1)),
  );
  candidates.forEach((one, rank) => group.append(drawEdge(one, rank, i)));
  if (room < candidates.length) {
    const y = TREE_TOP + room * TREE_ROW;
    group.append(
      makeSvg("line", { class: "bt-cut", x1: x - 5, x2: x + TREE_BOX.width + 5, y1: y, y2: y }),
    );
  }
  candidates.forEach((one, rank) => group.append(drawNode(one, rank, i)));
  return group;
}

function drawEdge({ parent, fate }, rank, i) {
  const [x, y] = [treeX(i), treeY(rank)];
  const from = i === 0 ? null : [treeX(i - 1) + TREE_BOX.width, treeY(parent)];
  if (!from) return makeSvg("g");
  const middle = (from[0] + x) / 2;
  return makeSvg("path", {
    class: `bt-edge ${fate}`,
    "data-rank": rank,
    d: `M${from[0]} ${from[1]}C${middle} ${from[1]} ${middle} ${y} ${x} ${y}`,
  });
}

function drawNode({ token, logProb, fate }, rank, i) {
  const [x, y] = [treeX(i), treeY(rank)];
  const sign = fate === "written" ? "✎\uFE0E" : sharePercent(logProb).replace("%", "");
  return makeSvg(
    "g",
    { class: `bt-node ${fate}`, "data-rank": rank },
    makeSvg("rect", {
      x,
      y: y - TREE_BOX.height / 2,
      width: TREE_BOX.width,
      height: TREE_BOX.height,
      rx: 6,
    }),
    makeSvg(
      "text",
      { class: "bt-token", x: x + 17, y: y + 6, lang: TREE_CHINESE },
      token === null ? "■\uFE0E" : token,
    ),
    makeSvg("text", { class: "bt-share", x: x + 40, y: y + 4.5 }, sign),
  );
}
