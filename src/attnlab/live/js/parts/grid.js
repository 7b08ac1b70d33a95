// A table that one goes through cell by cell.

const KEY_STEPS = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };

/**
 * The Tab key stops at one cell of `table`; arrow keys, Home and End go on from there.
 * `onShow(at)` gets the [row, column] under the mouse or else in focus, or null; `onFocus(at,
 * event)` the one that the focus comes to; `onEnter(at)` the one that Enter or Space press.
 *
 * `reset(cells)` takes new cells, row by row; `choose(at)` shows one until the focus leaves.
 */
export function cellGrid(table, { onShow, onFocus, onEnter }) {
  let cells = [];
  let reached = null; // the cell that the Tab key stops at
  let chosen = null; // what is shown while the mouse is elsewhere

  function reset(newCells) {
    cells = newCells;
    reached = chosen = null;
    for (const cell of cells.flat()) cell.tabIndex = -1;
    if (cells[0]?.[0]) reach(cells[0][0]);
  }

  function reach(cell) {
    if (reached) reached.tabIndex = -1;
    reached = cell;
    cell.tabIndex = 0;
  }

  function choose(at) {
    chosen = at;
    onShow(at);
  }

  function place(target) {
    const cell = target.closest("tbody td");
    const row = cells.findIndex((line) => line.includes(cell));
    return row < 0 ? null : [row, cells[row].indexOf(cell)];
  }

  // Where a key leads from a cell; undefined for other keys.
  /** @param {string} key @param {number[]} cell */
  function cellAfterKey(key, [row, column]) {
    if (key === "Home") return [row, 0];
    if (key === "End") return [row, cells[row].length - 1];
    return KEY_STEPS[key] && [row + KEY_STEPS[key][0], column + KEY_STEPS[key][1]];
  }

  table.addEventListener("keydown", (event) => {
    const at = place(event.target);
    if (!at) return;
    const enters = event.key === "Enter" || event.key === " ";
    const to = cellAfterKey(event.key, at);
    if (!enters && !to) return;
    event.preventDefault();
    if (enters) onEnter(at);
    else cells[to[0]]?.[to[1]]?.focus();
  });
  table.addEventListener("focusin", (event) => {
    const at = place(event.target);
    if (!at) return;
    reach(event.target.closest("td"));
    choose(at);
    onFocus(at, event);
  });
  table.addEventListener("focusout", () => choose(null));
  // A finger has no place to rest: what it chose stays when it is lifted.
  table.addEventListener("pointerover", (event) => {
    if (event.pointerType === "mouse") onShow(place(event.target) ?? chosen);
  });
  table.addEventListener("pointerleave", (event) => {
    if (event.pointerType === "mouse") onShow(chosen);
  });
  return { reset, choose, place, chosen: () => chosen };
}
