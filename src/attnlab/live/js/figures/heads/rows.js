// A row a head: its switch, its map, and what it adds to the answer.

import { make } from "../../parts/elements.js";
import { smallMap } from "../../parts/smallmap.js";
import { percent, twoDecimals } from "../../words/phrases.js";
import { allHeads, answerOf, headName, hasHead, strongestWeight } from "./reading.js";
import { logitTerms } from "./terms.js";
import { marginName } from "./words.js";

/** The terms of the chosen word's answer, one below the other, and their sum. */
export function headRows(state) {
  const element = make("div.hd-rows.al-more");
  let rows = [];
  let built = null; // the network whose heads they are
  const own = termRow("the word itself");
  const constant = termRow("all biases");
  const margin = termRow("");
  margin.element.classList.add("hd-sum");

  function build(network) {
    rows = allHeads(network).map((head) => headRow(network, head, state));
    const all = [own, ...rows, constant, margin];
    element.replaceChildren(...all.map((row) => row.element));
    element.classList.toggle("many", network.config.num_layers > 1);
  }

  function update(shown) {
    if (built !== shown.network) build(shown.network);
    built = shown.network;
    for (const row of rows) row.update(shown);
  }

  function showRow(shown) {
    const { network, index } = shown;
    const terms = logitTerms(shown, index, answerOf(shown, index));
    const { num_layers: layers, num_heads: count } = network.config;
    const firsts = (layers - 1) * count; // heads of earlier layers: part of the word's state
    const parts = [terms.own, terms.constant, terms.margin, ...terms.heads];
    const reach = Math.max(1, ...parts.map(Math.abs));
    own.bar(terms.own, reach);
    own.name(layers > 1 ? "the word after layer 1" : "the word itself");
    constant.bar(terms.constant, reach);
    margin.bar(terms.margin, reach);
    margin.name(`= ${marginName(shown, terms)}`);
    rows.forEach((row, at) => {
      row.showRow(shown);
      row.bar(at < firsts ? null : terms.heads[at - firsts], reach);
    });
  }
  return { element, update, showRow };
}

function termRow(text) {
  const label = make("span.hd-name", text);
  const { track, bar } = signedBar();
  const element = make("div.hd-row", label, ...track);
  const nameTerm = (told) => {
    label.textContent = told;
  };
  return { element, bar, name: nameTerm };
}

/** A bar from a line at 0, to the right or to the left, and its number. */
function signedBar() {
  const fill = make("span");
  const number = make("span.hd-term");
  const track = make("span.hd-track", fill);
  function termBar(term, reach) {
    const share = term === null ? 0 : term / reach;
    fill.style.width = `${(50 * Math.abs(share)).toFixed(2)}%`;
    fill.style.left = `${(50 + 50 * Math.min(0, share)).toFixed(2)}%`;
    fill.classList.toggle("below", share < 0);
    number.textContent = term === null ? "in layer 1" : plusSign(term);
  }
  return { track: [track, number], bar: termBar };
}

function plusSign(term) {
  const text = twoDecimals(term);
  return term > 0 && !/^0\.00$/.test(text) ? `+${text}` : text;
}

function headRow(network, head, { switchHead }) {
  const name = headName(network, head);
  const [layer, at] = head;
  const tick = make("input", { type: "checkbox" });
  tick.addEventListener("change", () => switchHead(head, tick.checked));
  const map = smallMap({ preserveAspectRatio: "none" });
  const top = make("span.hd-top");
  const label = make("label.hd-switch", tick, make("span", `Head ${name}`));
  const picture = make("span.al-map.hd-map", map.svg);
  const { track, bar } = signedBar();
  const said = make("span.hd-name", label, top);
  const element = make("div.hd-row.hd-head", said, picture, ...track);

  function update({ off, now, tokens }) {
    const on = !hasHead(off, head);
    tick.checked = on;
    element.classList.toggle("off", !on);
    map.update(
      now.weights[layer][at].flatMap((row) => [...row]),
      tokens.length,
    );
  }
  function showRow(shown) {
    const { tokens, index } = shown;
    map.mark(index);
    const { to, weight } = strongestWeight(shown, head, index);
    top.textContent = `→ ${tokens[to]} ${percent(weight)}`;
  }
  return { element, update, showRow, bar };
}
