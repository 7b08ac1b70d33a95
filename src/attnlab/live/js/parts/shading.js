// Weights as shades of a colour.

const MIN_WRITTEN_WEIGHT = 0.045; // a weight below this is not written into its cell
const filledCells = new WeakMap(); // element -> the weight it shows

/**
 * Fill an element by a weight. Returns whether that changes it: most changes leave most
 * weights as they are, and to write a thousand styles takes longer than to compute them.
 */
export function fillByWeight(element, weight) {
  const text = weight.toFixed(3);
  if (filledCells.get(element) === text) return false;
  filledCells.set(element, text);
  element.style.setProperty("--weight", text);
  return true;
}

/** Fill a cell of a map by a weight, and write it there in percent, unless it is faint. */
export function shadeCell(cell, weight) {
  if (!fillByWeight(cell, weight)) return;
  cell.textContent = weight < MIN_WRITTEN_WEIGHT ? "" : Math.round(100 * weight);
}
