// Which source words did the model look at for each word it wrote? A matrix that fills
// row by row as the translation is written.

import { menu } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { alignmentMatrix } from "../../parts/linkmatrix.js";
import { alignmentPicture } from "../../parts/links.js";
import { modelLoader } from "../../parts/loading.js";
import { numberBox } from "../../parts/numbers.js";
import { stepper } from "../../parts/stepper.js";
import { debounce, rafThrottle, onceNearViewport } from "../../parts/timing.js";
import { traitsOf } from "../../shell/traits.js";
import { ALIGNMENT_LANGUAGES, alignmentErrors, languageName } from "../../words/links.js";
import { groupDigits, indicesOfLargest, ordinal } from "../../words/phrases.js";
import { detokenize, parseNumber } from "../../words/spell.js";

const MIN_NAMED_WEIGHT = 0.05; // a weight below this is not read out

const ALIGNMENT_TRAITS = ["number", "language", "score"];
const SCORE_NAMES = {
  additive: "additive",
  dot: "dot",
  scaled_dot: "scaled dot",
  general: "general",
  cosine: "cosine",
  location: "location",
};
const WORD_STEPS = { label: "Words written", thing: "word", pause: 700 }; // milliseconds

export function render({ model, el, say, signal }) {
  const speak = debounce(say);
  const loader = modelLoader(model, signal);
  const traits = traitsOf(model, ALIGNMENT_TRAITS);
  let picture = null; // what is drawn
  const total = () => picture?.words.length ?? 0;
  const step = () => Math.min(total(), model.get("step") ?? total()); // null means all words

  const requests = alignmentControls(requestMatrix);
  const goTo = (number) => picture && traits.change({ step: number });
  const steps = wordSteps(() => ({ step: step(), last: total() }), goTo, signal);
  const output = make("p.aln-output");
  const matrix = alignmentMatrix({ onRow: selectRow, onRead: speak, beside: output });
  const asked = [...requests.fields, steps.field, requests.error, loader.note];
  el.append(make("div.al-controls.aln-asked", ...asked), matrix.element);

  // A row that is written is looked at and leaves those below it; one that is not gets written.
  function selectRow(t) {
    if (t < step()) showStep(t);
    else steps.goTo(t + 1);
  }

  // Another number, language or score: show its whole matrix.
  function requestMatrix(name, value) {
    steps.stop();
    loader.forget();
    traits.change({ step: null, [name]: value });
  }

  async function load() {
    const request = traits.read();
    requests.update(request);
    const name = `en-${request.language}-${request.score}`;
    const saying = "Loading the weights of this model …";
    const networks = await loader.load([name], saying, () => Object.values(traits.read()));
    if (networks?.length) showPicture(alignmentPicture(networks[0], request));
    else if (networks) restoreMenus();
  }

  // The menus, and the traits behind them, go back to the model that is drawn.
  function restoreMenus() {
    const { language, score } = picture ?? {};
    if (picture) traits.change({ language, score });
    else speak(loader.failure());
  }

  function showPicture(next) {
    picture = next;
    requests.showNumber(picture.number);
    matrix.update(picture);
    showStep();
  }

  function showStep(row = step() - 1) {
    if (!picture) return;
    steps.update();
    matrix.write(step(), row);
    output.replaceChildren(...translationText(picture, step()));
    speak(`${loader.failure()} ${describeAlignment(picture, row + 1)}`.trim());
  }

  traits.follow(rafThrottle(load));
  model.on(
    "change:step",
    rafThrottle(() => showStep()),
  );
  requests.update(traits.read());
  onceNearViewport(el, signal, load); // some 80 kB of weights
}

function wordSteps(now, onStep, signal) {
  const steps = stepper({ ...WORD_STEPS, now, onStep, signal });
  steps.field.classList.add("aln-progress");
  return steps;
}

/** Number, language and score; `requestMatrix(name, value)` is called when one changes. */
function alignmentControls(ask) {
  const box = numberBox({ label: "Number", parse: parseNumber, onNumber: (n) => ask("number", n) });
  const menuOf = (name, label, options) => menu(label, options, (value) => ask(name, value));
  const language = menuOf("language", "Into", ALIGNMENT_LANGUAGES);
  const score = menuOf("score", "Score", SCORE_NAMES);

  function update(request) {
    language.set(request.language);
    score.set(request.score);
  }
  const fields = [box.field, language.field, score.field];
  return { fields, error: box.error, update, showNumber: box.set };
}

/** The translation as far as it is written. */
function translationText({ words, language }, step) {
  const text = detokenize(words.slice(0, step), language);
  return [
    make("span.al-label", `${languageName(language)} `),
    make("span.aln-written", { lang: language }, text),
    make("span.aln-caret", { "aria-hidden": "true" }, step < words.length ? "▏" : ""),
  ];
}

// What the figure of alignments says.

/** Of the row of word `step`, counted from 1, 0 before the first; and of the whole number. */
function describeAlignment(picture, step) {
  const { number, words, truth, slips, gold, language } = picture;
  const where = step
    ? `Word ${step} of ${words.length}: ${describeRow(picture, step - 1)}.`
    : `${groupDigits(number)}: nothing written yet.`;
  if (slips) {
    return `${where} The translation is wrong; it should be “${detokenize(truth, language)}”.`;
  }
  if (gold === null) return `${where} The translation is right.`;
  const { rate, hits, judged } = alignmentErrors(picture);
  return (
    `${where} Of all words ${hits} of the ${judged} with a counterpart look at it most; `
    + `alignment error rate ${rate.toFixed(2)}.`
  );
}

function describeRow({ columns, words, weights }, t) {
  const row = weights[t];
  const total = row.reduce((sum, weight) => sum + weight, 0);
  const top = indicesOfLargest(row, MIN_NAMED_WEIGHT).map((s) =>
    `${ordinal(columns, s)} ${columns[s]} ${row[s].toFixed(2)}`.trim(),
  );
  return `“${words[t]}” looks at ${top.join(", ")}; the row sums to ${total.toFixed(2)}`;
}
