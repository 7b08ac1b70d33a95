// Where does the answer begin to go wrong? A number grows digit by digit; one model must
// squeeze it into a single vector, the other keeps a vector for every word.

import { translate } from "../../models/seq2seq.js";
import { makeModel, sourceIds } from "../../models/stored.js";
import { allow, choices, numberBox, pressButton, slider } from "../../parts/controls.js";
import { make, makeSvg } from "../../parts/elements.js";
import { stripColumn } from "../../parts/strips.js";
import { calmly, onNewWidth, oncePerFrame } from "../../parts/timing.js";
import { compareTokens, describeMark } from "../../words/compare.js";
import { grouped, percent } from "../../words/phrases.js";
import { numberTokens, parseNumber } from "../../words/spell.js";

const ATTENTIVE_WEIGHTS = "en-de-attentive";
const NEXT_DIGITS = "345678912345"; // what "longer" appends where the reader gave nothing
const MOST_DIGITS = NEXT_DIGITS.length; // parseNumber takes no longer ones

export function renderBottleneck({ model, el, say, assets, signal }) {
  const speak = calmly(say);
  let tape = NEXT_DIGITS; // the digits the slider lets in, one by one
  let drawn = null; // the state size in the picture
  let failure = ""; // why the weights last asked for did not come

  const box = numberBox({
    label: "Number",
    parse: parseNumber,
    onNumber: (n) => change("number", n),
  });
  const digits = slider({ label: "Digits", min: 1, max: MOST_DIGITS, onValue: (n) => cut(n) });
  const shorter = pressButton({
    sign: "−",
    name: "One digit shorter",
    onPress: () => cut(length() - 1),
  });
  const longer = pressButton({
    sign: "+",
    name: "One digit longer",
    onPress: () => cut(length() + 1),
  });
  digits.input.before(shorter);
  const track = make("div", { class: "al-row" }, shorter, digits.input, longer);
  digits.field.append(track);
  digits.field.classList.add("bn-digits");
  const size = choices({
    label: "Width of the plain model’s state",
    options: model.get("_frame").limits.state_size.map((n) => [n, String(n)]),
    onChoice: (n) => change("state_size", Number(n)),
  });
  const note = make("p", { class: "al-note", hidden: true });
  const source = make("p", { class: "bn-source", lang: "en" });
  const flag = make("span", { class: "al-warn" }, "longer than anything in training");
  const plain = lane(el, "Without attention");
  const attentive = lane(el, "With attention");
  const chart = accuracyChart();
  el.append(
    make("div", { class: "al-controls" }, box.field, digits.field, size.field, box.error, note),
    make("div", { class: "bn-reads" }, make("span", { class: "al-label" }, "Reads "), source, flag),
    plain.element,
    attentive.element,
    chart.element,
  );

  function change(name, value) {
    failure = "";
    model.set(name, value);
    model.save_changes();
  }

  function length() {
    return String(model.get("number")).length;
  }

  // Let in the first `count` digits of the tape.
  function cut(count) {
    if (count < 1 || count > MOST_DIGITS) return;
    change("number", Number(tape.slice(0, count)));
  }

  // The number's own digits come first on the tape; what stood behind them stays.
  function retape(text) {
    const start = text === "0" ? "" : text;
    if (tape.startsWith(start)) return;
    tape = start + tape.slice(start.length);
  }

  async function draw() {
    const number = model.get("number");
    const stateSize = model.get("state_size");
    size.set(stateSize);
    const names = [`en-de-gru-${stateSize}`, ATTENTIVE_WEIGHTS];
    let networks = names.map((name) => assets.ready(name, makeModel));
    if (!networks.every(Boolean)) {
      failure = "";
      note.hidden = false;
      note.textContent = `Loading the model of width ${stateSize} …`;
      try {
        networks = await Promise.all(names.map((name) => assets.model(name, makeModel)));
      } catch (error) {
        failure = error.message;
      }
      // The reader may have moved on while the weights were under way.
      if (signal.aborted || number !== model.get("number") || stateSize !== model.get("state_size"))
        return;
    }
    note.textContent = failure;
    note.hidden = !failure;
    if (networks.every(Boolean)) {
      show(number, stateSize, networks);
      drawn = stateSize;
    } else if (drawn) {
      model.set("state_size", drawn); // back to what the picture shows
      model.save_changes();
    } else speak(failure);
  }

  function show(number, stateSize, [plainNetwork, attentiveNetwork]) {
    const text = String(number);
    const words = numberTokens(number, "en");
    const truth = numberTokens(number, "de");
    const trained = plainNetwork.metadata.digits[1];
    const beyond = text.length > trained;
    retape(text);
    box.set(number);
    digits.set(text.length, MOST_DIGITS, `${text.length} digits`);
    allow(shorter, text.length > 1);
    allow(longer, text.length < MOST_DIGITS);
    source.textContent = words.join(" ");
    flag.hidden = !beyond;

    const ids = sourceIds(plainNetwork, words);
    const labels = [...words, "end"];
    const plainAnswer = translate(plainNetwork, ids);
    const plainMarks = compareTokens(plainAnswer.words, truth);
    plain.show({
      memory: plainAnswer.encoderStates.slice(-1),
      labels: ["all of it"],
      marks: plainMarks,
      explain: `Its decoder is given the whole number as one vector of ${stateSize} entries:`,
    });
    const answer = translate(attentiveNetwork, sourceIds(attentiveNetwork, words));
    const marks = compareTokens(answer.words, truth);
    attentive.show({
      memory: answer.encoderStates,
      labels,
      marks,
      explain:
        "Its decoder may look back at a vector for every word, of "
        + `${attentiveNetwork.config.d_model} entries each:`,
    });
    chart.show(plainNetwork.metadata, attentiveNetwork.metadata, text.length, stateSize);
    speak(
      `${failure && `${failure} `}${grouped(number)}, ${text.length} ${text.length === 1 ? "digit" : "digits"}`
        + `${beyond ? ", longer than anything in training" : ""}. `
        + `Without attention, width ${stateSize}: ${verdict(plainMarks)}. `
        + `With attention: ${verdict(marks)}.`,
    );
  }

  const drawNext = oncePerFrame(draw);
  model.on("change:number", drawNext);
  model.on("change:state_size", drawNext);
  onNewWidth(el, signal, draw);
  draw();
}

