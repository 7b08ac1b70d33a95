// A Transformer translates an English sentence into Chinese in the reader's browser: every
// head's map, every step of the search, heads to switch off, a beginning to rewrite.

import { makeModel } from "../../models/stored.js";
import { makeTranslator } from "../../models/translator.js";
import { allow, choices, pressButton, showPlaying, slider } from "../../parts/controls.js";
import { make } from "../../parts/elements.js";
import { rove } from "../../parts/rove.js";
import { calmly, oncePerFrame, prefersStillness } from "../../parts/timing.js";
import { uid } from "../../shell/shelf.js";
import { compareTokens } from "../../words/compare.js";
import { grouped, inARow, percent } from "../../words/phrases.js";
import {
  beamView,
  beginning,
  lengthDivisor,
  sharePercent,
  shownToken,
  textOf,
  withMinus,
} from "./beamtree.js";
import { mapAxes, mapName, mapsView } from "./maps.js";
import { MAX_PREFIX, changeWithout, everyHead, readPrefix, translateText } from "./run.js";

const TRANSLATE_MODEL = "translator-en-zh";
const TRANSLATE_WISHES = ["text", "width", "heads_off", "prefix"]; // what a run depends on
const TRANSLATE_EXAMPLES = [
  "There is a cat under the table.",
  "My sister doesn't like coffee.",
  "He gave her a red flower.",
  "The red car is faster than the blue one.",
  "Attention is all you need.",
];
const TRANSLATE_CHINESE = "zh-Hans";
const TRANSLATE_VIEWS = [
  ["heads", "Where the heads look"],
  ["search", "How the words are chosen"],
];
const TYPING_PAUSE = 150; // milliseconds after the last key
const QUIET_PAUSE = 250; // milliseconds before the heads are tried one by one
const SEARCH_PAUSE = 900; // milliseconds a step
const MAX_LETTERS = 300;
const MANY_HEADS = 4; // more than this many are not named one by one
const RARE_PIECES = 3; // of a word that the model does not know as a whole

