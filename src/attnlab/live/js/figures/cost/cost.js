// Which layer costs least? Each layer's formula against one of the sizes, what a machine
// measured, where curves cross, and a table of the costs at the chosen sizes.

import { choices, menu, numberBox, slider } from "../../parts/controls.js";
import { make } from "../../parts/elements.js";
import { calmly, onNewWidth, oncePerFrame } from "../../parts/timing.js";
import { uid } from "../../shell/shelf.js";
import { grouped } from "../../words/phrases.js";
import {
  COST_RANGES,
  EQUAL_RATE,
  axisSamples,
  cellAt,
  cellsAlong,
  cellsNear,
  costAxis,
  costCurve,
  costFormula,
  crossingRatio,
  lastCrossing,
  measuredCells,
  measuredRate,
  reachName,
} from "./costs.js";
import { COST_LOOKS, costPlot, costSwatch } from "./plot.js";

const COST_TRAITS = [
  "n",
  "d",
  "k",
  "r",
  "layers",
  "quantity",
  "x",
  "causal",
  "machine",
  "phase",
  "machines",
];
const COST_FAMILIES = [
  ["Attention", ["attention", "attention_fused", "multi_head", "banded", "additive"]],
  ["Recurrence", ["rnn", "gru", "lstm", "rnn_fused", "gru_fused", "lstm_fused"]],
  ["Convolution", ["convolution", "dilated", "separable"]],
];
const COST_SIZES = [
  ["n", "n, length"],
  ["d", "d, width"],
  ["k", "k, kernel"],
  ["r", "r, radius"],
];
// For each quantity: its name, its unit, what its least is, more of it for one and for
// several layers, and "3 times …".
const COST_QUANTITIES = {
  flops: {
    name: "FLOPs per layer",
    unit: "",
    least: "the fewest FLOPs",
    more: ["takes more FLOPs", "take more FLOPs"],
    times: "as many",
  },
  seconds: {
    name: "Time",
    unit: "s",
    least: "the shortest time",
    more: ["takes longer", "take longer"],
    times: "as long",
  },
  megabytes: {
    name: "Memory, measured",
    unit: "B",
    least: "the least memory",
    more: ["", ""],
    times: "as much",
  },
  parameters: {
    name: "Parameters",
    unit: "",
    least: "the fewest parameters",
    more: ["has more parameters", "have more parameters"],
    times: "as many",
  },
  sequential_operations: {
    name: "Sequential operations",
    unit: "",
    least: "the fewest steps in a row",
    more: ["has more steps in a row", "have more steps in a row"],
    times: "as many",
  },
  path_length: {
    name: "Maximum path length",
    unit: "",
    least: "the shortest path",
    more: ["has a longer path", "have longer paths"],
    times: "as long",
  },
};
// Axes say 10 k where sentences say 10 000.
const TICKS_OF = { sequential_operations: "flops", path_length: "flops" };
const COST_PHASES = [
  ["forward", "forward"],
  ["training", "forward and backward"],
  ["generation", "generation, step by step"],
];
const COST_START = {
  n: 512,
  d: 256,
  k: 3,
  r: 32,
  quantity: "flops",
  x: "n",
  causal: false,
  layers: ["attention", "banded", "gru_fused", "convolution"],
};
const COST_TRIES = [
  ["d = 512", { d: 512 }, "d has doubled. Which crossings have moved, and how far?"],
  [
    "n = d",
    { d: 512, layers: ["attention", "multi_head", "gru_fused", "lstm_fused"] },
    "Self-attention is cheaper than the GRU at n = d. Is it so with its projections?",
  ],
  [
    "wide window",
    { n: 1024, r: 512, layers: ["attention", "banded"], x: "r" },
    "From which radius on does a window cost more than looking everywhere?",
  ],
  [
    "paths",
    {
      quantity: "path_length",
      causal: true,
      layers: ["attention", "banded", "gru_fused", "convolution", "dilated"],
    },
    "How many steps lie between the first input and the last output?",
  ],
  [
    "parameters",
    {
      quantity: "parameters",
      x: "d",
      layers: ["multi_head", "gru_fused", "convolution", "separable"],
    },
    "Has attention the fewest? Move k.",
  ],
  [
    "time",
    { n: 1024, quantity: "seconds", layers: ["attention", "attention_fused", "gru", "gru_fused"] },
    "The same FLOPs, the same time? Compare readable and fused, stepwise and not.",
  ],
  [
    "memory",
    { n: 1024, d: 64, quantity: "megabytes", layers: ["attention", "attention_fused", "banded"] },
    "Which line rises by n², and which by n?",
  ],
  ["the start", {}, ""],
];

