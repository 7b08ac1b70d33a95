// Where do the heads of a model that others trained look? Twelve small maps of a layer, and
// one of them large, for a sentence out of twenty whose maps are stored.

import { choices, menu } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { cellGrid } from "../../parts/grid.js";
import { modelLoader } from "../../parts/loading.js";
import { rovingTabindex } from "../../parts/rove.js";
import { shadeCell } from "../../parts/shading.js";
import { smallMap } from "../../parts/smallmap.js";
import { debounce, rafThrottle, onceNearViewport } from "../../parts/timing.js";
import { traitsOf } from "../../shell/traits.js";
import { indicesOfLargest, joinWithAnd, ordinal, percent, quoted } from "../../words/phrases.js";
import { dominantPlace, mapsOfLayer, PLACES, sharesByPlace } from "./places.js";

const MIN_NAMED_WEIGHT = 0.05; // a weight below this is not read out

const PUBLISHED_MAPS = "minilm-maps";
const PUBLISHED_TRAITS = ["sentence", "layer", "head", "word"];

export function render({ model, el, say, signal }) {
  const speak = debounce(say);
  const loader = modelLoader(model, signal);
  const traits = traitsOf(model, PUBLISHED_TRAITS);
  const { layers, heads } = model.get("_frame").limits;
  let stored = null;

  const sentence = menu("Sentence", [], (value) =>
    traits.change({ sentence: Number(value), word: 2 }),
  );
  const layer = choices(
    "Layer",
    Array.from({ length: layers }, (_, i) => [i + 1, String(i + 1)]),
    (value) => traits.change({ layer: Number(value) }),
  );
  const tiles = headTiles(heads, (head) => traits.change({ head }));
  const large = largeMap((word) => traits.change({ word: word + 1 }));
  const heading = make("p.ph-heading");
  const shares = make("p.al-note.ph-shares");
  el.append(
    make("div.al-controls", sentence.field, layer.field, loader.note),
    heading,
    make("div.ph-columns", tiles.element, large.element),
    shares,
  );

  async function load() {
    const [file] = (await loader.load([PUBLISHED_MAPS], "Loading the maps …", () => "")) ?? [];
    if (!file) {
      speak(loader.failure());
      return;
    }
    stored = file;
    sentence.fill(file.metadata.sentences.map((text, i) => [i + 1, text]));
    traits.follow(rafThrottle(draw));
    draw();
  }

  function draw() {
    const request = traits.read();
    const at = request.sentence - 1;
    const tokens = stored.metadata.tokens[at];
    const maps = mapsOfLayer(
      stored.tensors.get(String(at)),
      request.layer - 1,
      stored.config.steps,
    );
    const all = maps.map((map) => sharesByPlace(map, tokens));
    const chosen = request.head - 1;
    const word = Math.min(request.word, tokens.length) - 1;
    sentence.set(request.sentence);
    layer.set(request.layer);
    tiles.update(maps, all.map(dominantPlace), tokens.length, chosen, word);
    const text = stored.metadata.sentences[at];
    heading.textContent = `Layer ${request.layer}, head ${request.head}: “${text}”`;
    large.update(tokens, maps[chosen], word);
    shares.textContent = sharesText(all[chosen]);
    const shown = { ...request, tokens, map: maps[chosen], word, kind: dominantPlace(all[chosen]) };
    speak(describeHead(shown));
  }

  onceNearViewport(el, signal, load); // some 120 kB of maps
}

/** The heads of a layer, a small map each; one is chosen. */
function headTiles(count, onChoose) {
  const tiles = Array.from({ length: count }, (_, head) => headTile(head, onChoose));
  const element = make("div.ph-heads.al-more", { role: "group", "aria-label": "Heads" });
  element.append(...tiles.map(({ button }) => button));
  rovingTabindex(element, "button", { columns: 4 })();

  function update(maps, kinds, n, chosen, word) {
    tiles.forEach((tile, head) => tile.update(maps[head], kinds[head], n, head === chosen, word));
  }
  return { element, update };
}

function headTile(head, onChoose) {
  const map = smallMap({});
  const kind = make("span.ph-kind");
  const name = make("span.ph-name", `Head ${head + 1}`);
  const picture = make("span.ph-map", map.svg);
  const button = make("button.al-map", { type: "button" }, name, picture, kind);
  button.addEventListener("click", () => onChoose(head + 1));

  function update(weights, its, n, chosen, word) {
    map.update(weights, n);
    map.mark(word);
    kind.textContent = kindText(its);
    button.setAttribute("aria-pressed", String(chosen));
  }
  return { button, update };
}

/** The chosen head's map with its words and numbers; a row is chosen. */
function largeMap(onChoose) {
  const table = make("table.al-matrix.ph-matrix", { role: "grid", "aria-label": "Weights" });
  const element = make("div.ph-scroll", table);
  let rows = [];
  let drawn = null; // the tokens that the table is made for

  const grid = cellGrid(table, {
    onShow: () => {},
    onEnter: ([row]) => onChoose(row),
    onFocus: ([row]) => onChoose(row),
  });
  table.addEventListener("click", (event) => {
    const row = rows.findIndex(({ line }) => line === event.target.closest("tr"));
    if (row >= 0) onChoose(row);
  });

  function build(tokens) {
    drawn = tokens;
    rows = tokens.map((token) => {
      const cells = tokens.map(() => make("td", { role: "gridcell" }));
      return { cells, line: make("tr", make("th", { scope: "row" }, token), ...cells) };
    });
    const heads = tokens.map((token) =>
      make("th", { scope: "col" }, make("span.al-upright", token)),
    );
    table.replaceChildren(
      make("thead", make("tr", make("td", "this word ↓ looks at →"), ...heads)),
      make("tbody", ...rows.map(({ line }) => line)),
    );
    grid.reset(rows.map(({ cells }) => cells));
  }

  function update(tokens, map, word) {
    if (drawn !== tokens) build(tokens);
    rows.forEach(({ cells, line }, i) => {
      line.classList.toggle("chosen", i === word);
      cells.forEach((cell, j) => {
        const weight = map[i * tokens.length + j];
        shadeCell(cell, weight);
        cell.setAttribute("aria-label", `${tokens[i]} at ${tokens[j]}: ${percent(weight)}`);
      });
    });
  }
  return { element, update };
}

// What the figure of a published model's heads says.

/** Under a head: where its words look most. */
function kindText({ name, share }) {
  return `${name} ${percent(share)}`;
}

/** All of a head's shares in a line. */
function sharesText(shares) {
  const each = PLACES.map((name, at) => `${name} ${percent(shares[at])}`);
  return `Its words look at: ${each.join(" · ")}`;
}

/** The head, and the row of the chosen token. */
function describeHead({ layer, head, tokens, map, kind, word }) {
  const n = tokens.length;
  const row = map.slice(word * n, (word + 1) * n);
  const told = indicesOfLargest(row, MIN_NAMED_WEIGHT).map((at) =>
    `${ordinal(tokens, at)} ${tokens[at]} ${percent(row[at])}`.trim(),
  );
  return (
    `Layer ${layer}, head ${head}: its words look most at ${kindText(kind)}. `
    + `Here ${quoted(tokens, word)} looks at ${joinWithAnd(told)}.`
  );
}
