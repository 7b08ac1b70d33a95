// What is each head for, and what breaks without it? A tagger reads a number's words; its
// heads can be switched off one by one.

import { argmax, softmax } from "../../math/tensor.js";
import { makeModel, sourceIds } from "../../models/stored.js";
import { tag } from "../../models/tagger.js";
import { choices, menu } from "../../parts/controls.js";
import { make, makeSvg } from "../../parts/elements.js";
import { calmly, oncePerFrame } from "../../parts/timing.js";
import { uid } from "../../shell/shelf.js";
import { grouped, inARow, percent, quoted } from "../../words/phrases.js";
import { classPlace, placeValues, readNumber, readTyped, worthsOf } from "../../words/places.js";
import { detokenize } from "../../words/spell.js";
import { allHeads, headCount, headName } from "./count.js";

const HEADS_SHADES = 10; // of a small map: an element a shade, not one a cell
const HEADS_FAINTEST = 0.045; // a weight below this is not written into its cell
const HEADS_LANGUAGES = [
  ["en", "English"],
  ["de", "German"],
];
const HEADS_LAYERS = [
  ["1", "1"],
  ["2", "2"],
];
const HEADS_EXAMPLES = {
  en: [
    "302415",
    "777777",
    "19019",
    "987654321012",
    "two hundred five",
    "hundred two thousand",
    "two thousand hundred",
    "five and hundred",
    "two million million",
  ],
  de: [
    "302415",
    "777777",
    "21021",
    "987654321012",
    "hundert und fünf",
    "hundert zwei tausend",
    "zwei tausend hundert",
    "zwan zig und ein",
    "zwei Millionen Millionen",
  ],
};

