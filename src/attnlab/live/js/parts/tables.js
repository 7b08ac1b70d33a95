// Rows of tables, with their headings.

import { make } from "./elements.js";

/** The head of a table: headings for the columns. */
export function columnHead(...names) {
  const headings = names.map((name) => make("th", { scope: "col" }, name));
  return make("thead", make("tr", ...headings));
}

/** The same, with an empty corner over the headings of the rows. */
export function tableHead(...names) {
  const head = columnHead(...names);
  head.firstChild.prepend(make("td"));
  return head;
}

/** A row: its heading, and its cells. */
export function tableRow(heading, ...cells) {
  return make("tr", make("th", { scope: "row" }, heading), ...cells);
}
