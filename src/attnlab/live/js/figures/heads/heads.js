// What is each head for, and what breaks without it? A tagger reads a number's words; the
// answer is a sum of what its heads add, and they can be switched off one by one.

import { make } from "../../parts/elements.js";
import { modelLoader } from "../../parts/loading.js";
import { fillByWeight } from "../../parts/shading.js";
import { debounce, rafThrottle, onceNearViewport } from "../../parts/timing.js";
import { groupDigits, joinWithAnd } from "../../words/phrases.js";
import { readTyped } from "../../words/places.js";
import { headsControls } from "./controls.js";
import { allHeads, headName } from "./reading.js";
import { headRows } from "./rows.js";
import { headsState } from "./state.js";
import { answerLine, wordTiles } from "./tiles.js";
import { describeHeads } from "./words.js";

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
  const columns = make("div.hd-columns", rows.element, damage.element);
  controls.instead.classList.add("al-more");
  const top = make("div.hd-top-line", answer.element, controls.instead);
  el.append(controls.element, top, tiles.key, tiles.element, columns);
  let drawn = null; // the wish that is fulfilled

  async function load() {
    const request = state.request();
    // Where a wish failed, the traits go back to what is drawn; why, is still to be read.
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
      controls.showError(typed.error);
      return;
    }
    drawn = request;
    controls.update(request);
    if (state.begin(network, request.language, typed)) draw();
  }

  function draw() {
    const shown = state.shown();
    controls.updateMenu();
    for (const part of [answer, tiles, rows, damage]) part.update(shown);
    drawRow();
  }

  // All that depends on the chosen word.
  function drawRow() {
    const shown = state.shown();
    for (const part of [tiles, rows]) part.showRow(shown);
    speak(describeHeads(shown, loader.failure()));
  }
  controls.update(state.request());
  onceNearViewport(el, signal, load); // some 40 kB of weights
}

function isSameRequest(one, other) {
  return other !== null && Object.keys(one).every((name) => one[name] === other[name]);
}

// What is lost without two heads, whichever they are: a grid to choose them from. On its
// diagonal one head is gone. The shares are stored with the weights.
function damageGrid({ silence }) {
  const title = make("p.hd-heading");
  const table = make("table.hd-damage");
  let cells = [];
  let built = null; // the network whose heads they are

  function build(network) {
    const heads = allHeads(network);
    const names = heads.map((head) => headName(network, head));
    cells = heads.flatMap((one, i) =>
      heads.slice(0, i + 1).map((other, j) => {
        const gone = i === j ? [one] : [other, one];
        const button = make("button", { type: "button" });
        button.addEventListener("click", () => {
          const pressed = button.getAttribute("aria-pressed") === "true";
          silence(pressed ? [] : gone);
        });
        return { button, gone, i, j };
      }),
    );
    const rows = names.map((name, i) => {
      const mine = cells.filter((cell) => cell.i === i);
      const empty = names.slice(i + 1).map(() => make("td"));
      const filled = mine.map(({ button }) => make("td", button));
      return make("tr", make("th", { scope: "row" }, name), ...filled, ...empty);
    });
    const ends = names.map((name) => make("th", { scope: "col" }, name));
    table.replaceChildren(make("tbody", ...rows, make("tr", make("td"), ...ends)));
    table.classList.toggle("many", names.length > 4);
  }

  function update({ network, off, instead }) {
    if (built !== network) build(network);
    built = network;
    const { damage, damage_numbers: count } = network.metadata;
    title.textContent = `Of ${groupDigits(count)} numbers, misread without two heads, or one, in %`;
    for (const { button, gone, i, j } of cells) {
      const share = damage[instead][i][j];
      const names = gone.map((head) => headName(network, head));
      const heads = `head${names.length > 1 ? "s" : ""} ${joinWithAnd(names)}`;
      button.textContent = String(Math.round(100 * share));
      button.setAttribute("aria-label", `Without ${heads}: ${(100 * share).toFixed(1)}% misread`);
      button.setAttribute("aria-pressed", String(String(off) === String(gone)));
      fillByWeight(button, share);
    }
  }
  return { element: make("div.hd-grid.al-more", title, table), update };
}