export function renderTranslate({ model, el, say, assets, signal }) {
  const speak = calmly(say);
  const stored = completed(model.get("_frame").stored);
  let translator = null;
  const here = assets.ready(TRANSLATE_MODEL, makeModel); // if another figure has asked for it
  if (here) translator = makeTranslator(here);
  let loading = false;
  let failure = ""; // why the model did not come
  let whole = null; // the run with all heads
  let now = null; // the run with the heads that are on
  let drawn = null; // what both were asked for
  let asked = null; // what was asked for last, in vain perhaps
  let best = null; // the hypothesis of `now` with the best score
  let word = 0; // the piece whose row of an encoder map is chosen
  let tiles = [];
  let strips = []; // the pieces of the sentence
  let ticking = 0;

  // Building -------------------------------------------------------------------------------

  const box = textBox({ label: "English sentence", className: "tr-sentence", onText: readText });
  const loader = make(
    "button",
    { type: "button", class: "tr-load" },
    `Load the model (${stored.about.megabytes} MB)`,
  );
  loader.addEventListener("click", loadModel);
  const examples = make(
    "div",
    { class: "tr-examples", role: "group", "aria-label": "Examples" },
    make("span", { class: "al-label" }, "Examples, none of them from its training"),
    ...TRANSLATE_EXAMPLES.map((text) => {
      const button = make("button", { type: "button", lang: "en" }, text);
      button.addEventListener("click", () => takeText(text));
      return button;
    }),
  );
  const note = make("p", { class: "al-note tr-note", hidden: true });
  const width = choices({
    label: "Beam width (1 is greedy)",
    options: [1, 2, 3, 4, 5].map((n) => [String(n), String(n)]),
    onChoice: (n) => ask({ width: Number(n) }),
  });
  const penalty = slider({
    label: "Length penalty",
    min: 0,
    max: 20,
    onValue: (n) => change({ length_penalty: n / 10 }),
  });
  const penaltyLabel = penalty.field.querySelector("label");
  penalty.field.classList.add("tr-penalty");
  const start = textBox({
    label: "It must begin with",
    className: "tr-prefix",
    lang: TRANSLATE_CHINESE,
    onText: readStart,
  });
  const clear = make("button", { type: "button", class: "tr-clear" }, "Let it begin freely");
  clear.addEventListener("click", () => {
    takePrefix("");
    start.input.focus();
  });
  const allOn = make("button", { type: "button" }, "All heads on");
  allOn.addEventListener("click", () => ask({ heads_off: [] }));

  const source = make("div", {
    class: "tr-line",
    role: "group",
    "aria-label": "The sentence in pieces",
  });
  const before = make("p", { class: "tr-before" });
  const target = make("div", {
    class: "tr-line tr-target",
    role: "group",
    "aria-label": "The translation",
  });
  const firstTile = rove(target, "button");
  const verdict = make("p", { class: "tr-verdict" });
  const view = choices({
    label: "Look inside",
    options: TRANSLATE_VIEWS,
    onChoice: (name) => change({ view: name }),
  });
  view.field.classList.add("tr-view");

  const maps = mapsView({
    onRow: chooseRow,
    onSwitch: toggle,
    onChoose: ([kind, layer, head]) => change({ kind, layer, head }),
    onRead: (text) => speak(`${text}.`),
  });
  const tree = beamView({
    onStep: (n) => {
      pause();
      change({ step: n });
    },
    onTake: goOnFrom,
  });
  const progress = slider({
    label: "Step",
    min: 1,
    max: 1,
    onValue: (n) => {
      pause();
      change({ step: n });
    },
  });
  const progressLabel = progress.field.querySelector("label");
  const back = pressButton({
    sign: "◂\uFE0E",
    name: "One step back",
    onPress: () => {
      pause();
      change({ step: step() - 1 });
    },
  });
  const play = pressButton({
    sign: "▶\uFE0E",
    name: "Play",
    onPress: () => (ticking ? pause() : begin()),
  });
  const forward = pressButton({
    sign: "▸\uFE0E",
    name: "One step on",
    onPress: () => {
      pause();
      change({ step: step() + 1 });
    },
  });
  progress.field.classList.add("tr-progress");
  progress.field.append(make("div", { class: "al-row" }, back, play, forward, progress.input));
  const searchPanel = make(
    "div",
    { class: "tr-panel" },
    make("div", { class: "al-controls" }, progress.field, penalty.field),
    tree.element,
  );
  const headsPanel = make("div", { class: "tr-panel" }, maps.element);
  const about = make("p", { class: "al-note tr-about" }, aboutText(stored.about));

  el.append(
    make("div", { class: "al-controls" }, box.field, loader, box.error),
    examples,
    note,
    make(
      "div",
      { class: "al-controls tr-settings" },
      width.field,
      start.field,
      clear,
      allOn,
      start.error,
    ),
    make(
      "div",
      { class: "tr-result" },
      make("p", { class: "al-label" }, "English, in pieces"),
      source,
      before,
      verdict,
      target,
    ),
    view.field,
    headsPanel,
    searchPanel,
    about,
  );
  maps.build(stored.about.config);
  loader.hidden = Boolean(translator);

  // What the reader asks for ---------------------------------------------------------------

  function change(values) {
    for (const [name, value] of Object.entries(values)) model.set(name, value);
    model.save_changes();
  }

  // Another run: show all its steps.
  function ask(values) {
    pause();
    failure = "";
    change({ ...values, step: null });
  }

  function readText(text) {
    const error = textError(text);
    if (!error) ask({ text, prefix: "" });
    return error;
  }

  function textError(text) {
    if (!/[\p{L}\p{N}]/u.test(text)) return "Please type an English sentence.";
    if (text.length > MAX_LETTERS) {
      return `This sentence is too long: it has ${text.length} letters, and ${MAX_LETTERS} are the most.`;
    }
    const pieces = translator ? translator.read(text).tokens.length - 1 : 0; // without the end
    const { longest } = stored.about;
    return pieces > longest
      ? `This sentence is too long: it is cut into ${pieces} pieces, and the longest `
          + `that the model has learned from has ${longest}.`
      : "";
  }

  function takeText(text) {
    box.replace(text);
    ask({ text, prefix: "" });
  }

  function readStart(typed) {
    const prefix = typed.replace(/\s+/g, "");
    if ([...prefix].length > MAX_PREFIX) return `A beginning has at most ${MAX_PREFIX} characters.`;
    const unknown = translator ? readPrefix(translator, prefix).unknown : [];
    if (unknown.length) return unknownText(unknown);
    ask({ prefix });
    return "";
  }

  function unknownText(unknown) {
    const characters = translator.target.tokens.length - 4;
    return `The model does not know ${inARow(unknown.map((one) => `“${one}”`))}: it writes ${characters} characters of Chinese.`;
  }

  function takePrefix(prefix) {
    start.replace(prefix);
    ask({ prefix });
  }

  // The button that was pressed goes with its list: the focus goes to the way back.
  function goOnFrom(tokens) {
    takePrefix(textOf(tokens));
    clear.hidden = false;
    clear.focus();
  }

  function toggle(heads, on) {
    const meant = new Set(heads.map(String));
    ask({
      heads_off: everyHead(stored.about.config).filter((one) =>
        meant.has(String(one)) ? !on : isOff(one),
      ),
    });
  }

  function isOff(head) {
    return model.get("heads_off").some((one) => String(one) === String(head));
  }

  function chooseRow(row) {
    pause();
    if (model.get("kind") === "encoder") {
      word = row;
      show();
    } else change({ step: row + 1 });
  }

  // Loading and translating ----------------------------------------------------------------

  async function loadModel() {
    if (loading || translator) return;
    loading = true;
    failure = "";
    loader.textContent = "Loading the model …";
    try {
      const weights = await assets.model(TRANSLATE_MODEL, makeModel);
      translator = makeTranslator(weights);
    } catch (error) {
      failure = error.message;
    }
    if (signal.aborted) return;
    loading = false;
    loader.textContent = `Load the model (${stored.about.megabytes} MB)`;
    const focused = document.activeElement === loader;
    loader.hidden = Boolean(translator);
    if (focused && translator) box.input.focus();
    asked = null;
    update();
  }

  function wishes() {
    return Object.fromEntries(TRANSLATE_WISHES.map((name) => [name, model.get(name)]));
  }

  function isStored({ text, width: wide, heads_off: off, prefix }) {
    return text === stored.text && wide === stored.width && off.length === 0 && prefix === "";
  }

  function update() {
    const wanted = wishes();
    box.set(wanted.text);
    start.set(wanted.prefix);
    width.set(wanted.width);
    clear.hidden = !wanted.prefix;
    allOn.hidden = wanted.heads_off.length === 0;
    if (JSON.stringify(wanted) !== asked) {
      asked = JSON.stringify(wanted);
      translate(wanted);
    }
    showNote(wanted);
    show();
  }

  function translate(wanted) {
    if (!translator) {
      if (isStored(wanted)) take(wanted, stored, stored);
      else if (!drawn)
        take(
          { ...wanted, text: stored.text, width: stored.width, heads_off: [], prefix: "" },
          stored,
          stored,
        );
      return;
    }
    const error = textError(wanted.text);
    box.complain(error);
    const read = translator.read(wanted.text);
    const prefix = readPrefix(translator, wanted.prefix);
    if (prefix.unknown.length) start.complain(unknownText(prefix.unknown));
    if (error || prefix.unknown.length) return;
    const settings = { width: wanted.width, prefix: prefix.ids };
    const known = whole?.asked === JSON.stringify([wanted.text, settings]) ? whole : null;
    const all = known ?? {
      ...translateText(translator, read, { ...settings, off: [] }),
      asked: JSON.stringify([wanted.text, settings]),
      unknown: read.unknown,
      harms: [],
    };
    const off = wanted.heads_off;
    take(wanted, all, off.length ? translateText(translator, read, { ...settings, off }) : all);
  }

  function take(wanted, all, run) {
    [drawn, whole, now] = [wanted, all, run];
    word = Math.min(word, run.pieces.length - 1);
    buildSource();
    tiles = [];
    tryHeads();
  }

  function unknownNote(unknown) {
    return unknown.length
      ? `The model does not know ${inARow(unknown.map((one) => `“${one}”`))}: it reads an unknown sign there.`
      : "";
  }

  // What is cut into pieces the model has hardly met.
  function rareNote(pieces) {
    const words = [];
    for (const piece of pieces.slice(0, -1)) {
      if (piece.startsWith("-") && piece.length > 1 && words.length)
        words.at(-1).push(piece.slice(1));
      else words.push([piece]);
    }
    const rare = words
      .filter((parts) => parts.length >= RARE_PIECES)
      .map((parts) => `“${parts.join("")}” in ${parts.length}`);
    return rare.length ? `The model has no word for it and reads ${inARow(rare)} pieces.` : "";
  }

  function showNote(wanted) {
    const waits = !translator && !isStored(wanted);
    const lines = [failure];
    if (waits)
      lines.push(
        `The picture still shows “${stored.text}”. Load the model to see what you asked for.`,
      );
    else if (!translator)
      lines.push("This translation came with the page. Load the model to type your own sentence.");
    else lines.push(unknownNote(whole.unknown), rareNote(whole.pieces));
    note.textContent = lines.filter(Boolean).join(" ");
    note.hidden = !note.textContent;
    loader.classList.toggle("wanted", waits);
  }

  // Under each map: what the sentence's translation loses if that head alone is silent.
  let harmTimer = 0;
  function tryHeads() {
    clearTimeout(harmTimer);
    maps.showHarms(whole.harms);
    const mine = whole;
    const heads = everyHead(stored.about.config);
    const [first] = ranked(mine, 1);
    function next() {
      if (signal.aborted || mine !== whole) return;
      const at = mine.harms.length;
      if (at === heads.length) {
        maps.showHarms(mine.harms);
        return;
      }
      mine.harms.push(changeWithout(translator, mine.ids, first, heads[at]));
      harmTimer = setTimeout(next);
    }
    if (mine.harms.length < heads.length && translator) harmTimer = setTimeout(next, QUIET_PAUSE);
  }

  /** The hypotheses of a run with their scores, the best first. */
  function ranked(run, alpha = model.get("length_penalty")) {
    for (const one of run.search.hypotheses)
      one.score = one.logProb / lengthDivisor(one.tokens.length, alpha);
    return [...run.search.hypotheses].sort((a, b) => b.score - a.score);
  }

  function step() {
    const total = now.search.steps.length;
    return Math.max(1, Math.min(total, model.get("step") ?? total));
  }

  // Drawing --------------------------------------------------------------------------------

  function show() {
    const hypotheses = ranked(now);
    if (best !== hypotheses[0]) tiles = [];
    [best] = hypotheses;
    if (!tiles.length) buildTiles();
    const alpha = model.get("length_penalty");
    penalty.set(Math.round(10 * alpha), 20, alpha.toFixed(1));
    penaltyLabel.textContent = `Length penalty α = ${alpha.toFixed(1)}`;
    view.set(model.get("view"));
    const inHeads = model.get("view") === "heads";
    headsPanel.hidden = !inHeads;
    searchPanel.hidden = inHeads;
    showVerdict();
    showRow();
    if (inHeads) showMaps();
    else showSearch(hypotheses, alpha);
    speak(summary());
  }

  function chosenHead() {
    return [model.get("kind"), model.get("layer"), model.get("head")];
  }

  function row() {
    const asked = model.get("step");
    return asked === null ? 0 : Math.min(asked, best.tokens.length) - 1;
  }

  function rowOfKind(kind) {
    return kind === "encoder" ? word : row();
  }

  function written() {
    return best.tokens.map(shownToken);
  }

  function showMaps() {
    maps.show({
      pieces: now.pieces,
      written: written(),
      maps: best.maps,
      off: model.get("heads_off"),
      chosenHead: chosenHead(),
      row: { encoder: word, decoder: row(), cross: row() },
    });
  }

  function showSearch(hypotheses, alpha) {
    const at = step();
    const total = now.search.steps.length;
    progress.set(at, total, `${at} of ${total}`);
    progressLabel.textContent = `Step ${at} of ${total}`;
    allow(back, at > 1);
    allow(forward, at < total);
    tree.show({
      search: now.search,
      hypotheses,
      step: at,
      all: model.get("step") === null,
      best,
      alpha,
    });
  }

  function buildSource() {
    strips = now.pieces.map((piece) =>
      make("span", { class: piece === "end" ? "tr-piece end" : "tr-piece", lang: "en" }, piece),
    );
    source.replaceChildren(...strips);
  }

  function buildTiles() {
    const [full] = ranked(whole);
    const other = compareTokens(best.tokens, full.tokens)
      .filter(({ kind }) => kind !== "missing")
      .map(({ kind }) => kind !== "right");
    tiles = best.tokens.map((token, t) => {
      const share = best.maps.logProbs[t];
      const forced = t < [...drawn.prefix].length;
      const button = make(
        "button",
        { type: "button", class: "tr-tile" },
        make(
          "span",
          { class: "tr-character", lang: token === null ? "en" : TRANSLATE_CHINESE },
          shownToken(token),
        ),
        make(
          "span",
          { class: "tr-share" },
          other[t] ? "≠ " : "",
          forced ? "✎\uFE0E" : sharePercent(share),
        ),
      );
      button.style.setProperty("--share", Math.exp(share).toFixed(3));
      button.classList.toggle("end", token === null);
      button.classList.toggle("other", other[t]);
      button.setAttribute(
        "aria-label",
        `${shownToken(token)}, ${forced ? "written by you, " : ""}`
          + `${other[t] ? "not as with all heads, " : ""}${sharePercent(share)}`,
      );
      button.addEventListener("click", () => {
        pause();
        change({ step: t + 1 });
      });
      return button;
    });
    target.replaceChildren(...tiles);
    firstTile();
  }

  // The row of the chosen head, spread over the tokens that it looks at.
  function showRow() {
    const [kind, layer, head] = chosenHead();
    const [, columns] = mapAxes(kind, now.pieces, written());
    const at = rowOfKind(kind);
    const weights = best.maps[kind][layer][head].slice(
      at * columns.length,
      (at + 1) * columns.length,
    );
    const inHeads = model.get("view") === "heads";
    strips.forEach((piece, j) => {
      piece.style.setProperty(
        "--weight",
        inHeads && kind !== "decoder" ? weights[j].toFixed(3) : 0,
      );
      piece.classList.toggle("chosen", inHeads && kind === "encoder" && j === word);
    });
    tiles.forEach((tile, t) => {
      tile.style.setProperty(
        "--weight",
        inHeads && kind === "decoder" ? (weights[t + 1] ?? 0).toFixed(3) : 0,
      );
      tile.setAttribute(
        "aria-pressed",
        String(t === row() && (inHeads ? kind !== "encoder" : model.get("step") !== null)),
      );
    });
  }

  function showVerdict() {
    const [full] = ranked(whole);
    const same = textOf(full.tokens) === textOf(best.tokens);
    const names = now.off.map(mapName);
    const off = names.length > MANY_HEADS ? [`${names.length} heads`] : names;
    before.hidden = off.length === 0;
    before.replaceChildren(
      make("span", { class: "al-label" }, "With all heads "),
      make("span", { lang: TRANSLATE_CHINESE, class: "tr-was" }, textOf(full.tokens)),
      make("span", { class: "tr-score" }, ` score ${withMinus(full.score)}`),
    );
    verdict.replaceChildren(
      make("span", { class: "al-label" }, off.length ? `Without ${inARow(off)} ` : "Chinese "),
      make("span", { class: "tr-score" }, `score ${withMinus(best.score)}`),
      off.length
        ? make(
            "span",
            { class: same ? "tr-same" : "tr-other" },
            same ? " = the same words" : " ≠ other words",
          )
        : "",
    );
  }

  // In words -------------------------------------------------------------------------------

  function summary() {
    const how = drawn.width === 1 ? "greedily" : `by a beam of width ${drawn.width}`;
    const silent = now.off.length
      ? ` without head${now.off.length > 1 ? "s" : ""} ${inARow(now.off.map(mapName))}`
      : "";
    const [full] = ranked(whole);
    return [
      note.hidden ? "" : note.textContent,
      `“${drawn.text}” becomes “${textOf(best.tokens)}”${silent}, ${how}, score ${withMinus(best.score)}.`,
      drawn.prefix ? `It had to begin with “${drawn.prefix}”.` : "",
      now.off.length
        ? `With all heads it is “${textOf(full.tokens)}”, score ${withMinus(full.score)}.`
        : "",
      model.get("view") === "heads" ? headSummary() : searchSummary(),
    ]
      .filter(Boolean)
      .join(" ");
  }

  function headSummary() {
    const [kind, layer, head] = chosenHead();
    const [rows, columns] = mapAxes(kind, now.pieces, written());
    const at = rowOfKind(kind);
    const top = columns
      .map((name, j) => [best.maps[kind][layer][head][at * columns.length + j], name])
      .sort((a, b) => b[0] - a[0])
      .slice(0, 3)
      .filter(([weight]) => weight >= 0.05)
      .map(([weight, name]) => `“${name}” (${percent(weight)})`);
    const doing = kind === "encoder" ? `From “${rows[at]}”` : `To write “${rows[at]}”`;
    return `${doing} head ${mapName(chosenHead())} looks most at ${inARow(top)}.`;
  }

  function searchSummary() {
    const at = step();
    const { candidates } = now.search.steps[at - 1];
    const of = (...fates) =>
      candidates.flatMap((one, rank) =>
        fates.includes(one.fate)
          ? [
              `“${beginning(now.search, at - 1, rank)
                .map(shownToken)
                .join("")}” (${withMinus(one.total)})`,
            ]
          : [],
      );
    const parts = [
      ["kept", of("kept", "written")],
      ["finished", of("ended")],
      ["dropped", of("dropped")],
    ];
    return (
      `Step ${at} of ${now.search.steps.length}: `
      + `${parts
        .filter(([, list]) => list.length)
        .map(([what, list]) => `${what} ${inARow(list)}`)
        .join("; ")}.`
    );
  }

  // Playing --------------------------------------------------------------------------------

  function begin() {
    if (step() === now.search.steps.length) change({ step: 1 });
    showPlaying(play, true, "Play");
    ticking = setInterval(
      () => {
        change({ step: step() + 1 });
        if (step() === now.search.steps.length) pause();
      },
      prefersStillness() ? 2 * SEARCH_PAUSE : SEARCH_PAUSE,
    );
  }

  function pause() {
    clearInterval(ticking);
    ticking = 0;
    showPlaying(play, false, "Play");
  }

  const updateNext = oncePerFrame(update);
  for (const name of TRANSLATE_WISHES) model.on(`change:${name}`, updateNext);
  const showNext = oncePerFrame(show);
  for (const name of ["step", "length_penalty", "view", "kind", "layer", "head"])
    model.on(`change:${name}`, showNext);
  signal.addEventListener("abort", pause);
  update();
}

