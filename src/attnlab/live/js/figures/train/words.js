// What the figure of training says.

import { pluralize, groupDigits, percent } from "../../words/phrases.js";
import { applies } from "./used.js";

export const SETTING_LABELS = {
  task: "Task",
  language: "Language",
  model: "Model",
  layers: "Layers",
  heads: "Heads",
  width: "Width",
  inner: "Feed-forward",
  activation: "Activation",
  positions: "Positions",
  norm: "Norm",
  residual: "Residual",
  scale: "Scale of scores",
  score: "Score",
  reads: "Encoder reads",
  sees: "A word sees",
  warmup: "Warm-up",
  batch: "Batch",
  optimizer: "Optimizer",
  units: "Cut into",
};

// Of choices that do not speak for themselves.
const CHOICE_NAMES = {
  task: {
    numerals: "translate numerals",
    places: "what is each word worth?",
    copy: "copy",
    reverse: "reverse",
    sort: "sort",
    recall: "recall",
    recall2: "recall, items of two tokens",
    own: "pairs of your own",
  },
  language: { de: "German", fr: "French", da: "Danish", ja: "Japanese", en: "English" },
  model: {
    transformer: "Transformer",
    gru: "GRU",
    decoder: "decoder alone",
    reader: "reader (attention layers)",
  },
  inner: { 0: "none" },
  activation: { relu: "ReLU", gelu: "GELU" },
  norm: { post: "after (post-norm)", pre: "before (pre-norm)" },
  residual: { true: "on", false: "off" },
  scale: { sqrt_d: "1/√d", one: "1", d: "1/d" },
  score: { scaled_dot: "scaled dot" },
  reads: { forward: "forward", both: "both ways" },
  sees: { all: "all words", before: "what came before" },
  warmup: { 0: "none", 0.05: "5% of the steps", 0.1: "10% of the steps", 0.2: "20% of the steps" },
  optimizer: { adam: "AdamW", sgd: "gradient descent" },
};

export function choiceName(setting, value) {
  return CHOICE_NAMES[setting]?.[value] ?? String(value);
}

// A pair of each task, for one who has not seen any.
const TASK_PAIRS = {
  numerals: "two thousand four → zwei tausend vier, or another language",
  places: "two hundred five → 10² none 10⁰",
  copy: "d a f b → d a f b",
  reverse: "d a f b → b f a d",
  sort: "d a f b → a b d f",
  recall: "c4 a7 … w a? → 7",
  recall2: "c 4 a 7 … w a? → 7",
  own: "what stands left of = → what stands right of it",
};

/** What is chosen, before it is trained. */
export function describePlan(settings) {
  const model = describeModel(settings);
  return `${model}: press Train to see it learn, as in ${TASK_PAIRS[settings.task]}.`;
}

// What most models have not, and is told of those that have it.
const NON_DEFAULTS = {
  activation: { gelu: "GELU" },
  norm: { pre: "pre-norm" },
  residual: { false: "no residual" },
  scale: { one: "scores not scaled", d: "scores times 1/d" },
  warmup: { 0: "no warm-up" },
  optimizer: { sgd: "gradient descent" },
};

function describeUnusual(settings) {
  const told = Object.entries(NON_DEFAULTS).filter(([name]) => applies(name, settings));
  return told.flatMap(([name, words]) => words[settings[name]] ?? []);
}

/** A model in a few words: "Transformer, 2 layers, 4 heads, width 32, sinusoidal, GELU". */
export function describeModel(settings) {
  return [describeUsual(settings), ...describeUnusual(settings)].join(", ");
}

function describeUsual({ model, layers, heads, width, positions, score }) {
  if (model === "gru") {
    const attends = score === "none" ? "no attention" : choiceName("score", score);
    return `GRU, ${attends}, width ${width}`;
  }
  const kind = { reader: "Reader", decoder: "Decoder alone" }[model] ?? "Transformer";
  const sizes = `${pluralize(layers, "layer")}, ${pluralize(heads, "head")}, width ${width}`;
  return `${kind}, ${sizes}, ${positions === "none" ? "no" : positions} positions`;
}

/** What a run learns, by which model, and what else tells it from others. */
export function describeRun(settings) {
  const { task, language, rate, seed } = settings;
  const spoken = task === "numerals" || task === "places";
  const what = choiceName("task", task) + (spoken ? `, ${choiceName("language", language)}` : "");
  return `${what}; ${describeModel(settings)}; rate ${rate}, seed ${seed}`;
}

/** How far a run has come, and what it gets right. */
export function describeProgress({ state, settings, parameters, simd, now, points }) {
  if (state === "starting") return "The pairs are being made …";
  if (!now) return `A model of ${groupDigits(parameters)} parameters is there.`;
  const { step, loss, right, milliseconds } = now;
  const exact = points.at(-1)?.exact;
  const parts = [`Step ${groupDigits(step)} of ${groupDigits(settings.steps)}`];
  if (loss !== undefined) {
    parts.push(`loss ${loss.toFixed(3)} and ${percent(right)} of the tokens right in its batch`);
  }
  if (exact !== undefined) parts.push(`${percent(exact)} of unseen examples right throughout`);
  if (milliseconds !== undefined) parts.push(`${milliseconds.toFixed(1)} ms a step`);
  return `${parts.join(", ")}. ${STATES[state]}${simd ? "" : NO_SIMD}`;
}

const STATES = {
  training: "",
  stopped: "Stopped.",
  over: "All steps are taken.",
  gone: "Its weights are gone.",
};
const NO_SIMD = " (This browser has no WebAssembly SIMD: plain JavaScript computes, slowly.)";

/** What a point of a curve comes to: "160: 69% right". */
export function describePoint({ step, exact }) {
  return `${groupDigits(step)}: ${percent(exact)} right`;
}

/** What is seen of an example: "Step 160: 69% right. To “ten” it says “zehn”." */
export function describeLook({ number, points, examples }, at, which) {
  const [{ source }, { answer }] = [examples[which], points[at].looks[which]];
  const said = answer.filter((_, t) => examples[which].target[t]).join(" ");
  const whose = number === "stored" ? "Stored run, step" : "Step";
  return `${whose} ${describePoint(points[at])}. To “${source.join(" ")}” it says “${said}”.`;
}

/** What the error of each head's map is, or why there is none. */
export function describeError(error, layer, head) {
  if (!error) return "What should be looked at is not known here.";
  const wrong = error[layer][head];
  return wrong === null
    ? "No unseen example has a known counterpart."
    : `Alignment error of this head on all unseen examples: ${percent(wrong)}.`;
}

/** A layer by its name in the weights: "encoder.layers.0" is "encoder, layer 1". */
export function describeLayer(name) {
  return name
    .replace(/\.?layers\.(\d+)/, (_, number) => `, layer ${Number(number) + 1}`)
    .replace(/^, /, "")
    .replace(/\.norm$/, ", last norm")
    .replace(/^src_/, "source ")
    .replace(/^tgt_/, "target ")
    .replaceAll("_", " ");
}
