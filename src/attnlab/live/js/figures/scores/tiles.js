// Six small maps: of each its score, and its error rate by every seed.

import { make, makeSvg } from "../../parts/elements.js";
import { smallMap } from "../../parts/smallmap.js";
import { uid } from "../../shell/shelf.js";
import { linkVerdict } from "../../words/links.js";
import { scoreName, slipText } from "./words.js";

/**
 * `update({ seed, pictures })` draws all six, `choose(score, picture, row)` marks the one that
 * is shown large, and in every map that has the same word there the row that is compared.
 * `onScore(score)` is called for another score, `onPress()` for a tile under a finger.
 */
export function scoreTiles({ scores, tests, onScore, onPress }) {
  const name = uid("score");
  const tiles = scores.map((score) => scoreTile(score, name, tests[score]));
  const attributes = { class: "sc-tiles", role: "radiogroup", "aria-label": "Score" };
  const element = make("div", attributes, ...tiles.map((tile) => tile.element));
  tiles.forEach(({ input }, at) => {
    input.addEventListener("change", () => onScore(scores[at]));
    input.addEventListener("click", (event) => {
      if (event.detail) onPress(); // 0: the arrow keys
    });
  });

  function update({ seed, pictures }) {
    tiles.forEach((tile, at) => tile.update(pictures[at], seed));
  }
  function choose(score, { words }, row) {
    tiles.forEach((tile, at) => tile.choose(scores[at] === score, words[row], row));
  }
  return { element, update, choose };
}

function scoreTile(score, name, rates) {
  const input = make("input", { type: "radio", name });
  const map = smallMap({ class: "sc-map", preserveAspectRatio: "none" });
  const [gold, misses, wrong] = ["sc-gold", "sc-misses", "sc-wrong"].map((kind) =>
    map.svg.appendChild(makeSvg("path", { class: kind })),
  );
  const slips = make("span.sc-slips");
  const title = make("span.sc-name", scoreName(score), " ", slips);
  const seeds = rates.map((rate) => make("span", rate.toFixed(2)));
  const said = make("span.sc-rates", ...seeds);
  const element = make("label.al-tile.sc-tile", input, title, map.svg, said);
  let drawn = null;

  function update(picture, seed) {
    drawn = picture;
    map.update(
      picture.weights.slice(0, picture.words.length).flatMap((row) => [...row]),
      columnCount(),
    );
    gold.setAttribute("d", (picture.gold ?? []).map(([t, s]) => `M${s} ${t}h1v1h-1z`).join(""));
    misses.setAttribute("d", findMisses(picture).map(crossPath).join(""));
    wrong.setAttribute("d", [...wrongWords(picture)].map((t) => `M0 ${t}v1`).join(""));
    slips.textContent = slipText(picture);
    seeds.forEach((rate, at) => rate.classList.toggle("chosen", at === seed));
  }
  const columnCount = () => drawn.columns.length;

  function choose(chosen, word, row) {
    input.checked = chosen;
    map.svg.classList.toggle("asked", row !== null && drawn.words[row] === word);
    if (row !== null) map.mark(row);
  }
  return { element, input, update, choose };
}

// The places where a word looks most, and should not.
function findMisses(picture) {
  return picture.strongest
    .map((s, t) => [t, s])
    .filter(([t]) => linkVerdict(picture, t) === "miss");
}

const crossPath = ([t, s]) => `M${s + 0.3} ${t + 0.3}l.4 .4m0 -.4l-.4 .4`;

// The places of the written words that are wrong.
function wrongWords({ marks }) {
  const written = marks.filter(({ kind }) => kind !== "missing");
  return written.flatMap(({ kind }, t) => (kind === "right" ? [] : [t]));
}
