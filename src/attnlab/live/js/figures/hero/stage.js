// Two lines of words, or two columns where there is no room, with ribbons between them.

import { make } from "../../parts/elements.js";
import { heroLine } from "./line.js";
import { heroShare } from "./reading.js";
import { heroRibbons } from "./ribbons.js";

const HERO_LANGUAGES = { source: ["English", "en"], target: ["German", "de"] };
const HERO_SIZES = [22, 20, 18, 16.5, 15]; // of the letters, in pixels

/**
 * `show(reading)` puts its words in, `light(chosen)` lights a word, { kind, index }, or none,
 * and its ribbons, `arrange()` fits the words into a new width. `onChoose(chosen)` is called
 * for the word under mouse or focus, or with null when both have left, `onLeave` when the
 * mouse alone has.
 */
export function heroStage({ onChoose, onLeave }) {
  const ribbons = heroRibbons();
  const element = make("div", { class: "hero-stage", "data-layout": "rows" }, ribbons.svg);
  const upright = () => element.dataset.layout === "columns";
  const lines = { source: lineOf("source"), target: lineOf("target") };
  let reading = null;
  let lit = null;

  function lineOf(kind) {
    const [language, lang] = HERO_LANGUAGES[kind];
    const line = heroLine(kind, {
      language,
      lang,
      upright,
      onChoose: (index) => onChoose({ kind, index }),
      onCross: (index) => crossOver({ kind, index }),
    });
    const label = { class: "hero-language", "data-kind": kind, "aria-hidden": "true" };
    element.append(make("span", label, language), line.element);
    return line;
  }

  // To the word of the other line that the word's thickest ribbon leads to.
  function crossOver(word) {
    const other = lines[word.kind === "source" ? "target" : "source"];
    const shares = other.buttons().map((_, index) => heroShare(reading, word, index));
    other.focus(shares.indexOf(Math.max(...shares)));
  }

  function show(next) {
    [reading, lit] = [next, null];
    const { wrong, missing } = faultsOf(reading);
    lines.source.fill(reading.words.source);
    lines.target.fill(reading.words.target, wrong, missing);
    const counts = Object.values(lines).map((line) => line.element.childElementCount);
    element.style.setProperty("--words", Math.max(...counts));
    arrange();
  }

  function arrange() {
    if (!reading) return;
    fitRows(element, [lines.source.element, lines.target.element]);
    ribbons.show(lines.source.buttons(), lines.target.buttons(), reading.weights, upright());
    light(lit);
  }

  function light(chosen) {
    lit = chosen;
    element.toggleAttribute("data-chosen", lit !== null);
    for (const [kind, line] of Object.entries(lines)) {
      if (kind === lit?.kind) line.light(lit.index, null);
      else line.light(null, lit && ((index) => heroShare(reading, lit, index)));
    }
    ribbons.light(lit);
  }

  element.addEventListener("pointerleave", () => {
    if (!element.contains(document.activeElement)) onLeave();
  });
  element.addEventListener("focusout", (event) => {
    if (!element.contains(event.relatedTarget)) onChoose(null);
  });
  return { element, show, light, arrange };
}

// Which written words are wrong, and what was left out before each of them.
function faultsOf({ marks }) {
  const [wrong, missing] = [[], []];
  for (const { kind, wanted } of marks) {
    if (kind === "missing") (missing[wrong.length] ??= []).push(wanted);
    else wrong.push(kind !== "right");
  }
  return { wrong, missing };
}

// In two rows if they fit in some size, else in two columns.
function fitRows(stage, rows) {
  stage.dataset.layout = "rows";
  const fits = HERO_SIZES.some((size) => {
    stage.style.fontSize = `${size}px`;
    return rows.every((row) => row.scrollWidth <= stage.clientWidth);
  });
  if (fits) return;
  stage.dataset.layout = "columns";
  stage.style.fontSize = "";
}
