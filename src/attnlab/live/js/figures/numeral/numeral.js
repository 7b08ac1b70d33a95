// A word asks the words of its numeral: two words by hand, or a trained reader's.

import { choices } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { slider } from "../../parts/numbers.js";
import { columnHead, tableRow } from "../../parts/tables.js";
import { debounce, rafThrottle } from "../../parts/timing.js";
import { traitsOf } from "../../shell/traits.js";
import { arrowPlane } from "./arrow.js";
import { trainedReader } from "./reader.js";
import { attendInSteps } from "./row.js";
import { MASKINGS, pair, describeRow, score, share, formatWeightedSum } from "./words.js";

const EXAMPLE_NAMES = { hand: "two words, by hand", reader: "a trained reader" };

export function render({ model, el, say, signal }) {
  const speak = debounce(say);
  const traits = traitsOf(model, ["shown"]);
  const drawNext = rafThrottle(draw);
  const parts = {
    hand: workedExample(model, speak, drawNext),
    reader: trainedReader(model, { speak, signal, follow: drawNext }),
  };
  const shown = choices("Whose words", EXAMPLE_NAMES, (name) => traits.change({ shown: name }));
  shown.field.classList.add("nu-shown");
  const { head } = parts.reader;
  const views = Object.values(parts).map(({ element }) => element);
  el.append(make("div.al-controls", shown.field, head), ...views);

  function draw() {
    const name = traits.read().shown;
    shown.set(name);
    head.hidden = name !== "reader";
    for (const [part, { element }] of Object.entries(parts)) element.hidden = part !== name;
    parts[name].draw();
  }

  traits.follow(drawNext);
  draw();
}

// The two words of the hand example: every number of a word's row, and what becomes of it.

/** Its `element`, and `draw`. */
function workedExample(model, speak, follow) {
  const traits = traitsOf(model, ["word", "hidden", "masking", "doublings"]);
  const { limits } = model.get("_frame");
  const controls = makeControls(limits, traits);
  const body = make("tbody");
  const head = columnHead("asked", "q · k", "÷ √2", "after the mask", "weight");
  const table = make("table.nu-table.al-more", head, body);
  const sums = make("div.nu-sums.al-more");
  const plane = arrowPlane(limits);
  const row = make("div", table, sums);
  const picture = make("div.nu-picture", plane.element, row);
  const element = make("div.nu-hand", controls.element, picture);

  function draw() {
    const state = traits.read();
    const asking = limits.words.indexOf(state.word);
    const size = 2 ** state.doublings;
    const query = limits.queries[asking].map((cell) => cell * size);
    const seen = state.hidden.map((hidden) => !hidden);
    const keys = limits.embeddings;
    const found = attendInSteps({ query, keys, values: keys, seen, masking: state.masking });
    const x = limits.embeddings[asking];
    controls.update(state);
    body.replaceChildren(
      ...limits.words.map((name, j) => drawKeyRow(name, keys[j], query, found, j, seen[j])),
    );
    sums.replaceChildren(
      make("p", `q = (${query.map(score).join(", ")})`),
      make("p", `z = ${formatWeightedSum(found.weights, keys)} = ${pair(found.output)}`),
      make("p", `x + z = ${pair(x)} + z = ${pair(addOutput(x, found))}`),
    );
    plane.update(asking, addOutput(x, found));
    speak(describeRow(state, found, limits.words, addOutput(x, found)));
  }

  traits.follow(follow);
  return { element, draw };
}

function addOutput(x, { output }) {
  return x.map((cell, i) => cell + output[i]);
}

function makeControls({ words, mostDoublings }, traits) {
  const word = choices(
    "Who asks",
    words.map((one) => [one, one]),
    (name) => traits.change({ word: name }),
  );
  const masking = choices("Hidden words get", MASKINGS, (name) => traits.change({ masking: name }));
  const doublings = slider("Query doubled", 0, mostDoublings, (times) =>
    traits.change({ doublings: times }),
  );
  const boxes = words.map((_, j) => {
    const box = make("input", { type: "checkbox" });
    box.addEventListener("change", () => {
      const hidden = traits.read().hidden.map((old, i) => (i === j ? box.checked : old));
      traits.change({ hidden });
    });
    return box;
  });
  const hide = make(
    "fieldset.al-field.nu-hide",
    make("legend", "Hide"),
    make("div", ...boxes.map((box, j) => make("label", box, words[j]))),
  );
  const fields = [word.field, hide, masking.field, doublings.field];
  return {
    element: make("div.al-controls", ...fields),
    update(state) {
      word.set(state.word);
      masking.set(state.masking);
      doublings.set(state.doublings, mostDoublings, `× ${2 ** state.doublings}`);
      boxes.forEach((box, j) => (box.checked = state.hidden[j]));
    },
  };
}

/** A key's row; its score is told as the sum of products that it is. */
function drawKeyRow(name, key, query, { scores, scaled, masked, weights }, j, seen) {
  const terms = query.map((cell, i) => `${score(cell)} · ${key[i]}`).join(" + ");
  const bar = make("span.nu-bar", { style: `--weight: ${weights[j] || 0}` });
  return tableRow(
    name,
    make("td", make("small", `${terms} =`), score(scores[j])),
    make("td", score(scaled[j])),
    make("td", { class: seen ? "" : "hidden" }, score(masked[j])),
    make("td.weight", share(weights[j]), bar),
  );
}