// A labelled text box; `onText(typed)` is called when the typing rests and returns what is
// wrong with it, or "".
function textBox({ label, className, lang = "en", onText }) {
  const id = uid("text");
  const input = make("input", {
    id,
    type: "text",
    lang,
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    "aria-describedby": `${id}-error`,
  });
  const error = make("p", { id: `${id}-error`, class: "al-error", role: "alert" });
  const field = make(
    "div",
    { class: `al-field ${className}` },
    make("label", { for: id }, label),
    input,
  );
  let current = null; // what the figure shows
  let timer = 0;
  function complain(message) {
    error.textContent = message;
    input.setAttribute("aria-invalid", message ? "true" : "false");
  }
  function read() {
    clearTimeout(timer);
    const text = input.value.trim().replace(/\s+/g, " ");
    const error = text === current ? "" : onText(text);
    if (!error) current = text;
    complain(error);
  }
  input.addEventListener("input", (event) => {
    clearTimeout(timer);
    // What an input method is still composing is no text yet.
    if (!event.isComposing) timer = setTimeout(read, TYPING_PAUSE);
  });
  input.addEventListener("compositionend", read);
  input.addEventListener("change", read);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing) read();
  });
  function replace(text) {
    clearTimeout(timer);
    current = text;
    input.value = text;
    complain("");
  }
  function set(text) {
    // What stands in the box is not rewritten while it is typed, nor a complaint about it.
    if (text !== current) replace(text);
  }
  return { field, error, input, complain, replace, set };
}

// What is stored holds the encoder's maps once for all hypotheses.
function completed(stored) {
  const hypotheses = stored.search.hypotheses.map((one) => ({
    ...one,
    maps: { ...one.maps, encoder: stored.encoder },
  }));
  return { ...stored, off: [], unknown: [], search: { ...stored.search, hypotheses } };
}

function aboutText({ config, parameters, pairs, minutes, sentences, chrf, bleu }) {
  const { num_layers: layers, num_heads: heads, d_model: width } = config;
  return (
    `The model: ${layers} + ${layers} layers of ${heads} heads, width ${width}, `
    + `${(parameters / 1e6).toFixed(1)} million weights, trained for ${minutes} minutes on one CPU `
    + `core on ${grouped(pairs)} short sentences from Tatoeba and their translations. On ${grouped(sentences)} that it has `
    + `not seen: chrF ${chrf.toFixed(1)}, BLEU ${bleu.toFixed(1)}. Short everyday sentences often come out right, others often do not.`
  );
}
