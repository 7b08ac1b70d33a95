// Who may see whom: a grid of switches, shaded by the head's weights. A row asks.

import { make } from "../../parts/elements.js";
import { rove } from "../../parts/rove.js";
import { percent, quoted } from "../../words/phrases.js";

/**
 * `onAsk(i)` is told the typed word whose row is chosen, `onHide(pairs, hidden)` the pairs
 * [i, j] of typed words that are hidden or shown again. A mouse may paint more than one cell.
 */
export function maskGrid({ onAsk, onHide }) {
  const element = make("div", { class: "nr-mask", role: "group" });
  element.setAttribute("aria-label", "Mask: which word may see which");
  let shown = null;
  let [names, cells, heads] = [[], [], []];
  let stroke = null; // of a mouse: where it began, and whether it hides

  const pairAt = (i, j) => [shown.typed[i], shown.typed[j]];

  function fill(count) {
    const grid = make("div", { class: "nr-grid", style: `--words: ${count}` });
    heads = Array.from({ length: count }, () => make("span", { "aria-hidden": "true" }));
    names = heads.map((_, i) => nameButton(i));
    cells = names.map((_, i) => heads.map((_, j) => cellButton(i, j)));
    const rows = names.flatMap((name, i) => [name, ...cells[i]]);
    grid.append(make("span", { class: "nr-corner" }, "hears →"), ...heads, ...rows);
    element.replaceChildren(grid);
    rove(grid, "button", { columns: count + 1 })();
  }

  function nameButton(i) {
    const name = make("button", { type: "button", class: "nr-name" });
    name.addEventListener("click", () => onAsk(shown.typed[i]));
    return name;
  }

  function cellButton(i, j) {
    const cell = make("button", { type: "button", class: "nr-cell" });
    cell.addEventListener("pointerdown", ({ pointerType }) => {
      stroke = pointerType === "mouse" ? { i, j, hides: shown.mask[i][j], moved: false } : null;
    });
    cell.addEventListener("pointerenter", ({ buttons }) => {
      if (buttons !== 1 || !stroke || (stroke.i === i && stroke.j === j)) return;
      const first = stroke.moved ? [] : [pairAt(stroke.i, stroke.j)];
      stroke.moved = true;
      onHide([...first, pairAt(i, j)], stroke.hides);
    });
    cell.addEventListener("click", () => {
      if (!stroke?.moved) onHide([pairAt(i, j)], shown.mask[i][j]);
      stroke = null;
    });
    return cell;
  }

  function show(found) {
    if (names.length !== found.words.length) fill(found.words.length);
    shown = found;
    const { words, mask, map } = found;
    const called = words.map((_, i) => quoted(words, i));
    names.forEach((name, i) => {
      name.textContent = words[i];
      name.setAttribute("aria-label", `${called[i]} asks`);
      name.setAttribute("aria-pressed", i === found.row);
      heads[i].textContent = words[i];
    });
    cells.forEach((line, i) =>
      line.forEach((cell, j) => {
        const seen = mask[i][j];
        cell.style.setProperty("--weight", map[i][j]);
        cell.setAttribute("aria-pressed", !seen);
        const weight = seen ? percent(map[i][j]) : "hidden";
        cell.setAttribute("aria-label", `Hide ${called[j]} from ${called[i]} (${weight})`);
        cell.textContent = seen ? "" : "×";
      }),
    );
  }
  return { element, show };
}
