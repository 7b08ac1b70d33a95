// What breaks without each head: a button that counts, and then a table.

import { textButton } from "../../parts/buttons.js";
import { make } from "../../parts/elements.js";
import { columnHead, tableRow } from "../../parts/tables.js";
import { inARow, percent } from "../../words/phrases.js";
import { allBut, countWithout, everySetting, mostOf } from "./counting.js";
import { allHeads, headName } from "./reading.js";
import { countInWords } from "./words.js";

/** `say(text)` is told what was counted. */
export function headCount({ say, signal }) {
  const counts = new Map(); // by model: { rights: Map(silent heads -> how many), looks }
  let shown = null;
  let running = false;
  const button = textButton("", () => run(everySetting(shown.network)));
  const table = make("table", { class: "al-table hd-damage", tabindex: -1 });
  const note = make("p", { class: "al-note" }, COUNT_NOTE);
  const scroll = make("div", { class: "hd-scroll" }, table);
  const element = make("div", { class: "hd-count" }, button, scroll, note);
  element.hidden = true; // until there is a model to count with

  function show({ network, off }) {
    shown = { network, off };
    element.hidden = false;
    draw();
    const found = counts.get(network);
    if (found && !found.rights.has(String(off))) run([off]);
  }

  async function run(settings) {
    if (running) return;
    running = true;
    const { network } = shown;
    const found = counts.get(network) ?? { rights: new Map(), looks: null };
    for (const [done, silent] of settings.entries()) {
      button.textContent = `Counting … ${percent(done / settings.length)}`;
      const { right, looks } = await countWithout(network, silent, signal);
      if (signal.aborted) return;
      found.rights.set(String(silent), right);
      if (silent.length === 0) found.looks = looks;
    }
    running = false;
    const first = !counts.has(network);
    counts.set(network, found);
    const focused = document.activeElement === button;
    show(shown);
    if (focused && button.hidden) table.focus();
    if (first && network === shown.network) say(countInWords(network, found.rights));
  }

  function draw() {
    const { network, off } = shown;
    const found = counts.get(network);
    const total = network.metadata.test_numbers.length;
    if (!running) button.textContent = `Count errors on ${total} numbers`;
    button.hidden = Boolean(found);
    table.hidden = note.hidden = !found;
    if (found) table.replaceChildren(...tableOfCounts(network, off, found));
  }
  return { element, show };
}

// The parts of the table: caption, headings, and rows for none, each head, and those now off.
function tableOfCounts(network, off, { rights, looks }) {
  const without = (silent) => rights.get(String(silent));
  const heads = allHeads(network);
  const worst = Math.min(...heads.map((head) => without([head])));
  const rows = heads.map((head, h) => {
    const missed = without([head]) === worst ? " ◂\uFE0E" : "";
    const alone = without(allBut(network, head));
    return countRow(
      headName(network, head),
      `${without([head])}${missed}`,
      alone,
      mostOf(looks[h]),
    );
  });
  if (off.length > 1) {
    rows.push(countRow(inARow(off.map((head) => headName(network, head))), without(off) ?? "…"));
  }
  const total = network.metadata.test_numbers.length;
  return [
    make("caption", { class: "al-label" }, `Read right, of ${total} numbers it has not seen`),
    columnHead("Head", "Without", "Alone", "Weight on"),
    make("tbody", {}, countRow("none", without([])), ...rows),
  ];
}

function countRow(name, without, alone = "", looks = "") {
  return tableRow(name, ...[without, alone, looks].map((text) => make("td", {}, String(text))));
}

const COUNT_NOTE =
  "◂\uFE0E missed most. Weight: what goes out from words that have a worth, with all heads on.";
