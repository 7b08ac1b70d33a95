// Where does the answer begin to go wrong? The same number by two networks: one must squeeze
// it into a single vector, the other keeps a vector for every word.

import { translate } from "../../models/seq2seq.js";
import { sourceIds } from "../../models/stored.js";
import { linkButton, oneOf, wholeUpTo } from "../../parts/address.js";
import { make } from "../../parts/elements.js";
import { modelLoader } from "../../parts/loading.js";
import { debounce, onWidthChange, rafThrottle } from "../../parts/timing.js";
import { traitsOf } from "../../shell/traits.js";
import { compareTokens } from "../../words/compare.js";
import { numberTokens } from "../../words/spell.js";
import { accuracyChart } from "./chart.js";
import { bottleneckControls } from "./controls.js";
import { MAX_DIGITS, digitsOf, withDigits } from "./digits.js";
import { bottleneckLane } from "./lane.js";
import { bottleneckInWords } from "./words.js";

const ATTENTIVE_WEIGHTS = "en-de-attentive";

export function render({ model, el, say, signal }) {
  const speak = debounce(say);
  const loader = modelLoader(model, signal);
  const traits = traitsOf(model, ["number", "width"]);
  let drawn = null; // the width in the picture

  const widths = model.get("_frame").limits.width;
  const accepts = { number: wholeUpTo(10 ** MAX_DIGITS - 1), width: oneOf(widths) };
  const controls = bottleneckControls({
    widths,
    notes: [linkButton({ model, el, traits, accepts }), loader.note],
    onNumber: (number) => change({ number }),
    onWidth: (width) => change({ width }),
  });
  const chart = accuracyChart((count) =>
    change({ number: withDigits(traits.read().number, count) }),
  );
  const source = make("span", { class: "bn-source", lang: "en" });
  const label = make("span", { class: "al-label" }, "Both read");
  const opening = model.get("opening"); // it asks, and must not answer before the page does
  const lanes = ["Without attention", "With attention"].map((name) =>
    bottleneckLane(name, { sized: !opening }),
  );
  const asked = make("div", { class: "bn-asked" }, controls.element, chart.element);
  const pair = make("div", { class: "bn-lanes" }, ...lanes.map(({ element }) => element));
  const reads = make("p", { class: "bn-reads" }, label, " ", source);
  const answered = make("div", { class: "bn-answered" }, reads, pair);
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
      show(number, networks);
      drawn = width;
    } else if (networks && drawn) {
      traits.change({ width: drawn }); // back to what the picture shows
    } else if (networks) speak(loader.failure());
  }

  function show(number, networks) {
    const words = numberTokens(number, "en");
    const beyond = digitsOf(number) > networks[0].metadata.digits[1];
    controls.showNumber(number);
    source.textContent = words.join(" ");
    const answers = networks.map((network) => answerOf(network, number, words));
    answers.forEach((answer, i) => lanes[i].show(answer));
    chart.show(networks, digitsOf(number));
    speak(`${loader.failure()} ${bottleneckInWords(number, answers, beyond)}`.trim());
  }

  const drawNext = rafThrottle(draw);
  traits.follow(drawNext);
  onWidthChange(el, signal, draw);
  draw();
}

/** What a network writes, held against the truth, and the vectors that its decoder is given. */
function answerOf(network, number, words) {
  const answer = translate(network, sourceIds(network, words));
  const attends = network.config.score !== null;
  return {
    network,
    marks: compareTokens(answer.words, numberTokens(number, "de")),
    vectors: attends ? answer.encoderStates : answer.encoderStates.slice(-1),
  };
}
