// Six small maps: of each its score, its errors, and a dot for every seed.

import { make, makeSvg } from "../../parts/elements.js";
import { smallMap } from "../../parts/smallmap.js";
import { uid } from "../../shell/shelf.js";
import { linkVerdict } from "../../words/links.js";
import { rateText, scoreName } from "./words.js";

const STRIP_WIDTH = 100;
const DOT = 3.5; // a dot's radius

/**
 * `show({ seed, pictures })` draws all six, `choose(score, picture, row)` marks the one that
 * is shown large, and in every map that has the same word there the row that is compared.
 * `onScore(score)` is called for another score, `onPress()` for a tile under a finger.
 */
export function scoreTiles({ scores, tests, onScore, onPress }) {
  const name = uid("score");
  const most = Math.ceil(10 * Math.max(...Object.values(tests).flat())) / 10;
  const tiles = scores.map((score) => scoreTile({ score, name, rates: tests[score], most }));
  const attributes = { class: "sc-tiles", role: "radiogroup", "aria-label": "Score" };
  const element = make("div", attributes, ...tiles.map((tile) => tile.element));
  tiles.forEach(({ input }, at) => {
    input.addEventListener("change", () => onScore(scores[at]));
    input.addEventListener("click", (event) => {
      if (event.detail) onPress(); // 0: the arrow keys
    });
  });

  function show({ seed, pictures }) {
    tiles.forEach((tile, at) => tile.show(pictures[at], seed));
  }
  function choose(score, { words }, row) {
    tiles.forEach((tile, at) => tile.choose(scores[at] === score, words[row], row));
  }
  return { element, show, choose };
}

function scoreTile({ score, name, rates, most }) {
  const input = make("input", { type: "radio", name });
  const map = smallMap({ class: "sc-map", preserveAspectRatio: "none" });
  const [gold, misses, wrong] = ["sc-gold", "sc-misses", "sc-wrong"].map((kind) =>
    map.svg.appendChild(makeSvg("path", { class: kind })),
  );
  const said = make("span", { class: "sc-rates" });
  const dots = seedDots(rates, most);
  const title = make("span", { class: "sc-name" }, scoreName(score));
  const element = make(
    "label",
    { class: "al-tile sc-tile" },
    input,
    title,
    map.svg,
    said,
    dots.svg,
  );
  let drawn = null;

  function show(picture, seed) {
    drawn = picture;
    map.show(
      picture.weights.slice(0, picture.words.length).flatMap((row) => [...row]),
      columns(),
    );
    gold.setAttribute("d", (picture.gold ?? []).map(([t, s]) => `M${s} ${t}h1v1h-1z`).join(""));
    misses.setAttribute("d", missesOf(picture).map(crossAt).join(""));
    wrong.setAttribute("d", [...wrongWords(picture)].map((t) => `M0 ${t}v1`).join(""));
    said.replaceChildren(...rateText(picture, rates[seed]).map((text) => make("span", {}, text)));
    dots.choose(seed);
  }
  const columns = () => drawn.columns.length;

  function choose(chosen, word, row) {
    input.checked = chosen;
    map.svg.classList.toggle("asked", row !== null && drawn.words[row] === word);
    if (row !== null) map.mark(row);
  }
  return { element, input, show, choose };
}

// The places where a word looks most, and should not.
function missesOf(picture) {
  return picture.strongest
    .map((s, t) => [t, s])
    .filter(([t]) => linkVerdict(picture, t) === "miss");
}

const crossAt = ([t, s]) => `M${s + 0.3} ${t + 0.3}l.4 .4m0 -.4l-.4 .4`;

// The places of the written words that are wrong.
function wrongWords({ marks }) {
  const written = marks.filter(({ kind }) => kind !== "missing");
  return written.flatMap(({ kind }, t) => (kind === "right" ? [] : [t]));
}

function seedDots(rates, most) {
  const x = (rate) => DOT + ((STRIP_WIDTH - 2 * DOT) * rate) / most;
  const y = DOT + 1;
  const circles = rates.map((rate) => makeSvg("circle", { cx: x(rate), cy: y, r: DOT }));
  const viewBox = `0 0 ${STRIP_WIDTH} ${2 * y}`;
  const line = makeSvg("line", { x1: 0, x2: STRIP_WIDTH, y1: y, y2: y });
  const svg = makeSvg(
    "svg",
    { class: "sc-dots", viewBox, "aria-hidden": "true" },
    line,
    ...circles,
  );
  function choose(seed) {
    circles.forEach((circle, at) => circle.classList.toggle("chosen", at === seed));
    svg.append(circles[seed]); // on top
  }
  return { svg, choose };
}
