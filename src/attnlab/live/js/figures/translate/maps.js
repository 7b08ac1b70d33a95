// Where every head looks: all maps small, with a switch each, and one of them large.

import { make, makeSvg } from "../../parts/elements.js";
import { rove } from "../../parts/rove.js";
import { MAP_KINDS, everyHead } from "./run.js";

const MAP_CHINESE = "zh-Hans";
const MAP_SHADES = 10; // of a small map: an element a shade, not one a cell
const MAP_FAINTEST = 0.045; // a weight below this is not written into its cell
const MAP_TITLES = {
  encoder: ["Encoder", "the sentence reads itself"],
  decoder: ["Decoder", "the translation reads itself"],
  cross: ["Cross", "the translation reads the sentence"],
};
const MAP_KEY =
  "Ticked: the head speaks. The number: how the log-probability of the translation with "
  + "all heads changes if that head alone falls silent; the bar grows with the loss.";
const MAP_HINT = "Point at a cell, or go there with the arrow keys, to read its weight.";

/** "cross 1.2": head 2 of layer 1. */
export function mapName([kind, layer, head]) {
  return `${kind} ${layer + 1}.${head + 1}`;
}

/** The tokens at the side and at the top of a kind of map. */
export function mapAxes(kind, pieces, written) {
  if (kind === "encoder") return [pieces, pieces];
  return [written, kind === "cross" ? pieces : ["start", ...written.slice(0, -1)]];
}

/**
 * `onChoose([kind, layer, head])` is called for a map that is to be large, `onSwitch(heads,
 * on)` for heads and whether they are to speak, `onRow(row)` for a row of the large map, and
 * `onRead(text)` for a cell that the focus comes to.
 */
