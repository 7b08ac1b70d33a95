// Where the heads of one kind look: their maps small, with switches, and one of them large.

import { setEnabled, textButton } from "../../parts/buttons.js";
import { make } from "../../parts/elements.js";
import { headCards } from "./cards.js";
import { largeMap } from "./largemap.js";
import { everyHead } from "./run.js";
import { CHINESE, hypothesisScore, ablatedHeads, textOf } from "./words.js";

const MAP_KEY = "Number: the change of log P without the head.";

/** `onRead` is as in `largeMap`. */
export function headsView({ config, state, onRead }) {
  const onChoose = ([kind, layer, head]) => state.look({ kind, layer, head });
  const cards = headCards({ config, onChoose, onSwitch: state.switchHeads });
  const many = manySwitches(config, state);
  const before = make("p", { class: "tr-before" });
  const key = make("p", { class: "al-note tm-key" }, MAP_KEY);
  const small = make("div", {}, cards.element, many.element, before);
  const large = largeMap({ onRow: state.chooseRow, onRead });
  const picture = make("div", { class: "tm-large" }, ...large.elements);
  const maps = make("div", { class: "tm" }, small, picture, key);
  const element = make("div", { class: "tr-panel al-more" }, maps);

  function show(scene) {
    for (const part of [cards, many, large]) part.show(scene);
    before.hidden = scene.run.off.length === 0;
    before.replaceChildren(...fullText(scene));
  }
  return { element, show, showHarms: cards.showHarms };
}

// Buttons that switch all heads of the kind that is shown, and all there are.
function manySwitches(config, state) {
  const kind = textButton("All heads off", () => state.switchHeads(heads, !anyOn));
  const all = textButton("All heads on", () => {
    if (state.now().heads_off.length) state.ask({ heads_off: [] });
  });
  const element = make("div", { class: "tm-many al-more" }, kind, all);
  let heads = [];
  let anyOn = true;

  function show({ kind: shown, heads_off: off }) {
    const silent = new Set(off.map(String));
    heads = everyHead(config).filter(([own]) => own === shown);
    anyOn = heads.some((at) => !silent.has(String(at)));
    kind.textContent = `All ${shown} heads ${anyOn ? "off" : "on"}`;
    setEnabled(all, off.length > 0);
  }
  return { element, show };
}

function fullText(scene) {
  const { full, alpha } = scene;
  return [
    make("span", { class: "al-label" }, `Without ${ablatedHeads(scene)}. With all heads: `),
    make("span", { lang: CHINESE, class: "tr-was" }, textOf(full.tokens)),
    make("span", { class: "tr-score" }, ` ${hypothesisScore(full, alpha)}`),
  ];
}
