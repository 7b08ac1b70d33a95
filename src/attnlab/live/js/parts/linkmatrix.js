// The matrix of weights: a row a written word, a column an English one.

import {
  alignmentKey,
  isGold,
  languageName,
  linkText,
  linkVerdict,
  linkWithWords,
} from "../words/links.js";
import { make } from "./elements.js";
import { cellGrid } from "./grid.js";

const WEIGHT_TEXTS = {
  name: "Attention weights",
  hint: "Choose a cell to read its weight.",
  key: alignmentKey,
};
const MIN_DARK_WEIGHT = 0.65; // a weight from which on the cell is too dark for dark letters

/**
 * `update(picture)` draws all of it, `write(step)` as far as it is written, with the last word
 * or another as the current one. `onRow(t)` is called for a row that is pressed, `onRead(text,
 * t)` for a cell of row t that the focus comes to. `texts` say what the cells hold, if not
 * weights. `beside` stands over what is read. `element` holds the parts, `scroll`, `readout`
 * and `key`.
 */
export function alignmentMatrix({ onRow, onRead, texts = WEIGHT_TEXTS, beside = "" }) {
  const table = make("table.al-matrix.aln-matrix", { role: "grid" });
  const readout = make("p.aln-readout", { "aria-hidden": "true" });
  const key = make("p.al-note");
  let picture = null;
  let step = 0;
  let rows = [];

  const grid = cellGrid(table, {
    onShow: point,
    onEnter: ([t]) => onRow(t),
    onFocus: (at) => {
      if (at[0] < step) onRead(`${readout.textContent}.`, at[0]);
    },
  });
  table.addEventListener("click", (event) => {
    const at = grid.place(event.target);
    if (at) grid.choose(at);
    const row = rows.indexOf(event.target.closest("tr"));
    if (row >= 0) onRow(row);
  });

  function update(next) {
    picture = next;
    rows = picture.words.map((word, t) => matrixRow(picture, word, t));
    table.replaceChildren(
      make("thead", make("tr", make("td.aln-corner"), ...heads(picture))),
      make("tbody", ...rows),
    );
    table.style.setProperty("--columns", picture.columns.length);
    grid.reset(rows.map((row) => [...row.querySelectorAll("td")]));
    table.setAttribute("aria-label", `${texts.name}: ${(texts.sides ?? languages)(picture)}`);
    key.textContent = texts.key(picture);
  }

  function write(written, current = written - 1) {
    step = written;
    rows.forEach((row, t) => {
      row.classList.toggle("future", t >= step);
      row.classList.toggle("current", t === current);
      row.querySelectorAll("td").forEach((cell, s) => {
        cell.setAttribute("aria-label", t < step ? linkText(picture, t, s) : "not yet");
      });
    });
    table.querySelectorAll(".aln-bar").forEach((bar, s) => {
      const weight = current < 0 ? 0 : picture.weights[current][s].toFixed(3);
      bar.style.setProperty("--weight", weight);
    });
    point(grid.chosen());
  }

  function point(at) {
    const known = at && at[0] < step;
    readout.textContent = known ? linkWithWords(picture, ...at) : texts.hint;
    table.querySelectorAll("thead th").forEach((head, s) => {
      head.classList.toggle("pointed", at !== null && s === at[1]);
    });
  }

  const side = make("div.aln-side", beside, readout, key);
  const scroll = make("div.aln-scroll", table);
  const element = make("div.aln-body", scroll, side);
  return { element, scroll, readout, key, update, write };
}

function languages({ language }) {
  return `${languageName(language)} words down, English words across`;
}

function heads({ columns }) {
  return columns.map((word) =>
    make(
      "th",
      { scope: "col" },
      make("span.al-upright.aln-word", { lang: "en" }, word),
      make("span.aln-bar", { "aria-hidden": "true" }),
    ),
  );
}

function matrixRow(picture, word, t) {
  const cells = picture.columns.map((_, s) => {
    const weight = picture.weights[t][s];
    const cell = make("td", { role: "gridcell" });
    cell.style.setProperty("--weight", weight.toFixed(3));
    cell.classList.toggle("gold", isGold(picture, t, s));
    cell.classList.toggle("straight", s === diagonalColumn(picture, t));
    cell.classList.toggle("strong", weight > MIN_DARK_WEIGHT);
    if (s === picture.strongest[t]) cell.dataset.mark = linkVerdict(picture, t);
    return cell;
  });
  return make("tr", make("th", { scope: "row", lang: picture.language }, word), ...cells);
}

// The column that word t would have if the words came in the order of the English ones.
function diagonalColumn({ words, columns }, t) {
  return Math.round((t * (columns.length - 2)) / Math.max(1, words.length - 1)); // before the end
}