export function mapsView({ onChoose, onSwitch, onRow, onRead }) {
  const groups = make("div", { class: "tm-groups" });
  const heading = make("p", { class: "tm-heading" });
  const table = make("table", { class: "tm-matrix", role: "grid" });
  const scroll = make("div", { class: "tm-scroll" }, table);
  const readout = make("p", { class: "tm-readout", "aria-hidden": "true" }, MAP_HINT);
  const element = make(
    "div",
    { class: "tm" },
    groups,
    make("p", { class: "al-note tm-key" }, MAP_KEY),
    heading,
    scroll,
    readout,
  );
  let cards = [];
  const groupSwitches = new Map(); // by kind
  let cells = []; // of the large map
  let cursor = [0, 0]; // the cell that the Tab key reaches
  let chosen = null; // the cell that is read out, until the focus leaves the map
  let shown = null; // what the large map is of: { rows, columns, weights, key }

  function build(config) {
    cards = everyHead(config).map(buildCard);
    groups.style.setProperty("--heads", config.num_heads);
    groups.replaceChildren(
      ...MAP_KINDS.map((kind) => {
        const mine = cards.filter(({ at }) => at[0] === kind);
        const [name, what] = MAP_TITLES[kind];
        const grid = make("div", { class: "tm-cards" }, ...mine.map(({ card }) => card));
        for (const selector of [".tm-map", "input"])
          rove(grid, selector, { columns: config.num_heads })();
        return make(
          "div",
          { class: "tm-group", role: "group", "aria-label": `${name} heads` },
          make(
            "div",
            { class: "tm-title" },
            make("p", {}, make("b", {}, name), ` ${what}`),
            switchAll(kind, mine),
          ),
          grid,
        );
      }),
    );
  }

  function switchAll(kind, mine) {
    const button = make("button", { type: "button", class: "tm-all" });
    button.addEventListener("click", () =>
      onSwitch(
        mine.map(({ at }) => at),
        button.dataset.speak === "true",
      ),
    );
    groupSwitches.set(kind, button);
    return button;
  }

  function buildCard(at) {
    const name = mapName(at);
    const input = make("input", { type: "checkbox", "aria-label": `Head ${name} speaks` });
    input.addEventListener("change", () => onSwitch([at], input.checked));
    const svg = makeSvg("svg", { "aria-hidden": "true", preserveAspectRatio: "none" });
    const shades = Array.from({ length: MAP_SHADES }, (_, i) =>
      svg.appendChild(makeSvg("path", { "fill-opacity": (i + 1) / MAP_SHADES })),
    );
    const row = svg.appendChild(makeSvg("rect", { class: "tm-row", x: 0, height: 1 }));
    const button = make(
      "button",
      { type: "button", class: "tm-map", "aria-label": `Map of ${name}` },
      svg,
    );
    button.addEventListener("click", () => onChoose(at));
    const harm = make("span", { class: "tm-harm" });
    const card = make(
      "div",
      { class: "tm-card" },
      button,
      make("label", { class: "tm-switch" }, input, make("span", {}, `${at[1] + 1}.${at[2] + 1}`)),
      harm,
    );
    return { at, card, input, svg, shades, row, button, harm };
  }

  /** Everything, for the heads that are on and the token that is chosen. */
  function show({ pieces, written, maps, off, chosenHead, row }) {
    const silent = new Set(off.map(String));
    for (const { at, card, input, svg, shades, row: frame, button } of cards) {
      const on = !silent.has(String(at));
      input.checked = on;
      card.classList.toggle("off", !on);
      button.setAttribute("aria-pressed", String(String(at) === String(chosenHead)));
      const [kind, layer, head] = at;
      const [rows, columns] = mapAxes(kind, pieces, written);
      svg.setAttribute("viewBox", `0 0 ${columns.length} ${rows.length}`);
      shadeMap(shades, maps[kind][layer][head], columns.length);
      frame.setAttribute("width", columns.length);
      frame.setAttribute("y", row[kind]);
    }
    for (const [kind, button] of groupSwitches) {
      const anyOn = cards.some(({ at }) => at[0] === kind && !silent.has(String(at)));
      button.dataset.speak = String(!anyOn);
      button.textContent = anyOn ? "all off" : "all on";
      button.setAttribute("aria-label", `All ${kind} heads ${anyOn ? "off" : "on"}`);
    }
    showLarge({ pieces, written, maps, silent, chosenHead, row });
  }

  function showLarge({ pieces, written, maps, silent, chosenHead, row }) {
    const [kind, layer, head] = chosenHead;
    const [rows, columns] = mapAxes(kind, pieces, written);
    const key = JSON.stringify([kind, rows, columns]);
    if (shown?.key !== key) buildLarge(kind, rows, columns);
    shown = { key, kind, rows, columns, weights: maps[kind][layer][head] };
    const off = silent.has(String(chosenHead)) ? " It is off: what it finds goes nowhere." : "";
    heading.replaceChildren(
      make("b", {}, `Head ${mapName(chosenHead)}`),
      `: ${MAP_READING[kind]}, in percent.${off}`,
    );
    table.setAttribute("aria-label", `Map of head ${mapName(chosenHead)}`);
    cells.forEach((line, i) => {
      line.forEach((cell, j) => {
        const weight = shown.weights[i * columns.length + j];
        const hidden = kind === "decoder" && j > i;
        cell.style.setProperty("--weight", weight.toFixed(3));
        cell.classList.toggle("masked", hidden);
        cell.textContent = hidden || weight < MAP_FAINTEST ? "" : Math.round(100 * weight);
        cell.setAttribute("aria-label", cellText(i, j));
      });
      line[0].parentElement.classList.toggle("chosen", i === row[kind]);
    });
    showReadout(chosen);
  }

  function buildLarge(kind, rows, columns) {
    const language = {
      encoder: ["en", "en"],
      decoder: [MAP_CHINESE, MAP_CHINESE],
      cross: [MAP_CHINESE, "en"],
    }[kind];
    const label = (name, lang) => make("span", { lang: /[a-z]/.test(name) ? "en" : lang }, name);
    cells = rows.map((_, i) =>
      columns.map((_, j) => make("td", { role: "gridcell", tabindex: i + j ? -1 : 0 })),
    );
    table.replaceChildren(
      make(
        "thead",
        {},
        make(
          "tr",
          {},
          make("td"),
          ...columns.map((name) =>
            make(
              "th",
              { scope: "col", class: /[a-z]/i.test(name) ? "upright" : "" },
              label(name, language[1]),
            ),
          ),
        ),
      ),
      make(
        "tbody",
        {},
        ...rows.map((name, i) =>
          make("tr", {}, make("th", { scope: "row" }, label(name, language[0])), ...cells[i]),
        ),
      ),
    );
    table.style.setProperty("--columns", columns.length);
    cursor = [0, 0];
    chosen = null;
  }

  function cellText(i, j) {
    const { kind, rows, columns, weights } = shown;
    if (kind === "decoder" && j > i) return `${rows[i]} → ${columns[j]}: not written yet, hidden`;
    return `${rows[i]} → ${columns[j]}: ${(100 * weights[i * columns.length + j]).toFixed(1)}%`;
  }

  /** Write under each small map what its head alone is worth; `harms` may be of some only. */
  function showHarms(harms) {
    const worst = Math.min(-0.05, ...harms.filter((x) => x !== undefined));
    cards.forEach(({ harm }, i) => {
      const known = harms[i] !== undefined;
      harm.textContent = known ? shortSigned(harms[i]) : "…";
      harm.style.setProperty("--harm", known ? Math.max(0, harms[i] / worst).toFixed(3) : 0);
    });
  }

  // Moving in the large map: one stop of the Tab key, arrows between cells.
  function reach(i, j) {
    cells[cursor[0]]?.[cursor[1]]?.setAttribute("tabindex", -1);
    cursor = [i, j];
    cells[i][j].setAttribute("tabindex", 0);
  }

  function place(target) {
    const cell = target.closest("tbody td");
    const i = cells.findIndex((row) => row.includes(cell));
    return i < 0 ? null : [i, cells[i].indexOf(cell)];
  }

  function showReadout(at) {
    readout.textContent = at ? cellText(...at) : MAP_HINT;
  }

  table.addEventListener("keydown", (event) => {
    const at = place(event.target);
    if (!at) return;
    const [i, j] = at;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      onRow(i);
      return;
    }
    const goal = {
      ArrowRight: [i, j + 1],
      ArrowLeft: [i, j - 1],
      ArrowDown: [i + 1, j],
      ArrowUp: [i - 1, j],
      Home: [i, 0],
      End: [i, cells[i].length - 1],
    }[event.key];
    if (!goal) return;
    event.preventDefault();
    cells[goal[0]]?.[goal[1]]?.focus();
  });
  table.addEventListener("focusin", (event) => {
    const at = place(event.target);
    if (!at) return;
    reach(...at);
    chosen = at;
    showReadout(at);
    // Under a mouse nothing may move before its button is up again.
    if (event.target.matches(":focus-visible")) onRead(cellText(...at));
  });
  table.addEventListener("focusout", () => {
    chosen = null;
    showReadout(null);
  });
  table.addEventListener("pointerover", (event) => {
    if (event.pointerType === "mouse") showReadout(place(event.target) ?? chosen);
  });
  table.addEventListener("pointerleave", (event) => {
    if (event.pointerType === "mouse") showReadout(chosen);
  });
  table.addEventListener("click", (event) => {
    const row = event.target.closest("tbody tr");
    if (row) onRow(row.sectionRowIndex);
  });

  return { element, build, show, showHarms };
}

const MAP_READING = {
  encoder: "from each piece at the side to the pieces at the top",
  decoder: "to write what is at the side, it looks at what is already there",
  cross: "to write what is at the side, it looks at the pieces at the top",
};

function shortSigned(number) {
  const text = number.toFixed(1).replace("-", "−");
  return text === "−0.0" ? "0.0" : text;
}

const mapOutlines = new WeakMap(); // a small map's paths -> the weights that they show

function shadeMap(paths, weights, columns) {
  if (mapOutlines.get(paths) === weights) return;
  mapOutlines.set(paths, weights);
  const outlines = Array(MAP_SHADES).fill("");
  weights.forEach((weight, at) => {
    const shade = Math.min(MAP_SHADES, Math.round(weight * MAP_SHADES)) - 1;
    if (shade >= 0) outlines[shade] += `M${at % columns} ${Math.floor(at / columns)}h1v1h-1z`;
  });
  paths.forEach((path, shade) => path.setAttribute("d", outlines[shade]));
}
