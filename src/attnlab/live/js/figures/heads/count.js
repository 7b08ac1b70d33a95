// What breaks without each head: how many of the numbers that a tagger's file brings along
// it reads right with some heads silent.

import { argmax } from "../../math/tensor.js";
import { sourceIds } from "../../models/stored.js";
import { tag } from "../../models/tagger.js";
import { make } from "../../parts/elements.js";
import { inARow, percent } from "../../words/phrases.js";
import { classPlace, readNumber, worthsOf } from "../../words/places.js";
import { numberTokens } from "../../words/spell.js";

const COUNT_PAUSE = 8; // milliseconds of counting at a stretch: the page stays responsive

/** All heads of a model, as [layer, head]. */
export function allHeads({ config }) {
  const { num_layers: layers, num_heads: heads } = config;
  return Array.from({ length: layers * heads }, (_, i) => [Math.floor(i / heads), i % heads]);
}

/** Head 2 of the only layer is "2", head 2 of the first of two layers "1.2". */
export function headName({ config }, [layer, head]) {
  return config.num_layers > 1 ? `${layer + 1}.${head + 1}` : String(head + 1);
}

/** A button and, once it was pressed, a table. `show(network, off)` is for this setting. */
export function headCount({ say, signal }) {
  const counts = new Map(); // by model: { rights: Map(silent heads -> how many), looks }
  let network = null;
  let off = []; // the heads that are silent now
  let running = false;

  const button = make("button", { type: "button" });
  const table = make("table", { class: "hd-damage", tabindex: -1 });
  const note = make(
    "p",
    { class: "al-note" },
    "◂\uFE0E missed most. Weight: what goes out from words that have a worth, with all heads on.",
  );
  const element = make(
    "div",
    { class: "hd-count" },
    button,
    make("div", { class: "hd-scroll" }, table),
    note,
  );
  button.addEventListener("click", () => run(everySetting(network)));

  function show(nextNetwork, nextOff) {
    [network, off] = [nextNetwork, nextOff];
    draw();
    const found = counts.get(network);
    if (found && !found.rights.has(String(off))) run([off]);
  }

  async function run(settings) {
    if (running) return;
    running = true;
    const mine = network;
    const found = counts.get(mine) ?? { rights: new Map(), looks: null };
    for (const [done, silent] of settings.entries()) {
      button.textContent = `Counting … ${percent(done / settings.length)}`;
      const { right, looks } = await readWithout(mine, silent, signal);
      if (signal.aborted) return;
      found.rights.set(String(silent), right);
      if (silent.length === 0) found.looks = looks;
    }
    running = false;
    const first = !counts.has(mine);
    counts.set(mine, found);
    const focused = document.activeElement === button;
    show(network, off);
    if (focused && button.hidden) table.focus();
    if (first && mine === network) say(summary(found));
  }

  function draw() {
    const found = counts.get(network);
    const total = network.metadata.test_numbers.length;
    if (!running) button.textContent = `Count errors on ${total} numbers`;
    button.hidden = Boolean(found);
    table.hidden = note.hidden = !found;
    if (!found) return;
    const heads = allHeads(network);
    const without = heads.map((head) => found.rights.get(String([head])));
    const worst = Math.min(...without);
    const rows = heads.map((head, h) =>
      row(
        headName(network, head),
        `${without[h]}${without[h] === worst ? " ◂\uFE0E" : ""}`,
        String(found.rights.get(String(allBut(network, head)))),
        mostOf(found.looks[h]),
      ),
    );
    const now = found.rights.get(String(off));
    if (off.length > 1) {
      rows.push(
        row(
          inARow(off.map((head) => headName(network, head))),
          now === undefined ? "…" : String(now),
          "",
          "",
        ),
      );
    }
    table.replaceChildren(
      make("caption", { class: "al-label" }, `Read right, of ${total} numbers it has not seen`),
      make(
        "thead",
        {},
        make(
          "tr",
          {},
          ...["Head", "Without", "Alone", "Weight on"].map((text) =>
            make("th", { scope: "col" }, text),
          ),
        ),
      ),
      make("tbody", {}, row("none", String(found.rights.get("")), "", ""), ...rows),
    );
  }

  function row(name, ...cells) {
    return make(
      "tr",
      {},
      make("th", { scope: "row" }, name),
      ...cells.map((text) => make("td", {}, text)),
    );
  }

  function summary(found) {
    const heads = allHeads(network).map(
      (head) => `without head ${headName(network, head)} ${found.rights.get(String([head]))}`,
    );
    return (
      `Of ${network.metadata.test_numbers.length} numbers that it has not seen the model `
      + `reads ${found.rights.get("")} right; ${heads.join(", ")}.`
    );
  }

  return { element, show };
}

// None silent, each head silent, all but one silent.
function everySetting(network) {
  const heads = allHeads(network);
  return [[], ...heads.map((head) => [head]), ...heads.map((head) => allBut(network, head))];
}

function allBut(network, head) {
  return allHeads(network).filter((other) => String(other) !== String(head));
}

// How many numbers the model reads right, and where each head's weight goes.
async function readWithout(network, off, signal) {
  const { language, test_numbers: numbers } = network.metadata;
  const heads = allHeads(network);
  const looks = heads.map(() => new Map());
  const silent = new Set(off.map(String));
  let right = 0;
  let start = performance.now();
  for (const number of numbers) {
    const words = numberTokens(number, language);
    const { logits, weights } = tag(
      network,
      sourceIds(network, words),
      (layer, head) => !silent.has(String([layer, head])),
    );
    const places = logits.slice(0, -1).map((row) => classPlace(argmax(row)));
    if (readNumber(words, places, language) === number) right += 1;
    heads.forEach(([layer, head], h) => gather(looks[h], words, weights[layer][head], language));
    if (performance.now() - start > COUNT_PAUSE) {
      await new Promise((resolve) => setTimeout(resolve));
      if (signal.aborted) break;
      start = performance.now();
    }
  }
  return { right, looks };
}

// Adds up the weights that go out from words with a worth, by the word they go to.
function gather(sums, words, weights, language) {
  const worths = worthsOf(language);
  words.forEach((word, from) => {
    if (!worths.has(word)) return;
    weights[from].forEach((weight, to) => {
      let name = `“${words[to]}”`;
      if (to === from) name = "itself";
      else if (to === words.length) name = "the end";
      else if (worths.has(words[to])) name = "other digits";
      sums.set(name, (sums.get(name) ?? 0) + weight);
    });
  });
}

// The three that get most, with their shares.
function mostOf(sums) {
  const total = [...sums.values()].reduce((sum, x) => sum + x, 0);
  return [...sums]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 3)
    .map(([name, weight]) => `${name} ${percent(weight / total)}`)
    .join(", ");
}
