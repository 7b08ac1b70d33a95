// How do two numbers hold a sentence? The example of chapter 1, every number of it.

import { choices, menu } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { slider } from "../../parts/numbers.js";
import { rovingTabindex } from "../../parts/rove.js";
import { tableRow } from "../../parts/tables.js";
import { debounce, rafThrottle } from "../../parts/timing.js";
import { traitsOf } from "../../shell/traits.js";
import { joinWithAnd, percent, formatNumber, twoDecimals } from "../../words/phrases.js";

export function render({ model, el, say }) {
  const speak = debounce(say);
  const traits = traitsOf(model, ["sentence", "step", "noise"]);
  const { limits } = model.get("_frame");
  const sentence = menu(
    "Sentence",
    limits.sentences.map((one) => [one, one]),
    (name) => traits.change({ sentence: name }),
  );
  const noise = slider("Noise added to C", 0, limits.mostNoise, (tenths) =>
    traits.change({ noise: tenths }),
  );
  const steps = stepButtons((step) => traits.change({ step }));
  const picture = make("div.by-picture");
  const sum = make("p.by-sum");
  const chain = make("p.by-chain");
  const kept = make("p.al-note");
  el.append(
    make("div.al-controls", sentence.field, steps.element),
    picture,
    sum,
    chain,
    make("div.al-controls.by-noise", noise.field, kept),
  );
  function draw() {
    const now = traits.read();
    const found = runRnnByHand(now, limits);
    const step = Math.min(now.step, found.words.length + 2);
    sentence.set(now.sentence);
    steps.set(found.words, step);
    noise.set(now.noise, limits.mostNoise, (now.noise / 10).toFixed(1));
    const size = (now.noise / 10).toFixed(1);
    kept.textContent = `${size}: ${found.right} of 100 copies of C keep the answer`;
    sum.textContent = "";
    picture.replaceChildren(...drawStep(found, step, limits, announce));
    chain.textContent = drawChain(found, step, limits);
    speak(describeHand({ found, step, noise: now.noise }, limits));
  }

  function announce(text) {
    sum.textContent = text;
  }

  traits.follow(rafThrottle(draw));
  draw();
}

/** A button for each step; a sentence of one word has one less. */
function stepButtons(onStep) {
  const element = make("div");
  let strip = null;
  let sentence = "";

  function set(words, step) {
    if (sentence !== words.join(" ")) {
      sentence = words.join(" ");
      strip = choices(
        "Step",
        [...words, "score", "choose"].map((name, i) => [i + 1, name]),
        (chosen) => onStep(Number(chosen)),
      );
      element.replaceChildren(strip.field);
    }
    strip.set(step);
  }
  return { element, set };
}

function drawStep(found, step, limits, tell) {
  const { words, reads, context, scores, probabilities } = found;
  if (step <= words.length) return drawRnnStep(reads[step - 1], step, limits, tell);
  if (step === words.length + 1) {
    const matrix = { name: "Wₒ", numbers: limits.readOut, role: "" };
    const vector = { name: "C", numbers: context, role: "state" };
    const result = { name: "scores", numbers: scores, role: "" };
    return [drawProduct({ matrix, vector, result, heads: limits.outputs }, tell)];
  }
  const bars = limits.outputs.map((word, i) => {
    const share = percent(probabilities[i]);
    const bar = make("span.by-bar", { style: `width: ${share}` });
    return tableRow(word, make("td", bar), make("td", share));
  });
  const table = make("table.by-bars", make("tbody", ...bars));
  return [block("scores", scores, { heads: limits.outputs }), sign("softmax →"), table];
}

function drawRnnStep({ word, x, state, fromWord, fromState, next }, step, limits, tell) {
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
    make("div.by-sums", drawProduct(ofWord, tell), drawProduct(ofState, tell)),
    sign("add, tanh →"),
    block(made, next, { role: "state" }),
  ];
}

/** What has been read so far, in a line: the states, C, the answer. */
function drawChain({ reads, words, probabilities, best }, step, { outputs }) {
  const done = reads.slice(0, step).map(({ word, next }, i) => {
    const name = i + 1 === words.length ? "C" : `h${"₁₂"[i]}`;
    return `${word} → ${name} = ${describeVector(next)}`;
  });
  if (step === words.length + 2) done.push(`${outputs[best]}, ${percent(probabilities[best])}`);
  return done.join("   ");
}

// The example's arithmetic: a sentence read by a recurrent network of width 2, the scores of
// three German words, and what noise does to the answer.

// A matrix, a list of rows, times a vector.
function multiplyMatrixVector(matrix, vector) {
  return matrix.map((row) => row.reduce((sum, entry, i) => sum + entry * vector[i], 0));
}