function countRight(marks) {
  return {
    right: marks.filter((mark) => mark.kind === "right").length,
    all: marks.filter((mark) => mark.kind !== "extra").length,
    extra: marks.filter((mark) => mark.kind === "extra").length,
  };
}

// ", and 1 more besides": words that answer to nothing in the truth
function besides(extra) {
  return extra ? `, and ${extra} more besides` : "";
}

function verdict(marks) {
  const { right, all, extra } = countRight(marks);
  const first = marks.findIndex((mark) => mark.kind !== "right");
  if (first < 0) return all === 1 ? "right" : `all ${all} word parts right`;
  return (
    `${right} of ${all} word parts right${besides(extra)}; it begins to go wrong at part ${first + 1}, `
    + describeMark(marks[first])
  );
}

/** One model's row: what its decoder is given, and what it writes. */
function lane(el, name) {
  const explain = make("p", { class: "al-note" });
  const count = make("span", { class: "bn-count" });
  const memory = make("div", { class: "bn-memory" });
  const answer = make("ol", {
    class: "bn-answer",
    lang: "de",
    "aria-label": `${name}: the answer`,
  });
  const element = make(
    "div",
    { class: "bn-lane" },
    make("p", { class: "bn-head" }, make("strong", {}, name), count),
    explain,
    memory,
    answer,
  );
  const showMemory = stripColumn(memory);

  function show({ memory: vectors, labels, marks, explain: text }) {
    explain.textContent = text;
    showMemory(vectors, labels);
    const { right, all, extra } = countRight(marks);
    const perfect = marks.every((mark) => mark.kind === "right");
    count.textContent = `${perfect ? "✓" : "✗"}\uFE0E ${right} of ${all} right${besides(extra)}`;
    count.dataset.perfect = perfect;
    const shown = joinMissing(marks);
    const first = shown.findIndex((mark) => mark.kind !== "right");
    answer.replaceChildren(...shown.map((mark, i) => markItem(mark, i === first)));
  }
  return { element, show };
}

