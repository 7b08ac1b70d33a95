// The keys of a grid: one stop of the Tab key, arrows between its elements.

/**
 * Arrow keys move between the elements of a grid that match the selector, `columns` in a
 * row, and Home and End to the first and the last; with `inRow` none of them but ↑ and ↓
 * leaves a row. Returns a function that makes the first element the one that the Tab key
 * reaches: for when the elements are new.
 */
export function rovingTabindex(grid, selector, { columns = Infinity, inRow = false } = {}) {
  let stop = null; // the element that the Tab key reaches
  const allElements = () => [...grid.querySelectorAll(selector)];

  function reach(element) {
    if (stop) stop.tabIndex = -1;
    element.tabIndex = 0;
    stop = element;
  }

  grid.addEventListener("focusin", ({ target }) => {
    if (target.matches(selector)) reach(target);
  });
  grid.addEventListener("keydown", (event) => {
    const all = allElements();
    const at = all.indexOf(event.target);
    const goal = indexAfterKey(event.key, at, all.length, columns, inRow);
    if (at < 0 || goal === undefined) return;
    event.preventDefault();
    all[goal]?.focus();
  });
  return () => {
    const all = allElements();
    for (const one of all) one.tabIndex = -1;
    reach(all[0]);
  };
}

// Where a key leads from a place: perhaps past an edge, where there is no element.
function indexAfterKey(key, at, count, columns, inRow) {
  const start = inRow ? at - (at % columns) : 0;
  const end = inRow ? start + columns - 1 : count - 1;
  const goals = {
    ArrowRight: at === end ? count : at + 1,
    ArrowLeft: at === start ? -1 : at - 1,
    ArrowDown: at + columns,
    ArrowUp: at - columns,
    Home: start,
    End: end,
  };
  return goals[key];
}
