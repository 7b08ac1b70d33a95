// Where the parts of the drawing stand, and which arrows join them.

export const STEP_SIZE = { width: 354, height: 383 };
export const STEP_COLUMNS = [128, 210, 292]; // of the memory
const LEFT = 45; // of the decoder's states
const MIDDLE = STEP_COLUMNS[1];
const ROWS = { word: 10, memory: 41, score: 91, softmax: 124, weight: 157, context: 204 };

const NAMES = {
  bahdanau: { asks: "sₜ₋₁", next: "sₜ", before: "" },
  luong: { asks: "sₜ", next: "sₜ₊₁", before: "from the cell" },
};

/** The names of the states: who asks, what the cell makes. */
export function stateNames(wiring) {
  return NAMES[wiring === "bahdanau" ? "bahdanau" : "luong"];
}

/**
 * The parts of the drawing: `boxes` and `arrows`, each with the step that makes it and a
 * kind, which colours it. A box has a place, a size, the name in it and the name of what it
 * shows; an arrow the points that it goes through. `texts` are words without a box.
 */
export function stepParts(wiring) {
  const late = wiring === "bahdanau" ? bahdanauParts() : luongParts(wiring === "feeding");
  const common = commonParts(stateNames(wiring));
  return {
    boxes: [...common.boxes, ...late.boxes],
    arrows: [...common.arrows, ...late.arrows],
    texts: [...common.texts, ...late.texts],
  };
}

const stepBox = (step, kind, x, y, width, name, shows, height = 24) => ({
  ...{ step, kind, x, y, width, name, shows, height },
});
const stepArrow = (step, kind, ...points) => ({ step, kind, points });
const stepLabel = (step, x, y, content) => ({ step, x, y, content });
const stepNote = (...place) => ({ ...stepLabel(...place), note: true }); // an operation

// Steps 1 to 4 are the same in all three.
function commonParts({ asks, before }) {
  const boxes = [stepBox(1, "query", LEFT, ROWS.score, 86, asks, "query", 40)];
  const arrows = [];
  const texts = [];
  const softmax = { step: 3, kind: "plain", x: MIDDLE, y: ROWS.softmax };
  boxes.push({ ...softmax, width: 230, height: 20, name: "softmax" });
  boxes.push(stepBox(4, "value", MIDDLE, ROWS.context, 116, "cₜ", "context"));
  STEP_COLUMNS.forEach((x, j) => {
    const sign = "₁₂₃"[j];
    boxes.push(stepBox(1, "key", x, ROWS.memory, 74, `h${sign}`, `memory${j}`));
    boxes.push(stepBox(2, "plain", x, ROWS.score, 58, `e${sign}`, `score${j}`));
    boxes.push(stepBox(3, "weight", x, ROWS.weight, 58, `α${sign}`, `weight${j}`));
    arrows.push(stepArrow(1, "key", [x, ROWS.word + 6], [x, ROWS.memory - 12]));
    arrows.push(stepArrow(2, "key", [x, ROWS.memory + 12], [x, ROWS.score - 12]));
    arrows.push(stepArrow(3, "plain", [x, ROWS.score + 12], [x, ROWS.softmax - 10]));
    arrows.push(stepArrow(3, "plain", [x, ROWS.softmax + 10], [x, ROWS.weight - 12]));
    arrows.push(valueArrow(x));
    arrows.push(mixArrow(x, j));
  });
  STEP_COLUMNS.forEach((x, j) => arrows.push(askArrow(x, j)));
  if (before) {
    texts.push(stepLabel(1, LEFT, ROWS.memory - 1, before));
    arrows.push(stepArrow(1, "query", [LEFT, ROWS.memory + 5], [LEFT, ROWS.score - 20]));
  }
  texts.push(stepNote(4, 274, ROWS.context + 4, "Σ αⱼhⱼ"));
  return { boxes, arrows, texts };
}

// The state goes to every score: along a line above them, and down into each.
function askArrow(x, j) {
  const bus = ROWS.score - 24;
  const from = j === 0 ? [LEFT + 43, ROWS.score] : [LEFT + 49, ROWS.score];
  if (j === 0) return stepArrow(2, "query", from, [x - 29, ROWS.score]);
  return stepArrow(2, "query", from, [LEFT + 49, bus], [x - 20, bus], [x - 20, ROWS.score - 12]);
}

