// Which source words did the model look at for each word it wrote? A matrix that fills
// row by row as the translation is written.

import { menu } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { alignmentMatrix } from "../../parts/linkmatrix.js";
import { alignmentPicture } from "../../parts/links.js";
import { modelLoader } from "../../parts/loading.js";
import { onceNearViewport } from "../../parts/near.js";
import { numberBox } from "../../parts/numbers.js";
import { stepper } from "../../parts/stepper.js";
import { debounce, rafThrottle } from "../../parts/timing.js";
import { traitsOf } from "../../shell/traits.js";
import { ALIGNMENT_LANGUAGES, languageName } from "../../words/links.js";
import { detokenize, parseNumber } from "../../words/spell.js";
import { alignmentInWords } from "./words.js";

const ALIGNMENT_TRAITS = ["number", "language", "score"];
const SCORE_NAMES = [
  ["additive", "additive"],
  ["dot", "dot"],
  ["scaled_dot", "scaled dot"],
  ["general", "general"],
  ["cosine", "cosine"],
  ["location", "location"],
];
const WORD_STEPS = { label: "Words written", thing: "word", pause: 700 }; // milliseconds

export function render({ model, el, say, signal }) {
  const speak = debounce(say);
  const loader = modelLoader(model, signal);
  const traits = traitsOf(model, ALIGNMENT_TRAITS);
  let picture = null; // what is drawn
  const total = () => picture?.words.length ?? 0;
  const step = () => Math.min(total(), model.get("step") ?? total()); // null means all words

  const controls = alignmentControls(ask);
  const goTo = (number) => picture && traits.change({ step: number });
  const steps = wordSteps(() => ({ step: step(), last: total() }), goTo, signal);
  const output = make("p", { class: "aln-output" });
  const matrix = alignmentMatrix({ onRow: lookAt, onRead: speak, beside: output });
  const asked = [...controls.fields, steps.field, controls.error, loader.note];
  el.append(make("div", { class: "al-controls aln-asked" }, ...asked), matrix.element);

  // A row that is written is looked at and leaves those below it; one that is not gets written.
  function lookAt(t) {
    if (t < step()) update(t);
    else steps.goTo(t + 1);
  }

  // Another number, language or score: show its whole matrix.
  function ask(name, value) {
    steps.stop();
    loader.forget();
    traits.change({ step: null, [name]: value });
  }

  async function load() {
    const request = traits.read();
    controls.show(request);
    const name = `en-${request.language}-${request.score}`;
    const saying = "Loading the weights of this model …";
    const networks = await loader.load([name], saying, () => Object.values(traits.read()));
    if (networks?.length) show(alignmentPicture(networks[0], request));
    else if (networks) giveUp();
  }

  // The menus, and the traits behind them, go back to the model that is drawn.
  function giveUp() {
    const { language, score } = picture ?? {};
    if (picture) traits.change({ language, score });
    else speak(loader.failure());
  }

  function show(next) {
    picture = next;
    controls.showNumber(picture.number);
    matrix.show(picture);
    update();
  }

  function update(row = step() - 1) {
    if (!picture) return;
    steps.show();
    matrix.write(step(), row);
    output.replaceChildren(...written(picture, step()));
    speak(`${loader.failure()} ${alignmentInWords(picture, row + 1)}`.trim());
  }

  traits.follow(rafThrottle(load));
  model.on(
    "change:step",
    rafThrottle(() => update()),
  );
  controls.show(traits.read());
  onceNearViewport(el, signal, load); // some 80 kB of weights
}

function wordSteps(now, onStep, signal) {
  const steps = stepper({ ...WORD_STEPS, now, onStep, signal });
  steps.field.classList.add("aln-progress");
  return steps;
}

/** What is to be translated, into what, and by which score; `ask(name, value)` is called. */
function alignmentControls(ask) {
  const box = numberBox({ label: "Number", parse: parseNumber, onNumber: (n) => ask("number", n) });
  const menuOf = (name, label, options) =>
    menu({ label, options, onChoice: (value) => ask(name, value) });
  const language = menuOf("language", "Into", ALIGNMENT_LANGUAGES);
  const score = menuOf("score", "Score", SCORE_NAMES);

  function show(request) {
    language.set(request.language);
    score.set(request.score);
  }
  const fields = [box.field, language.field, score.field];
  return { fields, error: box.error, show, showNumber: box.set };
}

/** The translation as far as it is written. */
function written({ words, language }, step) {
  const text = detokenize(words.slice(0, step), language);
  return [
    make("span", { class: "al-label" }, `${languageName(language)} `),
    make("span", { lang: language, class: "aln-written" }, text),
    make("span", { class: "aln-caret", "aria-hidden": "true" }, step < words.length ? "▏" : ""),
  ];
}
