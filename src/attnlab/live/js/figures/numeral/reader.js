// The trained reader of numerals on words of one's own: one head, and one word that asks.

import { choices } from "../../parts/choices.js";
import { make, makeSvg, setAttributes } from "../../parts/elements.js";
import { modelLoader } from "../../parts/loading.js";
import { typingBox } from "../../parts/typing.js";
import { traitsOf } from "../../shell/traits.js";
import { twoDecimals } from "../../words/phrases.js";
import { readTyped } from "../../words/places.js";
import { arrowPath } from "./arrow.js";
import { maskGrid } from "./maskgrid.js";
import { projectToSpan, runTrainedHead } from "./reading.js";
import { stepsTable } from "./steps.js";
import { describeReader } from "./words.js";

// All in parts of the longest way.
const MARGIN = 0.22;
const ARROW_HEAD_LENGTH = 0.06;
const MIN_HEIGHT = 0.4; // the least height
const LABEL_MARGIN = 0.19; // of the picture's height, above and below

const NETWORK = "places-en-1";
const LANGUAGE = "en";
const TRAITS = ["text", "asks", "head", "positions", "unseen", "order"];

/** Its `element`, the choice of a `head`, and `draw`. */
export function trainedReader(model, { speak, signal, follow }) {
  const traits = traitsOf(model, TRAITS);
  const loader = modelLoader(model, signal);
  const { mostWords, heads } = model.get("_frame").limits;
  const controls = makeControls({ mostWords, heads, note: loader.note }, traits);
  const table = stepsTable();
  const grid = maskGrid({ onAsk: (asks) => traits.change({ asks }), onHide: setHiddenPairs });
  const plane = residualPlane();
  const side = make("div", grid.element, plane.element);
  const row = make("div", table.element, table.trace);
  const picture = make("div.nr-picture", { hidden: true }, row, side);
  const element = make("div.nr", controls.element, picture);

  async function draw() {
    controls.update(traits.read());
    const requests = () => [model.get("shown")];
    const models = await loader.load([NETWORK], "Loading the weights of the reader …", requests);
    if (!models) return;
    const [network] = models;
    picture.hidden = !network;
    if (!network) {
      speak(loader.failure());
      return;
    }
    const state = traits.read();
    const said = readTyped(state.text, LANGUAGE, mostWords).tokens;
    const tokens = [...said, "end"];
    const typed = said.map((_, i) => i);
    const asked = {
      ...state,
      head: state.head - 1,
      asks: Math.min(state.asks, said.length),
      order: isPermutation(state.order, said.length) ? state.order : typed,
    };
    const found = runTrainedHead(network, tokens, asked);
    const shuffled = String(asked.order) !== String(typed);
    const before = shuffled ? runTrainedHead(network, tokens, { ...asked, order: typed }) : null;
    for (const part of [table, grid, plane]) part.update(found);
    speak(describeReader(found, before, state));
  }

  // Cells [i, j] of typed words: hidden, or seen again.
  function setHiddenPairs(pairs, hidden) {
    const gone = new Set(pairs.map(String));
    const others = traits.read().unseen.filter((pair) => !gone.has(String(pair)));
    traits.change({ unseen: hidden ? [...others, ...pairs] : others });
  }

  traits.follow(follow);
  return { element, head: controls.head, draw };
}

function isPermutation(order, count) {
  return order.length === count && [...order].sort((a, b) => a - b).every((at, i) => at === i);
}

