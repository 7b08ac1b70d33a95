// The maps: small ones of all heads, each with its switch, and one of them large.

import { make } from "../../parts/elements.js";
import { shadeCell } from "../../parts/shading.js";
import { smallMap } from "../../parts/smallmap.js";
import { tableRow } from "../../parts/tables.js";
import { percent } from "../../words/phrases.js";
import { allHeads, headName, isAmong, strongest } from "./reading.js";

const MOST_ROOMY = 12; // words of a large map whose cells have room for numbers

/** A card a head: its switch, its map, and where it looks most. */
export function taggerCards(state) {
  const element = make("div", { class: "hd-maps" });
  let cards = [];
  let built = null; // the network whose heads they are

  function build(network) {
    cards = allHeads(network).map((head) => taggerCard(network, head, state));
    const { num_layers: layers, num_heads: heads } = network.config;
    const rows = Array.from({ length: layers }, (_, i) =>
      layerOf(i, cards.slice(i * heads, (i + 1) * heads)),
    );
    element.replaceChildren(...rows);
    element.classList.toggle("many", layers > 1);
  }

  function show(shown) {
    if (built !== shown.network) build(shown.network);
    built = shown.network;
    for (const card of cards) card.show(shown);
  }
  function showRow(shown) {
    for (const card of cards) card.showRow(shown);
  }
  return { element, show, showRow };
}

function layerOf(index, cards) {
  const name = { role: "group", "aria-label": `Heads of layer ${index + 1}` };
  return make("div", { class: "hd-cards", ...name }, ...cards.map(({ element }) => element));
}

function taggerCard(network, head, { switchHead, enlarge }) {
  const name = headName(network, head);
  const [layer, at] = head;
  const tick = make("input", { type: "checkbox" });
  tick.addEventListener("change", () => switchHead(head, tick.checked));
  const onOff = make("span", { class: "hd-state", "aria-hidden": "true" });
  const map = smallMap({ preserveAspectRatio: "none" });
  const attributes = {
    type: "button",
    class: "al-map hd-map",
    "aria-label": `Map of head ${name}`,
  };
  const button = make("button", attributes, map.svg);
  button.addEventListener("click", () => enlarge(head));
  const top = make("p", { class: "hd-top" });
  const label = make(
    "label",
    { class: "hd-switch" },
    tick,
    make("span", {}, make("span", { class: "hd-long" }, "Head "), name),
    onOff,
  );
  const element = make("div", { class: "hd-card" }, label, button, top);

  function show({ off, large, now, tokens }) {
    const on = !isAmong(off, head);
    tick.checked = on;
    onOff.textContent = on ? "on" : "off";
    element.classList.toggle("off", !on);
    button.setAttribute("aria-pressed", String(isAmong([large], head)));
    map.show(
      now.weights[layer][at].flatMap((row) => [...row]),
      tokens.length,
    );
  }
  function showRow(shown) {
    const { tokens, index } = shown;
    map.mark(index);
    const { to, weight } = strongest(shown, head, index);
    top.textContent = `${tokens[index]} → ${tokens[to]} ${percent(weight)}`;
  }
  return { element, show, showRow };
}

/** The large map. Its rows are looked at and chosen as the words are. */
export function taggerMap({ chooseWord, point }) {
  const heading = make("p", { class: "hd-heading" });
  const table = make("table", { class: "al-matrix hd-matrix" });
  const scroll = make("div", { class: "hd-scroll", tabindex: 0, role: "region" }, table);
  let rows = [];
  let built = null; // the words at its sides

  function build({ tokens, language }) {
    const columns = tokens.map((token) =>
      make("th", { scope: "col", lang: language }, make("span", { class: "al-upright" }, token)),
    );
    rows = tokens.map((token) => tableRow(token, ...tokens.map(() => make("td"))));
    for (const row of rows) row.firstChild.lang = language;
    table.replaceChildren(
      make("thead", {}, make("tr", {}, make("td"), ...columns)),
      make("tbody", {}, ...rows),
    );
    table.style.setProperty("--columns", tokens.length);
    table.classList.toggle("dense", tokens.length > MOST_ROOMY);
  }

  function show(shown) {
    if (built !== shown.tokens) build(shown);
    built = shown.tokens;
    const { network, large, off, now } = shown;
    const name = headName(network, large);
    const silent = isAmong(off, large) ? " It is off: what it finds goes nowhere." : "";
    const what = "from words at the side to words at the top, in %.";
    heading.textContent = `Head ${name}: ${what}${silent}`;
    scroll.setAttribute("aria-label", `Large map of head ${name}`);
    const [layer, head] = large;
    now.weights[layer][head].forEach((weights, from) =>
      weights.forEach((weight, to) => shadeCell(rows[from].cells[to + 1], weight)),
    );
  }
  function showRow({ index }) {
    rows.forEach((row, i) => row.classList.toggle("chosen", i === index));
  }

  table.addEventListener("pointerover", (event) => {
    const row = event.target.closest("tbody tr");
    if (event.pointerType === "mouse" && row) point(row.sectionRowIndex);
  });
  table.addEventListener("click", (event) => {
    const row = event.target.closest("tbody tr");
    if (row) chooseWord(row.sectionRowIndex);
  });
  table.addEventListener("pointerleave", () => point(null));
  return { element: make("div", { class: "hd-large" }, heading, scroll), show, showRow };
}
