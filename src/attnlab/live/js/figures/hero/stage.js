// Two lines of words, or two columns where there is no room, with ribbons between them.

import { make, makeSvg } from "../../parts/elements.js";
import { uid } from "../../shell/shelf.js";
import { heroLine } from "./line.js";
import { HERO_MIN_WEIGHT, heroShare } from "./reading.js";

const MAX_RIBBON_WIDTH = 9; // pixels, for a weight of 1

const HERO_LANGUAGES = { source: ["English", "en"], target: ["German", "de"] };
const HERO_SIZES = [22, 20, 18, 16.5, 15]; // of the letters, in pixels

/**
 * `update(reading)` puts its words in, `highlight(chosen)` lights a word, { kind, index }, or none,
 * and its ribbons, `arrange()` fits the words into a new width. `onChoose(chosen)` is called
 * for the word under mouse or focus, or with null when both have left, `onLeave` when the
 * mouse alone has.
 */
export function heroStage({ onChoose, onLeave }) {
  const ribbons = heroRibbons();
  const element = make("div.hero-stage", { "data-layout": "rows" }, ribbons.svg);
  const isInColumns = () => element.dataset.layout === "columns";
  const lines = { source: makeLine("source"), target: makeLine("target") };
  let reading = null;
  let lit = null;

  function makeLine(kind) {
    const [language, lang] = HERO_LANGUAGES[kind];
    const line = heroLine(kind, {
      language,
      lang,
      isInColumns,
      onChoose: (index) => onChoose({ kind, index }),
      onCross: (index) => focusLinkedWord({ kind, index }),
    });
    const label = { class: "hero-language", "data-kind": kind, "aria-hidden": "true" };
    element.append(make("span", label, language), line.element);
    return line;
  }

  // To the word of the other line that the word's thickest ribbon leads to.
  function focusLinkedWord(word) {
    const other = lines[word.kind === "source" ? "target" : "source"];
    const shares = other.buttons().map((_, index) => heroShare(reading, word, index));
    other.focusWord(shares.indexOf(Math.max(...shares)));
  }

  function update(next) {
    [reading, lit] = [next, null];
    const { wrong, missing } = findMistakes(reading);
    lines.source.fillWords(reading.words.source);
    lines.target.fillWords(reading.words.target, wrong, missing);
    const counts = Object.values(lines).map((line) => line.element.childElementCount);
    element.style.setProperty("--words", Math.max(...counts));
    arrange();
  }

  function arrange() {
    if (!reading) return;
    fitInRows(element, [lines.source.element, lines.target.element]);
    ribbons.update(lines.source.buttons(), lines.target.buttons(), reading.weights, isInColumns());
    highlight(lit);
  }

  function highlight(chosen) {
    lit = chosen;
    element.toggleAttribute("data-chosen", lit !== null);
    for (const [kind, line] of Object.entries(lines)) {
      if (kind === lit?.kind) line.highlight(lit.index, null);
      else line.highlight(null, lit && ((index) => heroShare(reading, lit, index)));
    }
    ribbons.highlight(lit);
  }

  element.addEventListener("pointerleave", () => {
    if (!element.contains(document.activeElement)) onLeave();
  });
  element.addEventListener("focusout", (event) => {
    if (!element.contains(event.relatedTarget)) onChoose(null);
  });
  return { element, update, highlight, arrange };
}

// Which written words are wrong, and what was left out before each of them.
function findMistakes({ marks }) {
  const [wrong, missing] = [[], []];
  for (const { kind, wanted } of marks) {
    if (kind === "missing") (missing[wrong.length] ??= []).push(wanted);
    else wrong.push(kind !== "right");
  }
  return { wrong, missing };
}

// In two rows if they fit in some size, else in two columns.
function fitInRows(stage, rows) {
  stage.dataset.layout = "rows";
  const fits = HERO_SIZES.some((size) => {
    stage.style.fontSize = `${size}px`;
    return rows.every((row) => row.scrollWidth <= stage.clientWidth);
  });
  if (fits) return;
  stage.dataset.layout = "columns";
  stage.style.fontSize = "";
}

// The ribbons from every English word to the German words that looked at it.

/** `update` draws them between the lines' buttons, `highlight` lights a word's ribbons. */
function heroRibbons() {
  const fade = uid("fade");
  const svg = makeSvg("svg.hero-lines", { "aria-hidden": "true" });

  function update(source, target, weights, isInColumns) {
    const home = svg.parentElement.getBoundingClientRect();
    const from = source.map((button) => ribbonEnd(button, home, "source", isInColumns));
    const to = target.map((button) => ribbonEnd(button, home, "target", isInColumns));
    if (!from.length || !to.length) {
      svg.replaceChildren();
      return;
    }
    const ribbons = to.flatMap((end, t) =>
      from.flatMap((start, s) => {
        if (weights[t][s] < HERO_MIN_WEIGHT) return [];
        const path = makeSvg("path", {
          d: ribbonPath(start, end, isInColumns),
          stroke: `url(#${fade})`,
          "stroke-width": MAX_RIBBON_WIDTH * weights[t][s],
          "data-source": s,
          "data-target": t,
        });
        return [path];
      }),
    );
    const gradient = ribbonGradient(fade, from[0], to[0], isInColumns);
    svg.replaceChildren(makeSvg("defs", gradient), ...ribbons);
  }

  function highlight(chosen) {
    for (const path of svg.querySelectorAll("path")) {
      const lit = chosen !== null && Number(path.dataset[chosen.kind]) === chosen.index;
      path.classList.toggle("lit", lit);
    }
  }
  return { svg, update, highlight };
}

// The point beside a word's button that faces the other line.
function ribbonEnd(button, home, kind, isInColumns) {
  const { left, right, top, bottom } = button.getBoundingClientRect();
  return isInColumns
    ? [(kind === "source" ? right + 3 : left - 3) - home.left, (top + bottom) / 2 - home.top]
    : [(left + right) / 2 - home.left, (kind === "source" ? bottom + 3 : top - 3) - home.top];
}

function ribbonGradient(id, from, to, isInColumns) {
  const ends = isInColumns
    ? { x1: from[0], y1: 0, x2: to[0], y2: 0 }
    : { x1: 0, y1: from[1], x2: 0, y2: to[1] };
  return makeSvg(
    "linearGradient",
    { id, gradientUnits: "userSpaceOnUse", ...ends },
    makeSvg("stop", { offset: 0, style: "stop-color: var(--al-key)" }),
    makeSvg("stop", { offset: 1, style: "stop-color: var(--al-query)" }),
  );
}

function ribbonPath([x1, y1], [x2, y2], isInColumns) {
  // A gradient has no effect on a perfectly straight line's empty box: bend it a hair.
  const [mx, my] = [(x1 + x2) / 2, (y1 + y2) / 2];
  return isInColumns
    ? `M${x1},${y1} C${mx},${y1} ${mx},${y2 + 0.1} ${x2},${y2 + 0.1}`
    : `M${x1},${y1} C${x1},${my} ${x2 + 0.1},${my} ${x2 + 0.1},${y2}`;
}
