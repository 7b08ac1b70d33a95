// What is each head for, and what breaks without it? A tagger reads a number's words; its
// heads can be switched off one by one.
import { sourceIds } from "./seq2seq.js";
import { argmax, softmax } from "./tensor.js";
import { tag } from "./tagger.js";
import { classPlace, cutWords, meantNumber, placeValues, readNumber, worthsOf } from "./places.js";
import { detokenize, numberTokens, parseNumber } from "./spell.js";
import { calmly, choices, grouped, make, makeSvg, menu, oncePerFrame, ordinal, percent, quoted } from "./controls.js";
import { uid } from "./mount.js";

const HEADS_MAX_WORDS = 40;
const HEADS_SHADES = 10; // of a small map: an element a shade, not one a cell
const HEADS_PAUSE = 8; // milliseconds of counting in a frame: the page stays responsive
const HEADS_LANGUAGES = [["en", "English"], ["de", "German"]];
const HEADS_MODELS = [["1", "1 layer, 4 heads"], ["2", "2 layers, 4 heads each"]];
const HEADS_KNOWN = {
  en: "the English number words from zero to ninety, and, hundred, thousand, million and billion",
  de: "the parts of German number words: null to zwölf, ein, eine, zwan, sech, sieb, zehn, zig, ßig, "
    + "und, hundert, tausend, Million, Millionen, Milliarde and Milliarden",
};
const HEADS_EXAMPLES = {
  en: ["302415", "777777", "19019", "200005", "987654321012", "two hundred five", "hundred two thousand",
    "two thousand hundred", "five and hundred", "two million million"],
  de: ["302415", "777777", "21021", "200005", "987654321012", "hundert zwei tausend",
    "zwei tausend hundert", "zwan zig und ein", "fünf und hundert", "zwei Millionen Millionen"],
};

