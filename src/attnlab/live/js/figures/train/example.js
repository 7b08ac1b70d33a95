// One unseen example: what the model says to it, and where it looks.

import { menu } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { alignmentMatrix } from "../../parts/linkmatrix.js";
import { alignmentKey } from "../../words/links.js";
import { errorInWords } from "./words.js";

const TEXTS = {
  name: "Attention weights",
  hint: "Choose a cell to read its weight.",
  key: alignmentKey,
  sides: () => "what is to be said down, what is read across",
};

const LEGEND =
  "What it says, each word after the true ones before it. Struck out is what was wrong, "
  + "underlined what was right instead.";

/** `onExample(index)` is called when another one is chosen, `onRead(text)` with a cell's text. */
export function exampleView({ onExample, onRead }) {
  const which = menu("Example", [], (i) => onExample(Number(i)));
  const head = menu("Layer and head", [], choose);
  const legend = make("p", { class: "al-note" }, LEGEND);
  const answer = make("p", { class: "tn-answer" });
  const error = make("p", { class: "al-note" });
  const matrix = alignmentMatrix({ onRow: () => {}, onRead, texts: TEXTS });
  const map = make("div", {}, matrix.element, error);
  const none = make("p", { class: "al-note" }, "This model has no attention to look at.");
  const controls = make("div", { class: "al-controls" }, which.field, head.field);
  const element = make("div", { class: "tn-example" }, controls, legend, answer, map, none);
  let seen = null; // the look that is drawn, and the errors of its heads
  let chosen = null; // layer and head, or null for the one with the least error

  function choose(text) {
    chosen = text.split(" ").map(Number);
    draw();
  }

  function begin(examples) {
    which.fill(examples.map((words, i) => [i, words.join(" ").slice(0, 60)]));
    chosen = null;
    seen = null;
    head.fill([]);
  }

  function show(look, errors) {
    seen = { look, errors };
    answer.replaceChildren(...saidWords(look));
    map.hidden = head.field.hidden = !look.maps;
    none.hidden = Boolean(look.maps);
    // A table that the reader is going through stays as it is.
    if (look.maps && !map.contains(document.activeElement)) draw();
  }

  function draw() {
    const { look, errors } = seen;
    const { source, target, links, maps } = look;
    const heads = maps.flatMap((layer, l) => layer.map((_, h) => [l, h]));
    const [l, h] = chosen ?? best(heads, errors);
    head.fill(heads.map(([i, j]) => [`${i} ${j}`, `layer ${i + 1}, head ${j + 1}`]));
    head.set(`${l} ${h}`);
    const weights = maps[l][h];
    const strongest = weights.map((row) => row.indexOf(Math.max(...row)));
    const columns = [...source, "end"];
    const words = target.map((word) => word || "·"); // where nothing is asked
    matrix.show({ words, columns, weights, gold: links, strongest });
    matrix.write(words.length, -1);
    error.textContent = errorInWords(errors, l, h);
  }
  return { element, begin, show };
}

function best(heads, errors) {
  if (!errors) return heads[0];
  const error = ([l, h]) => errors[l][h] ?? 1;
  return heads.reduce((least, one) => (error(one) < error(least) ? one : least));
}

// Each word as it is, or struck out before the one that should stand there.
function saidWords({ target, answer }) {
  return target.flatMap((word, t) => {
    if (!word) return [];
    if (answer[t] === word) return [make("span", {}, word), " "];
    return [make("del", {}, answer[t]), " ", make("ins", {}, word), " "];
  });
}
