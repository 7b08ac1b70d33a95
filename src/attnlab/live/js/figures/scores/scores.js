// Six scores on one number: their maps side by side, and one of them large.

import { textButton } from "../../parts/buttons.js";
import { choices } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { numberBox } from "../../parts/numbers.js";
import { debounce, rafThrottle } from "../../parts/timing.js";
import { traitsOf } from "../../shell/traits.js";
import { parseNumber } from "../../words/spell.js";
import { largeLinks } from "./large.js";
import { sixPictures } from "./pictures.js";
import { scoreTiles } from "./tiles.js";
import { largeInWords, loadName, scoresInWords, wordInWords } from "./words.js";

const SCORES_TRAITS = ["number", "seed", "score", "word"];

export function render({ model, el, say, signal }) {
  const { stored, limits } = model.get("_frame");
  const speak = debounce(say);
  const traits = traitsOf(model, SCORES_TRAITS);
  const scores = bestFirst(limits.score, stored.tests);
  const six = sixPictures({ model, el, stored, scores, signal, onPictures: show });
  let drawn = null; // { number, seed, pictures }, what is to be seen

  const asked = scoresControls({ seeds: limits.seed, stored, onChange: ask, onLoad: () => load() });
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
  el.append(asked.element, sixAndOne(limits.seed, tiles, large));

  function ask(values) {
    six.forget();
    traits.change({ ...values, word: null });
  }

  // Weights come when somebody has asked for another number or seed than those stored.
  function load() {
    const request = traits.read();
    asked.show(request);
    if (drawn && request.number === drawn.number && request.seed === drawn.seed) {
      six.rest();
      asked.showNumber(drawn.number);
      update();
    } else {
      six.translate(request, traits.read, giveUp);
    }
  }

  // What is asked for goes back to what is drawn.
  function giveUp() {
    if (drawn) traits.change({ number: drawn.number, seed: drawn.seed });
    else speak(six.failure());
  }

  function show(request, pictures) {
    drawn = { ...request, pictures };
    asked.showNumber(request.number);
    asked.loaded();
    tiles.show(drawn);
    update();
  }

  function update() {
    const { score, word } = traits.read();
    const picture = drawn.pictures[scores.indexOf(score)];
    const row = word !== null && word < picture.words.length ? word : null;
    tiles.choose(score, picture, row);
    large.show(picture, score, row);
    const tell = row === null ? scoresInWords : wordInWords;
    const said = tell({ ...drawn, scores }, picture, row);
    speak(`${six.failure()} ${largeInWords(drawn, score, row)} ${said}`.trim());
  }

  traits.follow(rafThrottle(load));
  if (six.isStored(traits.read())) load();
  else asked.offer(traits.read());
}

function sixAndOne(seeds, tiles, large) {
  const label = `Test error of seeds ${seeds.join(", ")}, the best first`;
  const left = make("div", {}, make("p", { class: "al-label" }, label), tiles.element);
  return make("div", { class: "sc-maps" }, left, large.element);
}

// By the mean of all seeds: an order that no choice of the reader changes.
function bestFirst(scores, tests) {
  const sum = (score) => tests[score].reduce((all, rate) => all + rate, 0);
  return [...scores].sort((one, other) => sum(one) - sum(other));
}

/** Number and seed; `onChange(values)` is called for another, `onLoad()` by the button. */
function scoresControls({ seeds, stored, onChange, onLoad }) {
  const box = numberBox({
    label: "Number",
    parse: parseNumber,
    onNumber: (number) => onChange({ number }),
  });
  const seed = choices({
    label: "Seed",
    options: seeds.map((one) => [String(one), String(one)]),
    onChoice: (one) => onChange({ seed: Number(one) }),
  });
  const button = textButton(loadName(stored.megabytes), onLoad, { hidden: true });
  const hint = make("p", { class: "al-note sc-hint" }, scoresHint(stored));
  const element = make(
    "div",
    { class: "al-controls" },
    box.field,
    seed.field,
    button,
    hint,
    box.error,
  );

  const show = (request) => seed.set(request.seed);
  function offer(request) {
    show(request);
    box.set(request.number);
    button.hidden = false;
    hint.hidden = true;
  }
  function loaded() {
    button.hidden = true;
  }
  return { element, show, offer, loaded, showNumber: box.set };
}

function scoresHint({ megabytes }) {
  return `Another number loads six models, ${megabytes} MB a seed.`;
}