// Neighbouring words that were left out make one mark.
function joinMissing(marks) {
  const joined = [];
  for (const mark of marks) {
    const before = joined.at(-1);
    if (mark.kind === "missing" && before?.kind === "missing") {
      before.wanted += ` ${mark.wanted}`;
    } else joined.push({ ...mark });
  }
  return joined;
}

function markItem(mark, first) {
  const item = make("li", { class: `bn-mark ${mark.kind}${first ? " first" : ""}` });
  if (mark.kind === "right") {
    item.textContent = mark.token;
    return item;
  }
  item.append(
    make("span", { class: "bn-token" }, mark.kind === "missing" ? "…" : mark.token),
    make("span", { class: "bn-wanted" }, mark.kind === "extra" ? "nothing" : mark.wanted),
  );
  item.title = describeMark(mark);
  return item;
}

/** Share of test numbers translated without a slip, by number of digits. */
function accuracyChart() {
  const [height, left, top, bottom] = [130, 40, 14, 22];
  const svg = makeSvg("svg", { height, role: "img", class: "bn-chart" });
  const plainName = make("span", { class: "bn-curve plain" });
  const element = make(
    "div",
    { class: "bn-accuracy" },
    make("p", { class: "al-label" }, "Test numbers translated without one slip, by digits"),
    svg,
    make(
      "p",
      { class: "bn-legend", "aria-hidden": "true" },
      make("span", { class: "bn-curve attentive" }, "with attention"),
      plainName,
      make("span", { class: "bn-curve unseen" }, "lengths never trained on"),
    ),
  );
  const y = (share) => top + (1 - share) * (height - top - bottom);

  function show(plain, attentive, current, stateSize) {
    // 0 before the figure has its place in the page; onNewWidth draws again when it has.
    const width = Math.min(540, svg.clientWidth) || 320;
    const x = (count) => left + 12 + ((count - 1) / (MOST_DIGITS - 1)) * (width - left - 24);
    const [edge, unseen] = [width - 2, x(plain.digits[1] + 0.5)];
    const text = (content, attributes) => makeSvg("text", attributes, content);
    const parts = [
      makeSvg("rect", {
        class: "unseen",
        x: unseen,
        y: top,
        width: edge - unseen,
        height: y(0) - top,
      }),
    ];
    for (const share of [0, 0.5, 1]) {
      parts.push(
        makeSvg("line", { class: "grid", x1: left, x2: edge, y1: y(share), y2: y(share) }),
        text(percent(share), { x: left - 6, y: y(share) + 4, "text-anchor": "end" }),
      );
    }
    for (let count = 1; count <= MOST_DIGITS; count++) {
      parts.push(
        text(String(count), {
          x: x(count),
          y: y(0) + 17,
          "text-anchor": "middle",
          class: count === current ? "now" : "",
        }),
      );
    }
    parts.push(
      makeSvg("line", { class: "current", x1: x(current), x2: x(current), y1: top - 8, y2: y(0) }),
    );
    for (const [name, { exact_match: shares }] of [
      ["attentive", attentive],
      ["plain", plain],
    ]) {
      const points = Object.entries(shares).map(([count, share]) => [x(Number(count)), y(share)]);
      parts.push(makeSvg("polyline", { class: name, points: points.join(" ") }));
      parts.push(
        ...points.map(([px, py]) =>
          name === "plain"
            ? makeSvg("rect", { class: name, x: px - 3, y: py - 3, width: 6, height: 6 })
            : makeSvg("circle", { class: name, cx: px, cy: py, r: 3.2 }),
        ),
      );
    }
    svg.replaceChildren(...parts);
    plainName.textContent = `without, width ${stateSize}`;
    const list = ({ exact_match: shares }) =>
      Object.entries(shares)
        .map(([count, share]) => `${count}: ${percent(share)}`)
        .join(", ");
    svg.setAttribute(
      "aria-label",
      "Exact translations by number of digits. "
        + `Without attention, width ${stateSize}: ${list(plain)}. With attention: ${list(attentive)}.`,
    );
  }
  return { element, show };
}
