// What is each head for, and what breaks without it? A tagger reads a number's words; the
// answer is a sum of what its heads add, and they can be switched off one by one.

import { make } from "../../parts/elements.js";
import { modelLoader } from "../../parts/loading.js";
import { onceNearViewport } from "../../parts/near.js";
import { debounce, rafThrottle } from "../../parts/timing.js";
import { readTyped } from "../../words/places.js";
import { headsControls } from "./controls.js";
import { damageGrid } from "./damage.js";
import { headRows } from "./rows.js";
import { headsState } from "./state.js";
import { answerLine, wordTiles } from "./tiles.js";
import { headsInWords } from "./words.js";

export function render({ model, el, say, signal }) {
  const speak = debounce(say);
  const state = headsState(model, {
    onRequest: rafThrottle(load),
    onHeads: rafThrottle(draw),
    onWord: rafThrottle(drawRow),
  });
  const loader = modelLoader(model, signal);
  const controls = headsControls(state, loader.note);
  const answer = answerLine();
  const tiles = wordTiles(state);
  const rows = headRows(state);
  const damage = damageGrid(state);
  const columns = make("div", { class: "hd-columns" }, rows.element, damage.element);
  controls.instead.classList.add("al-more");
  const top = make("div", { class: "hd-top-line" }, answer.element, controls.instead);
  el.append(controls.element, top, tiles.element, tiles.key, columns);
  let drawn = null; // the request that is shown

  async function load() {
    const request = state.request();
    // Where a request failed, the traits go back to what is drawn; the reason stays readable.
    if (!isSameRequest(request, drawn)) loader.forget();
    const name = `places-${request.language}-${request.layers}`;
    const requests = () => Object.values(state.request());
    const models = await loader.load([name], "Loading the weights of this model …", requests);
    if (!models) return;
    const [network] = models;
    if (!network) {
      if (drawn) state.change(drawn);
      speak(loader.failure());
      return;
    }
    const typed = readTyped(request.text, request.language, state.limits.words);
    if (typed.error !== undefined) {
      controls.complain(typed.error);
      return;
    }
    drawn = request;
    controls.show(request);
    if (state.begin(network, request.language, typed)) draw();
  }

  function draw() {
    const shown = state.shown();
    controls.showInstead();
    for (const part of [answer, tiles, rows, damage]) part.show(shown);
    drawRow();
  }

  // All that depends on the chosen word.
  function drawRow() {
    const shown = state.shown();
    for (const part of [tiles, rows]) part.showRow(shown);
    speak(headsInWords(shown, loader.failure()));
  }
  controls.show(state.request());
  onceNearViewport(el, signal, load); // some 40 kB of weights
}

function isSameRequest(one, other) {
  return other !== null && Object.keys(one).every((name) => one[name] === other[name]);
}