export function renderCost({ model, el, say, signal }) {
  const speak = calmly(say);
  const formulas = model.get("_frame").layers; // name -> { label, formula }
  let table = []; // what "Copy" copies
  let listedMachines = null;

  const quantity = menu({
    label: "Quantity",
    options: Object.entries(COST_QUANTITIES).map(([key, { name }]) => [key, name]),
    onChoice: (value) => change({ quantity: value }),
  });
  const axis = choices({
    label: "Along",
    options: COST_SIZES.map(([key]) => [key, key]),
    onChoice: (x) => change({ x }),
  });
  const machine = menu({
    label: "Machine",
    options: [],
    onChoice: (name) => change({ machine: name }),
  });
  const phase = menu({
    label: "Measured",
    options: COST_PHASES,
    onChoice: (value) => change({ phase: value }),
  });
  const causal = make("input", { type: "checkbox" });
  causal.addEventListener("change", () => change({ causal: causal.checked }));
  const sizes = Object.fromEntries(
    COST_SIZES.map(([name, label]) => [
      name,
      sizeControl({
        name,
        label,
        isCausal: () => model.get("causal"),
        onValue: (value) => change({ [name]: value }),
      }),
    ]),
  );
  const layers = layerBoxes((names) => change({ layers: names }));
  const plot = costPlot({
    onPlace: (value) => change({ [model.get("x")]: roundSize(model.get("x"), value) }),
  });
  const tries = tryButtons();
  const note = make("p", { class: "al-note" });
  const crossed = make("ol", { class: "cost-crossings" });
  const values = valuesTable(() => table);
  el.append(
    make(
      "div",
      { class: "al-controls cost-controls" },
      quantity.field,
      axis.field,
      machine.field,
      phase.field,
      make("label", { class: "cost-check" }, causal, "look back only (causal)"),
    ),
    tries.element,
    plot.element,
    make("div", { class: "cost-sizes" }, ...COST_SIZES.map(([name]) => sizes[name].field)),
    layers.element,
    note,
    crossed,
    values.element,
  );

  function state() {
    return Object.fromEntries(COST_TRAITS.map((name) => [name, model.get(name)]));
  }

  function change(wanted) {
    const { causal: back, k } = { ...state(), ...wanted };
    const fitting = !back && k % 2 === 0 ? { k: k - 1 } : {}; // a centred kernel is odd
    for (const [name, value] of Object.entries({ ...wanted, ...fitting })) model.set(name, value);
    model.save_changes();
  }

  function tryButtons() {
    const question = make(
      "p",
      { class: "cost-question", "aria-live": "polite" },
      "Guess first, then press and look.",
    );
    const onMachine = [];
    const buttons = COST_TRIES.map(([name, wanted, text]) => {
      const button = make("button", { type: "button" }, name);
      button.addEventListener("click", () => {
        change({ ...COST_START, ...wanted });
        for (const control of Object.values(sizes)) control.forget();
        question.textContent = text;
      });
      if (["seconds", "megabytes"].includes(wanted.quantity)) onMachine.push(button);
      return button;
    });
    const label = make("p", { class: "al-label", id: uid("try") }, "Try");
    const element = make(
      "div",
      { class: "cost-try", role: "group", "aria-labelledby": label.id },
      label,
      make("div", { class: "cost-buttons" }, ...buttons),
      question,
    );
    const set = (measured) => {
      for (const button of onMachine) button.hidden = !measured;
    };
    return { element, set };
  }

  // What each shown layer costs: measured cells, rate, and formulas by quantity.
  function costsOf(now) {
    const { layers: names, machine: chosen, machines, phase: how } = now;
    const data = machines.find(({ name }) => name === chosen);
    return names.map((layer) => {
      const cells = measuredCells(data, layer, how);
      return {
        layer,
        cells,
        rate: data
          ? measuredRate(cellsNear(cells, now.x, now), layer, how === "generation")
          : EQUAL_RATE,
      };
    });
  }

  function curveOf({ layer, cells, rate }, now, axis, places) {
    const { quantity: what, x } = now;
    const given = sizesOf(now, what);
    const formula = costFormula(layer, what, rate);
    const measured =
      what === "seconds" || what === "megabytes" ? cellsAlong(cells, layer, x, given) : [];
    const points = measured
      .map((cell) => pointOf(cell, what))
      .filter(({ value }) => !Number.isNaN(value));
    const lost = measured.filter(({ seconds }) => Number.isNaN(seconds)).map(({ at }) => at);
    const here = points.find(({ at }) => at === now[x]);
    return {
      layer,
      formula,
      points,
      lost,
      values: formula && costCurve(formula, axis, places, given),
      now: formula ? formula(given) : (here?.value ?? NaN),
    };
  }

  function draw() {
    const now = state();
    const axisNow = costAxis(now.x, now.causal);
    const places = axisSamples(axisNow);
    const costs = costsOf(now);
    const curves = costs.map((cost) => curveOf(cost, now, axisNow, places));
    const crossings = crossingsOf(curves, axisNow, now);
    showControls(now);
    plot.show({
      x: now.x,
      at: now[now.x],
      span: COST_RANGES[now.x],
      places,
      curves,
      crossings,
      axis: axisText(now),
      tickText: (value) => costText(value, TICKS_OF[now.quantity] ?? now.quantity),
    });
    note.textContent = noteOn(now, costs, curves);
    crossed.replaceChildren(...crossings.map(({ text }) => make("li", {}, text)));
    table = tableOf(now, costs);
    values.show(now, table);
    speak(inWords(now, curves, crossings));
  }

  function showControls(now) {
    quantity.set(now.quantity);
    axis.set(now.x);
    const none = now.machines.length ? "none" : "none measured yet";
    if (now.machines !== listedMachines)
      machine.fill([...now.machines.map(({ name }) => [name, name]), ["", none]]);
    listedMachines = now.machines;
    machine.set(now.machine);
    phase.set(now.phase);
    phase.field.hidden = now.machine === "";
    tries.set(now.machine !== "");
    causal.checked = now.causal;
    layers.set(now.layers);
    for (const [name] of COST_SIZES) sizes[name].set(now[name]);
  }

  function tableOf(now, costs) {
    const back = now.phase === "generation";
    return costs.map(({ layer, cells, rate }) => {
      const cell = cellAt(cells, layer, now);
      const by = (what) => costFormula(layer, what)(sizesOf(now, what));
      return {
        layer,
        ...formulas[layer],
        flops: by("flops"),
        parameters: by("parameters"),
        sequential_operations: by("sequential_operations"),
        path_length: by("path_length"),
        predicted: costFormula(layer, "seconds", rate)({ ...now, causal: back }),
        measured: cell?.seconds ?? NaN,
        megabytes: cell?.megabytes ?? NaN,
        rate: rate / 1e9,
      };
    });
  }

  const drawNext = oncePerFrame(draw);
  for (const name of COST_TRAITS) model.on(`change:${name}`, drawNext);
  onNewWidth(plot.element, signal, drawNext);
  draw();
}

