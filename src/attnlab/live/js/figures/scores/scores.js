// Six scores on one number: their maps side by side, and one of them large.

import { textButton } from "../../parts/buttons.js";
import { choices } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { alignmentMatrix } from "../../parts/linkmatrix.js";
import { alignmentPicture, linkPicture } from "../../parts/links.js";
import { modelLoader } from "../../parts/loading.js";
import { numberBox } from "../../parts/numbers.js";
import { debounce, timeSliced, rafThrottle, prefersReducedMotion } from "../../parts/timing.js";
import { traitsOf } from "../../shell/traits.js";
import { describeMark } from "../../words/compare.js";
import { parseNumber } from "../../words/spell.js";
import { scoreTiles } from "./tiles.js";
import { describeLarge, loadName, scoreName, describeScores, describeWord } from "./words.js";

const SCORES_LANGUAGE = "de";

const SCORES_TRAITS = ["number", "seed", "score", "word"];

export function render({ model, el, say, signal }) {
  const { stored, limits } = model.get("_frame");
  const speak = debounce(say);
  const traits = traitsOf(model, SCORES_TRAITS);
  const scores = sortByError(limits.score, stored.tests);
  const six = sixPictures({ model, el, stored, scores, signal, onPictures: showPictures });
  let drawn = null; // { number, seed, pictures }, what is to be seen

  const asked = scoresControls({ seeds: limits.seed, stored, onChange: select, onLoad: load });
  const tiles = scoreTiles({
    scores,
    tests: stored.tests,
    onScore: (score) => traits.change({ score }),
    onPress: () => large.bringIntoView(),
  });
  const large = largeLinks({
    onWord: (word) => traits.change({ word: word === traits.read().word ? null : word }),
    onRead: speak,
  });
  asked.element.append(six.note);
  el.append(asked.element, layOutMaps(limits.seed, tiles, large));

  function select(values) {
    six.forget();
    traits.change({ ...values, word: null });
  }

  // Weights come when somebody has asked for another number or seed than those stored.
  function load() {
    const request = traits.read();
    asked.update(request);
    if (drawn && request.number === drawn.number && request.seed === drawn.seed) {
      six.cancel();
      asked.showNumber(drawn.number);
      showScore();
    } else {
      six.translate(request, traits.read, restoreControls);
    }
  }

  // What is asked for goes back to what is drawn.
  function restoreControls() {
    if (drawn) traits.change({ number: drawn.number, seed: drawn.seed });
    else speak(six.failure());
  }

  function showPictures(request, pictures) {
    drawn = { ...request, pictures };
    asked.showNumber(request.number);
    asked.hideLoadButton();
    tiles.update(drawn);
    showScore();
  }

  function showScore() {
    const { score, word } = traits.read();
    const picture = drawn.pictures[scores.indexOf(score)];
    const row = word !== null && word < picture.words.length ? word : null;
    tiles.choose(score, picture, row);
    large.update(picture, score, row);
    const tell = row === null ? describeScores : describeWord;
    const said = tell({ ...drawn, scores }, picture, row);
    speak(`${six.failure()} ${describeLarge(drawn, score, row)} ${said}`.trim());
  }

  traits.follow(rafThrottle(load));
  if (six.isStored(traits.read())) load();
  else asked.offerWeights(traits.read());
}

function layOutMaps(seeds, tiles, large) {
  const label = `Test error of seeds ${seeds.join(", ")}, the best first`;
  const left = make("div", make("p.al-label", label), tiles.element);
  return make("div.sc-maps", left, large.element);
}

// By the mean of all seeds: an order that no choice of the reader changes.
function sortByError(scores, tests) {
  const sumOfErrors = (score) => tests[score].reduce((all, rate) => all + rate, 0);
  return [...scores].sort((one, other) => sumOfErrors(one) - sumOfErrors(other));
}

