// Which source word moves each word that a network writes? The gradient of log P(y_t) by the
// embedding of every source word, live, in a network without attention and in one with it.

import { sourceGradients } from "../../models/gradients.js";
import { sourceIds } from "../../models/stored.js";
import { choices } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { alignmentMatrix } from "../../parts/linkmatrix.js";
import { linkPicture } from "../../parts/links.js";
import { modelLoader } from "../../parts/loading.js";
import { numberBox } from "../../parts/numbers.js";
import { debounce, rafThrottle, onceNearViewport } from "../../parts/timing.js";
import { traitsOf } from "../../shell/traits.js";
import { linkVerdict } from "../../words/links.js";
import { groupDigits, indicesOfLargest, joinWithAnd, ordinal } from "../../words/phrases.js";
import { numberTokens, parseNumber } from "../../words/spell.js";

const MIN_NAMED_EFFECT = 0.3; // a word that moves less than this share of the strongest goes unsaid

/** What the matrix of alignments is called here. */
const INFLUENCE_TEXTS = {
  name: "How far each English word moves each German one",
  hint: "Choose a cell to read it.",
  key: ({ gold }) =>
    "The fuller a cell, the further the English word moves the German one; a row’s strongest is 1. "
    + (gold === null
      ? "• the strongest."
      : "Outlined: the known counterpart. The strongest: ✓ there, ✗ elsewhere, • it has none."),
};

export function render({ model, el, say, signal }) {
  const speak = debounce(say);
  const loader = modelLoader(model, signal);
  const traits = traitsOf(model, ["number", "width"]);
  let pictures = null; // what is drawn: without attention, and with it
  let row = 0; // the written word whose row stands above either matrix as bars

  const controls = influenceControls(model.get("_frame").limits, requestNumber);
  const sides = ["Without attention", "With attention"].map((name) =>
    influenceSide(name, { onRow: chooseRow, onRead: announceCell }),
  );
  const pair = make("div.inf-pair", ...sides.map(({ element }) => element));
  el.append(make("div.al-controls", ...controls.fields, loader.note));
  el.append(pair, sides[1].key);

  function requestNumber(values) {
    loader.forget();
    traits.change(values);
  }

  async function load() {
    const request = traits.read();
    controls.showWidth(request.width);
    const names = [`en-de-gru-${request.width}`, "en-de-attentive"];
    const saying = "Loading the weights of the networks …";
    const networks = await loader.load(names, saying, () => Object.values(traits.read()));
    if (networks?.length) update(networks.map((network) => influencePicture(network, request)));
    else if (networks && pictures) traits.change({ width: pictures[0].width });
    else if (networks) speak(loader.failure());
  }

  function update(next) {
    pictures = next;
    controls.showNumber(pictures[0].number);
    sides.forEach((side, at) => side.update(pictures[at]));
    chooseRow(0);
  }

  function chooseRow(t) {
    markRow(t);
    speak(`${loader.failure()} ${describeInfluence(pictures, row)}`.trim());
  }

  function announceCell(text, t) {
    markRow(t);
    speak(text);
  }

  function markRow(t) {
    row = t;
    for (const side of sides) side.mark(row);
  }

  onceNearViewport(el, signal, () => {
    traits.follow(rafThrottle(load));
    load();
  });
}

/** The number, and the width without attention; `requestNumber(values)` is called. */
function influenceControls({ width: widths, number: largest }, ask) {
  const box = numberBox({
    label: "Number",
    parse: (text) => parseNumber(text, largest),
    onNumber: (number) => ask({ number }),
  });
  const width = choices(
    "Width without attention",
    widths.map((n) => [n, String(n)]),
    (n) => ask({ width: Number(n) }),
  );
  const fields = [box.field, width.field, box.error];
  return { fields, showWidth: width.set, showNumber: box.set };
}

/** One network's matrix under its name; `markRow(t)` puts row t above it as bars. */
function influenceSide(name, { onRow, onRead }) {
  const matrix = alignmentMatrix({ onRow, onRead, texts: INFLUENCE_TEXTS });
  const count = make("span.inf-count");
  const head = make("p", make("strong", name), " ", count);
  const element = make("div.inf-side", head, matrix.scroll, matrix.readout);
  let length = 0;

  function update(picture) {
    ({ length } = picture.words);
    count.textContent = headText(picture);
    matrix.update(picture);
  }
  const markRow = (t) => matrix.write(length, Math.min(t, length - 1));
  return { element, key: matrix.key, update, mark: markRow };
}

// What the figure of influence says.

/** Of how many words the strongest is the one that they translate: "4 of 7 by their own word". */
function headText(picture) {
  if (picture.gold === null) return "✗\uFE0E writes it wrongly";
  const { hits, judged } = countHits(picture);
  return `${hits} of ${judged} by their own word`;
}

/** Both networks, and in both what moves word `row`. */
function describeInfluence([plain, attentive], row) {
  return (
    `${groupDigits(plain.number)}. Without attention, width ${plain.width}: ${moves(plain, row)} `
    + `With attention: ${moves(attentive, row)}`
  );
}

function moves(picture, row) {
  const t = Math.min(row, picture.words.length - 1);
  const moved = t < 0 ? "nothing written" : describeInfluences(picture, t);
  if (picture.gold === null) return `wrong; ${moved}.`;
  const { hits, judged } = countHits(picture);
  return `${hits} of ${judged} right; ${moved}.`;
}

function describeInfluences({ columns, words, weights }, t) {
  const named = indicesOfLargest(weights[t], MIN_NAMED_EFFECT).map((s) =>
    `${ordinal(columns, s)} ${columns[s]} ${weights[t][s].toFixed(2)}`.trim(),
  );
  return `“${words[t]}” is moved by ${joinWithAnd(named)}`;
}

// What moves the words of one translation, held against the known alignment.

/**
 * What a network makes of the number that is wished for, in the form that the figure of
 * alignments draws: `weights[t][s]` is how far source word s moves log P of written word t, as
 * a share of the largest in its row. (The end mark is no word, and left out.)
 */
function influencePicture(network, request) {
  const { number } = request;
  const columns = numberTokens(number, "en");
  const { words, norms } = sourceGradients(network, sourceIds(network, columns));
  const weights = norms.map((row) => normalizeRow(row.slice(0, columns.length)));
  const picture = linkPicture({ words, weights }, { ...request, language: "de" });
  return { ...picture, columns };
}

function normalizeRow(row) {
  const largest = Math.max(...row) || 1;
  return row.map((norm) => norm / largest);
}

/** Of how many words that have a counterpart it moves them most. */
function countHits(picture) {
  const verdicts = picture.words.map((_, t) => linkVerdict(picture, t));
  const countVerdict = (verdict) => verdicts.filter((one) => one === verdict).length;
  return { hits: countVerdict("hit"), judged: countVerdict("hit") + countVerdict("miss") };
}