// What was timed looked back only when it generated; else the reader says.
function sizesOf({ n, d, k, r, causal, phase }, what) {
  return { n, d, k, r, causal: what === "seconds" ? phase === "generation" : causal };
}

function pointOf({ at, seconds, low, high, megabytes }, what) {
  if (what === "seconds") return { at, value: seconds, low, high };
  return { at, value: megabytes * 1e6, low: megabytes * 1e6, high: megabytes * 1e6 };
}

// Controls ---------------------------------------------------------------------------

/** A number box with a slider that goes over round numbers; the box takes any. */
function sizeControl({ name, label, isCausal, onValue }) {
  const rounds = roundSizes(name);
  const box = numberBox({
    label,
    parse: (text) => readSize(text, name, isCausal()),
    step: name === "k" ? 2 : 1,
    onNumber: onValue,
  });
  const track = slider({
    label: `${label}, slider`,
    min: 0,
    max: rounds.length - 1,
    onValue: (place) => onValue(rounds[place]),
  });
  track.field.firstChild.classList.add("al-hidden");
  const field = make("div", { class: "cost-size" }, box.field, track.field, box.error);
  let shown = null;

  function set(value) {
    shown = value;
    box.set(value);
    track.set(rounds.indexOf(roundSize(name, value)), rounds.length - 1, `${name} = ${value}`);
  }

  // What was typed in vain goes, and the complaint with it.
  function forget() {
    box.complain("");
    box.input.value = String(shown);
  }
  return { field, set, forget };
}

