// Which source word moves each word that a network writes? The gradient of log P(y_t) by the
// embedding of every source word, live: a faint alignment, before there is any attention.

import { choices } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { alignmentMatrix } from "../../parts/linkmatrix.js";
import { modelLoader } from "../../parts/loading.js";
import { whenNear } from "../../parts/near.js";
import { numberBox } from "../../parts/numbers.js";
import { calmly, oncePerFrame } from "../../parts/timing.js";
import { traitsOf } from "../../shell/traits.js";
import { detokenize, parseNumber } from "../../words/spell.js";
import { influencePicture } from "./picture.js";
import { INFLUENCE_TEXTS, NETWORK_NAMES, hitsInWords, influenceInWords } from "./words.js";

const INFLUENCE_WISHES = ["number", "network", "width"];

export function render({ model, el, say, signal }) {
  const speak = calmly(say);
  const loader = modelLoader(model, signal);
  const traits = traitsOf(model, INFLUENCE_WISHES);
  let picture = null; // what is drawn
  let row = 0; // the written word whose row stands above the matrix as bars

  const controls = influenceControls(model.get("_frame").limits, ask);
  const output = make("p", { class: "inf-output" });
  const hits = make("p", { class: "inf-hits" });
  const matrix = alignmentMatrix({ onRow: choose, onRead: speak, texts: INFLUENCE_TEXTS });
  const stage = make("div", { class: "inf-stage" }, output, hits, ...matrix.parts);
  el.append(make("div", { class: "al-controls" }, ...controls.fields, loader.note), stage);

  function ask(values) {
    loader.forget();
    traits.change(values);
  }

  async function load() {
    const wish = traits.read();
    controls.show(wish);
    const attends = wish.network === "attentive";
    const name = attends ? "en-de-attentive" : `en-de-gru-${wish.width}`;
    const saying = "Loading the weights of this network …";
    const networks = await loader.load([name], saying, () => Object.values(traits.read()));
    if (networks?.length) show(influencePicture(networks[0], wish));
    else if (networks) giveUp();
  }

  // The controls, and the traits behind them, go back to the network that is drawn.
  function giveUp() {
    if (picture) traits.change({ network: picture.network, width: picture.width });
    else speak(loader.failure());
  }

  function show(next) {
    picture = next;
    row = 0;
    controls.showNumber(picture.number);
    output.replaceChildren(...writtenLine(picture));
    hits.textContent = hitsInWords(picture);
    matrix.show(picture);
    choose(row);
  }

  function choose(t) {
    row = t;
    const { length } = picture.words;
    matrix.write(length, Math.min(row, length - 1));
    speak(`${loader.failure()} ${influenceInWords(picture, row)}`.trim());
  }

  whenNear(el, signal, () => {
    traits.follow(oncePerFrame(load));
    load();
  });
}

/** The number, and the network that writes it; `ask(values)` is called. */
function influenceControls({ width: widths, number: largest }, ask) {
  const box = numberBox({
    label: "Number",
    parse: (text) => parseNumber(text, largest),
    onNumber: (number) => ask({ number }),
  });
  const network = choices({
    label: "Network",
    options: Object.entries(NETWORK_NAMES),
    onChoice: (value) => ask({ network: value }),
  });
  const width = choices({
    label: "Its width",
    options: widths.map((n) => [n, String(n)]),
    onChoice: (n) => ask({ width: Number(n) }),
  });

  function show(wish) {
    network.set(wish.network);
    width.set(wish.width);
    width.field.hidden = wish.network === "attentive"; // there is one of them
  }
  const fields = [box.field, network.field, width.field, box.error];
  return { fields, show, showNumber: box.set };
}

function writtenLine({ words, slips }) {
  return [
    make("span", { class: "al-label" }, slips ? "It writes, wrongly, " : "It writes, rightly, "),
    make("span", { lang: "de", class: "inf-written" }, detokenize(words, "de")),
  ];
}
