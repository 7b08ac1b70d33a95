// What is a word worth beside its neighbours? One row of self-attention, every number of it.

import { choices } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { slider } from "../../parts/numbers.js";
import { tableRow } from "../../parts/tables.js";
import { calmly, oncePerFrame } from "../../parts/timing.js";
import { traitsOf } from "../../shell/traits.js";
import { percent, plainNumber, twoDecimals } from "../../words/phrases.js";
import { attendInSteps } from "./row.js";

const MASKINGS = [
  ["zeros", "ours"],
  ["infinity", "−∞"],
  ["thousand", "−1000"],
  ["billion", "−10⁹"],
];

export function render({ model, el, say }) {
  const speak = calmly(say);
  const traits = traitsOf(model, ["word", "hidden", "masking", "doublings"]);
  const { limits } = model.get("_frame");
  const word = choices({
    label: "Word that asks",
    options: limits.words.map((one) => [one, one]),
    onChoice: (name) => traits.change({ word: name }),
  });
  const masking = choices({
    label: "A hidden word gets",
    options: MASKINGS,
    onChoice: (name) => traits.change({ masking: name }),
  });
  const doublings = slider({
    label: "Query doubled",
    min: 0,
    max: limits.mostDoublings,
    onValue: (times) => traits.change({ doublings: times }),
  });
  const boxes = limits.words.map((_, j) => {
    const box = make("input", { type: "checkbox" });
    box.addEventListener("change", () => {
      const hidden = traits.read().hidden.map((old, i) => (i === j ? box.checked : old));
      traits.change({ hidden });
    });
    return box;
  });
  const hide = make(
    "fieldset",
    { class: "al-field" },
    make("legend", {}, "Hide"),
    ...boxes.map((box, j) => make("label", {}, box, ` ${limits.words[j]} `)),
  );
  const body = make("tbody");
  const heads = ["word", "q · k", "÷ √d", "mask", "weight", "value"];
  const titles = heads.map((name) => make("th", { scope: "col" }, name));
  const table = make("table", {}, make("thead", {}, make("tr", {}, ...titles)), body);
  const controls = { class: "al-controls" };
  el.append(
    make("div", controls, word.field, hide, masking.field, doublings.field),
    table,
  );

  function draw() {
    const now = traits.read();
    const asked = limits.queries[limits.words.indexOf(now.word)];
    const query = asked.map((cell) => cell * 2 ** now.doublings);
    const seen = now.hidden.map((hidden) => !hidden);
    const { keys, values } = limits;
    const found = attendInSteps({ query, keys, values, seen, masking: now.masking });
    word.set(now.word);
    masking.set(now.masking);
    doublings.set(now.doublings, limits.mostDoublings, `× ${2 ** now.doublings}`);
    boxes.forEach((box, j) => (box.checked = now.hidden[j]));
    body.replaceChildren(...limits.words.map((name, j) => drawnRow(name, j, query, found, limits)));
    speak(numeralInWords(now, found, limits));
  }

  traits.follow(oncePerFrame(draw));
  draw();
}

/** A key's row; its first cell is the sum of products that its score is. */
function drawnRow(name, j, query, { scores, scaled, masked, weights }, { keys, values }) {
  const terms = query.map((cell, i) => `${cell} · ${keys[j][i]}`);
  const cells = [
    `${terms.join(" + ")} = ${scores[j]}`,
    shown(scaled[j]),
    shown(masked[j]),
    share(weights[j]),
    String(values[j][0]),
  ];
  return tableRow(name, ...cells.map((text) => make("td", {}, text)));
}

function numeralInWords({ word, hidden, masking }, { weights, output }, { words }) {
  const parts = words.map((name, j) => `${share(weights[j])} of ${name}`);
  const worth = Number.isNaN(output[0]) ? "not a number" : twoDecimals(output[0]);
  const leak = words.filter((_, j) => hidden[j] && weights[j] > 0.005);
  const leaks = leak.length > 0 ? ` The mask leaks: ${leak.join(" and ")} is hidden.` : "";
  const how = MASKINGS.find(([name]) => name === masking)[1];
  return `“${word}” takes ${parts.join(" and ")}: its sum is ${worth}. Mask: ${how}.${leaks}`;
}

function share(weight) {
  return Number.isNaN(weight) ? "NaN" : percent(weight);
}

/** A large score needs no decimals, and a phone has no room for them. */
function shown(score) {
  if (score === -Infinity) return "−∞";
  return Math.abs(score) < 100 ? twoDecimals(score) : plainNumber(Math.round(score));
}