// Powers of two and those in the middle between them; kernels one less, so that they are odd.
function roundSizes(name) {
  const [least, most] = COST_RANGES[name];
  const rounds = [];
  for (let size = 1; size <= most + 1; size *= 2) rounds.push(size, 1.5 * size);
  const whole = rounds.filter(Number.isInteger);
  const kept = name === "k" ? whole.map((size) => size - 1).filter((size) => size % 2) : whole;
  return kept.filter((size) => size >= least && size <= most);
}

function roundSize(name, value) {
  const far = roundSizes(name).map((size) => Math.abs(Math.log(size / value)));
  return roundSizes(name)[far.indexOf(Math.min(...far))];
}

function readSize(text, name, causal) {
  const [least, most] = COST_RANGES[name];
  const typed = text.trim();
  const size = Number(typed);
  const range = `from ${least} to ${grouped(most)}`;
  if (typed === "" || Number.isNaN(size))
    return { error: `Please type a whole number for ${name}, ${range}.` };
  if (!Number.isInteger(size))
    return { error: `${typed.slice(0, 12)} is not whole: ${name} goes ${range}.` };
  if (size < least || size > most)
    return { error: `${typed.slice(0, 12)} is outside: ${name} goes ${range}.` };
  if (name === "k" && !causal && size % 2 === 0) {
    return {
      error: `A centred kernel must be odd to have a centre: ${size - 1} or ${size + 1}. One that looks back only may be even.`,
    };
  }
  return { number: size };
}

function layerBoxes(onLayers) {
  const boxes = new Map();
  const groups = COST_FAMILIES.map(([family, names]) =>
    make(
      "fieldset",
      { class: "al-field cost-family" },
      make("legend", {}, family),
      ...names.map((layer) => {
        const input = make("input", { type: "checkbox", value: layer });
        input.addEventListener("change", () =>
          onLayers([...boxes].filter(([, box]) => box.checked).map(([name]) => name)),
        );
        boxes.set(layer, input);
        return make(
          "label",
          { class: "cost-check" },
          input,
          costSwatch(layer),
          COST_LOOKS[layer].name,
        );
      }),
    ),
  );
  const set = (names) => {
    for (const [layer, box] of boxes) box.checked = names.includes(layer);
  };
  return { element: make("div", { class: "cost-families" }, ...groups), set };
}

// The table --------------------------------------------------------------------------

// Name, heading, cell text, whether it wants a machine.
const COST_COLUMNS = [
  ["flops", "FLOPs", (value) => costText(value, "flops"), false],
  ["parameters", "parameters", (value) => costText(value, "parameters"), false],
  [
    "sequential_operations",
    "sequential operations",
    (value) => costText(value, "path_length"),
    false,
  ],
  ["path_length", "path length", (value) => costText(value, "path_length"), false],
  ["predicted", "time, predicted", (value) => costText(value, "seconds"), false],
  ["measured", "time, measured", (value) => costText(value, "seconds"), true],
  ["megabytes", "peak memory, measured", (value) => costText(1e6 * value, "megabytes"), true],
  ["rate", "GFLOP/s, measured", (value) => costText(value, "rate"), true],
];

function valuesTable(rows) {
  const given = make("span");
  const head = make("thead");
  const body = make("tbody");
  const heading = make(
    "p",
    { class: "cost-heading", id: uid("cost-table") },
    "At the chosen sizes",
  );
  const scroll = make(
    "div",
    { class: "cost-scroll", tabindex: 0, role: "region", "aria-labelledby": heading.id },
    make("table", { class: "cost-table" }, make("caption", {}, given), head, body),
  );
  const button = make("button", { type: "button" }, "Copy the table");
  const answer = make("span", { class: "al-note", role: "alert" });
  const element = make(
    "div",
    { class: "cost-values" },
    make("div", { class: "cost-bar-row" }, heading, button, answer),
    scroll,
  );
  let sizes = null;

  button.addEventListener("click", async () => {
    const count = rows().length;
    const done = await copyText(tabSeparated(rows(), sizes));
    answer.textContent = done
      ? `Copied ${count} ${count === 1 ? "row" : "rows"}.`
      : "This browser does not let a page copy: select the table by hand.";
  });

  function show(now, lines) {
    sizes = now;
    answer.textContent = "";
    const columns = COST_COLUMNS.filter(([, , , wantsMachine]) => !wantsMachine || now.machine);
    given.textContent = `${sizesText(now)}${now.causal ? ", causal" : ""}; ${
      now.machine ? `times: ${phaseText(now.phase)}, on ${now.machine}` : "time at 10 GFLOP/s"
    }`;
    head.replaceChildren(
      make(
        "tr",
        {},
        make("th", { scope: "col" }, "layer"),
        ...columns.map(([, title]) => make("th", { scope: "col" }, title)),
      ),
    );
    body.replaceChildren(
      ...lines.map((line) =>
        make(
          "tr",
          {},
          make(
            "th",
            { scope: "row" },
            make("span", {}, line.label),
            make("span", { class: "cost-formula" }, line.formula),
          ),
          ...columns.map(([key, , text]) => make("td", {}, text(line[key]))),
        ),
      ),
    );
  }
  return { element, show };
}

