// Where does the answer begin to go wrong? The same number by two networks: one must squeeze
// it into a single vector, the other keeps a vector for every word.

import { translate } from "../../models/seq2seq.js";
import { sourceIds } from "../../models/stored.js";
import { linkButton, parseOneOf, parseWholeUpTo } from "../../parts/address.js";
import { choices } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { modelLoader } from "../../parts/loading.js";
import { numberBox } from "../../parts/numbers.js";
import { stripRows } from "../../parts/strips.js";
import { debounce, rafThrottle, onWidthChange } from "../../parts/timing.js";
import { traitsOf } from "../../shell/traits.js";
import { alignTokens, describeMark } from "../../words/compare.js";
import { numberTokens, parseNumber } from "../../words/spell.js";
import { accuracyChart } from "./chart.js";
import { digitsOf, MAX_DIGITS, resizeNumber } from "./digits.js";
import { describeBottleneck, countRight, describeMemory, scoreText } from "./words.js";

const LONG = 13; // words, of which more are written smaller

const ATTENTIVE_WEIGHTS = "en-de-attentive";

export function render({ model, el, say, signal }) {
  const speak = debounce(say);
  const loader = modelLoader(model, signal);
  const traits = traitsOf(model, ["number", "width"]);
  let drawn = null; // the width in the picture

  const widths = model.get("_frame").limits.width;
  const accepts = { number: parseWholeUpTo(10 ** MAX_DIGITS - 1), width: parseOneOf(widths) };
  const controls = bottleneckControls({
    widths,
    notes: [linkButton({ model, el, traits, accepts }), loader.note],
    onNumber: (number) => change({ number }),
    onWidth: (width) => change({ width }),
  });
  const chart = accuracyChart((count) =>
    change({ number: resizeNumber(traits.read().number, count) }),
  );
  const source = make("span.bn-source", { lang: "en" });
  const label = make("span.al-label", "Both read");
  const opening = model.get("opening"); // it asks, and must not answer before the page does
  const lanes = ["Without attention", "With attention"].map((name) =>
    networkPanel(name, { sized: !opening }),
  );
  const asked = make("div.bn-asked", controls.element, chart.element);
  const pair = make("div.bn-lanes", ...lanes.map(({ element }) => element));
  const reads = make("p.bn-reads", label, " ", source);
  const answered = make("div.bn-answered", reads, pair);
  el.append(make("div", { class: `bn-figure${opening ? " opening" : ""}` }, asked, answered));

  function change(values) {
    loader.forget();
    traits.change(values);
  }

  async function draw() {
    const { number, width } = traits.read();
    controls.showWidth(width);
    const names = [`en-de-gru-${width}`, ATTENTIVE_WEIGHTS];
    const saying = `Loading the network of width ${width} …`;
    const networks = await loader.load(names, saying, () => Object.values(traits.read()));
    if (networks?.length) {
      update(number, networks);
      drawn = width;
    } else if (networks && drawn) {
      traits.change({ width: drawn }); // back to what the picture shows
    } else if (networks) speak(loader.failure());
  }

  function update(number, networks) {
    const words = numberTokens(number, "en");
    const beyond = digitsOf(number) > networks[0].metadata.digits[1];
    controls.showNumber(number);
    source.textContent = words.join(" ");
    const answers = networks.map((network) => computeAnswer(network, number, words));
    answers.forEach((answer, i) => lanes[i].update(answer));
    chart.update(networks, digitsOf(number));
    speak(`${loader.failure()} ${describeBottleneck(number, answers, beyond)}`.trim());
  }

  const drawNext = rafThrottle(draw);
  traits.follow(drawNext);
  onWidthChange(el, signal, draw);
  draw();
}

/** What a network writes, held against the truth, and the vectors that its decoder is given. */
function computeAnswer(network, number, words) {
  const answer = translate(network, sourceIds(network, words));
  const attends = network.config.score !== null;
  return {
    network,
    marks: alignTokens(answer.words, numberTokens(number, "de")),
    vectors: attends ? answer.encoderStates : answer.encoderStates.slice(-1),
  };
}

// The number and the width of the plain network: one row of controls; `notes` are put at
// the end, `onNumber` and `onWidth` get what the reader asks for.
function bottleneckControls({ widths, notes, onNumber, onWidth }) {
  const box = numberBox({ label: "Number", parse: parseNumber, onNumber });
  const width = choices(
    "Width without attention",
    widths.map((n) => [n, String(n)]),
    (n) => onWidth(Number(n)),
  );
  width.field.classList.add("bn-width");
  const parts = [box.field, width.field, box.error, ...notes].filter(Boolean);
  const element = make("div.al-controls", ...parts);
  return { element, showNumber: box.set, showWidth: width.set };
}

// One network's part: what its decoder is given, and what it writes.

/** `update` takes { network, vectors, marks }: see `computeAnswer` in bottleneck.js. */
function networkPanel(name, { sized }) {
  const count = make("span.bn-count");
  const explanation = make("p.al-note");
  const strips = stripRows();
  const named = { lang: "de", "aria-label": `${name}: the answer` };
  const answer = make("ol.bn-answer", { ...named });
  const head = make("p.bn-head", make("strong", name), " ", count);
  const element = make("div.bn-lane", head, explanation, strips.svg, answer);

  function update({ network, vectors, marks }) {
    explanation.textContent = describeMemory(network, vectors.length, sized);
    strips.update(vectors);
    const perfect = marks.every((mark) => mark.kind === "right");
    count.textContent = `${perfect ? "✓" : "✗"}\uFE0E ${scoreText(countRight(marks))}`;
    count.dataset.perfect = perfect;
    const shown = mergeMissingMarks(marks);
    answer.dataset.long = shown.length > LONG;
    const first = shown.findIndex((mark) => mark.kind !== "right");
    answer.replaceChildren(...shown.map((mark, i) => markItem(mark, i === first)));
  }
  return { element, update };
}

// Neighbouring words that were left out make one mark.
function mergeMissingMarks(marks) {
  const joined = [];
  for (const mark of marks) {
    const before = joined.at(-1);
    if (mark.kind === "missing" && before?.kind === "missing") {
      before.wanted += ` ${mark.wanted}`;
    } else joined.push({ ...mark });
  }
  return joined;
}

// A wrong word is struck out, and what should stand there is written below it.
function markItem(mark, first) {
  const item = make("li", { class: `bn-mark ${mark.kind}${first ? " first" : ""}` });
  if (mark.kind === "right") {
    item.textContent = mark.token;
    return item;
  }
  item.append(
    mark.kind === "missing" ? make("span", "…") : make("del", mark.token),
    mark.kind === "extra" ? make("span", "nothing") : make("ins", mark.wanted),
  );
  item.title = describeMark(mark);
  return item;
}