// A state of the memory is what is summed, too: past its score, to its weight.
function valueArrow(x) {
  const side = x + 41;
  const [from, to] = [ROWS.memory, ROWS.weight];
  return stepArrow(4, "value", [x + 37, from], [side, from], [side, to], [x + 29, to]);
}

function mixArrow(x, j) {
  const end = MIDDLE + 36 * (j - 1);
  return { ...stepArrow(4, "mix", [x, ROWS.weight + 12], [end, ROWS.context - 12]), weight: j };
}

// The word that comes out: a bar for each.
function outputBox(y) {
  return { step: 5, kind: "output", x: MIDDLE + 8, y, width: 150, height: 62, name: "" };
}

function readOutTexts(mixed, output) {
  return [
    stepNote(5, 274, mixed + 4, "tanh W[c; s]"),
    stepNote(5, 220, output - 36, "softmax(Wₒh̃ₜ)"),
  ];
}

// Luong: context and state go to the read-out; the word goes into the next update.
function luongParts(feeding) {
  const [mixed, output, next] = [254, 313, 359];
  const boxes = [
    stepBox(5, "query", MIDDLE, mixed, 116, "h̃ₜ", "mixed"),
    outputBox(output),
    stepBox(5, "cell", LEFT, output, 48, "cell", ""),
    stepBox(5, "query", LEFT, next, 86, "sₜ₊₁", "nextState", 40),
  ];
  const arrows = [
    stepArrow(5, "value", [MIDDLE, ROWS.context + 12], [MIDDLE, mixed - 12]),
    stepArrow(5, "query", [LEFT, ROWS.score + 20], [LEFT, mixed], [MIDDLE - 58, mixed]),
    stepArrow(5, "query", [LEFT, mixed], [LEFT, output - 12]),
    stepArrow(5, "query", [MIDDLE, mixed + 12], [MIDDLE, output - 31]),
    stepArrow(5, "word", [MIDDLE - 67, output], [LEFT + 24, output]),
    stepArrow(5, "query", [LEFT, output + 12], [LEFT, next - 20]),
  ];
  if (feeding) {
    const [x, y] = [MIDDLE - 40, output - 40];
    const fed = [
      [x, mixed + 12],
      [x, y],
      [LEFT + 14, y],
      [LEFT + 14, output - 12],
    ];
    arrows.push(stepArrow(5, "fed", ...fed));
  }
  return {
    boxes,
    arrows,
    texts: [stepLabel(5, 104, output + 15, "yₜ"), ...readOutTexts(mixed, output)],
  };
}

// Bahdanau: the context goes into the update, and with the new state to the read-out.
function bahdanauParts() {
  const [cell, mixed, output] = [ROWS.context, 260, 321];
  const boxes = [
    stepBox(5, "cell", LEFT, cell, 48, "cell", ""),
    stepBox(5, "query", LEFT, mixed, 86, "sₜ", "nextState", 40),
    stepBox(5, "query", MIDDLE, mixed, 116, "h̃ₜ", "mixed"),
    outputBox(output),
  ];
  const arrows = [
    stepArrow(5, "query", [LEFT, ROWS.score + 20], [LEFT, cell - 12]),
    stepArrow(5, "fed", [MIDDLE - 58, cell], [LEFT + 24, cell]),
    stepArrow(5, "word", [16, cell - 34], [16, cell - 6], [LEFT - 24, cell - 6]),
    stepArrow(5, "query", [LEFT, cell + 12], [LEFT, mixed - 20]),
    stepArrow(5, "query", [LEFT + 43, mixed], [MIDDLE - 58, mixed]),
    stepArrow(5, "value", [MIDDLE, cell + 12], [MIDDLE, mixed - 12]),
    stepArrow(5, "query", [MIDDLE, mixed + 12], [MIDDLE, output - 31]),
  ];
  return {
    boxes,
    arrows,
    texts: [stepLabel(5, 21, cell - 42, "yₜ₋₁"), ...readOutTexts(mixed, output)],
  };
}
