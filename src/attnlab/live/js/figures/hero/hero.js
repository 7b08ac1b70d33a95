// The figure at the top of the book: a number in two languages, and who read what.

import { translate } from "../../models/seq2seq.js";
import { makeModel, sourceIds } from "../../models/stored.js";
import { numberBox, pressButton, showPlaying } from "../../parts/controls.js";
import { make, makeSvg } from "../../parts/elements.js";
import { calmly, onNewWidth, prefersStillness } from "../../parts/timing.js";
import { uid } from "../../shell/shelf.js";
import { compareTokens } from "../../words/compare.js";
import { grouped, ordinal, percent, quoted } from "../../words/phrases.js";
import { numberTokens, parseNumber } from "../../words/spell.js";

const HERO_WEIGHTS = "en-de-additive";
const HERO_FAINTEST = 0.04; // weights below this get no ribbon: they would all be a haze
const HERO_WIDEST = 9; // pixels, for a weight of 1
const HERO_PLAY = { play: " Play", pause: " Pause" };

export function renderHero({ model, el, say, assets, signal }) {
  const speak = calmly(say);
  const fade = uid("fade");
  let network = null;
  let number = null;
  const lines = { source: [], target: [] }; // the word buttons
  let weights = [];
  let chosen = null; // {kind, index} of the word whose ribbons are lit
  let playing = 0;

  const box = numberBox({
    label: "Type a number",
    parse: parseNumber,
    onNumber: (value) => change(value),
  });
  const another = make("button", { type: "button" }, "Another number");
  another.addEventListener("click", () => {
    change(10000 + Math.floor(Math.random() * 990000));
  });
  const play = pressButton({ sign: "", name: "", onPress: () => (playing ? stop() : sweep()) });

  const ribbons = makeSvg("svg", { class: "hero-lines", "aria-hidden": "true" });
  const rows = {};
  const stage = make("div", { class: "hero-stage", "data-layout": "rows" }, ribbons);
  for (const [kind, language] of [
    ["source", "English"],
    ["target", "German"],
  ]) {
    rows[kind] = make("div", {
      class: "hero-words",
      "data-kind": kind,
      role: "group",
      "aria-label": `${language} words`,
      lang: language.slice(0, 2).toLowerCase(),
    });
    stage.append(
      make("span", { class: "hero-language", "data-kind": kind, "aria-hidden": "true" }, language),
      rows[kind],
    );
  }
  rows.target.lang = "de";
  el.append(
    make(
      "div",
      { class: "al-controls" },
      box.field,
      make("div", { class: "al-row" }, another, play),
      box.error,
    ),
    stage,
  );

  function change(value) {
    model.set("number", value);
    model.save_changes();
  }

  function draw() {
    if (!network) return;
    const wanted = parseNumber(String(model.get("number")));
    if (wanted.error !== undefined) {
      box.complain(wanted.error);
      return;
    }
    if (wanted.number === number) return;
    stop();
    number = wanted.number;
    box.set(number);

    const english = numberTokens(number, "en");
    const answer = translate(network, sourceIds(network, english));
    weights = answer.weights;
    const marks = compareTokens(answer.words, numberTokens(number, "de"));
    const wrong = marks
      .filter((mark) => mark.kind !== "missing")
      .map((mark) => mark.kind !== "right");
    showWords("source", english, []);
    showWords("target", answer.words, wrong);
    chosen = null;
    arrange();
    describe(marks);
  }

  function showWords(kind, words, wrong) {
    lines[kind] = words.map((word, index) => {
      const button = make(
        "button",
        { type: "button", class: "hero-word", "data-kind": kind, tabindex: index ? -1 : 0 },
        word,
      );
      if (wrong[index]) {
        button.classList.add("wrong");
        button.setAttribute("aria-label", `${word}, wrong`);
      }
      button.addEventListener("focus", () => choose({ kind, index }));
      button.addEventListener("click", () => choose({ kind, index }));
      return button;
    });
    rows[kind].replaceChildren(...lines[kind]);
  }

  // Lay the words in two rows if they fit in some size, else in two columns.
  function arrange() {
    stage.dataset.layout = "rows";
    const fits = [22, 20, 18, 16.5, 15].some((size) => {
      stage.style.fontSize = `${size}px`;
      return Object.values(rows).every((row) => row.scrollWidth <= stage.clientWidth);
    });
    if (!fits) {
      stage.dataset.layout = "columns";
      stage.style.fontSize = "";
    }
    drawRibbons();
  }

  function drawRibbons() {
    const upright = stage.dataset.layout === "columns";
    const home = stage.getBoundingClientRect();
    const place = (button, kind) => {
      const { left, right, top, bottom } = button.getBoundingClientRect();
      return upright
        ? [(kind === "source" ? right + 3 : left - 3) - home.left, (top + bottom) / 2 - home.top]
        : [(left + right) / 2 - home.left, (kind === "source" ? bottom + 3 : top - 3) - home.top];
    };
    const from = lines.source.map((button) => place(button, "source"));
    const to = lines.target.map((button) => place(button, "target"));
    if (!from.length || !to.length) {
      ribbons.replaceChildren();
      return;
    }

    const axis = upright ? 0 : 1;
    const ends = {
      x1: 0,
      y1: 0,
      x2: 0,
      y2: 0,
      [upright ? "x1" : "y1"]: from[0][axis],
      [upright ? "x2" : "y2"]: to[0][axis],
    };
    const gradient = makeSvg(
      "linearGradient",
      { id: fade, gradientUnits: "userSpaceOnUse", ...ends },
      makeSvg("stop", { offset: 0, style: "stop-color: var(--al-key)" }),
      makeSvg("stop", { offset: 1, style: "stop-color: var(--al-query)" }),
    );
    ribbons.replaceChildren(makeSvg("defs", {}, gradient));
    to.forEach((end, t) =>
      from.forEach((start, s) => {
        const weight = weights[t][s];
        if (weight < HERO_FAINTEST) return;
        ribbons.append(
          makeSvg("path", {
            d: curve(start, end, upright),
            stroke: `url(#${fade})`,
            "stroke-width": HERO_WIDEST * weight,
            "data-source": s,
            "data-target": t,
          }),
        );
      }),
    );
    light();
  }

  function curve([x1, y1], [x2, y2], upright) {
    // A gradient has no effect on a perfectly straight line's empty box: bend it a hair.
    const [mx, my] = [(x1 + x2) / 2, (y1 + y2) / 2];
    return upright
      ? `M${x1},${y1} C${mx},${y1} ${mx},${y2 + 0.1} ${x2},${y2 + 0.1}`
      : `M${x1},${y1} C${x1},${my} ${x2 + 0.1},${my} ${x2 + 0.1},${y2}`;
  }

  function choose(word) {
    stop();
    if (word && chosen && word.kind === chosen.kind && word.index === chosen.index) return;
    chosen = word;
    light();
    describe();
  }

  // The weight between the chosen word and word `index` of the other line.
  function share(index) {
    return chosen.kind === "target" ? weights[chosen.index][index] : weights[index][chosen.index];
  }

  function light() {
    stage.toggleAttribute("data-chosen", chosen !== null);
    for (const [kind, buttons] of Object.entries(lines)) {
      buttons.forEach((button, index) => {
        const mine = chosen && kind === chosen.kind && index === chosen.index;
        const other = chosen && kind !== chosen.kind && share(index) >= HERO_FAINTEST;
        button.classList.toggle("chosen", Boolean(mine));
        button.classList.toggle("lit", Boolean(other));
        button.removeAttribute("data-share");
        if (other) {
          button.style.setProperty("--weight", share(index));
          button.dataset.share = percent(share(index));
        }
      });
    }
    for (const path of ribbons.querySelectorAll("path")) {
      path.classList.toggle(
        "lit",
        chosen !== null && Number(path.dataset[chosen.kind]) === chosen.index,
      );
    }
  }

  let summary = "";
  function describe(marks) {
    if (marks) summary = summarise(marks);
    if (!chosen) {
      speak(summary);
      return;
    }
    const other = chosen.kind === "target" ? "source" : "target";
    const words = { source: textOf("source"), target: textOf("target") };
    const linked = words[other]
      .map((word, index) => ({
        word: `${ordinal(words[other], index)} ${word}`.trim(),
        weight: share(index),
      }))
      .filter(({ weight }) => weight >= HERO_FAINTEST)
      .sort((a, b) => b.weight - a.weight)
      .map(({ word, weight }) => `${word} (${percent(weight)})`);
    const word = quoted(words[chosen.kind], chosen.index);
    const list = linked.join(", ") || "none of these words";
    speak(
      chosen.kind === "target"
        ? `To write ${word}, the model looked at ${list}.`
        : `${word.replace(/^t/, "T")} was looked at for ${list}.`,
    );
  }

  function textOf(kind) {
    return lines[kind].map((button) => button.textContent);
  }

  function summarise(marks) {
    const count = (...kinds) => marks.filter((mark) => kinds.includes(mark.kind)).length;
    const [slips, missing] = [count("wrong", "extra"), count("missing")];
    const verdict =
      [
        slips && `${slips} ${slips === 1 ? "slip" : "slips"}, marked ✗`,
        missing && `${missing} ${missing === 1 ? "part" : "parts"} left out`,
      ]
        .filter(Boolean)
        .join(", and ") || "every part right";
    const length = String(number).length;
    const trained = network.metadata.digits[1];
    const beyond =
      length > trained
        ? ` Nothing in training was longer than ${trained} digits; this has ${length}.`
        : "";
    const parts = lines.target.length;
    return (
      `${grouped(number)}: ${parts} German word ${parts === 1 ? "part" : "parts"}, ${verdict}.${beyond}`
      + " Choose a word to see where the model looked."
    );
  }

  // Light the German words up one after the other, from the chosen one if there is one.
  function sweep() {
    let index = chosen?.kind === "target" ? chosen.index : -1;
    if (index === lines.target.length - 1) index = -1;
    showPlaying(play, true, "Play word by word", HERO_PLAY);
    const pause = prefersStillness() ? 900 : 320;
    playing = setInterval(() => {
      index += 1;
      const done = index >= lines.target.length;
      if (done) stop();
      chosen = done ? null : { kind: "target", index };
      light();
      describe();
    }, pause);
  }

  function stop() {
    clearInterval(playing);
    playing = 0;
    showPlaying(play, false, "Play word by word", HERO_PLAY);
  }

  for (const kind of ["source", "target"]) {
    rows[kind].addEventListener("pointerover", (event) => {
      const index = lines[kind].indexOf(event.target.closest("button"));
      if (index >= 0 && event.pointerType === "mouse") choose({ kind, index });
    });
    rows[kind].addEventListener("keydown", (event) => moveFocus(event, kind));
  }
  stage.addEventListener("pointerleave", () => {
    if (!playing && !stage.contains(document.activeElement)) choose(null);
  });
  stage.addEventListener("focusout", (event) => {
    if (!stage.contains(event.relatedTarget)) choose(null);
  });
  el.addEventListener("keydown", (event) => {
    if (event.key === "Escape") choose(null);
  });

  // One stop of the Tab key a line; the arrow keys go along it and across.
  function moveFocus(event, kind) {
    const across = kind === "source" ? "target" : "source";
    const index = lines[kind].indexOf(document.activeElement);
    const upright = stage.dataset.layout === "columns";
    const step = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[
      event.key
    ];
    if (index < 0 || (!step && event.key !== "Home" && event.key !== "End")) return;
    event.preventDefault();
    const last = lines[kind].length - 1;
    if (!step) focusWord(kind, event.key === "Home" ? 0 : last);
    else {
      const [along, over] = upright ? [step[1], step[0]] : step;
      if (along) focusWord(kind, Math.min(last, Math.max(0, index + along)));
      else if (over > 0 === (kind === "source")) focusWord(across, strongest(kind, index));
    }
  }

  // The word of the other line that the word's thickest ribbon leads to.
  function strongest(kind, index) {
    const along =
      kind === "target"
        ? lines.source.map((_, s) => weights[index][s])
        : lines.target.map((_, t) => weights[t][index]);
    return along.indexOf(Math.max(...along));
  }

  function focusWord(kind, index) {
    lines[kind].forEach((button, i) => {
      button.tabIndex = i === index ? 0 : -1;
    });
    lines[kind][index].focus();
  }

  onNewWidth(el, signal, () => {
    if (network) arrange();
  });
  signal.addEventListener("abort", stop);
  model.on("change:number", draw);

  function begin(loaded) {
    network = loaded;
    draw();
  }
  stop();
  const ready = assets.ready(HERO_WEIGHTS, makeModel);
  if (ready) begin(ready);
  else assets.model(HERO_WEIGHTS, makeModel).then(begin, (error) => speak(error.message));
}
