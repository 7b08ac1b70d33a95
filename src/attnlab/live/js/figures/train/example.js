// One unseen example: what the model says to it, and where it looks.

import { menu } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { alignmentMatrix } from "../../parts/linkmatrix.js";
import { alignmentKey } from "../../words/links.js";
import { describeError } from "./words.js";

const TEXTS = {
  name: "Attention weights",
  hint: "Choose a cell to read its weight.",
  key: alignmentKey,
  sides: () => "what is to be said down, what is read across",
};

const LEGEND =
  "What it says, each word after the true ones before it. Struck out is what was wrong, "
  + "underlined what was right instead.";
const MAP_LEGENDS = {
  known: "Outlined: where to look. ✓ ✗: most weight.",
  unknown: "•: most weight.",
};

const MAX_WORDS = 6; // words, of the example that is seen first

/**
 * `update(run, at)` shows an example of a run at a point of its curve; `of(run)` is its place
 * among the run's. `onChoice()` is called when another is chosen, `onRead(text)` with a cell's
 * text. `whose` stands with the controls.
 */
export function exampleView({ whose, onChoice, onRead }) {
  const which = menu("Example", [], (i) => choose("example", i));
  const head = menu("Layer and head", [], (i) => choose("place", i));
  const answer = make("p.tn-answer");
  const map = headMap(onRead);
  const none = make("p.al-note", "This model has no attention to look at.");
  const controls = make("div.al-controls", whose, head.field, which.field);
  const legend = make("p.al-note", LEGEND);
  const element = make("div.tn-example", controls, answer, map.element, none, legend);
  const chosen = new WeakMap(); // by run, what the reader chose: { example, place }
  let shown = null; // the run

  function choose(name, text) {
    chosen.set(shown, { ...chosen.get(shown), [name]: Number(text) });
    onChoice();
  }

  // Rather a short one: the first are the longest.
  function of(run) {
    const short = run.examples.findIndex(
      ({ target }) => target.filter(Boolean).length <= MAX_WORDS,
    );
    return chosen.get(run)?.example ?? Math.max(0, short);
  }

  function update(run, at) {
    const heads = listHeads(run);
    const place = chosen.get(run)?.place ?? bestHead(heads, run.points.at(-1).error);
    const { answer: said, maps } = run.points[at].looks[of(run)];
    if (run !== shown) {
      which.fill(run.examples.map(({ source }, i) => [i, source.join(" ").slice(0, 60)]));
      head.fill(heads.map(([l, h], i) => [i, `layer ${l + 1}, head ${h + 1}`]));
      shown = run;
    }
    which.set(of(run));
    head.set(place);
    which.field.hidden = run.examples.length < 2;
    head.field.hidden = !maps || heads.length < 2;
    answer.replaceChildren("It says: ", ...markWords(run.examples[of(run)].target, said));
    map.element.hidden = !maps;
    none.hidden = Boolean(maps);
    const error = run.head ? "" : describeError(run.points[at].error, ...heads[place]);
    if (maps) map.update(run.examples[of(run)], maps, place, error);
  }
  return { element, of, update };
}

// The map at one place of those of an example, and what is said of its error.
function headMap(onRead) {
  const matrix = alignmentMatrix({ onRow: () => {}, onRead, texts: TEXTS });
  const note = make("p.al-note");
  const legend = make("p.al-note.al-first");
  const element = make("div", make("div.al-still", matrix.element), legend, note);

  function update({ source, target, links }, maps, place, error) {
    legend.textContent = MAP_LEGENDS[links ? "known" : "unknown"];
    // A table that the reader is going through stays as it is.
    if (element.contains(document.activeElement)) return;
    const columns = [...source, "end"];
    const weights = target.map((_, t) => {
      const begin = (place * target.length + t) * columns.length;
      return Array.from(maps.subarray(begin, begin + columns.length), (weight) => weight / 255);
    });
    const strongest = weights.map((row) => row.indexOf(Math.max(...row)));
    const words = target.map((word) => word || "·"); // where nothing is asked
    matrix.update({ words, columns, weights, gold: links, strongest });
    matrix.write(words.length, -1);
    note.textContent = error;
  }
  return { element, update };
}

// [layer, head] of each map that a run has; of a stored one, a single one is kept.
function listHeads({ head, settings: { model, layers, heads } }) {
  if (head) return [head];
  const each = model === "gru" ? [1, 1] : [layers, heads];
  return Array.from({ length: each[0] * each[1] }, (_, i) => [
    Math.floor(i / each[1]),
    i % each[1],
  ]);
}

// The place of the head with the least error.
function bestHead(heads, errors) {
  const headError = ([l, h]) => errors?.[l][h] ?? 1;
  return heads.reduce((least, one, i) => (headError(one) < headError(heads[least]) ? i : least), 0);
}

// Each word as it is, or struck out before the one that should stand there.
function markWords(target, answer) {
  return target.flatMap((word, t) => {
    if (!word) return [];
    if (answer[t] === word) return [make("span", word), " "];
    return [make("del", answer[t]), " ", make("ins", word), " "];
  });
}
