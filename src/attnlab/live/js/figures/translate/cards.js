// Where every head looks: all maps small, with a switch each.

import { textButton } from "../../parts/buttons.js";
import { make } from "../../parts/elements.js";
import { rove } from "../../parts/rove.js";
import { smallMap } from "../../parts/smallmap.js";
import { MAP_KINDS, everyHead } from "./run.js";
import { mapAxes, mapName } from "./words.js";

const MAP_TITLES = {
  encoder: ["Encoder", "the sentence reads itself"],
  decoder: ["Decoder", "the translation reads itself"],
  cross: ["Cross", "the translation reads the sentence"],
};

/**
 * `onChoose([kind, layer, head])` is called for a map that is to be large, and
 * `onSwitch(heads, on)` for heads and whether they are to speak.
 */
export function headCards({ config, onChoose, onSwitch }) {
  const cards = everyHead(config).map((at) => headCard(at, { onChoose, onSwitch }));
  const groups = MAP_KINDS.map((kind) => {
    const mine = cards.filter(({ at }) => at[0] === kind);
    return cardGroup(kind, mine, config.num_heads, onSwitch);
  });
  const element = make("div", { class: "tm-groups" }, ...groups.map((group) => group.element));
  element.style.setProperty("--heads", config.num_heads);

  function show(scene) {
    const silent = new Set(scene.heads_off.map(String));
    for (const part of [...cards, ...groups]) part.show(scene, silent);
  }

  /** Write under each map what its head alone is worth; `harms` may be of some only. */
  function showHarms(harms) {
    const worst = Math.min(-0.05, ...harms);
    cards.forEach((card, i) => card.showHarm(harms[i], worst));
  }
  return { element, show, showHarms };
}

function cardGroup(kind, cards, columns, onSwitch) {
  const [name, what] = MAP_TITLES[kind];
  const heads = cards.map(({ at }) => at);
  const grid = make("div", { class: "tm-cards" }, ...cards.map(({ card }) => card));
  for (const selector of [".tm-map", "input"]) rove(grid, selector, { columns })();
  const switchAll = () => onSwitch(heads, all.dataset.speak === "true");
  const all = textButton("", switchAll, { class: "tm-all" });
  const title = make("p", {}, make("b", {}, name), ` ${what}`);
  const element = make(
    "div",
    { class: "tm-group", role: "group", "aria-label": `${name} heads` },
    make("div", { class: "tm-title" }, title, all),
    grid,
  );

  function show(scene, silent) {
    const anyOn = heads.some((at) => !silent.has(String(at)));
    all.dataset.speak = String(!anyOn);
    all.textContent = anyOn ? "all off" : "all on";
    all.setAttribute("aria-label", `All ${kind} heads ${anyOn ? "off" : "on"}`);
  }
  return { element, show };
}

function headCard(at, { onChoose, onSwitch }) {
  const [kind, layer, head] = at;
  const name = mapName(at);
  const input = make("input", { type: "checkbox", "aria-label": `Head ${name} speaks` });
  input.addEventListener("change", () => onSwitch([at], input.checked));
  const map = smallMap("tm-row", { preserveAspectRatio: "none" });
  const large = { class: "tm-map", "aria-label": `Map of ${name}` };
  const button = textButton(map.svg, () => onChoose(at), large);
  const number = make("span", {}, `${layer + 1}.${head + 1}`);
  const label = make("label", { class: "tm-switch" }, input, number);
  const harm = make("span", { class: "tm-harm" });
  const card = make("div", { class: "tm-card" }, button, label, harm);

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
    harm.textContent = known ? shortSigned(change) : "…";
    harm.style.setProperty("--harm", known ? Math.max(0, change / worst).toFixed(3) : 0);
  }
  return { at, card, show, showHarm };
}

function shortSigned(number) {
  const text = number.toFixed(1).replace("-", "−");
  return text === "−0.0" ? "0.0" : text;
}
