// Where each matrix stands, what it is called, and what there is to see in it.

import { argmax } from "../../math/tensor.js";
import {
  pluralize,
  indicesOfLargest,
  joinWithAnd,
  percent,
  quoted,
  twoDecimals,
} from "../../words/phrases.js";
import { meanCosine } from "../../math/plane.js";

const attentionRows = (name) => [
  [`${name}.q`, `${name}.k`, `${name}.v`],
  [1, 2].flatMap((head) => [`${name}.scores.${head}`, `${name}.weights.${head}`]),
  [`${name}.found`, `${name}.out`],
  [`${name}.sum`, `${name}.normed`],
];
const feedForwardRows = (name, normed) => [
  [`${name}.inner`, `${name}.outer`],
  [`${name}.sum`, normed],
];

/** The columns of the picture: titles, and rows of names of steps. */
export const COLUMNS = [
  {
    side: "encoder",
    title: "Encoder",
    short: "encoder",
    rows: [
      ["src.words", "src.places", "src.x"],
      ...attentionRows("encoder"),
      ...feedForwardRows("encoder.ff", "memory"),
    ],
  },
  {
    side: "decoder",
    title: "Decoder: looking back",
    short: "back",
    rows: [["tgt.words", "tgt.places", "tgt.x"], ...attentionRows("decoder")],
  },
  {
    side: "across",
    title: "Looking across, and out",
    short: "across",
    rows: [
      ...attentionRows("across"),
      ...feedForwardRows("decoder.ff", "states"),
      ["logits", "shares"],
    ],
  },
];

/** The column that a step stands in. */
export function findColumn(name) {
  return COLUMNS.find(({ rows }) => rows.flat().includes(name));
}

// By the last part of a name: what the step is called, and what it does.
const STEP_TEXTS = {
  words: ["word", "A row of a table for each word, times √d."],
  places: ["position", "Sines and cosines of the position (chapter 5)."],
  x: ["x", "Word and position, added up: what goes into the layer."],
  q: ["q", "What each word asks: its row times a matrix, plus a bias."],
  k: ["k", "What each word is found by."],
  v: ["v", "What each word has to say."],
  scores: ["scores", "Each query with each key, in this head's eight numbers, ÷ √8."],
  weights: ["weights", "The softmax of each row of scores: shares that sum to 1."],
  found: ["heads", "Weights times values, the two heads side by side."],
  out: ["output", "What both heads read, mixed by the output matrix."],
  sum: ["+ x", "What the sublayer read, and what it has to add."],
  normed: ["norm", "Each row with mean 0 and deviation 1, then a gain and a bias."],
  inner: ["hidden", "32 hidden units: those below 0 are silent."],
  outer: ["ff output", "Each hidden unit that is not 0 adds its row."],
  memory: ["memory (output)", "The second norm: what leaves the encoder."],
  states: ["norm", "The last norm: what the next word is read off."],
  logits: ["logits", "A number for each German word: the row's product with its vector."],
  shares: ["softmax", "The logits as probabilities of the next word."],
};

function stepText(name) {
  return STEP_TEXTS[name.split(".").find((part) => part in STEP_TEXTS)];
}

const headNumber = (name) => name.match(/\d$/)?.[0] ?? "";

/** What is written over a matrix. */
export function shortName(name) {
  return [stepText(name)[0], headNumber(name)].filter(Boolean).join(" ");
}

/** The whole name: "weights 1 · Encoder". */
export function longName(name) {
  return `${shortName(name)} · ${findColumn(name).title}`;
}

/** What a step does, or what there is to see in it; `found` is what `writeBy` gives. */
export function stepCaption(name, found) {
  return CAPTIONS[name]?.(found) ?? stepText(name)[1];
}

/** The words of a step's rows, and of its columns where these are words. */
export function stepWords(name, { source, target }, words) {
  const { side } = findColumn(name);
  const asking = side === "encoder" || /^across\.[kv]$/.test(name) ? source : target;
  if (/scores|weights/.test(name)) return [asking, side === "decoder" ? target : source];
  return [asking, /^(logits|shares)$/.test(name) ? words : null];
}

// What there is to see in a step, where that is more than what every such step does.
const CAPTIONS = {
  "src.x": (found) =>
    `${pluralize(found.source.length, "row")} of 16 numbers: a row of a table for each word, and `
    + `its position. ${similarityText(found, "src.x")}`,
  "encoder.q": () =>
    "Each row makes a query, a key and a value, by three matrices. Two heads share the 16 "
    + "columns, eight each.",
  "encoder.scores.1": () =>
    "A query's product with every key, in this head. Follow one cell: which eight products "
    + "does it add up?",
  "encoder.weights.1": (found) => attentionText(found, "encoder.weights.1", "source"),
  "encoder.out": () =>
    "The values, mixed by the weights, and once more by a matrix: what attention has to add "
    + "to each word.",
  "encoder.sum": (found) =>
    `The plus sign: each word stays, and what it read is added. `
    + similarityText(found, "encoder.sum"),
  "encoder.ff.inner": (found) =>
    `The feed-forward layer: ${activeUnitsText(found)} hidden units are not 0. Each adds its `
    + "row, to its own word alone.",
  memory: (found) =>
    `The memory, all that the decoder will see of the numeral. ${similarityText(found, "memory")}`,
  "decoder.weights.1": () =>
    "What has been written looks back at itself. To the right of the diagonal stand words that "
    + "come later.",
  "across.weights.1": (found) =>
    `The decoder asks the memory. ${attentionText(found, "across.weights.1", "target")}`,
  shares: (found) => `Each row says the next word. ${predictionText(found)}`,
};

function similarityText({ steps }, name) {
  return `Mean cosine of two of them: ${twoDecimals(meanCosine(steps.get(name).matrix))}.`;
}

function attentionText({ steps, source, ...words }, name, asking) {
  const { matrix } = steps.get(name);
  const rows = asking === "source" ? source : words[asking];
  const row = argmax(matrix.map((weights) => Math.max(...weights)));
  const seen = indicesOfLargest(matrix[row], 0.05).map(
    (j) => `${percent(matrix[row][j])} at ${quoted(source, j)}`,
  );
  return `Surest is ${quoted(rows, row)}: in head 1 it looks ${joinWithAnd(seen)}.`;
}

function activeUnitsText({ steps }) {
  const rows = steps.get("encoder.ff.inner").matrix;
  const counts = rows.map((row) => row.filter((cell) => cell > 0).length);
  return `${joinWithAnd(counts)} of its 32`;
}

function predictionText({ steps, target }) {
  const last = Math.max(...steps.get("shares").matrix.at(-1));
  return `After ${quoted(target, target.length - 1)} the likeliest has ${percent(last)}.`;
}
