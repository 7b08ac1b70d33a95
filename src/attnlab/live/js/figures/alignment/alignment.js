// Which source words did the model look at for each word it wrote? A matrix that fills
// row by row as the translation is written.

import { translate } from "../../models/seq2seq.js";
import { makeModel, sourceIds } from "../../models/stored.js";
import { allow, menu, numberBox, pressButton, showPlaying, slider } from "../../parts/controls.js";
import { make } from "../../parts/elements.js";
import { calmly, oncePerFrame, prefersStillness } from "../../parts/timing.js";
import { compareTokens } from "../../words/compare.js";
import { grouped, ordinal, quoted } from "../../words/phrases.js";
import { detokenize, goldLinks, numberTokens, parseNumber } from "../../words/spell.js";

const LANGUAGE_NAMES = [
  ["de", "German"],
  ["fr", "French"],
  ["da", "Danish"],
  ["ja", "Japanese"],
];
const SCORE_NAMES = [
  ["additive", "additive (Bahdanau)"],
  ["dot", "dot product"],
  ["scaled_dot", "scaled dot product"],
  ["general", "general (Luong)"],
  ["cosine", "cosine"],
  ["location", "location"],
];
const ALIGNMENT_HINT = "Point at a cell, or go there with the arrow keys, to read its weight.";
const PLAY_PAUSE = 700; // milliseconds a word

