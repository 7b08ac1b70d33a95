// Settings worth trying, each with a question.

import { tryAndAsk } from "../../parts/tries.js";
import { isMeasured } from "./state.js";

const COST_START = {
  n: 512,
  d: 256,
  k: 3,
  r: 32,
  quantity: "flops",
  x: "n",
  causal: false,
  layers: ["attention", "banded", "gru_fused", "convolution"],
};
const COST_TRIES = [
  ["d = 512", { d: 512 }, "d has doubled. Which crossings have moved, and how far?"],
  [
    "n = d",
    { d: 512, layers: ["attention", "multi_head", "gru_fused", "lstm_fused"] },
    "Self-attention is cheaper than the GRU at n = d. Is it so with its projections?",
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
      layers: ["attention", "banded", "gru_fused", "convolution", "dilated"],
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
    "time",
    { n: 1024, quantity: "seconds", layers: ["attention", "attention_fused", "gru", "gru_fused"] },
    "The same FLOPs, the same time? Compare readable and fused, stepwise and not.",
  ],
  [
    "memory",
    { n: 1024, d: 64, quantity: "megabytes", layers: ["attention", "attention_fused", "banded"] },
    "Which line rises by n², and which by n?",
  ],
  ["the start", {}, ""],
];

/** `onTry(values)` is called; `show(now)` hides what wants a machine where there is none. */
export function costTries(onTry) {
  const { element, buttons } = tryAndAsk({
    prefix: "cost",
    question: "Guess first, then press and look.",
    tries: COST_TRIES.map(([name, values, question]) => [
      name,
      () => onTry({ ...COST_START, ...values }),
      question,
    ]),
  });

  function show({ machine }) {
    COST_TRIES.forEach(([, { quantity }], i) => {
      buttons[i].hidden = machine === "" && isMeasured(quantity);
    });
  }
  return { element, show };
}