/** The table as text, numbers in full: what a spreadsheet takes. */
function tabSeparated(rows, sizes) {
  const columns = COST_COLUMNS.filter(([, , , wantsMachine]) => !wantsMachine || sizes.machine);
  const units = {
    predicted: "seconds, predicted",
    measured: "seconds, measured",
    megabytes: "MB, measured",
  };
  const given = COST_SIZES.map(([name]) => name);
  const lines = [
    ["layer", ...given, "causal", ...columns.map(([key, title]) => units[key] ?? title)],
  ];
  for (const row of rows) {
    const cells = columns.map(([key]) => (Number.isNaN(row[key]) ? "" : row[key]));
    lines.push([row.label, ...given.map((name) => sizes[name]), sizes.causal, ...cells]);
  }
  return lines.map((line) => line.join("\t")).join("\n");
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = make("textarea", { class: "al-hidden", "aria-hidden": "true" });
    const focused = document.activeElement;
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    focused?.focus();
    return done;
  }
}

// Crossings --------------------------------------------------------------------------

/** Each pair of different curves that cross, in the order along the axis. */
function crossingsOf(curves, axis, now) {
  const given = sizesOf(now, now.quantity);
  const found = [];
  const groups = equalCurves(curves.filter(({ values }) => values));
  groups.forEach((one, i) =>
    groups.slice(i + 1).forEach((other) => {
      const crossing = lastCrossing(axis, one.formula, other.formula, given);
      if (!crossing) return;
      const [more, less] = crossing.sign > 0 ? [one, other] : [other, one];
      const costAt = ({ formula }, place) => formula({ ...given, [axis.x]: place });
      found.push({
        ...meeting(crossing, (place) => [costAt(more, place), costAt(less, place)]),
        text: `${crossingText(more.names, less.names, crossing, now)}${measuredText(more.points, less.points, now)}`,
      });
    }),
  );
  return found.sort((a, b) => a.at - b.at);
}

/** Layers with the same curve throughout count as one. */
function equalCurves(curves) {
  const groups = [];
  for (const { layer, formula, values, points } of curves) {
    const same = groups.find((group) =>
      group.values.every((value, i) => Object.is(value, values[i])),
    );
    if (same) same.names.push(layer);
    else groups.push({ formula, values, points, names: [layer] });
  }
  return groups;
}

function crossingText(more, less, { from, equal }, now) {
  const verb = COST_QUANTITIES[now.quantity].more[more.length > 1 ? 1 : 0];
  const where =
    exactPlace(more[0], less[0], now)
    ?? (equal === null ? `from ${now.x} = ${from} on` : `beyond ${now.x} = ${equal}`);
  return `${withArticles(more)} ${verb} than ${withArticles(less)} ${where}`;
}

// Where the measured times cross: " (measured: between 512 and 1024)".
function measuredText(more, less, { quantity, x }) {
  if (quantity !== "seconds") return "";
  const pairs = more.flatMap(({ at, value }) =>
    less.filter((other) => other.at === at).map((other) => ({ at, longer: value > other.value })),
  );
  if (!pairs.length) return "";
  const last = pairs.findLastIndex(({ longer }) => !longer);
  if (last < 0) return ` (measured: already at ${x} = ${pairs[0].at}, the smallest)`;
  if (last === pairs.length - 1)
    return ` (measured: not yet at ${x} = ${pairs[last].at}, the largest)`;
  return ` (measured: between ${pairs[last].at} and ${pairs[last + 1].at})`;
}