export function renderAlignment({ model, el, say, assets, signal }) {
  const speak = calmly(say);
  let picture = null; // what is drawn: words, weights, gold links
  let cells = []; // cells[t][s], the matrix's elements
  let cursor = [0, 0]; // the cell that the Tab key reaches
  let chosen = null; // the cell that is read out, until the focus leaves the matrix
  let failure = ""; // why the weights last asked for did not come
  let ticking = 0;

  const box = numberBox({ label: "Number", parse: parseNumber, onNumber: (n) => ask("number", n) });
  const language = menu({
    label: "Into",
    options: LANGUAGE_NAMES,
    onChoice: (name) => ask("language", name),
  });
  const score = menu({
    label: "Score",
    options: SCORE_NAMES,
    onChoice: (name) => ask("score", name),
  });
  const note = make("p", { class: "al-note", hidden: true });
  const progress = slider({
    label: "Words written",
    min: 0,
    max: 1,
    onValue: (n) => {
      pause();
      change("step", n);
    },
  });
  const back = pressButton({
    sign: "◂\uFE0E",
    name: "One word back",
    onPress: () => {
      pause();
      change("step", step() - 1);
    },
  });
  const play = pressButton({
    sign: "▶\uFE0E",
    name: "Play",
    onPress: () => (ticking ? pause() : start()),
  });
  const forward = pressButton({
    sign: "▸\uFE0E",
    name: "One word on",
    onPress: () => {
      pause();
      change("step", step() + 1);
    },
  });
  progress.field.classList.add("aln-progress");
  progress.field.append(make("div", { class: "al-row" }, back, play, forward, progress.input));
  const output = make("p", { class: "aln-output" });
  const table = make("table", { class: "aln-matrix", role: "grid" });
  const readout = make("p", { class: "aln-readout", "aria-hidden": "true" });
  const key = make("p", { class: "aln-key al-note" });
  el.append(
    make("div", { class: "al-controls" }, box.field, language.field, score.field, box.error, note),
    make("div", { class: "al-controls aln-steps" }, progress.field),
    output,
    make("div", { class: "aln-scroll" }, table),
    readout,
    key,
  );

  function change(name, value) {
    model.set(name, value);
    model.save_changes();
  }

  // Another number, language or score: show its whole matrix.
  function ask(name, value) {
    pause();
    failure = "";
    model.set("step", null);
    change(name, value);
  }

  /** How many words are written; a step of null means all. */
  function step() {
    const total = picture.words.length;
    return Math.min(total, model.get("step") ?? total);
  }

  async function load() {
    const wanted = ["number", "language", "score"].map((name) => model.get(name));
    const [number, target, scoreName] = wanted;
    language.set(target);
    score.set(scoreName);
    const name = `en-${target}-${scoreName}`;
    let network = assets.ready(name, makeModel);
    if (!network) {
      failure = "";
      note.hidden = false;
      note.textContent = "Loading the weights of this model …";
      try {
        network = await assets.model(name, makeModel);
      } catch (error) {
        failure = error.message;
      }
      const now = ["number", "language", "score"].map((each) => model.get(each));
      if (signal.aborted || String(now) !== String(wanted)) return;
    }
    note.textContent = failure;
    note.hidden = !failure;
    if (!network) {
      giveUp();
      return;
    }

    const source = numberTokens(number, "en");
    const answer = translate(network, sourceIds(network, source));
    box.set(number);
    picture = {
      number,
      target,
      scoreName,
      columns: [...source, "end"],
      words: answer.words,
      weights: answer.weights,
      ...judge(number, target, answer),
    };
    build();
    update();
  }

  // The menus, and the traits behind them, go back to the model that is drawn.
  function giveUp() {
    if (!picture) {
      speak(failure);
      return;
    }
    model.set("language", picture.target);
    change("score", picture.scoreName);
  }

  // Compare with the truth, where the model wrote it and an alignment is known.
  function judge(number, target, { words, weights }) {
    const truth = numberTokens(number, target);
    const slips = compareTokens(words, truth).filter((mark) => mark.kind !== "right").length;
    const gold = slips ? null : goldLinks(number, "en", target);
    const strongest = words.map((_, t) => weights[t].indexOf(Math.max(...weights[t])));
    return { truth, slips, gold, strongest };
  }

  function isGold(t, s) {
    return picture.gold !== null && picture.gold.some(([i, j]) => i === t && j === s);
  }

  /** "hit", "miss" or "free": is the strongest link of word t a known one? */
  function verdict(t) {
    if (picture.gold === null || !picture.gold.some(([i]) => i === t)) return "free";
    return isGold(t, picture.strongest[t]) ? "hit" : "miss";
  }

  function build() {
    const { columns, words, weights, target } = picture;
    const heads = columns.map((word) =>
      make(
        "th",
        { scope: "col" },
        make("span", { class: "aln-word", lang: "en" }, word),
        make("span", { class: "aln-bar", "aria-hidden": "true" }),
      ),
    );
    const rows = words.map((word, t) => {
      const head = make("th", { scope: "row", lang: target }, word);
      head.addEventListener("click", () => {
        pause();
        change("step", t + 1);
      });
      return make(
        "tr",
        {},
        head,
        ...columns.map((_, s) => {
          const cell = make("td", { role: "gridcell", tabindex: -1 });
          cell.style.setProperty("--weight", weights[t][s].toFixed(3));
          cell.classList.toggle("gold", isGold(t, s));
          cell.classList.toggle("strong", weights[t][s] > 0.65);
          if (s === picture.strongest[t]) cell.dataset.mark = verdict(t);
          return cell;
        }),
      );
    });
    table.replaceChildren(
      make("thead", {}, make("tr", {}, make("td", { class: "aln-corner" }), ...heads)),
      make("tbody", {}, ...rows),
    );
    table.style.setProperty("--columns", columns.length);
    cells = rows.map((row) => [...row.querySelectorAll("td")]);
    cursor = [0, 0];
    chosen = null;
    const name = languageName(target);
    table.setAttribute("aria-label", `Attention weights: ${name} words down, English words across`);
  }

  function update() {
    const { columns, words, weights, target } = picture;
    const now = step();
    progress.set(now, words.length, `${now} of ${words.length} words`);
    allow(back, now > 0);
    allow(forward, now < words.length);

    cells.forEach((row, t) => {
      const line = row[0]?.parentElement;
      line.classList.toggle("future", t >= now);
      line.classList.toggle("current", t === now - 1);
      row.forEach((cell, s) =>
        cell.setAttribute("aria-label", t < now ? cellText(t, s) : "not yet"),
      );
    });
    const bars = [...table.querySelectorAll(".aln-bar")];
    bars.forEach((bar, s) => {
      bar.style.setProperty("--weight", now ? weights[now - 1][s].toFixed(3) : 0);
    });
    cursor = [Math.min(cursor[0], words.length - 1), Math.min(cursor[1], columns.length - 1)];
    reach(...cursor);

    output.replaceChildren(
      make("span", { class: "al-label" }, `${languageName(target)} `),
      make("span", { lang: target, class: "aln-written" }, detokenize(words.slice(0, now), target)),
      make("span", { class: "aln-caret", "aria-hidden": "true" }, now < words.length ? "▏" : ""),
    );
    show(chosen);
    key.textContent =
      picture.gold === null
        ? "The fuller a cell, the more weight. • where a word looks most."
        : "The fuller a cell, the more weight. Outlined: the known counterpart. "
          + "Where a word looks most: ✓ there, ✗ elsewhere, • it has none.";
    speak(`${failure && `${failure} `}${summary(now)}`);
  }

  function cellText(t, s) {
    const parts = [picture.weights[t][s].toFixed(2)];
    if (s === picture.strongest[t]) parts.push("the strongest");
    if (isGold(t, s)) parts.push("known alignment");
    return parts.join(", ");
  }

  function rowText(t) {
    const { columns, words, weights } = picture;
    const row = [...weights[t]];
    const total = row.reduce((sum, weight) => sum + weight, 0);
    const top = row
      .map((weight, s) => [weight, s])
      .sort((a, b) => b[0] - a[0])
      .filter(([weight]) => weight >= 0.05)
      .slice(0, 3)
      .map(([weight, s]) => `${ordinal(columns, s)} ${columns[s]} ${weight.toFixed(2)}`.trim());
    return `“${words[t]}” looks at ${top.join(", ")}; the row sums to ${total.toFixed(2)}`;
  }

  function summary(now) {
    const { number, words, truth, slips, gold, target } = picture;
    const where =
      now === 0
        ? `${grouped(number)}: nothing written yet.`
        : `Word ${now} of ${words.length}: ${rowText(now - 1)}.`;
    if (slips) {
      return `${where} The translation is wrong; it should be ` + `“${detokenize(truth, target)}”.`;
    }
    if (gold === null) return `${where} The translation is right.`;
    const { rate, hits, judged } = alignmentErrors();
    return (
      `${where} In the whole number ${hits} of the ${judged} words that have a `
      + `counterpart look at it most; alignment error rate ${rate.toFixed(2)}.`
    );
  }

  // Och and Ney's alignment error rate of this number, as attnlab.data computes it: A
  // links each word that has a counterpart to the word it looks at most, P are the known
  // links, S those of words that have only one; 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|).
  function alignmentErrors() {
    const linksOf = (t) => picture.gold.filter(([i]) => i === t).length;
    const judged = picture.words.map((_, t) => t).filter((t) => linksOf(t) > 0);
    const hits = judged.filter((t) => verdict(t) === "hit");
    const single = (list) => list.filter((t) => linksOf(t) === 1).length;
    const rate = 1 - (single(hits) + hits.length) / (judged.length + single(judged));
    return { hits: hits.length, judged: judged.length, rate };
  }

  // Moving in the matrix: one stop of the Tab key, arrows between cells.
  function reach(t, s) {
    cells[cursor[0]]?.[cursor[1]]?.setAttribute("tabindex", -1);
    cursor = [t, s];
    cells[t]?.[s]?.setAttribute("tabindex", 0);
  }

  function place(target) {
    const cell = target.closest("tbody td");
    const t = cells.findIndex((row) => row.includes(cell));
    return t < 0 ? null : [t, cells[t].indexOf(cell)];
  }

  function show(at) {
    if (at && at[0] < step()) {
      const [t, s] = at;
      readout.textContent = `${quoted(picture.words, t)} → ${quoted(picture.columns, s)}: ${cellText(t, s)}`;
    } else readout.textContent = ALIGNMENT_HINT;
    for (const head of table.querySelectorAll("thead th")) head.classList.remove("pointed");
    if (at) table.querySelectorAll("thead th")[at[1]].classList.add("pointed");
  }

  function read(at) {
    chosen = at;
    show(at);
  }

  table.addEventListener("keydown", (event) => {
    const at = place(event.target);
    if (!at) return;
    const [t, s] = at;
    const goals = {
      ArrowRight: [t, s + 1],
      ArrowLeft: [t, s - 1],
      ArrowDown: [t + 1, s],
      ArrowUp: [t - 1, s],
      Home: [t, 0],
      End: [t, cells[t].length - 1],
    };
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      pause();
      change("step", t + 1);
      return;
    }
    const goal = goals[event.key];
    if (!goal) return;
    event.preventDefault();
    if (!cells[goal[0]]?.[goal[1]]) return;
    reach(...goal);
    cells[goal[0]][goal[1]].focus();
  });
  table.addEventListener("focusin", (event) => {
    const at = place(event.target);
    if (!at) return;
    reach(...at);
    read(at);
    if (at[0] < step()) speak(readout.textContent + ".");
  });
  table.addEventListener("focusout", () => read(null));
  // A finger has no place to rest: what it chose stays when it is lifted.
  table.addEventListener("pointerover", (event) => {
    if (event.pointerType === "mouse") show(place(event.target) ?? chosen);
  });
  table.addEventListener("pointerleave", (event) => {
    if (event.pointerType === "mouse") show(chosen);
  });
  table.addEventListener("click", (event) => {
    const at = place(event.target);
    if (!at) return;
    pause();
    read(at);
    change("step", at[0] + 1);
  });

  function start() {
    if (step() === picture.words.length) change("step", 0);
    showPlaying(play, true, "Play");
    ticking = setInterval(
      () => {
        change("step", step() + 1);
        if (step() === picture.words.length) pause();
      },
      prefersStillness() ? 2 * PLAY_PAUSE : PLAY_PAUSE,
    );
  }

  function pause() {
    clearInterval(ticking);
    ticking = 0;
    showPlaying(play, false, "Play");
  }

  const loadNext = oncePerFrame(load);
  for (const name of ["number", "language", "score"]) model.on(`change:${name}`, loadNext);
  model.on(
    "change:step",
    oncePerFrame(() => {
      if (picture) update();
    }),
  );
  signal.addEventListener("abort", pause);
  load();
}

function languageName(code) {
  return LANGUAGE_NAMES.find(([name]) => name === code)[1];
}