export function renderHeads({ model, el, say, assets, signal }) {
  const speak = calmly(say);
  let network = null;
  let drawn = null; // text, language and layers of what is drawn
  let tokens = []; // the words, and "end"
  let number = null; // what the words mean, if a number is written so
  let truth = []; // each word's place if one is
  let whole = null; // the reading with all heads on
  let now = null; // the reading with the heads that are on
  let pointed = null; // the word under the mouse
  let failure = ""; // why the weights last asked for did not come
  let tiles = [];
  let cards = []; // one a head

  const box = wordsBox(readText);
  const language = choices({ label: "Words", options: HEADS_LANGUAGES, onChoice: changeLanguage });
  const size = menu({
    label: "Layers of 4 heads",
    options: HEADS_LAYERS,
    onChoice: (n) => changeModel(Number(n)),
  });
  const example = menu({ label: "Examples", options: [], onChoice: takeExample });
  for (const { field } of [size, example]) field.classList.add("hd-choice");
  const note = make("p", { class: "al-note", hidden: true });
  const answer = make("p", { class: "hd-answer" });
  const words = make("div", { class: "hd-words", role: "group", "aria-label": "Words" });
  const key = make("p", { class: "al-note" });
  const maps = make("div", { class: "hd-maps" });
  const heading = make("p", { class: "hd-heading" });
  const table = make("table", { class: "hd-matrix" });
  const scroll = make("div", { class: "hd-scroll", tabindex: 0, role: "region" }, table);
  const damage = headCount({ say: speak, signal });
  el.append(
    make(
      "div",
      { class: "al-controls" },
      box.field,
      language.field,
      size.field,
      example.field,
      box.error,
      note,
    ),
    answer,
    words,
    key,
    maps,
    heading,
    scroll,
    damage.element,
  );

  // What the reader asks for ---------------------------------------------------------------

  function change(values) {
    for (const [name, value] of Object.entries(values)) model.set(name, value);
    model.save_changes();
  }

  function readText(typed) {
    const read = readTyped(typed, model.get("language"));
    if (read.error === undefined) change({ text: read.text, word: 0 });
    return read;
  }

  // Words of one language are none of the other: the number that they mean, or that the
  // model read, takes their place.
  function changeLanguage(name) {
    const text = model.get("text");
    const digits = /^\d+$/.test(text) ? text : String(Math.min(number ?? now.number, 999999999999));
    const refused = readTyped(box.refused(), name); // perhaps they are words of this one
    takeText({ language: name, text: refused.text ?? digits });
  }

  // Also where the box says something else, in vain, and the text stays what it was.
  function takeText(values) {
    box.replace(values.text);
    change({ ...values, word: 0 });
  }

  function changeModel(layers) {
    change({ layers, layer: 0, heads_off: [] });
  }

  function takeExample(text) {
    example.set("");
    if (text) takeText({ text });
  }

  function speaks(layer, head) {
    return !model.get("heads_off").some(([i, j]) => i === layer && j === head);
  }

  function silent() {
    return allHeads(network).filter(([layer, head]) => !speaks(layer, head));
  }

  function toggle(layer, head, on) {
    const asked = ([i, j]) => (i === layer && j === head ? !on : !speaks(i, j));
    change({ heads_off: allHeads(network).filter(asked) });
  }

  function chooseWord(index) {
    pointed = null;
    change({ word: index });
    showRow();
  }

  function point(index) {
    if (pointed === index) return;
    pointed = index;
    showRow();
  }

  // Reading --------------------------------------------------------------------------------

  async function load() {
    const wanted = {
      text: model.get("text"),
      language: model.get("language"),
      layers: model.get("layers"),
    };
    const name = `places-${wanted.language}-${wanted.layers}`;
    let found = assets.ready(name, makeModel);
    const undone = drawn && Object.keys(wanted).every((trait) => wanted[trait] === drawn[trait]);
    if (!undone) failure = "";
    if (!found) {
      note.hidden = false;
      note.textContent = "Loading the weights of this model …";
      try {
        found = await assets.model(name, makeModel);
      } catch (error) {
        failure = error.message;
      }
      const changed = Object.keys(wanted).some((trait) => model.get(trait) !== wanted[trait]);
      if (signal.aborted || changed) return;
    }
    note.textContent = failure;
    note.hidden = !failure;
    if (!found) {
      if (drawn) change(drawn); // the controls, and the traits, go back to what is drawn
      speak(failure);
      return;
    }
    const read = readTyped(wanted.text, wanted.language);
    if (read.error !== undefined) {
      box.complain(read.error);
      return;
    }
    begin(found, wanted, read);
  }

  function begin(found, wanted, read) {
    const sameModel = found === network;
    const sameWords = sameModel && String(read.tokens) === String(tokens.slice(0, -1));
    [network, drawn] = [found, wanted];
    box.set(wanted.text);
    language.set(wanted.language);
    size.set(wanted.layers);
    if (sameWords) return;
    tokens = [...read.tokens, "end"];
    number = read.number;
    truth = number === null ? [] : placesOf(read.tokens);
    whole = perform(() => true);
    pointed = null;
    if (!sameModel) {
      fillExamples();
      buildCards();
    }
    buildWords();
    buildMatrix();
    update();
  }

  // The places of the words of a number, also where an "and" stands that need not.
  function placesOf(said) {
    const worths = worthsOf(drawn.language);
    const known = placeValues(number, drawn.language).filter((place) => place !== null);
    return said.map((token) => (worths.has(token) ? known.shift() : null));
  }

  function perform(on) {
    const said = tokens.slice(0, -1); // the end is no word
    const { logits, weights } = tag(network, sourceIds(network, said), on);
    const classes = logits.map(argmax);
    const places = classes.map(classPlace);
    return {
      weights,
      places,
      number: readNumber(said, places.slice(0, -1), drawn.language),
      sure: logits.map((row, i) => softmax(row)[classes[i]]),
    };
  }

  // Building -------------------------------------------------------------------------------

  function fillExamples() {
    const shown = (text) =>
      /^\d+$/.test(text) ? grouped(text) : detokenize(text.split(" "), drawn.language);
    example.fill([
      ["", "choose …"],
      ...HEADS_EXAMPLES[drawn.language].map((text) => [text, shown(text)]),
    ]);
  }

  function buildWords() {
    tiles = tokens.map((token, index) => {
      const worth = make("span", { class: "hd-worth" });
      const was = make("span", { class: "hd-was" });
      const bars = cards.map(() => make("span"));
      const button = make(
        "button",
        { type: "button", class: "hd-tile" },
        make("span", { class: "hd-word", lang: drawn.language }, token),
        worth,
        was,
        make("span", { class: "hd-bars", style: `--heads: ${network.config.num_heads}` }, ...bars),
      );
      if (index === tokens.length - 1) button.classList.add("end");
      for (const kind of ["focus", "click"]) button.addEventListener(kind, () => chooseWord(index));
      return { button, worth, was, bars };
    });
    words.replaceChildren(...tiles.map(({ button }) => button));
  }

  function buildMatrix() {
    const columns = tokens.map((token) =>
      make(
        "th",
        { scope: "col", lang: drawn.language },
        make("span", { class: "hd-upright" }, token),
      ),
    );
    const rows = tokens.map((token) =>
      make(
        "tr",
        {},
        make("th", { scope: "row", lang: drawn.language }, token),
        ...tokens.map(() => make("td")),
      ),
    );
    table.replaceChildren(
      make("thead", {}, make("tr", {}, make("td"), ...columns)),
      make("tbody", {}, ...rows),
    );
    table.style.setProperty("--columns", tokens.length);
  }

  function buildCards() {
    cards = allHeads(network).map(buildCard);
    const layers = Array.from({ length: network.config.num_layers }, (_, i) => i);
    maps.replaceChildren(
      ...layers.map((i) =>
        make(
          "div",
          { class: "hd-layer", role: "group", "aria-label": `Heads of layer ${i + 1}` },
          layers.length > 1 ? make("p", { class: "al-label" }, `Layer ${i + 1}`) : "",
          make(
            "div",
            { class: "hd-cards" },
            ...cards.filter(({ layer }) => layer === i).map(({ card }) => card),
          ),
        ),
      ),
    );
  }

  function buildCard([layer, head]) {
    const name = headName(network, [layer, head]);
    const input = make("input", { type: "checkbox" });
    input.addEventListener("change", () => toggle(layer, head, input.checked));
    const state = make("span", { class: "hd-state", "aria-hidden": "true" });
    const svg = makeSvg("svg", { "aria-hidden": "true" });
    const shades = Array.from({ length: HEADS_SHADES }, (_, i) =>
      svg.appendChild(makeSvg("path", { "fill-opacity": (i + 1) / HEADS_SHADES })),
    );
    const row = svg.appendChild(makeSvg("rect", { class: "hd-row", x: 0, height: 1 }));
    const button = make(
      "button",
      { type: "button", class: "hd-map", "aria-label": `Map of head ${name}` },
      svg,
    );
    button.addEventListener("click", () => change({ layer, head }));
    const top = make("p", { class: "hd-top" });
    const card = make(
      "div",
      { class: "hd-card" },
      make("label", { class: "hd-switch" }, input, make("span", {}, `Head ${name}`), state),
      button,
      top,
    );
    return { layer, head, card, input, state, svg, shades, row, button, top };
  }

  // Drawing --------------------------------------------------------------------------------

  function update() {
    now = silent().length ? perform(speaks) : whole;
    showAnswer();
    tiles.forEach(showTile);
    cards.forEach(showCard);
    showMatrix();
    showRow();
    damage.show(network, silent());
  }

  function showAnswer() {
    const verdicts = {
      unsaid: "– no number is written so: there is no right answer",
      right: "✓\uFE0E right",
      wrong: `✗\uFE0E wrong: ${grouped(number ?? 0)} is meant`,
    };
    answer.dataset.verdict = number === null ? "unsaid" : now.number === number ? "right" : "wrong";
    answer.replaceChildren(
      make("span", { class: "al-label" }, "The model reads "),
      make("span", { class: "hd-number" }, grouped(now.number)),
      " ",
      make("span", { class: "hd-verdict" }, verdicts[answer.dataset.verdict]),
    );
  }

  function hasWorth(index) {
    return worthsOf(drawn.language).has(tokens[index]);
  }

  // What has become of a word: is its worth another than with all heads, is it wrong?
  function verdict(index) {
    if (!hasWorth(index)) return { changed: false, wrong: false };
    const place = now.places[index];
    return {
      changed: place !== whole.places[index],
      wrong: number !== null && place !== truth[index],
    };
  }

  function showTile({ button, worth, was }, index) {
    const name = tileName(index);
    if (button.getAttribute("aria-label") === name) return;
    button.setAttribute("aria-label", name);
    const { changed, wrong } = verdict(index);
    worth.replaceChildren(
      ...(hasWorth(index)
        ? [make("b", {}, worthSign(now.places[index])), ` ${percent(now.sure[index])}`]
        : ["–"]),
    );
    const instead = changed
      ? `was ${worthSign(whole.places[index])}`
      : `not ${worthSign(truth[index])}`;
    was.textContent = changed || wrong ? `${wrong ? "✗\uFE0E" : "≠"} ${instead}` : "";
    button.classList.toggle("changed", changed);
    button.classList.toggle("wrong", wrong);
  }

  function tileName(index) {
    if (index === tokens.length - 1) return "the end of the number";
    if (!hasWorth(index)) return `${quoted(tokens, index)}, no worth of its own`;
    const { changed, wrong } = verdict(index);
    return [
      `${quoted(tokens, index)}, ${worthName(now.places[index])}, ${percent(now.sure[index])} sure`,
      changed && `with all heads ${worthName(whole.places[index])}`,
      wrong && `wrong, it is ${worthName(truth[index])}`,
    ]
      .filter(Boolean)
      .join(", ");
  }

  function chosenHead() {
    const layer = Math.min(model.get("layer"), network.config.num_layers - 1);
    return [layer, model.get("head")];
  }

  function showCard({ layer, head, card, input, state, svg, shades, button }) {
    const on = speaks(layer, head);
    input.checked = on;
    state.textContent = on ? "on" : "off";
    card.classList.toggle("off", !on);
    button.setAttribute("aria-pressed", String(String(chosenHead()) === String([layer, head])));
    svg.setAttribute("viewBox", `0 0 ${tokens.length} ${tokens.length}`);
    const outlines = Array(HEADS_SHADES).fill("");
    now.weights[layer][head].forEach((row, from) =>
      row.forEach((weight, to) => {
        const shade = Math.min(HEADS_SHADES, Math.round(weight * HEADS_SHADES)) - 1;
        if (shade >= 0) outlines[shade] += `M${to} ${from}h1v1h-1z`;
      }),
    );
    shades.forEach((path, shade) => path.setAttribute("d", outlines[shade]));
  }

  function showMatrix() {
    const [layer, head] = chosenHead();
    const name = headName(network, [layer, head]);
    const off = speaks(layer, head) ? "" : " It is off: what it finds goes nowhere.";
    heading.textContent = `Head ${name}: from the words at the side to those at the top, in percent.${off}`;
    scroll.setAttribute("aria-label", `Large map of head ${name}`);
    const rows = [...table.tBodies[0].rows];
    now.weights[layer][head].forEach((row, from) =>
      row.forEach((weight, to) => {
        const cell = rows[from].cells[to + 1];
        if (!showWeight(cell, weight)) return;
        cell.textContent = weight < HEADS_FAINTEST ? "" : Math.round(100 * weight);
      }),
    );
  }

  // All that depends on the chosen word.
  function showRow() {
    const reached = Math.min(model.get("word"), tokens.length - 1); // by the Tab key
    const index = pointed ?? reached;
    tiles.forEach(({ button, bars }, i) => {
      button.setAttribute("aria-pressed", String(i === index));
      button.tabIndex = i === reached ? 0 : -1;
      cards.forEach(({ layer, head }, h) => {
        showWeight(bars[h], now.weights[layer][head][index][i]);
        bars[h].classList.toggle("off", !speaks(layer, head));
      });
    });
    for (const { layer, head, row, top } of cards) {
      row.setAttribute("y", index);
      row.setAttribute("width", tokens.length);
      const { to, weight } = strongest(layer, head, index);
      top.textContent = `${tokens[index]} → ${tokens[to]} ${percent(weight)}`;
    }
    [...table.tBodies[0].rows].forEach((row, i) => row.classList.toggle("chosen", i === index));
    const [first, last] = [cards[0], cards.at(-1)].map(({ layer, head }) =>
      headName(network, [layer, head]),
    );
    key.textContent =
      `Bars: how much heads ${first} to ${last} look from ${quoted(tokens, index)} at each word. `
      + "Percent: how sure the model is of a worth.";
    speak(summary(index));
  }

  function strongest(layer, head, from) {
    const row = now.weights[layer][head][from];
    const to = argmax(row);
    return { to, weight: row[to] };
  }

  function summary(index) {
    const off = silent().map((head) => headName(network, head));
    const verdicts = {
      unsaid: ". No number is written so: there is no right answer.",
      right: ", which is right.",
      wrong: `, but ${grouped(number ?? 0)} is meant.`,
    };
    const broken = tokens.flatMap((_, i) => {
      const { changed, wrong } = verdict(i);
      if (!changed && !wrong) return [];
      const before = changed ? ` instead of ${worthName(whole.places[i])}` : "";
      return [`${quoted(tokens, i)} counts ${worthName(now.places[i])}${before}`];
    });
    const looks = cards.map(({ layer, head }) => {
      const { to, weight } = strongest(layer, head, index);
      const word = to === tokens.length - 1 ? "the end" : quoted(tokens, to);
      return `head ${headName(network, [layer, head])} at ${word} (${percent(weight)})`;
    });
    return [
      failure,
      off.length
        ? `Without head${off.length > 1 ? "s" : ""} ${inARow(off)} the model reads`
        : "With all heads the model reads",
      `${grouped(now.number)}${verdicts[answer.dataset.verdict]}`,
      broken.length ? `${inARow(broken).replace(/^t/, "T")}.` : "",
      `From ${quoted(tokens, index)} each head looks most: ${looks.join(", ")}.`,
    ]
      .filter(Boolean)
      .join(" ");
  }

  // Choosing a word, by keyboard and mouse ---------------------------------------------------

  words.addEventListener("keydown", (event) => {
    const index = tiles.findIndex(({ button }) => button === document.activeElement);
    const goal = {
      ArrowRight: index + 1,
      ArrowDown: index + 1,
      ArrowLeft: index - 1,
      ArrowUp: index - 1,
      Home: 0,
      End: tiles.length - 1,
    }[event.key];
    if (index < 0 || goal === undefined) return;
    event.preventDefault();
    tiles[goal]?.button.focus();
  });
  words.addEventListener("pointerover", (event) => {
    const index = tiles.findIndex(({ button }) => button === event.target.closest("button"));
    if (event.pointerType === "mouse" && index >= 0) point(index);
  });
  table.addEventListener("pointerover", (event) => {
    const row = event.target.closest("tbody tr");
    if (event.pointerType === "mouse" && row) point(row.sectionRowIndex);
  });
  table.addEventListener("click", (event) => {
    const row = event.target.closest("tbody tr");
    if (row) chooseWord(row.sectionRowIndex);
  });
  for (const home of [words, table]) home.addEventListener("pointerleave", () => point(null));

  const ifDrawn = (draw) =>
    oncePerFrame(() => {
      if (network) draw();
    });
  const loadNext = oncePerFrame(load);
  for (const name of ["text", "language", "layers"]) model.on(`change:${name}`, loadNext);
  for (const name of ["heads_off", "layer", "head"]) model.on(`change:${name}`, ifDrawn(update));
  model.on("change:word", ifDrawn(showRow));
  load();
}