// The point at which two curves meet. Between two places both are taken for straight in the
// logarithms. `costs(place)` are both.
function meeting({ from, before, equal }, costs) {
  if (equal !== null) return { at: equal, value: costs(equal)[0] };
  const [[a, b], [c, d]] = [costs(before), costs(from)].map((pair) => pair.map(Math.log));
  const share = (b - a) / (b - a + c - d);
  const between = (p, q) => Math.exp(p + share * (q - p));
  return { at: between(Math.log(before), Math.log(from)), value: between(a, c) };
}

// "beyond n = 3d = 768", for FLOPs that are equal at one ratio of n and d.
function exactPlace(more, less, { quantity, x, n, d, k }) {
  const ratio = crossingRatio(more, less, k);
  if (quantity !== "flops" || !(ratio > 0) || (x !== "n" && x !== "d")) return null;
  const share = x === "n" ? ratio : 1 / ratio;
  const held = x === "n" ? "d" : "n";
  const value = share * (x === "n" ? d : n);
  const factor =
    share >= 1 ? `${share === 1 ? "" : short(share)}${held}` : `${held}/${short(1 / share)}`;
  return `beyond ${x} = ${factor} = ${short(value)}`;
}

// Words ------------------------------------------------------------------------------

function withArticles(names) {
  const said = names.map((layer) => {
    const { hue, name } = COST_LOOKS[layer];
    return hue === "attention" ? name : `the ${name}`;
  });
  return inSeries(said);
}

function inSeries(texts) {
  return texts.length < 2
    ? texts.join("")
    : `${texts.slice(0, -1).join(", ")} and ${texts[texts.length - 1]}`;
}

function short(number) {
  return String(Number(number.toPrecision(4)));
}

function sizesText({ n, d, k, r }) {
  return `n = ${n}, d = ${d}, k = ${k}, r = ${r}`;
}

function phaseText(phase) {
  return COST_PHASES.find(([key]) => key === phase)[1];
}

function axisText({ quantity, machine, phase }) {
  const { name } = COST_QUANTITIES[quantity];
  if (quantity !== "seconds" && quantity !== "megabytes") return name;
  return `${name}: ${machine ? phaseText(phase) : "10 GFLOP/s"}`;
}

/** 25 165 824 FLOPs as "25.2 M", 0.0031 seconds as "3.1 ms". */
function costText(value, quantity) {
  if (Number.isNaN(value)) return "–";
  if (quantity === "path_length" || quantity === "sequential_operations") {
    return value >= 1 ? grouped(value) : String(value);
  }
  if (value === 0) return "0";
  const unit = COST_QUANTITIES[quantity]?.unit ?? "";
  const power = Math.max(-3, Math.min(5, Math.floor(Math.log10(value * (1 + 1e-9)) / 3)));
  const prefix = { "-3": "n", "-2": "µ", "-1": "m", 0: "", 1: "k", 2: "M", 3: "G", 4: "T", 5: "P" }[
    power
  ];
  const number = String(Number((value / 1000 ** power).toPrecision(3)));
  return unit || prefix ? `${number}\u00a0${prefix}${unit}` : number;
}

/** Who wins at the chosen sizes, by which factor, and where the curves cross. */
function inWords(now, curves, crossings) {
  const { least, times } = COST_QUANTITIES[now.quantity];
  if (!curves.length) return "No layer is shown: choose at least one.";
  const known = curves.filter((curve) => !Number.isNaN(curve.now)).sort((a, b) => a.now - b.now);
  const at = `At ${sizesText(now)}`;
  if (!known.length) return `${at}, nothing is known of this. ${measuredAlong(now, curves)}`;
  const best = known.filter((curve) => curve.now === known[0].now);
  const rest = known.slice(best.length);
  const verb = {
    parameters: ["has", "have"],
    sequential_operations: ["has", "have"],
    path_length: ["has", "have"],
  };
  const has = (verb[now.quantity] ?? ["takes", "take"])[best.length > 1 ? 1 : 0];
  const sentences = [
    `${at}, ${withArticles(best.map(({ layer }) => layer))} ${has} ${least}: `
      + `${costText(known[0].now, now.quantity)}${best.length > 1 ? " each" : ""}.`,
  ];
  if (rest.length) {
    const others = rest.map(({ layer, now: value }) =>
      known[0].now === 0
        ? `${withArticles([layer])} ${costText(value, now.quantity)}`
        : `${withArticles([layer])} ${factorText(value / known[0].now)}`,
    );
    const than = known[0].now === 0 ? "" : ` ${times}`;
    sentences.push(`${capital(inSeries(others))}${than}.`);
  }
  const missing = curves.filter((curve) => Number.isNaN(curve.now)).map(({ layer }) => layer);
  if (missing.length) sentences.push(`Not known here: ${withArticles(missing)}.`);
  if (now.quantity === "seconds" && now.machine) sentences.push(measuredHere(now, curves));
  return `${sentences.join(" ")} ${crossingsInWords(now, crossings)}`.trim();
}

