// Cut the wire: a word is deleted, or only attention's weight to it is. What changes, word by
// word, in the network that has attention and in the one that has not?

import { argmax } from "../../math/tensor.js";
import { linkButton, parseOneOf, parseWholeUpTo } from "../../parts/address.js";
import { choices } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { modelLoader } from "../../parts/loading.js";
import { numberBox } from "../../parts/numbers.js";
import { debounce, onWidthChange, rafThrottle, onceNearViewport } from "../../parts/timing.js";
import { traitsOf } from "../../shell/traits.js";
import { groupDigits } from "../../words/phrases.js";
import { parseNumber } from "../../words/spell.js";
import { attentionWires, vectorLines } from "./lines.js";
import { attentiveWords, englishWords, plainWords } from "./lists.js";
import { predictAfterCut } from "./reading.js";
import { describeCut, lookText } from "./words.js";

const PLAIN_WEIGHTS = "en-de-gru-64";
const CUT_CHOICES = { word: "the word", weight: "its weight", others: "all others" };
const SCORE_CHOICES = { general: "general", cosine: "cosine" };

export function render({ model, el, say, signal }) {
  const speak = debounce(say);
  const loader = modelLoader(model, signal);
  const traits = traitsOf(model, ["number", "score", "cut", "place"]);
  const largest = model.get("_frame").limits.number;
  const link = linkButton({ model, el, traits, accepts: linkValidators(largest) });
  const controls = cutControls(largest, change);
  const stage = cutStage({ onChoose: toggleCut, onCut: toggleRibbonCut, onLook: highlightWord });
  const shown = { networks: null, score: null, reading: null, looked: null };
  const fields = [...controls.fields, link, controls.error, loader.note].filter(Boolean);
  el.append(make("div.al-controls.cw-controls", ...fields), stage.element);

  function change(values) {
    loader.forget();
    traits.change(values);
  }

  function toggleCut(place) {
    change({ place: place === traits.read().place ? null : place });
  }

  // A ribbon is cut with all that leave the same word, and put back likewise.
  function toggleRibbonCut(place) {
    const now = traits.read();
    const back = now.cut === "others" ? now.place !== null : now.place === place;
    change(back && now.cut !== "word" ? { place: null } : { cut: "weight", place });
  }

  function highlightWord(t) {
    shown.looked = t;
    stage.highlight(shown);
  }

  async function load() {
    const { score } = traits.read();
    const names = [PLAIN_WEIGHTS, `en-de-${score}`];
    const currentScore = () => traits.read().score;
    const networks = await loader.load(names, "Loading the two networks …", currentScore);
    if (networks?.length) {
      Object.assign(shown, { networks, score });
      draw();
    } else if (networks && shown.score) traits.change({ score: shown.score });
    else if (networks) speak(loader.failure());
  }

  function draw() {
    const request = traits.read();
    controls.update(request);
    if (!shown.networks) return;
    if (shown.score !== request.score) {
      load();
      return;
    }
    shown.reading = predictAfterCut(shown.networks, request);
    shown.looked = firstHighlightedWord(shown.reading);
    stage.update(shown);
    speak(`${loader.failure()} ${describeCut(shown.reading, request)}`.trim());
  }

  el.addEventListener("keydown", (event) => {
    if (event.key === "Escape") change({ place: null });
  });
  traits.follow(rafThrottle(draw));
  onWidthChange(el, signal, () => stage.update(shown));
  draw();
  onceNearViewport(el, signal, load);
}

// The word whose wires stand out before the reader points at one: the first that changes, or
// the one that looked most at what is cut.
function firstHighlightedWord({ attentive, place }) {
  const first = attentive.findIndex(({ before, after }) => before !== after);
  if (first >= 0 || place === null) return Math.max(0, first);
  return argmax(attentive.map(({ whole }) => whole[place]));
}

function cutControls(largest, change) {
  const parseWordNumber = (text) => {
    const answer = parseNumber(text);
    if (!(answer.number > largest)) return answer;
    const why = "longer ones these networks were not taught";
    return {
      error: `${groupDigits(answer.number)} is too large: up to ${groupDigits(largest)}; ${why}.`,
    };
  };
  const box = numberBox({
    label: "Number",
    parse: parseWordNumber,
    onNumber: (number) => change({ number, place: null }),
  });
  const score = choices("Attention by", SCORE_CHOICES, (name) => change({ score: name }));
  const cut = choices("Choose an English word, and cut", CUT_CHOICES, (name) =>
    change({ cut: name }),
  );

  function update(request) {
    box.set(request.number);
    score.set(request.score);
    cut.set(request.cut);
  }
  return { fields: [box.field, score.field, cut.field], error: box.error, update };
}

// What a link may hold.
function linkValidators(largest) {
  return {
    number: parseWholeUpTo(largest),
    score: parseOneOf(Object.keys(SCORE_CHOICES)),
    cut: parseOneOf(Object.keys(CUT_CHOICES)),
    place: (text) => (text ? parseWholeUpTo(largest)(text) : null),
  };
}

/** The sentence in the middle, the plain network on its left, the attentive on its right. */
function cutStage({ onChoose, onCut, onLook }) {
  const [source, plain] = [englishWords(onChoose), plainWords()];
  const attentive = attentiveWords(onLook);
  const [vector, wires] = [vectorLines(), attentionWires(onCut)];
  const note = make("span.cw-note");
  const makeHead = (...lines) => make("p.cw-head", ...lines);
  const heads = [
    makeHead("Without attention", note),
    makeHead("English"),
    makeHead("With attention", make("span.cw-note", "a weight for every word")),
  ];
  const columns = [plain.element, vector.svg, source.element, wires.svg, attentive.element];
  const readout = make("p.al-note.cw-readout", { "aria-hidden": "true" });
  const picture = make("div.cw-stage", { hidden: true }, ...heads, ...columns);

  function update(shown) {
    const { reading } = shown;
    if (!reading) return;
    picture.hidden = false;
    const none = reading.place !== null && reading.cut !== "word";
    note.textContent = none ? "no weight to cut" : "one vector, C";
    note.classList.toggle("none", none);
    for (const part of [source, plain, attentive, vector, wires]) part.update(reading);
    highlight(shown);
  }

  function highlight({ reading, looked }) {
    attentive.highlight(looked);
    wires.highlight(looked);
    readout.textContent = lookText(reading, looked);
  }
  return { element: make("div", picture, readout), update, highlight };
}
