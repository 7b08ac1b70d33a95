// How do two numbers hold a sentence? The example of chapter 1, every number of it.

import { choices, menu } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { slider } from "../../parts/numbers.js";
import { tableRow } from "../../parts/tables.js";
import { debounce, rafThrottle } from "../../parts/timing.js";
import { traitsOf } from "../../shell/traits.js";
import { percent } from "../../words/phrases.js";
import { block, drawnProduct, sign } from "./products.js";
import { readByHand } from "./reading.js";
import { handInWords, vectorInWords } from "./words.js";

export function render({ model, el, say }) {
  const speak = debounce(say);
  const traits = traitsOf(model, ["sentence", "step", "noise"]);
  const { limits } = model.get("_frame");
  const sentence = menu({
    label: "Sentence",
    options: limits.sentences.map((one) => [one, one]),
    onChoice: (name) => traits.change({ sentence: name }),
  });
  const noise = slider({
    label: "Noise added to C",
    min: 0,
    max: limits.mostNoise,
    onValue: (tenths) => traits.change({ noise: tenths }),
  });
  const steps = stepChoice((step) => traits.change({ step }));
  const picture = make("div", { class: "by-picture" });
  const sum = make("p", { class: "by-sum" });
  const chain = make("p", { class: "by-chain" });
  const kept = make("p", { class: "al-note" });
  el.append(
    make("div", { class: "al-controls" }, sentence.field, steps.element),
    picture,
    sum,
    chain,
    make("div", { class: "al-controls by-noise" }, noise.field, kept),
  );
  function draw() {
    const now = traits.read();
    const found = readByHand(now, limits);
    const step = Math.min(now.step, found.words.length + 2);
    sentence.set(now.sentence);
    steps.set(found.words, step);
    noise.set(now.noise, limits.mostNoise, (now.noise / 10).toFixed(1));
    const size = (now.noise / 10).toFixed(1);
    kept.textContent = `${size}: ${found.right} of 100 copies of C keep the answer`;
    sum.textContent = "";
    picture.replaceChildren(...drawnStep(found, step, limits, tell));
    chain.textContent = chainOf(found, step, limits);
    speak(handInWords({ found, step, noise: now.noise }, limits));
  }

  function tell(text) {
    sum.textContent = text;
  }

  traits.follow(rafThrottle(draw));
  draw();
}

/** A button for each step; a sentence of one word has one less. */
function stepChoice(onStep) {
  const element = make("div");
  let strip = null;
  let sentence = "";

  function set(words, step) {
    if (sentence !== words.join(" ")) {
      sentence = words.join(" ");
      strip = choices({
        label: "Step",
        options: [...words, "score", "choose"].map((name, i) => [i + 1, name]),
        onChoice: (chosen) => onStep(Number(chosen)),
      });
      element.replaceChildren(strip.field);
    }
    strip.set(step);
  }
  return { element, set };
}

function drawnStep(found, step, limits, tell) {
  const { words, reads, context, scores, probabilities } = found;
  if (step <= words.length) return drawnRead(reads[step - 1], step, limits, tell);
  if (step === words.length + 1) {
    const matrix = { name: "Wₒ", numbers: limits.readOut, role: "" };
    const vector = { name: "C", numbers: context, role: "state" };
    const result = { name: "scores", numbers: scores, role: "" };
    return [drawnProduct({ matrix, vector, result, heads: limits.outputs }, tell)];
  }
  const bars = limits.outputs.map((word, i) => {
    const share = percent(probabilities[i]);
    const bar = make("span", { class: "by-bar", style: `width: ${share}` });
    return tableRow(word, make("td", {}, bar), make("td", {}, share));
  });
  const table = make("table", { class: "by-bars" }, make("tbody", {}, ...bars));
  return [block("scores", scores, { heads: limits.outputs }), sign("softmax →"), table];
}

function drawnRead({ word, x, state, fromWord, fromState, next }, step, limits, tell) {
  const old = step === 1 ? "h₀" : "h₁";
  const made = step === 1 ? "h₁" : "h₂";
  const ofWord = {
    matrix: { name: "W", numbers: limits.fromWord, role: "" },
    vector: { name: word, numbers: x, role: "word" },
    result: { name: "Wx", numbers: fromWord, role: "" },
  };
  const ofState = {
    matrix: { name: "U", numbers: limits.fromState, role: "" },
    vector: { name: old, numbers: state, role: "state" },
    result: { name: `U${old}`, numbers: fromState, role: "" },
  };
  return [
    make("div", { class: "by-sums" }, drawnProduct(ofWord, tell), drawnProduct(ofState, tell)),
    sign("add, tanh →"),
    block(made, next, { role: "state" }),
  ];
}

/** What has been read so far, in a line: the states, C, the answer. */
function chainOf({ reads, words, probabilities, best }, step, { outputs }) {
  const done = reads.slice(0, step).map(({ word, next }, i) => {
    const name = i + 1 === words.length ? "C" : `h${"₁₂"[i]}`;
    return `${word} → ${name} = ${vectorInWords(next)}`;
  });
  if (step === words.length + 2) done.push(`${outputs[best]}, ${percent(probabilities[best])}`);
  return done.join("   ");
}