export function renderHeads({ model, el, say, assets, signal }) {
  const speak = calmly(say);
  let network = null;
  let drawn = null; // text, language and layers of what is drawn
  let tokens = []; // the words, and "end"
  let number = null; // what the words mean, if they mean a number
  let truth = []; // each word's place if they do
  let whole = null; // the reading with all heads on
  let now = null; // the reading with the heads that are on
  let pointed = null; // the word under the mouse
  let failure = "";
  let tiles = [];
  let cards = []; // cards[layer][head]
  let counting = 0; // which count is under way
  const counts = new Map(); // by model: what the table shows

  const box = textBox(readText);
  const language = choices({ label: "Words", options: HEADS_LANGUAGES, onChoice: changeLanguage });
  const size = menu({ label: "Model", options: HEADS_MODELS, onChoice: (n) => changeModel(Number(n)) });
  const example = menu({ label: "Examples", options: [], onChoice: takeExample });
  const note = make("p", { class: "al-note", hidden: true });
  const answer = make("p", { class: "hd-answer" });
  const words = make("div", { class: "hd-words", role: "group", "aria-label": "Words" });
  const key = make("p", { class: "al-note" });
  const maps = make("div", { class: "hd-maps" });
  const heading = make("p", { class: "hd-heading" });
  const table = make("table", { class: "hd-matrix" });
  const scroll = make("div", { class: "hd-scroll", tabindex: 0, role: "region" }, table);
  const count = make("button", { type: "button" }, "Count the misread numbers");
  const damage = make("table", { class: "hd-damage" });
  const damageNote = make("p", { class: "al-note" });
  el.append(
    make("div", { class: "al-controls" }, box.field, language.field, size.field, example.field, box.error, note),
    answer, words, key, maps, heading, scroll,
    make("div", { class: "hd-count" }, count, make("div", { class: "hd-scroll" }, damage), damageNote),
  );

  // Traits ---------------------------------------------------------------------------

  function change(values) {
    for (const [name, value] of Object.entries(values)) model.set(name, value);
    model.save_changes();
  }

  function speaks(layer, head) {
    return !model.get("heads_off").some(([i, j]) => i === layer && j === head);
  }

  function silent() {
    const { num_layers: layers, num_heads: heads } = network.config;
    return pairs(layers, heads).filter(([layer, head]) => !speaks(layer, head));
  }

  function toggle(layer, head, on) {
    const others = silent().filter(([i, j]) => i !== layer || j !== head);
    change({ heads_off: on ? others : [...others, [layer, head]].sort() });
  }

  function readText(typed) {
    const read = parseText(typed, model.get("language"));
    if (read.error === undefined) change({ text: read.text, word: 0 });
    return read.error ?? "";
  }

  // Words of one language are none of the other: the number that they mean, or that the
  // model read, is written in it.
  function changeLanguage(name) {
    const text = model.get("text");
    const kept = /^\d+$/.test(text) ? text : String(Math.min(number ?? now.number, 999999999999));
    change({ language: name, text: kept, word: 0 });
  }

  function changeModel(layers) {
    change({ layers, layer: 0, heads_off: [] });
  }

  function takeExample(text) {
    example.set("");
    if (text) change({ text, word: 0 });
  }

  // Reading --------------------------------------------------------------------------

  async function load() {
    const wanted = { text: model.get("text"), language: model.get("language"), layers: model.get("layers") };
    const name = `places-${wanted.language}-${wanted.layers}`;
    let found = assets.ready(name);
    if (!found) {
      failure = "";
      note.hidden = false;
      note.textContent = "Loading the weights of this model …";
      try {
        found = await assets.model(name);
      } catch (error) {
        failure = error.message;
      }
      if (signal.aborted || Object.keys(wanted).some((trait) => model.get(trait) !== wanted[trait])) return;
    }
    note.textContent = failure;
    note.hidden = !failure;
    if (!found) {
      if (drawn) change(drawn); // back to the model that is drawn
      else speak(failure);
      return;
    }
    const read = parseText(wanted.text, wanted.language);
    if (read.error !== undefined) {
      box.complain(read.error);
      return;
    }
    const sameModel = found === network;
    network = found;
    drawn = wanted;
    box.set(wanted.text);
    language.set(wanted.language);
    size.set(wanted.layers);
    fillExamples();
    tokens = [...read.tokens, "end"];
    number = read.number;
    truth = number === null ? [] : placesInWords(read.tokens);
    whole = perform(() => true);
    if (!sameModel) buildCards();
    buildWords();
    update();
    if (!sameModel) showCounts();
  }

  // The places that the words of a number have, also where an "and" more or less stands.
  function placesInWords(typed) {
    const worths = worthsOf(drawn.language);
    const known = placeValues(number, drawn.language).filter((place) => place !== null);
    return typed.map((token) => (worths.has(token) ? known.shift() : null));
  }

  function perform(on) {
    const said = tokens.slice(0, -1); // the end is no word
    const { logits, weights } = tag(network, sourceIds(network, said), on);
    const classes = logits.map(argmax);
    const places = classes.map(classPlace);
    return {
      weights, places, number: readNumber(said, places.slice(0, -1), drawn.language),
      sure: logits.map((row, i) => softmax(row)[classes[i]]),
    };
  }

  // Building ---------------------------------------------------------------------------

  function fillExamples() {
    const name = drawn.language;
    example.fill([["", "choose …"], ...HEADS_EXAMPLES[name].map((text) =>
      [text, /^\d+$/.test(text) ? grouped(text) : detokenize(text.split(" "), name)])]);
  }

  function buildWords() {
    tiles = tokens.map((token, index) => {
      const parts = {
        word: make("span", { class: "hd-word", lang: drawn.language }, token),
        worth: make("span", { class: "hd-worth" }),
        was: make("span", { class: "hd-was" }),
        bars: cards.flat().map(({ layer, head }) => make("span", { "data-head": headName(layer, head) })),
      };
      const bars = make("span", { class: "hd-bars", "aria-hidden": "true",
        style: `--heads: ${network.config.num_heads}` }, ...parts.bars);
      const button = make("button", { type: "button", class: "hd-tile" },
        parts.word, parts.worth, parts.was, bars);
      if (index === tokens.length - 1) button.classList.add("end");
      button.addEventListener("focus", () => chooseWord(index));
      button.addEventListener("click", () => chooseWord(index));
      return { button, ...parts };
    });
    words.replaceChildren(...tiles.map(({ button }) => button));
    pointed = null;

    const heads = tokens.map((token) => make("th", { scope: "col" },
      make("span", { class: "hd-upright", lang: drawn.language }, token)));
    const rows = tokens.map((token) => make("tr", {},
      make("th", { scope: "row", lang: drawn.language }, token),
      ...tokens.map(() => make("td", {}, make("span", {})))));
    table.replaceChildren(
      make("thead", {}, make("tr", {}, make("td", {}), ...heads)), make("tbody", {}, ...rows));
    table.style.setProperty("--columns", tokens.length);
  }

  function buildCards() {
    const { num_layers: layers, num_heads: heads } = network.config;
    cards = [];
    const groups = [];
    for (let layer = 0; layer < layers; layer++) {
      cards.push(Array.from({ length: heads }, (_, head) => buildCard(layer, head)));
      groups.push(make("div", { class: "hd-layer", role: "group", "aria-label": `Layer ${layer + 1}` },
        layers > 1 ? make("p", { class: "al-label" }, `Layer ${layer + 1}`) : "",
        make("div", { class: "hd-cards" }, ...cards[layer].map(({ card }) => card))));
    }
    maps.replaceChildren(...groups);
  }

  function buildCard(layer, head) {
    const name = headName(layer, head);
    const input = make("input", { type: "checkbox" });
    input.addEventListener("change", () => toggle(layer, head, input.checked));
    const state = make("span", { class: "hd-state", "aria-hidden": "true" });
    const svg = makeSvg("svg", { "aria-hidden": "true", preserveAspectRatio: "none" });
    const shades = Array.from({ length: HEADS_SHADES }, (_, i) =>
      svg.appendChild(makeSvg("path", { "fill-opacity": (i + 1) / HEADS_SHADES })));
    const row = svg.appendChild(makeSvg("rect", { class: "hd-row", x: 0, height: 1 }));
    const button = make("button", { type: "button", class: "hd-map", "aria-label": `Map of head ${name}` }, svg);
    button.addEventListener("click", () => change({ layer, head }));
    const top = make("p", { class: "hd-top" });
    const card = make("div", { class: "hd-card" },
      make("label", { class: "hd-switch" }, input, make("span", {}, `Head ${name}`), state), button, top);
    return { layer, head, card, input, state, svg, shades, row, button, top };
  }

  // Head 2 of the only layer is "2", head 2 of the first of two layers "1.2".
  function headName(layer, head) {
    return network.config.num_layers > 1 ? `${layer + 1}.${head + 1}` : String(head + 1);
  }

  // Drawing ----------------------------------------------------------------------------

  function update() {
    now = silent().length ? perform(speaks) : whole;
    showAnswer();
    tiles.forEach(showTile);
    for (const card of cards.flat()) showCard(card);
    showMatrix();
    showRow();
  }

  function chosenWord() {
    return pointed ?? Math.min(model.get("word"), tokens.length - 1);
  }

  function chosenHead() {
    return [Math.min(model.get("layer"), cards.length - 1), model.get("head")];
  }

  function showAnswer() {
    const right = number === null ? null : now.number === number;
    answer.replaceChildren(
      make("span", { class: "al-label" }, "The model reads "),
      make("span", { class: `hd-number ${right === false ? "wrong" : ""}` }, grouped(now.number)),
      make("span", { class: "hd-verdict" }, {
        null: " – nobody puts it so: there is no right answer",
        true: " ✓\uFE0E right",
        false: ` ✗\uFE0E wrong: ${number === null ? "" : grouped(number)} is meant`,
      }[right]));
    answer.classList.toggle("wrong", right === false);
    answer.classList.toggle("unsaid", right === null);
  }

  // What has become of a word: {changed, wrong, text}.
  function verdict(index) {
    const [place, before, gold] = [now.places[index], whole.places[index], truth[index] ?? null];
    if (!hasWorth(index)) return { changed: false, wrong: false, text: "" };
    const changed = place !== before;
    const wrong = number !== null && place !== gold;
    let text = "";
    if (changed) text = `was ${worthSign(before)}`;
    else if (wrong) text = `not ${worthSign(gold)}`;
    return { changed, wrong, text };
  }

  function hasWorth(index) {
    return worthsOf(drawn.language).has(tokens[index]);
  }

  function showTile({ button, worth, was }, index) {
    const { changed, wrong, text } = verdict(index);
    worth.replaceChildren(...(hasWorth(index)
      ? [make("b", {}, worthSign(now.places[index])), ` ${percent(now.sure[index])}`] : ["–"]));
    was.textContent = text && `${wrong ? "✗\uFE0E" : "≠"} ${text}`;
    button.classList.toggle("changed", changed);
    button.classList.toggle("wrong", wrong);
    button.setAttribute("aria-label", tileText(index));
  }

  function tileText(index) {
    const word = quoted(tokens, index);
    if (index === tokens.length - 1) return "the end of the number";
    if (!hasWorth(index)) return `${word}, no worth of its own`;
    const { changed, wrong } = verdict(index);
    const parts = [`${word}, ${worthName(now.places[index])}, ${percent(now.sure[index])} sure`];
    if (changed) parts.push(`with all heads ${worthName(whole.places[index])}`);
    if (wrong) parts.push(`wrong, it is ${worthName(truth[index])}`);
    return parts.join(", ");
  }

  function showCard({ layer, head, card, input, state, svg, shades, button }) {
    const on = speaks(layer, head);
    input.checked = on;
    state.textContent = on ? "on" : "off";
    card.classList.toggle("off", !on);
    const [i, j] = chosenHead();
    button.setAttribute("aria-pressed", String(i === layer && j === head));
    const n = tokens.length;
    svg.setAttribute("viewBox", `0 0 ${n} ${n}`);
    const outlines = Array(HEADS_SHADES).fill("");
    now.weights[layer][head].forEach((row, q) => row.forEach((weight, k) => {
      if (weight < 0.02) return;
      outlines[Math.min(HEADS_SHADES - 1, Math.floor(weight * HEADS_SHADES))] += `M${k} ${q}h1v1h-1z`;
    }));
    shades.forEach((path, shade) => path.setAttribute("d", outlines[shade]));
  }

  function showMatrix() {
    const [layer, head] = chosenHead();
    const name = headName(layer, head);
    const off = speaks(layer, head) ? "" : " It is switched off: what it finds goes nowhere.";
    heading.textContent = `Head ${name}: from the words down the side to the words across, weights in percent.${off}`;
    scroll.setAttribute("aria-label", `Map of head ${name}`);
    const rows = [...table.tBodies[0].rows];
    now.weights[layer][head].forEach((row, q) => row.forEach((weight, k) => {
      const cell = rows[q].cells[k + 1];
      cell.style.setProperty("--weight", weight.toFixed(3));
      cell.classList.toggle("strong", weight > 0.6);
      cell.firstChild.textContent = Math.round(100 * weight);
      cell.firstChild.classList.toggle("faint", weight < 0.045);
    }));
  }

  // All that depends on the chosen word.
  function showRow() {
    const index = chosenWord();
    tiles.forEach(({ button, bars }, i) => {
      button.classList.toggle("chosen", i === index);
      button.setAttribute("aria-pressed", String(i === index));
      button.tabIndex = i === Math.min(model.get("word"), tokens.length - 1) ? 0 : -1;
      cards.flat().forEach(({ layer, head }, h) => {
        bars[h].style.setProperty("--weight", now.weights[layer][head][index][i].toFixed(3));
        bars[h].classList.toggle("off", !speaks(layer, head));
      });
    });
    for (const { layer, head, row, top } of cards.flat()) {
      row.setAttribute("y", index);
      row.setAttribute("width", tokens.length);
      const [k, weight] = strongest(layer, head, index);
      top.textContent = `${tokens[index]} → ${tokens[k]} ${percent(weight)}`;
    }
    [...table.tBodies[0].rows].forEach((row, i) => row.classList.toggle("chosen", i === index));
    key.textContent = `Bars: how much ${cards.flat().length} heads, in order, look from ${quoted(tokens, index)} at each word. `
      + "Percent: how sure the model is of a word's worth.";
    speak(summary(index));
  }

  function strongest(layer, head, from) {
    const row = now.weights[layer][head][from];
    const at = argmax(row);
    return [at, row[at]];
  }

  function summary(index) {
    const off = silent().map(([layer, head]) => headName(layer, head));
    const parts = failure ? [failure] : [];
    if (off.length) parts.push(`Without head ${listed(off)}:`);
    parts.push(`The model reads ${grouped(now.number)}`
      + `${number === null ? ". Nobody puts it so: there is no right answer." : now.number === number ? ", which is right." : `, but ${grouped(number)} is meant.`}`);
    const broken = tokens.flatMap((_, i) => {
      const { changed, wrong } = verdict(i);
      if (!changed && !wrong) return [];
      return [`${quoted(tokens, i)} counts ${worthName(now.places[i])}`
        + (changed ? ` instead of ${worthName(whole.places[i])}` : "")];
    });
    if (broken.length) parts.push(`${capital(listed(broken))}.`);
    const looks = cards.flat().map(({ layer, head }) => {
      const [k, weight] = strongest(layer, head, index);
      return `head ${headName(layer, head)} at ${`${ordinal(tokens, k)} ${tokens[k]}`.trim()} (${percent(weight)})`;
    });
    parts.push(`From ${quoted(tokens, index)} most goes: ${looks.join(", ")}.`);
    return parts.join(" ");
  }

  // Choosing words -----------------------------------------------------------------------

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

  words.addEventListener("keydown", (event) => {
    const index = tiles.findIndex(({ button }) => button === document.activeElement);
    const goal = { ArrowRight: index + 1, ArrowDown: index + 1, ArrowLeft: index - 1, ArrowUp: index - 1,
      Home: 0, End: tiles.length - 1 }[event.key];
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

  // Counting -----------------------------------------------------------------------------

  count.addEventListener("click", countAll);

  /** Read the test numbers with all heads, without each, and with each alone. */
  async function countAll() {
    const mine = (counting += 1);
    const counted = network;
    const { num_layers: layers, num_heads: heads } = counted.config;
    const each = pairs(layers, heads);
    const settings = [() => true,
      ...each.map(([i, j]) => (layer, head) => layer !== i || head !== j),
      ...each.map(([i, j]) => (layer, head) => layer === i && head === j)];
    const numbers = counted.metadata.test_numbers;
    const rights = settings.map(() => 0);
    const looks = each.map(() => new Map());
    let start = performance.now();
    for (const [done, one] of numbers.entries()) {
      const spoken = numberTokens(one, counted.metadata.language);
      settings.forEach((on, s) => {
        const { logits, weights } = tag(counted, sourceIds(counted, spoken), on);
        const places = logits.slice(0, -1).map((row) => classPlace(argmax(row)));
        if (readNumber(spoken, places, counted.metadata.language) === one) rights[s] += 1;
        if (s === 0) each.forEach(([i, j], h) => gather(looks[h], spoken, weights[i][j], counted.metadata.language));
      });
      if (performance.now() - start > HEADS_PAUSE) {
        count.textContent = `Counting … ${done + 1} of ${numbers.length}`;
        await new Promise((resolve) => setTimeout(resolve));
        if (signal.aborted || mine !== counting) return;
        start = performance.now();
      }
    }
    counts.set(counted, { total: numbers.length, all: rights[0], looks,
      without: rights.slice(1, each.length + 1), alone: rights.slice(each.length + 1) });
    showCounts();
    speak(countSummary(counts.get(counted)));
  }

  function showCounts() {
    counting += 1; // a count for another model is of no use any more
    const found = counts.get(network);
    const total = network.metadata.test_numbers.length;
    count.textContent = `Count the misread among ${total} numbers`;
    count.hidden = Boolean(found);
    damage.hidden = damageNote.hidden = !found;
    if (!found) return;
    const worst = Math.min(...found.without);
    const names = pairs(network.config.num_layers, network.config.num_heads).map(([i, j]) => headName(i, j));
    const row = (name, without, alone, looks) => make("tr", {}, make("th", { scope: "row" }, name),
      make("td", {}, without), make("td", {}, alone), make("td", {}, looks));
    damage.replaceChildren(
      make("caption", { class: "al-label" }, `Read right, of ${total} numbers it has not seen`),
      make("thead", {}, make("tr", {}, ...["Head", "without it", "it alone", "where its weight goes"].map((text) =>
        make("th", { scope: "col" }, text)))),
      make("tbody", {}, row("all on", String(found.all), "", ""), ...names.map((name, h) => row(name,
        `${found.without[h]}${found.without[h] === worst ? " ◂\uFE0E most missed" : ""}`,
        String(found.alone[h]), describeLooks(found.looks[h])))));
    damageNote.textContent = "Where the weight goes: from words that have a worth, with all heads on.";
  }

  function countSummary({ total, all, without }) {
    const names = pairs(network.config.num_layers, network.config.num_heads).map(([i, j]) => headName(i, j));
    return `Of ${total} numbers that it has not seen the model reads ${all} right; `
      + `${names.map((name, h) => `without head ${name} ${without[h]}`).join(", ")}.`;
  }

  const loadNext = oncePerFrame(load);
  const updateNext = oncePerFrame(() => { if (network && tokens.length) update(); });
  for (const name of ["text", "language", "layers"]) model.on(`change:${name}`, loadNext);
  for (const name of ["heads_off", "layer", "head", "word"]) model.on(`change:${name}`, updateNext);
  load();
}

// A labelled box for a number or words; `onText(typed)` returns a complaint, or "".
function textBox(onText) {
  const id = uid("text");
  const input = make("input", { id, type: "text", autocomplete: "off", autocapitalize: "off",
    spellcheck: "false", "aria-describedby": `${id}-error` });
  const error = make("p", { id: `${id}-error`, class: "al-error", role: "alert" });
  const field = make("div", { class: "al-field hd-text" }, make("label", { for: id }, "A number, in digits or in words"), input);
  let current = null; // the text that stands in the box, as the model has it
  function complain(message) {
    error.textContent = message;
    input.setAttribute("aria-invalid", message ? "true" : "false");
  }
  input.addEventListener("input", () => complain(onText(input.value)));
  function set(text) {
    // What stands in the box is not rewritten while it is typed, nor a complaint about it.
    if (text === current) return;
    current = text;
    if (document.activeElement === input) return;
    input.value = text;
    complain("");
  }
  return { field, error, complain, set };
}

// What somebody typed, in digits or words: { text, tokens, number } or { error }. The
// number is null if the words are put as nobody puts them.
function parseText(typed, language) {
  const text = typed.trim();
  if (text === "") return { error: "Please type a number, in digits or in words." };
  if (/\d/.test(text)) {
    const { number, error } = parseNumber(text);
    if (error !== undefined) return { error };
    return { text: String(number), tokens: numberTokens(number, language), number };
  }
  const { tokens, error } = cutWords(text, language);
  if (error !== undefined) {
    const piece = error.length > 24 ? `${error.slice(0, 24)}…` : error;
    return { error: `“${piece}” is no word that this model has learned. It knows ${HEADS_KNOWN[language]}.` };
  }
  if (tokens.length === 0) return { error: "Please type a number, in digits or in words." };
  if (tokens.length > HEADS_MAX_WORDS) return { error: `Please type at most ${HEADS_MAX_WORDS} words.` };
  return { text: tokens.join(" "), tokens, number: meantNumber(tokens, language) };
}

// All heads, as [layer, head].
function pairs(layers, heads) {
  return Array.from({ length: layers * heads }, (_, i) => [Math.floor(i / heads), i % heads]);
}

// Adds up the weights that go out from words with a worth, by the word they go to.
function gather(sums, spoken, weights, language) {
  const worths = worthsOf(language);
  spoken.forEach((word, q) => {
    if (!worths.has(word)) return;
    weights[q].forEach((weight, k) => {
      const at = k === q ? "itself" : spoken[k] ?? "end";
      const name = k !== q && worths.has(at) ? "other digits" : at;
      sums.set(name, (sums.get(name) ?? 0) + weight);
    });
  });
}

// The words that get most of it, with their shares.
function describeLooks(sums) {
  const total = [...sums.values()].reduce((sum, x) => sum + x, 0);
  return [...sums].sort((a, b) => b[1] - a[1]).slice(0, 3)
    .map(([name, weight]) => `${name} ${percent(weight / total)}`).join(", ");
}

function worthSign(place) {
  return place === null ? "no worth" : `×10${[...String(place)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("")}`;
}

function worthName(place) {
  return place === null ? "nothing" : `times ${grouped(10 ** place)}`;
}

function listed(items) {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}

function capital(text) {
  return text[0].toUpperCase() + text.slice(1);
}
