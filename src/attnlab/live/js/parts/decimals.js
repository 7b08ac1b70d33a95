// Boxes for decimal numbers that a table names: their labels are for listeners alone.

import { parseDecimal } from "../words/decimals.js";
import { make } from "./elements.js";
import { numberBox } from "./numbers.js";
import { tableHead, tableRow } from "./tables.js";

const COORDINATE_STEP = 0.1;

/** A box for a number from `least` to `most`. */
export function decimalBox({ label, least, most, step, onNumber }) {
  const parse = (text) => parseDecimal(text, label, least, most);
  const box = numberBox({ label, parse, step, inputmode: "text", onNumber });
  box.field.firstChild.classList.add("al-hidden");
  return box;
}

/**
 * The coordinates of vectors, from −reach to reach, in a part that opens. Each of `vectors`
 * has a name, read() gives it and write(vector) is told when it is another. `update()` reads
 * them all; `kind` begins the names of the classes.
 */
export function coordinateFields({ kind, vectors, reach }) {
  const range = { least: -reach, most: reach, step: COORDINATE_STEP };
  const boxes = vectors.map(({ name, read, write }) =>
    ["x", "y"].map((letter, axis) =>
      decimalBox({
        label: `${name}, ${letter}`,
        ...range,
        onNumber: (number) => write(read().with(axis, number)),
      }),
    ),
  );
  const rows = vectors.map(({ name }, at) =>
    tableRow(name, ...boxes[at].map(({ field }) => make("td", field))),
  );
  const element = make(
    "details",
    { class: `al-coordinates ${kind}-coordinates` },
    make("summary", "Type the coordinates"),
    make("table", { class: `al-table ${kind}-table` }, tableHead("x", "y"), make("tbody", ...rows)),
    ...boxes.flat().map(({ error }) => error),
  );

  function update() {
    vectors.forEach(({ read }, at) => {
      read().forEach((number, axis) => boxes[at][axis].settle(number));
    });
  }
  return { element, update };
}