function measuredHere(now, curves) {
  const here = curves
    .flatMap(({ layer, points }) =>
      points.filter(({ at }) => at === now[now.x]).map(({ value }) => ({ layer, value })),
    )
    .sort((a, b) => a.value - b.value);
  if (!here.length) return "That is predicted: at these sizes none was measured.";
  const times = here.map(
    ({ layer, value }) => `${withArticles([layer])} ${costText(value, "seconds")}`,
  );
  return `That is predicted; measured at these sizes: ${inSeries(times)}.`;
}

function crossingsInWords(now, crossings) {
  if (now.quantity === "megabytes") return "";
  if (!crossings.length) return `Along ${now.x} no two curves cross.`;
  const told = crossings.slice(0, 4).map(({ text }) => text);
  const more = crossings.length - told.length;
  return `Along ${now.x}${now.quantity === "seconds" ? ", by the curves" : ""}: ${told.join("; ")}${more ? `; and ${more} more` : ""}.`;
}

function factorText(factor) {
  if (factor < 1.005) return "1.00 times"; // not equal, or it would not be said
  return `${factor < 1000 ? Number(factor.toPrecision(3)) : grouped(Math.round(factor))} times`;
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function measuredAlong(now, curves) {
  const places = [...new Set(curves.flatMap(({ points }) => points.map(({ at }) => at)))].sort(
    (a, b) => a - b,
  );
  if (!now.machine || !places.length) return noneMeasured(now);
  return `Along ${now.x} it was measured at ${inSeries(places)}.`;
}

function noneMeasured({ machine }) {
  return machine
    ? "At no size along this axis was it measured."
    : "No machine has been measured: python -m attnlab.complexity does it, Cost(results) shows it.";
}

/** What the curves and points are, and what was measured where. */
function noteOn(now, costs, curves) {
  const { quantity, machine, x } = now;
  if (quantity === "megabytes") {
    return machine
      ? `The most that a layer holds at once of what it allocates itself, measured. Lines only join the points: there is no formula. ${whereMeasured(now, costs, curves)}`
      : noneMeasured(now);
  }
  if (quantity !== "seconds") {
    return quantity === "flops"
      ? "One sequence, forward. A multiplication with its addition counts 2; biases, softmax and tanh are left out."
      : "By the formulas, which the package’s tests find in the running layers too.";
  }
  if (!machine) return `Every layer at 10 GFLOP/s: FLOPs by another name. ${noneMeasured(now)}`;
  return (
    "Curves: FLOPs at the rate that this machine reached with each layer, the median of the larger half of what "
    + `was measured at the ${x === "d" ? "length nearest to n" : "width nearest to d"}. Points: medians, with bars for the quartiles. ${whereMeasured(now, costs, curves)}`
  );
}

function whereMeasured(now, costs, curves) {
  const never = costs.filter(({ cells }) => !cells.length).map(({ layer }) => layer);
  const parts = [];
  if (never.length) parts.push(`Never measured so: ${withArticles(never)}.`);
  const bare = curves.filter(({ points, layer }) => !points.length && !never.includes(layer));
  if (bare.length) {
    const cells = costs.flatMap((cost) => cost.cells);
    const held = now.x === "d" ? "n" : "d";
    const known = [...new Set(cells.map((cell) => cell[held]))].sort((a, b) => a - b);
    parts.push(
      `No point at these sizes: ${withArticles(bare.map(({ layer }) => layer))}; measured at ${held} = ${known.join(", ")}`
        + `${bare.some(({ layer }) => reachName(layer)) ? ", and at few k and r" : ""}.`,
    );
  }
  if (curves.some(({ lost }) => lost.length)) parts.push("× at the top: memory ran out.");
  return parts.join(" ");
}
