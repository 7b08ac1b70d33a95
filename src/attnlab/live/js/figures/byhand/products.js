// A matrix times a vector, drawn: the numbers of the result can be pointed at, and the row
// and the vector light up that each is the sum of.

import { make } from "../../parts/elements.js";
import { rovingTabindex } from "../../parts/rove.js";
import { formatNumber, twoDecimals } from "../../words/phrases.js";

/** A column of numbers, or of rows of them, under its name. */
export function block(name, numbers, { role = "", heads = [], cell = short } = {}) {
  const rows = numbers.map((row, r) =>
    make(
      "tr",
      {},
      ...(heads.length ? [make("th", { scope: "row" }, heads[r])] : []),
      ...[row].flat().map((number) => make("td", {}, cell(number))),
    ),
  );
  const table = make("table", { class: "by-numbers" }, make("tbody", {}, ...rows));
  return make("div", { class: `by-block ${role}` }, make("div", { class: "by-name" }, name), table);
}

export function sign(text) {
  return make("span", { class: "by-sign" }, text);
}

/**
 * `matrix` times `vector` is `result`, each { name, numbers, role }. `tell(text)` is told the
 * sum that is pointed at.
 */
export function drawnProduct({ matrix, vector, result, heads = [] }, tell) {
  const left = block(matrix.name, matrix.numbers, { role: matrix.role, heads });
  const middle = block(vector.name, vector.numbers, { role: vector.role });
  const right = block(result.name, result.numbers, { role: result.role });
  const cells = [...right.querySelectorAll("td")];
  cells.forEach((cell, r) => {
    const terms = matrix.numbers[r].map((w, i) => `${short(w)} · ${short(vector.numbers[i])}`);
    const sum = `${terms.join(" + ")} = ${twoDecimals(result.numbers[r])}`;
    cell.setAttribute("aria-label", `${result.name}: ${sum}`);
    cell.setAttribute("role", "button"); // pressing shows the sum, as pointing does
    for (const event of ["pointerenter", "focus", "click"]) {
      cell.addEventListener(event, () => light(r, sum));
    }
    cell.addEventListener("pointerleave", () => light(-1, ""));
    cell.addEventListener("blur", () => light(-1, ""));
  });
  if (cells.length) rovingTabindex(right, "td", { columns: 1 })();

  function light(at, sum) {
    const rows = left.querySelectorAll("tr");
    rows.forEach((row, r) => row.classList.toggle("lit", r === at));
    middle.classList.toggle("lit", at >= 0);
    cells.forEach((cell, r) => cell.classList.toggle("lit", r === at));
    tell(sum && `${result.name}: ${sum}`);
  }
  return make("div", { class: "by-product" }, left, sign("·"), middle, sign("="), right);
}

/** Whole numbers and halves as they are, others with two decimals. */
function short(number) {
  return Number.isInteger(2 * number) ? formatNumber(number) : twoDecimals(number);
}
