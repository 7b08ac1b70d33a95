// Settings worth trying, each with a question.

import { menu } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { isMeasured } from "./state.js";

const COST_START = {
  n: 512,
  d: 256,
  k: 3,
  r: 32,
  quantity: "flops",
  x: "n",
  causal: false,
  layers: ["attention", "gru_fused"],
};
const NO_PRESET = "";
const COST_TRIES = [
  ["the start", {}, "Guess first, then drag the ring: what moves with the crossing?"],
  ["d = 512", { d: 512 }, "d has doubled. Has the crossing moved, and how far?"],
  [
    "projections",
    { layers: ["multi_head", "gru_fused"] },
    "With projections and eight heads: is self-attention still cheaper at n = d?",
  ],
  [
    "the clock",
    { quantity: "seconds" },
    "The same two layers, timed. Why do they cross so much earlier, or later?",
  ],
  [
    "table 1",
    { layers: ["attention", "banded", "gru_fused", "convolution"] },
    "The four rows of the paper’s table. Who costs least, and from where on?",
  ],
  [
    "wide window",
    { n: 1024, r: 512, layers: ["attention", "banded"], x: "r" },
    "From which radius on does a window cost more than looking everywhere?",
  ],
  [
    "paths",
    {
      quantity: "path_length",
      causal: true,
      layers: ["attention", "gru_fused", "convolution", "dilated"],
    },
    "How many steps lie between the first input and the last output?",
  ],
  [
    "parameters",
    {
      quantity: "parameters",
      x: "d",
      layers: ["multi_head", "gru_fused", "convolution", "separable"],
    },
    "Has attention the fewest? Move k.",
  ],
  [
    "fused",
    { n: 1024, quantity: "seconds", layers: ["gru", "gru_fused"] },
    "The same FLOPs, the same time? A GRU step by step, and one in a fused kernel.",
  ],
  [
    "memory",
    { n: 1024, d: 64, quantity: "megabytes", layers: ["attention", "attention_fused", "banded"] },
    "Which line rises by n², and which by n?",
  ],
];

/**
 * A drop-down of the settings, and the question of the one that is set.
 * `onTry(values)` is called; `show(now)` shows which of them these are, if any, and leaves out
 * what wants a machine where there is none.
 */
export function costTries(onTry) {
  const question = make("p", { class: "cost-question al-more", "aria-live": "polite" });
  const { field, fill, set } = menu({ label: "Try", options: [], onChoice: choose });
  let listed = null; // is it the list for readers with a machine?

  function choose(name) {
    if (name === NO_PRESET) return;
    const [, values] = COST_TRIES.find(([own]) => own === name);
    onTry({ ...COST_START, ...values });
  }

  function show(now) {
    const measured = now.machine !== "";
    if (measured !== listed) fill(optionsOf(measured));
    listed = measured;
    const none = [NO_PRESET, {}, "Settings of your own."];
    const [name, , asked] = COST_TRIES.find(([, values]) => isSet(values, now)) ?? none;
    set(name);
    if (question.textContent !== asked) question.textContent = asked;
  }
  return { field, question, show };
}

function optionsOf(measured) {
  const offered = COST_TRIES.filter(([, { quantity }]) => measured || !isMeasured(quantity));
  return [[NO_PRESET, "choose one"], ...offered.map(([name]) => [name, name])];
}

function isSet(values, now) {
  const wanted = Object.entries({ ...COST_START, ...values });
  return wanted.every(([name, value]) => String(now[name]) === String(value));
}