function makeControls({ mostWords, heads, note }, traits) {
  const box = typingBox({ label: "A number, in digits or in words", autocapitalize: "off" });
  box.field.classList.add("nr-text");
  box.field.firstChild.classList.add("al-hidden"); // what stands in it says what it is
  let current = null; // what the figure shows
  box.input.addEventListener("input", () => {
    const read = readTyped(box.input.value, LANGUAGE, mostWords);
    const many = read.error === undefined && read.tokens.length > mostWords;
    box.showError(many ? `Please type at most ${mostWords} words.` : (read.error ?? ""));
    if (many || read.error !== undefined) return;
    current = read.text;
    traits.change({ text: read.text, asks: 0, unseen: [], order: [] });
  });
  const head = choices(
    "Head",
    Array.from({ length: heads }, (_, i) => [i + 1, String(i + 1)]),
    (name) => traits.change({ head: Number(name) }),
  );
  head.field.classList.add("nr-head");
  const placed = make("input", { type: "checkbox" });
  placed.addEventListener("change", () => traits.change({ positions: placed.checked }));
  const makeButton = (name, onPress) => {
    const one = make("button", { type: "button" }, name);
    one.addEventListener("click", onPress);
    return one;
  };
  const buttons = make(
    "div.al-row.nr-buttons",
    make("label", placed, "positions"),
    makeButton("Shuffle", () => traits.change({ order: shuffledOrder(traits.read(), mostWords) })),
    makeButton("As typed", () => traits.change({ order: [] })),
    makeButton("No mask", () => traits.change({ unseen: [] })),
  );
  return {
    head: head.field,
    element: make("div.al-controls", box.field, buttons, box.error, note),
    update({ text, head: chosen, positions }) {
      if (text !== current) box.input.value = text;
      if (text !== current) box.showError("");
      current = text;
      head.set(chosen);
      placed.checked = positions;
    },
  };
}

/** Another order of the words than the one that is shown, if there is one. */
function shuffledOrder({ text, order: shown }, mostWords) {
  const count = readTyped(text, LANGUAGE, mostWords).tokens.length;
  const typed = Array.from({ length: count }, (_, i) => i);
  const now = String(isPermutation(shown, count) ? shown : typed);
  let order;
  do {
    order = typed
      .map((at) => [Math.random(), at])
      .sort(([a], [b]) => a - b)
      .map(([, at]) => at);
  } while (count > 1 && String(order) === now);
  return order;
}

// x, and x with what the head adds, in the plane that the two span: lengths and angles are
// those of the full width.

function residualPlane() {
  const axis = makeSvg("line.axis", { y1: 0, y2: 0 });
  const own = makeSvg("path.nr-own-arrow");
  const added = makeSvg("path.nu-arrow");
  const sum = makeSvg("path.nr-sum-arrow");
  const letters = ["x", "z", "x + z"].map((name) => makeSvg("text", name));
  const drawn = [axis, own, sum, added, ...letters];
  const svg = makeSvg("svg.nu-plane.nr-plane", { "aria-hidden": "true" }, ...drawn);
  const note = make("p.al-note");

  function update({ x, added: z }) {
    const { length, along, across } = projectToSpan(x, z);
    const longest = Math.max(length, Math.abs(along), across);
    const [start, tip] = [
      [length / longest, 0],
      [along / longest, across / longest],
    ];
    const left = Math.min(0, tip[0]) - MARGIN;
    const right = Math.max(start[0], tip[0]) + MARGIN;
    const height = Math.max(tip[1], MIN_HEIGHT) / (1 - 2 * LABEL_MARGIN);
    const letter = LABEL_MARGIN * height;
    setAttributes(svg, { viewBox: `${left} ${letter - height} ${right - left} ${height}` });
    svg.style.setProperty("--letters", `${0.8 * letter}px`);
    setAttributes(axis, { x1: left, x2: right });
    setAttributes(own, { d: arrowPath([0, 0], start, ARROW_HEAD_LENGTH) });
    setAttributes(added, { d: arrowPath(start, tip, ARROW_HEAD_LENGTH) });
    setAttributes(sum, { d: arrowPath([0, 0], tip, ARROW_HEAD_LENGTH) });
    const middle = [(start[0] + tip[0]) / 2, tip[1] / 2];
    const spots = [[start[0] / 2, -0.8 * letter], [middle[0] + 0.04, middle[1]], tip];
    letters.forEach((letter, i) => setAttributes(letter, { x: spots[i][0], y: -spots[i][1] }));
    const [ownLength, addedLength] = [length, Math.hypot(along - length, across)].map(twoDecimals);
    const lengths = `x is ${ownLength} long, z · W_O ${addedLength}`;
    note.textContent = `In the plane of both, of ${x.length} numbers each: ${lengths}.`;
  }
  return { element: make("div.nr-sum", svg, note), update };
}