/** Number and seed; `onChange(values)` is called for another, `onLoad()` by the button. */
function scoresControls({ seeds, stored, onChange, onLoad }) {
  const box = numberBox({
    label: "Number",
    parse: parseNumber,
    onNumber: (number) => onChange({ number }),
  });
  const seed = choices(
    "Seed",
    seeds.map((one) => [String(one), String(one)]),
    (one) => onChange({ seed: Number(one) }),
  );
  const button = textButton(loadName(stored.megabytes), onLoad, { hidden: true });
  const hint = make("p.al-note.sc-hint", scoresHint(stored));
  const element = make("div.al-controls", box.field, seed.field, button, hint, box.error);

  const update = (request) => seed.set(request.seed);
  function offerWeights(request) {
    update(request);
    box.set(request.number);
    button.hidden = false;
    hint.hidden = true;
  }
  function hideLoadButton() {
    button.hidden = true;
  }
  return { element, update, offerWeights, hideLoadButton, showNumber: box.set };
}

function scoresHint({ megabytes }) {
  return `Another number loads six models, ${megabytes} MB a seed.`;
}

/**
 * One of the six maps with its words: the matrix of the alignment figure.
 * `update(picture, score, row)` draws it, with the row that is compared, or null. `onWord(t)`
 * is called for a row that is pressed, `onRead(text)` for a cell that the focus comes to.
 */
function largeLinks({ onWord, onRead }) {
  const written = make("p.sc-written");
  const matrix = alignmentMatrix({ onRow: onWord, onRead });
  const element = make("div.sc-large", written, matrix.element);
  let drawn = null;

  function update(picture, score, row) {
    if (picture !== drawn) {
      drawn = picture;
      written.replaceChildren(make("strong", scoreName(score)), " writes ", markedWords(picture));
      matrix.update(picture);
      element.style.setProperty("--rows", picture.words.length);
    }
    matrix.write(picture.words.length, row ?? -1);
  }

  function bringIntoView() {
    const behavior = prefersReducedMotion() ? "auto" : "smooth";
    element.scrollIntoView({ block: "nearest", behavior });
  }
  return { element, update, bringIntoView };
}

/** The words, syllable by syllable, with those that are wrong marked. */
function markedWords({ marks, language }) {
  const parts = marks.map((mark) => {
    const { kind, token } = mark;
    if (kind === "right") return make("span", token);
    return make("span.sc-slip", { title: describeMark(mark) }, token ?? "…");
  });
  const spaced = parts.flatMap((part, at) => (at ? ["\u00b7\u200b", part] : [part]));
  return make("span", { lang: language }, ...spaced);
}

// The six translations of a number: stored ones, or made here once the models are there.

/**
 * `translate(request, now, onFailure)` calls `onPictures(request, pictures)`, one picture a score,
 * unless `now()` tells of another wish by then; `cancel()` gives up what is under way. `note`
 * says what that is, `failure()` why it did not come.
 */
function sixPictures({ model, el, stored, scores, signal, onPictures }) {
  const loader = modelLoader(model, signal);
  const requestKey = ({ number, seed }) => `${number} ${seed}`;
  const isStored = ({ number }) => number === stored.number;
  let stop = () => {};

  function cancel() {
    stop();
    el.removeAttribute("aria-busy");
    loader.load([]); // which empties the note
  }

  async function translate(request, now, onFailure) {
    cancel();
    const { number, seed } = request;
    const task = { number, language: SCORES_LANGUAGE };
    if (isStored(request)) {
      const pictures = scores.map((score) => linkPicture(stored.pictures[score][seed], task));
      onPictures({ number, seed }, pictures);
      return;
    }
    const names = scores.map((score) => weightsName(score, seed));
    const saying = "Loading the weights of six models …";
    const networks = await loader.load(names, saying, () => requestKey(now()));
    if (networks?.length) start(networks, task, { number, seed });
    else if (networks) onFailure();
  }

  // A long number takes longer than a frame: the page may answer between two models.
  function start(networks, task, request) {
    el.setAttribute("aria-busy", "true");
    stop = timeSliced(translateEach(networks, task), signal, (pictures) => {
      el.removeAttribute("aria-busy");
      onPictures(request, pictures);
    });
  }
  const { note, failure, forget } = loader;
  return { note, failure, forget, isStored, translate, cancel };
}

function* translateEach(networks, task) {
  for (const network of networks) yield alignmentPicture(network, task);
}

// As attnlab.live.scores names them.
function weightsName(score, seed) {
  return seed ? `en-de-${score}-${seed}` : `en-de-${score}`;
}