/** All that the example computes of a sentence; `limits` has its weights. */
function runRnnByHand({ sentence, noise }, limits) {
  const words = sentence.split(" ");
  const reads = [];
  let state = [0, 0];
  for (const word of words) {
    const x = limits.embeddings[word];
    const fromWord = multiplyMatrixVector(limits.fromWord, x);
    const fromState = multiplyMatrixVector(limits.fromState, state);
    const next = fromWord.map((number, i) => Math.tanh(number + fromState[i]));
    reads.push({ word, x, state, fromWord, fromState, next });
    state = next;
  }
  const scores = multiplyMatrixVector(limits.readOut, state);
  const powers = scores.map(Math.exp);
  const total = powers.reduce((sum, power) => sum + power, 0);
  const best = indexOfMax(scores);
  const copies = limits.draws.map((draw) => state.map((x, i) => x + (noise / 10) * draw[i]));
  const answers = copies.map((copy) => indexOfMax(multiplyMatrixVector(limits.readOut, copy)));
  return {
    words,
    reads,
    context: state,
    scores,
    probabilities: powers.map((power) => power / total),
    best,
    right: answers.filter((answer) => answer === best).length,
  };
}

function indexOfMax(numbers) {
  return numbers.indexOf(Math.max(...numbers));
}

// What the figure says.

function describeVector(vector) {
  return `(${vector.map(twoDecimals).join(", ")})`;
}

/** The step that is shown, and what noise does to the answer. */
function describeHand({ found, step, noise }, { outputs }) {
  return `${describeStep(found, step, outputs)} ${describeNoise(found, noise)}`;
}

function describeStep({ words, reads, context, scores, probabilities, best }, step, outputs) {
  if (step <= words.length) {
    const { word, next } = reads[step - 1];
    const last = step === words.length ? ", the context C" : "";
    return `“${word}” is read: the state becomes ${describeVector(next)}${last}.`;
  }
  if (step === words.length + 1) {
    const listed = outputs.map((word, i) => `${word} ${twoDecimals(scores[i])}`);
    return `C = ${describeVector(context)} gives the scores ${joinWithAnd(listed)}.`;
  }
  return `The softmax makes ${outputs[best]} the likeliest, ${percent(probabilities[best])}.`;
}

function describeNoise({ right }, noise) {
  if (noise === 0) return "No noise is added to C.";
  const size = (noise / 10).toFixed(1);
  return `With noise of ${size} added, ${right} of 100 copies of C keep the answer.`;
}

// A matrix times a vector, drawn: the numbers of the result can be pointed at, and the row
// and the vector light up that each is the sum of.

/** A column of numbers, or of rows of them, under its name. */
function block(name, numbers, { role = "", heads = [], cell = format } = {}) {
  const rows = numbers.map((row, r) =>
    make(
      "tr",
      ...(heads.length ? [make("th", { scope: "row" }, heads[r])] : []),
      ...[row].flat().map((number) => make("td", cell(number))),
    ),
  );
  const table = make("table.by-numbers", make("tbody", ...rows));
  return make("div", { class: `by-block ${role}` }, make("div.by-name", name), table);
}

function sign(text) {
  return make("span.by-sign", text);
}

/**
 * `matrix` times `vector` is `result`, each { name, numbers, role }. `announce(text)` is told the
 * sum that is pointed at.
 */
function drawProduct({ matrix, vector, result, heads = [] }, tell) {
  const left = block(matrix.name, matrix.numbers, { role: matrix.role, heads });
  const middle = block(vector.name, vector.numbers, { role: vector.role });
  const right = block(result.name, result.numbers, { role: result.role });
  const cells = [...right.querySelectorAll("td")];
  cells.forEach((cell, r) => {
    const terms = matrix.numbers[r].map((w, i) => `${format(w)} · ${format(vector.numbers[i])}`);
    const sum = `${terms.join(" + ")} = ${twoDecimals(result.numbers[r])}`;
    cell.setAttribute("aria-label", `${result.name}: ${sum}`);
    cell.setAttribute("role", "button"); // pressing shows the sum, as pointing does
    for (const event of ["pointerenter", "focus", "click"]) {
      cell.addEventListener(event, () => highlightTerms(r, sum));
    }
    cell.addEventListener("pointerleave", () => highlightTerms(-1, ""));
    cell.addEventListener("blur", () => highlightTerms(-1, ""));
  });
  if (cells.length) rovingTabindex(right, "td", { columns: 1 })();

  function highlightTerms(at, sum) {
    const rows = left.querySelectorAll("tr");
    rows.forEach((row, r) => row.classList.toggle("lit", r === at));
    middle.classList.toggle("lit", at >= 0);
    cells.forEach((cell, r) => cell.classList.toggle("lit", r === at));
    tell(sum && `${result.name}: ${sum}`);
  }
  return make("div.by-product", left, sign("·"), middle, sign("="), right);
}

/** Whole numbers and halves as they are, others with two decimals. */
function format(number) {
  return Number.isInteger(2 * number) ? formatNumber(number) : twoDecimals(number);
}
