// Where does the answer begin to go wrong? A number grows digit by digit; one model must
// squeeze it into a single vector, the other keeps a vector for every word.

import { translate } from "../../models/seq2seq.js";
import { sourceIds } from "../../models/stored.js";
import { allow, pressButton } from "../../parts/buttons.js";
import { choices } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { modelLoader } from "../../parts/loading.js";
import { numberBox, slider } from "../../parts/numbers.js";
import { calmly, onNewWidth, oncePerFrame } from "../../parts/timing.js";
import { compareTokens } from "../../words/compare.js";
import { numberTokens, parseNumber } from "../../words/spell.js";
import { accuracyChart } from "./chart.js";
import { bottleneckLane } from "./lane.js";
import { bottleneckInWords } from "./words.js";

const ATTENTIVE_WEIGHTS = "en-de-attentive";
const NEXT_DIGITS = "345678912345"; // what "longer" appends where the reader gave nothing
const MOST_DIGITS = NEXT_DIGITS.length; // parseNumber takes no longer ones

export function renderBottleneck({ model, el, say, signal }) {
  const speak = calmly(say);
  const loader = modelLoader(model, signal);
  let drawn = null; // the state size in the picture

  const box = numberBox({ label: "Number", parse: parseNumber, onNumber });
  const digits = digitsControl(() => model.get("number"), onNumber);
  const size = choices({
    label: "Width of the plain model’s state",
    options: model.get("_frame").limits.state_size.map((n) => [n, String(n)]),
    onChoice: (n) => change("state_size", Number(n)),
  });
  const source = sourceLine();
  const [plain, attentive] = ["Without attention", "With attention"].map(bottleneckLane);
  const chart = accuracyChart(MOST_DIGITS);
  const fields = [box.field, digits.field, size.field, box.error, loader.note];
  el.append(make("div", { class: "al-controls" }, ...fields));
  el.append(...[source, plain, attentive, chart].map(({ element }) => element));

  function onNumber(number) {
    change("number", number);
  }

  function change(name, value) {
    loader.forget();
    model.set(name, value);
    model.save_changes();
  }

  async function draw() {
    const wish = () => [model.get("number"), model.get("state_size")];
    const [number, stateSize] = wish();
    size.set(stateSize);
    const names = [`en-de-gru-${stateSize}`, ATTENTIVE_WEIGHTS];
    const saying = `Loading the model of width ${stateSize} …`;
    const networks = await loader.load(names, saying, wish);
    if (networks?.length) {
      show(number, networks);
      drawn = stateSize;
    } else if (networks && drawn) {
      model.set("state_size", drawn); // back to what the picture shows
      model.save_changes();
    } else if (networks) speak(loader.failure());
  }

  function show(number, networks) {
    const words = numberTokens(number, "en");
    const { length } = String(number);
    const beyond = length > networks[0].metadata.digits[1];
    box.set(number);
    digits.show();
    source.show(words, beyond);
    const answers = networks.map((network) => answerOf(network, number, words));
    plain.show(oneVector(answers[0]));
    attentive.show(allVectors(answers[1], words));
    chart.show(networks, length);
    speak(`${loader.failure()} ${bottleneckInWords(number, answers, beyond)}`.trim());
  }

  const drawNext = oncePerFrame(draw);
  model.on("change:number", drawNext);
  model.on("change:state_size", drawNext);
  onNewWidth(el, signal, draw);
  draw();
}

/** A slider over the number of digits, and buttons for one more and one less. */
function digitsControl(number, onNumber) {
  let tape = NEXT_DIGITS; // the digits the slider lets in, one by one
  const length = () => String(number()).length;
  const { field, input, set } = slider({ label: "Digits", min: 1, max: MOST_DIGITS, onValue: cut });
  const button = (sign, name, by) =>
    pressButton({ sign, name: `One digit ${name}`, onPress: () => cut(length() + by) });
  const [shorter, longer] = [button("−", "shorter", -1), button("+", "longer", 1)];
  field.append(make("div", { class: "al-row" }, shorter, input, longer));
  field.classList.add("bn-digits");

  // Let in the first `count` digits of the tape.
  function cut(count) {
    if (count >= 1 && count <= MOST_DIGITS) onNumber(Number(tape.slice(0, count)));
  }

  // The number's own digits come first on the tape; what stood behind them stays.
  function show() {
    const start = number() === 0 ? "" : String(number());
    if (!tape.startsWith(start)) tape = start + tape.slice(start.length);
    set(length(), MOST_DIGITS, `${length()} digits`);
    allow(shorter, length() > 1);
    allow(longer, length() < MOST_DIGITS);
  }
  return { field, show };
}

/** The number in English, and whether it is longer than those that the models know. */
function sourceLine() {
  const source = make("p", { class: "bn-source", lang: "en" });
  const flag = make("span", { class: "al-warn" }, "longer than anything in training");
  const label = make("span", { class: "al-label" }, "Reads ");
  const element = make("div", { class: "bn-reads" }, label, source, flag);
  function show(words, beyond) {
    source.textContent = words.join(" ");
    flag.hidden = !beyond;
  }
  return { element, show };
}

function answerOf(network, number, words) {
  const answer = translate(network, sourceIds(network, words));
  return { network, answer, marks: compareTokens(answer.words, numberTokens(number, "de")) };
}

// What the lanes show.

function oneVector({ network, answer, marks }) {
  return {
    vectors: answer.encoderStates.slice(-1),
    labels: ["all of it"],
    marks,
    explanation:
      "Its decoder is given the whole number as one vector of "
      + `${network.config.d_model} entries:`,
  };
}

function allVectors({ network, answer, marks }, words) {
  return {
    vectors: answer.encoderStates,
    labels: [...words, "end"],
    marks,
    explanation:
      "Its decoder may look back at a vector for every word, of "
      + `${network.config.d_model} entries each:`,
  };
}
