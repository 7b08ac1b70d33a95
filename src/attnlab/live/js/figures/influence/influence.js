// Which source word moves each word that a network writes? The gradient of log P(y_t) by the
// embedding of every source word, live, in a network without attention and in one with it.

import { choices } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { alignmentMatrix } from "../../parts/linkmatrix.js";
import { modelLoader } from "../../parts/loading.js";
import { onceNearViewport } from "../../parts/near.js";
import { numberBox } from "../../parts/numbers.js";
import { debounce, rafThrottle } from "../../parts/timing.js";
import { traitsOf } from "../../shell/traits.js";
import { parseNumber } from "../../words/spell.js";
import { influencePicture } from "./picture.js";
import { INFLUENCE_TEXTS, headText, influenceInWords } from "./words.js";

export function render({ model, el, say, signal }) {
  const speak = debounce(say);
  const loader = modelLoader(model, signal);
  const traits = traitsOf(model, ["number", "width"]);
  let pictures = null; // what is drawn: without attention, and with it
  let row = 0; // the written word whose row stands above either matrix as bars

  const controls = influenceControls(model.get("_frame").limits, ask);
  const sides = ["Without attention", "With attention"].map((name) =>
    influenceSide(name, { onRow: choose, onRead: read }),
  );
  const pair = make("div", { class: "inf-pair" }, ...sides.map(({ element }) => element));
  el.append(make("div", { class: "al-controls" }, ...controls.fields, loader.note));
  el.append(pair, sides[1].key);

  function ask(values) {
    loader.forget();
    traits.change(values);
  }

  async function load() {
    const request = traits.read();
    controls.showWidth(request.width);
    const names = [`en-de-gru-${request.width}`, "en-de-attentive"];
    const saying = "Loading the weights of the networks …";
    const networks = await loader.load(names, saying, () => Object.values(traits.read()));
    if (networks?.length) show(networks.map((network) => influencePicture(network, request)));
    else if (networks && pictures) traits.change({ width: pictures[0].width });
    else if (networks) speak(loader.failure());
  }

  function show(next) {
    pictures = next;
    controls.showNumber(pictures[0].number);
    sides.forEach((side, at) => side.show(pictures[at]));
    choose(0);
  }

  function choose(t) {
    mark(t);
    speak(`${loader.failure()} ${influenceInWords(pictures, row)}`.trim());
  }

  function read(text, t) {
    mark(t);
    speak(text);
  }

  function mark(t) {
    row = t;
    for (const side of sides) side.mark(row);
  }

  onceNearViewport(el, signal, () => {
    traits.follow(rafThrottle(load));
    load();
  });
}

/** The number, and the width of the network without attention; `ask(values)` is called. */
function influenceControls({ width: widths, number: largest }, ask) {
  const box = numberBox({
    label: "Number",
    parse: (text) => parseNumber(text, largest),
    onNumber: (number) => ask({ number }),
  });
  const width = choices({
    label: "Width without attention",
    options: widths.map((n) => [n, String(n)]),
    onChoice: (n) => ask({ width: Number(n) }),
  });
  const fields = [box.field, width.field, box.error];
  return { fields, showWidth: width.set, showNumber: box.set };
}

/** One network's matrix under its name; `mark(t)` puts row t above it as bars. */
function influenceSide(name, { onRow, onRead }) {
  const matrix = alignmentMatrix({ onRow, onRead, texts: INFLUENCE_TEXTS });
  const count = make("span", { class: "inf-count" });
  const head = make("p", {}, make("strong", {}, name), " ", count);
  const element = make("div", { class: "inf-side" }, head, matrix.scroll, matrix.readout);
  let length = 0;

  function show(picture) {
    ({ length } = picture.words);
    count.textContent = headText(picture);
    matrix.show(picture);
  }
  const mark = (t) => matrix.write(length, Math.min(t, length - 1));
  return { element, key: matrix.key, show, mark };
}