// A labelled box for a number or words; `onText(typed)` returns what `readTyped` does.
function wordsBox(onText) {
  const id = uid("words");
  const input = make("input", {
    id,
    type: "text",
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    "aria-describedby": `${id}-error`,
  });
  const error = make("p", { id: `${id}-error`, class: "al-error", role: "alert" });
  const field = make(
    "div",
    { class: "al-field hd-text" },
    make("label", { for: id }, "A number, in digits or in words"),
    input,
  );
  let current = null; // what the figure shows
  function complain(message) {
    error.textContent = message;
    input.setAttribute("aria-invalid", message ? "true" : "false");
  }
  input.addEventListener("input", () => {
    const read = onText(input.value);
    complain(read.error ?? "");
    current = read.text ?? current;
  });
  function replace(text) {
    current = text;
    input.value = text;
    complain("");
  }
  function set(text) {
    // What stands in the box is not rewritten while it is typed, nor a complaint about it.
    if (text !== current) replace(text);
  }
  const refused = () => (error.textContent ? input.value : "");
  return { field, error, complain, set, replace, refused };
}

// Fill an element by a weight. Returns whether that changes it: most switches leave most
// weights as they are, and to write a thousand styles takes longer than to compute them.
const headsShown = new WeakMap(); // element -> the weight it shows
function showWeight(element, weight) {
  const text = weight.toFixed(3);
  if (headsShown.get(element) === text) return false;
  headsShown.set(element, text);
  element.style.setProperty("--weight", text);
  return true;
}

function worthSign(place) {
  if (place === null) return "none";
  return `×10${[...String(place)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("")}`;
}

function worthName(place) {
  return place === null ? "nothing" : `times ${grouped(10 ** place)}`;
}
