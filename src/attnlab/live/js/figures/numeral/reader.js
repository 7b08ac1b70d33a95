// The trained reader of numerals on words of one's own: one head, and one word that asks.

import { make } from "../../parts/elements.js";
import { modelLoader } from "../../parts/loading.js";
import { choices } from "../../parts/choices.js";
import { typingBox } from "../../parts/typing.js";
import { traitsOf } from "../../shell/traits.js";
import { readTyped } from "../../words/places.js";
import { maskGrid } from "./maskgrid.js";
import { readInSteps } from "./reading.js";
import { stepsTable } from "./steps.js";
import { sumPlane } from "./sumplane.js";
import { readerInWords } from "./words.js";

const NETWORK = "places-en-1";
const LANGUAGE = "en";
const TRAITS = ["text", "asks", "head", "positions", "unseen", "order"];

/** Its `element`, the choice of a `head`, and `draw`. */
export function trainedReader(model, { speak, signal, follow }) {
  const traits = traitsOf(model, TRAITS);
  const loader = modelLoader(model, signal);
  const { mostWords, heads } = model.get("_frame").limits;
  const controls = controlsOf({ mostWords, heads, note: loader.note }, traits);
  const table = stepsTable();
  const grid = maskGrid({ onAsk: (asks) => traits.change({ asks }), onHide: hide });
  const plane = sumPlane();
  const side = make("div", {}, grid.element, plane.element);
  const row = make("div", {}, table.element, table.trace);
  const picture = make("div", { class: "nr-picture", hidden: true }, row, side);
  const element = make("div", { class: "nr" }, controls.element, picture);

  async function draw() {
    controls.show(traits.read());
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
      order: isOrder(state.order, said.length) ? state.order : typed,
    };
    const found = readInSteps(network, tokens, asked);
    const shuffled = String(asked.order) !== String(typed);
    const before = shuffled ? readInSteps(network, tokens, { ...asked, order: typed }) : null;
    for (const part of [table, grid, plane]) part.show(found);
    speak(readerInWords(found, before, state));
  }

  // Cells [i, j] of typed words: hidden, or seen again.
  function hide(pairs, hidden) {
    const gone = new Set(pairs.map(String));
    const others = traits.read().unseen.filter((pair) => !gone.has(String(pair)));
    traits.change({ unseen: hidden ? [...others, ...pairs] : others });
  }

  traits.follow(follow);
  return { element, head: controls.head, draw };
}

function isOrder(order, count) {
  return order.length === count && [...order].sort((a, b) => a - b).every((at, i) => at === i);
}

function controlsOf({ mostWords, heads, note }, traits) {
  const box = typingBox({ label: "A number, in digits or in words", autocapitalize: "off" });
  box.field.classList.add("nr-text");
  box.field.firstChild.classList.add("al-hidden"); // what stands in it says what it is
  let current = null; // what the figure shows
  box.input.addEventListener("input", () => {
    const read = readTyped(box.input.value, LANGUAGE, mostWords);
    const many = read.error === undefined && read.tokens.length > mostWords;
    box.complain(many ? `Please type at most ${mostWords} words.` : (read.error ?? ""));
    if (many || read.error !== undefined) return;
    current = read.text;
    traits.change({ text: read.text, asks: 0, unseen: [], order: [] });
  });
  const head = choices({
    label: "Head",
    options: Array.from({ length: heads }, (_, i) => [i + 1, String(i + 1)]),
    onChoice: (name) => traits.change({ head: Number(name) }),
  });
  head.field.classList.add("nr-head");
  const placed = make("input", { type: "checkbox" });
  placed.addEventListener("change", () => traits.change({ positions: placed.checked }));
  const button = (name, onPress) => {
    const one = make("button", { type: "button" }, name);
    one.addEventListener("click", onPress);
    return one;
  };
  const buttons = make(
    "div",
    { class: "al-row nr-buttons" },
    make("label", {}, placed, "positions"),
    button("Shuffle", () => traits.change({ order: shuffledOrder(traits.read(), mostWords) })),
    button("As typed", () => traits.change({ order: [] })),
    button("No mask", () => traits.change({ unseen: [] })),
  );
  return {
    head: head.field,
    element: make("div", { class: "al-controls" }, box.field, buttons, box.error, note),
    show({ text, head: chosen, positions }) {
      if (text !== current) box.input.value = text;
      if (text !== current) box.complain("");
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
  const now = String(isOrder(shown, count) ? shown : typed);
  let order;
  do {
    order = typed
      .map((at) => [Math.random(), at])
      .sort(([a], [b]) => a - b)
      .map(([, at]) => at);
  } while (count > 1 && String(order) === now);
  return order;
}
