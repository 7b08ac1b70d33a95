// Who may see whom: a grid of switches, shaded by the head's weights. A row asks.

import { make } from "../../parts/elements.js";
import { rovingTabindex } from "../../parts/rove.js";
import { percent, quoted } from "../../words/phrases.js";

/**
 * `onAsk(i)` is told the typed word whose row is chosen, `onHide(pairs, hidden)` the pairs
 * [i, j] of typed words that are hidden or shown again. A mouse may paint more than one cell.
 */
export function maskGrid({ onAsk, onHide }) {
  const element = make("div.nr-mask", { role: "group" });
  element.setAttribute("aria-label", "Mask: which word may see which");
  let shown = null;
  let [names, cells, heads] = [[], [], []];
  const brush = makeBrush(onHide);

  function fillGrid(count) {
    const grid = make("div.nr-grid", { style: `--words: ${count}` });
    heads = Array.from({ length: count }, () => make("span", { "aria-hidden": "true" }));
    names = heads.map((_, i) => nameButton(i));
    cells = names.map((_, i) => heads.map((_, j) => cellButton(i, j)));
    const rows = names.flatMap((name, i) => [name, ...cells[i]]);
    grid.append(make("span.nr-corner", "hears →"), ...heads, ...rows);
    element.replaceChildren(grid);
    rovingTabindex(grid, "button", { columns: count + 1 })();
  }

  function nameButton(i) {
    const name = make("button.nr-name", { type: "button" });
    name.addEventListener("click", () => onAsk(shown.typed[i]));
    return name;
  }

  function cellButton(i, j) {
    const cell = make("button.nr-cell", { type: "button" });
    const wordPair = () => [shown.typed[i], shown.typed[j]];
    brush(cell, { pair: wordPair, isSeen: () => shown.mask[i][j] });
    return cell;
  }

  function update(found) {
    if (names.length !== found.words.length) fillGrid(found.words.length);
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
  return { element, update };
}

/**
 * A click, a tap or a key turns a cell; a mouse that is down makes all that it comes to what it
 * makes of the first.
 */
function makeBrush(onHide) {
  let stroke = null; // of a mouse: the pair where it began, and whether it hides
  return (cell, { pair, isSeen }) => {
    cell.addEventListener("pointerdown", ({ pointerType }) => {
      const mouse = pointerType === "mouse";
      stroke = mouse ? { cell, first: pair(), hides: isSeen(), moved: false } : null;
    });
    cell.addEventListener("pointerenter", ({ buttons }) => {
      if (buttons !== 1 || !stroke || stroke.cell === cell) return;
      const first = stroke.moved ? [] : [stroke.first];
      stroke.moved = true;
      onHide([...first, pair()], stroke.hides);
    });
    cell.addEventListener("click", ({ detail }) => {
      const byKey = detail === 0;
      if (byKey || !stroke?.moved) onHide([pair()], isSeen());
      stroke = null;
    });
  };
}
