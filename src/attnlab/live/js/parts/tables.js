// Rows of tables, with their headings.

import { make } from "./elements.js";

/** The head of a table: an empty corner, and headings for the columns. */
export function tableHead(...names) {
  const headings = names.map((name) => make("th", { scope: "col" }, name));
  return make("thead", {}, make("tr", {}, make("td"), ...headings));
}

/** A row: its heading, and its cells. */
export function tableRow(heading, ...cells) {
  return make("tr", {}, make("th", { scope: "row" }, heading), ...cells);
}
