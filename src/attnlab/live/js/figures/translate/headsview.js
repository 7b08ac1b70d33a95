// Where the heads look: all their maps small, and one of them large.

import { make } from "../../parts/elements.js";
import { headCards } from "./cards.js";
import { largeMap } from "./largemap.js";

const MAP_KEY =
  "Ticked: the head speaks. The number: how the log-probability of the translation with "
  + "all heads changes if that head alone falls silent; the bar grows with the loss.";

/** `onRead` is as in `largeMap`. */
export function headsView({ config, state, onRead }) {
  const onChoose = ([kind, layer, head]) => state.look({ kind, layer, head });
  const cards = headCards({ config, onChoose, onSwitch: state.switchHeads });
  const large = largeMap({ onRow: state.chooseRow, onRead });
  const key = make("p", { class: "al-note tm-key" }, MAP_KEY);
  const maps = make("div", { class: "tm" }, cards.element, key, ...large.elements);
  const element = make("div", { class: "tr-panel" }, maps);

  function show(scene) {
    cards.show(scene);
    large.show(scene);
  }
  return { element, show, showHarms: cards.showHarms };
}
