// Where the heads of one kind look: all their maps small, with a switch each.

import { textButton } from "../../parts/buttons.js";
import { make } from "../../parts/elements.js";
import { rovingTabindex } from "../../parts/rove.js";
import { smallMap } from "../../parts/smallmap.js";
import { withMinusSign } from "../../words/phrases.js";
import { MAP_KINDS, everyHead } from "./run.js";
import { mapAxes, mapName } from "./words.js";

const MAP_TITLES = {
  encoder: ["Encoder:", "the sentence reads itself"],
  decoder: ["Decoder:", "the translation reads itself"],
  cross: ["Cross:", "the translation reads the sentence"],
};

/**
 * `onChoose([kind, layer, head])` is called for a map that is to be large, and
 * `onSwitch(heads, on)` for heads and whether they are to speak.
 */
export function headCards({ config, onChoose, onSwitch }) {
  const cards = everyHead(config).map((at) => headCard(at, { onChoose, onSwitch }));
  const groups = MAP_KINDS.map((kind) => {
    const mine = cards.filter(({ at }) => at[0] === kind);
    return cardGroup(kind, mine, config.num_heads);
  });
  const element = make("div", {}, ...groups.map((group) => group.element));
  element.style.setProperty("--heads", config.num_heads);

  function show(scene) {
    const silent = new Set(scene.heads_off.map(String));
    for (const group of groups) group.show(scene, silent);
  }

  /** Write at each map what its head alone is worth; `harms` may be of some only. */
  function showHarms(harms) {
    const worst = Math.min(-0.5, ...harms);
    cards.forEach((card, i) => card.showHarm(harms[i], worst));
  }
  return { element, show, showHarms };
}

// Only the kind that is looked at is drawn.
function cardGroup(kind, cards, columns) {
  const [name, what] = MAP_TITLES[kind];
  const grid = make("div", { class: "tm-cards" }, ...cards.map(({ card }) => card));
  for (const selector of [".tm-map", "input"]) rovingTabindex(grid, selector, { columns })();
  const title = make("p", { class: "tm-title" }, make("b", {}, name), ` ${what}`);
  const named = { role: "group", "aria-label": `Heads of the kind ${kind}` };
  const element = make("div", { hidden: true, ...named }, title, grid);

  function show(scene, silent) {
    element.hidden = kind !== scene.kind;
    if (!element.hidden) for (const card of cards) card.show(scene, silent);
  }
  return { element, show };
}

function headCard(at, { onChoose, onSwitch }) {
  const [kind, layer, head] = at;
  const name = mapName(at);
  const input = make("input", { type: "checkbox", "aria-label": `Head ${name} speaks` });
  input.addEventListener("change", () => onSwitch([at], input.checked));
  const map = smallMap({ preserveAspectRatio: "none" });
  const large = { class: "al-map tm-map", "aria-label": `Map of ${name}` };
  const button = textButton(map.svg, () => onChoose(at), large);
  const number = make("span", { class: "tm-number" }, `${layer + 1}.${head + 1}`);
  const harm = make("span", { class: "tm-harm" });
  const label = make("label", { class: "tm-switch" }, input, number, harm);
  const card = make("div", { class: "tm-card" }, button, label);

  function show(scene, silent) {
    const on = !silent.has(String(at));
    input.checked = on;
    card.classList.toggle("off", !on);
    button.setAttribute("aria-pressed", String(String(at) === String(scene.chosen)));
    map.show(scene.best.maps[kind][layer][head], mapAxes(kind, scene)[1].length);
    map.mark(scene.rows[kind]);
  }

  function showHarm(change, worst) {
    const known = change !== undefined;
    harm.textContent = known ? withMinusSign(change.toFixed(1)) : "…";
    harm.style.setProperty("--harm", known ? Math.max(0, change / worst).toFixed(3) : 0);
  }
  return { at, card, show, showHarm };
}
