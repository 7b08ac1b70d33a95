// What must a query do to read one value, the mean of two, or nothing? Vectors that can
// be moved in the plane, and every step from them to the output.

import { dot, softmax } from "../../math/tensor.js";
import { numberBox, slider } from "../../parts/controls.js";
import { make, makeSvg } from "../../parts/elements.js";
import { calmly, oncePerFrame } from "../../parts/timing.js";
import { uid } from "../../shell/shelf.js";

const REACH = 4; // coordinates go from −4 to 4
const VIEW = 4.5; // what the plane shows around them
const LARGEST_VALUE = 100;
const SNAP = 0.05; // a dragged vector's coordinates are multiples of this
const KEY_STEP = 0.1;
const FAR_KEY_STEP = 0.5; // with Shift
const LOOKUP_TRAITS = ["query", "key", "value", "temperature", "scale", "mask"];

export const START = {
  query: [
    [1.2, 1.6],
    [-1.0, -0.4],
  ],
  key: [
    [2.0, 1.0],
    [-0.5, 2.2],
    [-2.2, -0.6],
    [1.0, -2.0],
  ],
  value: [1, 3, 6, 10],
  temperature: 1,
  scale: true,
  mask: [
    [true, true, true, true],
    [true, true, true, true],
  ],
};

// Each is the start but for what it names.
const TRIES = [
  {
    name: "One value",
    query: [
      [-1.5, 4],
      [-0.3, 0.8],
    ],
    tells:
      "Query 1 points where key 2 is ahead of all others, and it is long. Query 2 points there, too, but it is short",
  },
  {
    name: "Mean of two",
    query: [
      [1.92, 4],
      [0.48, 1],
    ],
    tells: "Query 1 is long and at right angles to the line from key 1 to key 2, so that they tie",
  },
  {
    name: "A zero query",
    query: [
      [0, 0],
      [-1.0, -0.4],
    ],
    tells: "Query 1 is zero, so all its scores are 0",
  },
  {
    name: "Nothing allowed",
    mask: [
      [false, false, false, false],
      [true, true, true, true],
    ],
    tells: "The mask hides every key from query 1",
  },
  {
    name: "A key worth 0",
    query: [
      [1.5, -4],
      [-1.0, -0.4],
    ],
    value: [1, 3, 6, 0],
    tells: "Key 4 has the value 0, and query 1 looks there: an output of almost 0, without a mask",
  },
  {
    name: "A key nobody finds",
    query: [
      [-0.8, 3.6],
      [-1.0, -0.4],
    ],
    key: [
      [2.0, 1.0],
      [-0.5, 2.2],
      [-2.2, -0.6],
      [-0.2, 0.9],
    ],
    tells: "Query 1 points straight at key 4",
  },
];

/**
 * Scaled dot-product attention, step by step. Vectors are arrays of numbers; `mask` is
 * true where a query may attend; `scale` says whether to divide by √d.
 *
 * Returns scores, scaled and weights, each a row for every query, and outputs, a number
 * for every query. A query that may see nothing has weights 0 and output 0.
 */
export function lookUp({ query, key, value, temperature, scale, mask }) {
  const divisor = temperature * (scale ? Math.sqrt(key[0].length) : 1);
  const scores = query.map((q) => key.map((k) => dot(q, k)));
  const scaled = scores.map((row) => row.map((score) => score / divisor));
  const weights = scaled.map((row, i) => {
    if (!mask[i].includes(true)) return row.map(() => 0);
    return softmax(row.map((score, j) => (mask[i][j] ? score : -Infinity)));
  });
  return { scores, scaled, weights, outputs: weights.map((row) => dot(row, value)) };
}

/**
 * Is there a direction in which vector `index` reaches farther than all the others?
 * There is, if the others, seen from it, lie within less than half a turn.
 */
export function canLead(vectors, index) {
  const [x, y] = vectors[index];
  const others = vectors.filter((_, j) => j !== index);
  if (!others.length) return true;
  if (others.some((other) => other[0] === x && other[1] === y)) return false;
  const angles = others.map((other) => Math.atan2(other[1] - y, other[0] - x));
  angles.sort((a, b) => a - b);
  const gaps = angles.map(
    (angle, j) => (j + 1 < angles.length ? angles[j + 1] : angles[0] + 2 * Math.PI) - angle,
  );
  return Math.max(...gaps) > Math.PI + 1e-9;
}

export function renderLookup({ model, el, say }) {
  const speak = calmly(say);
  const atFirst = read();
  let drawn = ""; // the sizes for which the elements were made
  let chosen = 0; // the query whose steps are shown
  let news = ""; // what the reader changed last, in words
  let plane, matrix, steps, sum, coordinates;

  const tries = make(
    "div",
    { class: "lu-tries", role: "group", "aria-label": "Try" },
    make("span", { class: "al-label", "aria-hidden": "true" }, "Try"),
    ...TRIES.map((one) => tryButton(one.name, { ...START, ...one }, one.tells)),
    tryButton("Start again", atFirst, "As it was at first"),
  );
  const temperature = slider({
    label: "Temperature ",
    min: -20,
    max: 20,
    onValue: (step) => {
      const now = Number((10 ** (step / 10)).toPrecision(2));
      change(`Temperature ${now}`, { temperature: now });
    },
  });
  const temperatureNow = make("span", { class: "lu-now", "aria-hidden": "true" });
  temperature.field.querySelector("label").append(temperatureNow);
  temperature.field.classList.add("lu-temperature");
  const scaleId = uid("scale");
  const scaleBox = make("input", { type: "checkbox", id: scaleId });
  scaleBox.addEventListener("change", () =>
    change(scaleBox.checked ? "The scores are divided by √d" : "The scores are not divided by √d", {
      scale: scaleBox.checked,
    }),
  );
  const hint = make("p", { class: "al-note", id: uid("hint") });
  const picture = make("div", { class: "lu-picture" });
  el.append(
    tries,
    make(
      "div",
      { class: "lu-columns" },
      make("div", { class: "lu-left" }, picture, hint),
      make(
        "div",
        { class: "lu-right" },
        make(
          "div",
          { class: "al-controls" },
          temperature.field,
          make(
            "div",
            { class: "lu-scale" },
            scaleBox,
            make("label", { for: scaleId }, "divide by √d = √2"),
          ),
        ),
      ),
    ),
  );
  const left = el.querySelector(".lu-left");
  const right = el.querySelector(".lu-right");

  function read() {
    return Object.fromEntries(LOOKUP_TRAITS.map((name) => [name, model.get(name)]));
  }

  function change(text, traits) {
    for (const [name, setting] of Object.entries(traits)) model.set(name, setting);
    model.save_changes();
    news = text;
    drawNext();
  }

  function tryButton(name, state, tells) {
    const button = make("button", { type: "button" }, name);
    button.addEventListener("click", () => {
      chosen = 0;
      change(tells, Object.fromEntries(LOOKUP_TRAITS.map((trait) => [trait, state[trait]])));
    });
    return button;
  }

  function choose(index) {
    if (index === chosen) return;
    chosen = index;
    news = "";
    drawNext();
  }

  function put(kind, index, vector) {
    if (kind === "query") chosen = index;
    const list = model.get(kind).map((old, i) => (i === index ? vector : old));
    change(`${nameOf(kind, index)} at ${pointText(vector)}`, { [kind]: list });
  }

  /** Put a vector near a place; what would leave the plane stays at its edge. */
  function move(kind, index, at) {
    put(
      kind,
      index,
      at.map((x) => tidied(Math.max(-REACH, Math.min(REACH, x)))),
    );
  }

  // The elements, made anew when the number of queries or keys changes ------------------

  function build(state) {
    chosen = Math.min(chosen, state.query.length - 1);
    plane = buildPlane(state);
    matrix = buildMatrix(state);
    steps = buildSteps(state);
    sum = buildSum(state);
    coordinates = buildCoordinates(state);
    picture.replaceChildren(plane.element, plane.readings);
    for (const old of el.querySelectorAll(".lu-built")) old.remove();
    left.append(coordinates.element);
    right.append(matrix.element, steps.element, sum.element);
  }

  function buildPlane({ query, key }) {
    const svg = makeSvg("svg", {
      viewBox: `${-VIEW} ${-VIEW} ${2 * VIEW} ${2 * VIEW}`,
      "aria-hidden": "true",
    });
    for (let at = -REACH; at <= REACH; at++) {
      const name = at === 0 ? "axis" : "grid";
      svg.append(
        makeSvg("line", { class: name, x1: at, x2: at, y1: -VIEW, y2: VIEW }),
        makeSvg("line", { class: name, y1: at, y2: at, x1: -VIEW, x2: VIEW }),
      );
    }
    const direction = makeSvg("line", { class: "direction" });
    const halos = key.map(() => makeSvg("circle", { class: "halo" }));
    const feet = key.map(() => makeSvg("line", { class: "foot" }));
    const arrows = query.map(() => makeSvg("line", { class: "arrow", x1: 0, y1: 0 }));
    svg.append(...halos, direction, ...feet, ...arrows);
    const keyHandles = key.map((_, j) => handle("key", j));
    const queryHandles = query.map((_, i) => handle("query", i));
    const readings = make("p", { class: "lu-readings", "aria-hidden": "true" });
    const element = make(
      "div",
      { class: "lu-plane", role: "group", "aria-label": "Queries and keys in the plane" },
      svg,
      ...queryHandles,
      ...keyHandles,
    );
    return { element, readings, direction, halos, feet, arrows, keyHandles, queryHandles };
  }

  // A button that is dragged, or moved by the arrow keys.
  function handle(kind, index) {
    const button = make(
      "button",
      { type: "button", class: `lu-handle ${kind}`, "aria-describedby": hint.id },
      `${kind[0]}${index + 1}`,
    );
    let grip = null; // from the pointer to the vector's tip, in the plane's units
    button.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      button.setPointerCapture(event.pointerId);
      const [x, y] = pointed(event);
      const tip = model.get(kind)[index];
      grip = [tip[0] - x, tip[1] - y];
    });
    button.addEventListener("pointermove", (event) => {
      if (!grip) return;
      const at = pointed(event).map((x, axis) => Math.round((x + grip[axis]) / SNAP) * SNAP);
      move(kind, index, at);
    });
    for (const end of ["pointerup", "pointercancel"]) {
      button.addEventListener(end, () => {
        grip = null;
      });
    }
    button.addEventListener("keydown", (event) => {
      const step = event.shiftKey ? FAR_KEY_STEP : KEY_STEP;
      const way = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[
        event.key
      ];
      if (!way) return;
      event.preventDefault();
      move(
        kind,
        index,
        model.get(kind)[index].map((x, axis) => x + step * way[axis]),
      );
    });
    if (kind === "query") button.addEventListener("click", () => choose(index));
    return button;
  }

  /** Where in the plane the pointer is. */
  function pointed(event) {
    const box = plane.element.getBoundingClientRect();
    return [
      ((2 * (event.clientX - box.left)) / box.width - 1) * VIEW,
      (1 - (2 * (event.clientY - box.top)) / box.height) * VIEW,
    ];
  }

  function buildMatrix({ query, key }) {
    const name = uid("row");
    const radios = query.map((_, i) => {
      const radio = make("input", { type: "radio", name });
      radio.addEventListener("change", () => choose(i));
      return radio;
    });
    const cells = query.map((_, i) =>
      key.map((_, j) => {
        const box = make("input", {
          type: "checkbox",
          "aria-label": `Query ${i + 1} may see key ${j + 1}`,
        });
        box.addEventListener("change", () => {
          const mask = model.get("mask").map((row) => [...row]);
          mask[i][j] = box.checked;
          change(`Query ${i + 1} may ${box.checked ? "" : "not "}see key ${j + 1}`, { mask });
        });
        return { box, weight: weightBar() };
      }),
    );
    const outputs = query.map(() => make("data"));
    const rows = query.map((_, i) =>
      make(
        "tr",
        {},
        make(
          "th",
          { scope: "row" },
          make(
            "label",
            {},
            radios[i],
            `q${i + 1}`,
            make("span", { class: "al-hidden" }, ": show its steps"),
          ),
        ),
        ...cells[i].map(({ box, weight }) =>
          make("td", {}, make("label", {}, box, weight.element)),
        ),
        make("td", { class: "lu-output" }, outputs[i]),
      ),
    );
    const element = make(
      "div",
      { class: "lu-scroll lu-built" },
      make(
        "table",
        { class: "lu-table lu-matrix" },
        make("caption", {}, "Weights. A tick lets the query see the key."),
        make(
          "thead",
          {},
          make(
            "tr",
            {},
            make("td"),
            ...key.map((_, j) => make("th", { scope: "col" }, `k${j + 1}`)),
            make("th", { scope: "col" }, "output"),
          ),
        ),
        make("tbody", {}, ...rows),
      ),
    );
    element.style.setProperty("--keys", key.length);
    return { element, radios, cells, outputs, rows };
  }

  function buildSteps({ key }) {
    const boxes = key.map((_, j) =>
      decimalBox(`Value of key ${j + 1}`, LARGEST_VALUE, 1, (number) => {
        const value = model.get("value").map((old, i) => (i === j ? number : old));
        change(`The value of key ${j + 1} is ${plainText(number)}`, { value });
      }),
    );
    const lines = key.map((_, j) => {
      const score = make("td");
      const scaled = make("td");
      const weight = weightBar();
      const product = make("td");
      const row = make(
        "tr",
        {},
        make("th", { scope: "row" }, `k${j + 1}`),
        score,
        scaled,
        make("td", {}, weight.element),
        make("td", { class: "lu-value" }, boxes[j].field),
        product,
      );
      return { row, score, scaled, weight, product };
    });
    const caption = make("caption");
    const heads = ["q·k", "scaled", "weight", "value", "product"].map((text) =>
      make("th", { scope: "col" }, text),
    );
    const totals = { weight: make("td"), output: make("td", { class: "lu-output" }) };
    const element = make(
      "div",
      { class: "lu-scroll lu-built" },
      make(
        "table",
        { class: "lu-table lu-steps" },
        caption,
        make("thead", {}, make("tr", {}, make("td"), ...heads)),
        make("tbody", {}, ...lines.map((line) => line.row)),
        make(
          "tfoot",
          {},
          make(
            "tr",
            {},
            make("th", { scope: "row", colspan: 3 }, "sum"),
            totals.weight,
            make("td"),
            totals.output,
          ),
        ),
      ),
      ...boxes.map((box) => box.error),
    );
    return { element, caption, boxes, lines, totals, scaledHead: heads[1] };
  }

  function buildSum({ key }) {
    const marks = key.map((_, j) => make("span", { class: "lu-mark" }, `v${j + 1}`));
    const parts = key.map((_, j) =>
      make(
        "div",
        { class: "lu-part" },
        make("span", { class: "lu-bit-name" }, `k${j + 1}`),
        make("span", { class: "lu-bit" }),
      ),
    );
    const zero = make("span", { class: "lu-zero" });
    const output = make("span", { class: "lu-reading" });
    const ends = [make("span"), make("span")];
    const line = make(
      "div",
      { class: "lu-line", role: "img" },
      make("div", { class: "lu-marks" }, ...marks),
      zero,
      ...parts,
      output,
      make("div", { class: "lu-ends" }, ...ends),
    );
    const title = make(
      "p",
      { class: "al-label" },
      "The products, one after another: their sum is the output",
    );
    return {
      element: make("div", { class: "lu-sum lu-built" }, title, line),
      line,
      marks,
      parts,
      zero,
      output,
      ends,
    };
  }

  function buildCoordinates({ query, key }) {
    const vectors = [...query.map((_, i) => ["query", i]), ...key.map((_, j) => ["key", j])];
    const boxes = vectors.map(([kind, index]) =>
      ["x", "y"].map((letter, axis) =>
        decimalBox(`${nameOf(kind, index)}, ${letter}`, REACH, KEY_STEP, (number) => {
          const vector = [...model.get(kind)[index]];
          vector[axis] = number;
          put(kind, index, vector);
        }),
      ),
    );
    const rows = vectors.map(([kind, index], at) =>
      make(
        "tr",
        {},
        make("th", { scope: "row" }, nameOf(kind, index)),
        ...boxes[at].map((box) => make("td", {}, box.field)),
      ),
    );
    const element = make(
      "details",
      { class: "lu-coordinates lu-built" },
      make("summary", {}, "Type the coordinates"),
      make(
        "table",
        { class: "lu-table" },
        make(
          "thead",
          {},
          make(
            "tr",
            {},
            make("td"),
            make("th", { scope: "col" }, "x"),
            make("th", { scope: "col" }, "y"),
          ),
        ),
        make("tbody", {}, ...rows),
      ),
      ...boxes.flat().map((box) => box.error),
    );
    return { element, boxes, vectors };
  }

  // What is drawn ------------------------------------------------------------------------

  function draw() {
    const state = read();
    // While Python changes the number of keys, one trait comes after another.
    const { query, key, value, mask } = state;
    const fits =
      key.length === value.length
      && mask.length === query.length
      && mask.every((row) => row.length === key.length);
    if (!fits) return;
    const sizes = `${query.length} ${key.length}`;
    if (sizes !== drawn) build(state);
    drawn = sizes;

    const result = lookUp(state);
    drawControls(state);
    drawPlane(state, result);
    drawMatrix(state, result);
    drawSteps(state, result);
    drawSum(value, result.weights[chosen], result.outputs[chosen]);
    drawCoordinates(state);
    speak(
      [
        news,
        summary(state, result, chosen),
        ...others(state, result, chosen),
        lostKeys(state, chosen),
      ]
        .filter(Boolean)
        .map((text) => `${text}.`)
        .join(" "),
    );
  }

  function drawControls({ temperature: now, scale }) {
    temperatureNow.textContent = plainText(now);
    temperature.set(Math.round(10 * Math.log10(now)), 20, plainText(now));
    scaleBox.checked = scale;
    hint.textContent =
      "Drag, or use the arrow keys (Shift: farther). Dashed: the direction of "
      + `q${chosen + 1}. The farther a key lies along it, the larger its score.`;
  }

  function drawPlane({ query, key, value, mask }, { weights, outputs }) {
    const [x, y] = query[chosen];
    const length = Math.hypot(x, y);
    const unit = length ? [x / length, y / length] : [0, 0];
    setLine(
      plane.direction,
      unit.map((u) => -2 * VIEW * u),
      unit.map((u) => 2 * VIEW * u),
    );
    key.forEach((k, j) => {
      const seen = mask[chosen][j];
      const weight = weights[chosen][j];
      setAll(plane.halos[j], {
        cx: k[0],
        cy: -k[1],
        r: 0.5 + 0.9 * Math.sqrt(weight),
        opacity: seen ? 0.15 + 0.35 * weight : 0,
      });
      const along = dot(k, unit);
      setLine(
        plane.feet[j],
        k,
        unit.map((u) => along * u),
      );
      plane.feet[j].classList.toggle("off", !seen || !length);
      place(plane.keyHandles[j], k);
      plane.keyHandles[j].dataset.value = plainText(value[j]);
      plane.keyHandles[j].classList.toggle("hidden-key", !seen);
      plane.keyHandles[j].setAttribute(
        "aria-label",
        `Key ${j + 1} at ${pointText(k)}` + `${seen ? "" : `, hidden from query ${chosen + 1}`}`,
      );
    });
    query.forEach((q, i) => {
      setLine(plane.arrows[i], [0, 0], q);
      plane.arrows[i].classList.toggle("chosen", i === chosen);
      place(plane.queryHandles[i], q);
      plane.queryHandles[i].classList.toggle("chosen", i === chosen);
      plane.queryHandles[i].setAttribute("aria-label", `Query ${i + 1} at ${pointText(q)}`);
    });
    plane.readings.textContent = outputs
      .map((output, i) => `q${i + 1} reads ${decimals(output)}`)
      .join(" · ");
  }

  function drawMatrix({ mask }, { weights, outputs }) {
    matrix.rows.forEach((row, i) => {
      row.classList.toggle("chosen", i === chosen);
      matrix.radios[i].checked = i === chosen;
      matrix.outputs[i].value = outputs[i].toFixed(6);
      matrix.outputs[i].textContent = decimals(outputs[i]);
      matrix.cells[i].forEach(({ box, weight }, j) => {
        box.checked = mask[i][j];
        weight.set(weights[i][j], mask[i][j]);
      });
    });
  }

  function drawSteps(
    { value, mask, scale, temperature: now },
    { scores, scaled, weights, outputs },
  ) {
    const divisors = [scale && "√2", now !== 1 && plainText(now)].filter(Boolean);
    steps.caption.textContent =
      `Query ${chosen + 1}, step by step. `
      + `Scaled: q·k${divisors.map((divisor) => ` ÷ ${divisor}`).join("") || ", as it is"}.`;
    steps.lines.forEach((line, j) => {
      const seen = mask[chosen][j];
      const weight = weights[chosen][j];
      line.row.classList.toggle("unseen", !seen);
      line.score.textContent = decimals(scores[chosen][j]);
      line.scaled.textContent = seen ? decimals(scaled[chosen][j]) : "−∞";
      line.weight.set(weight, seen);
      line.product.textContent = decimals(weight * value[j]);
      setBox(steps.boxes[j], value[j]);
    });
    const total = weights[chosen].reduce((whole, weight) => whole + weight, 0);
    steps.totals.weight.textContent = total.toFixed(3);
    steps.totals.output.textContent = decimals(outputs[chosen]);
  }

  function drawSum(value, weights, output) {
    const low = Math.min(0, ...value);
    const high = Math.max(low + 1e-9, 0, ...value);
    const across = (x) => (100 * (x - low)) / (high - low);
    const names = markTexts(value.map(across));
    let reached = 0;
    value.forEach((v, j) => {
      sum.marks[j].style.left = `${across(v)}%`;
      sum.marks[j].textContent = names[j];
      sum.marks[j].classList.toggle("unnamed", !names[j].trim());
      const next = reached + weights[j] * v;
      const bit = sum.parts[j].lastChild;
      const [from, to] = [across(Math.min(reached, next)), across(Math.max(reached, next))];
      bit.style.left = `${from}%`;
      bit.style.width = `${to - from}%`;
      reached = next;
    });
    sum.zero.style.left = `${across(0)}%`;
    sum.output.style.left = `${across(output)}%`;
    sum.output.dataset.text = `output ${decimals(output)}`;
    sum.output.style.setProperty("--back", `${-across(output)}%`);
    sum.ends.forEach((end, i) => {
      end.textContent = plainText([low, high][i]);
    });
    sum.line.setAttribute(
      "aria-label",
      `The output ${decimals(output)} on a line from ${plainText(low)} to ${plainText(high)}, with the values ${value.map(plainText).join(", ")}`,
    );
  }

  function drawCoordinates(state) {
    coordinates.vectors.forEach(([kind, index], at) => {
      coordinates.boxes[at].forEach((box, axis) => setBox(box, state[kind][index][axis]));
    });
  }

  const drawNext = oncePerFrame(draw);
  for (const name of LOOKUP_TRAITS) {
    model.on(`change:${name}`, () => {
      news = "";
      drawNext();
    });
  }
  draw();
}

// Words --------------------------------------------------------------------------------

/** What the query reads, and why. */
function summary({ value, mask }, { scaled, weights, outputs }, i) {
  const name = `Query ${i + 1}`;
  const seen = value.map((_, j) => j).filter((j) => mask[i][j]);
  if (!seen.length) {
    return `${name} may see no key: all its weights are 0, and its output is 0. It reads nothing`;
  }
  const row = weights[i];
  const output = decimals(outputs[i]);
  const [first, second] = [...seen].sort((a, b) => scaled[i][b] - scaled[i][a]);
  if (second === undefined) {
    return `${name} may see key ${first + 1} alone, and so it reads exactly ${plainText(value[first])}, wherever the vectors lie`;
  }
  const lead = scaled[i][first] - scaled[i][second];
  const rest = 1 - row[first];
  if (row[first] >= 0.99) {
    return (
      `${name} reads one value, ${plainText(value[first])}, from key ${first + 1}: weight ${shareText(row[first])}, output ${output}. `
      + `After scaling, the key is ${decimals(lead)} ahead of the next; the others still share `
      + `${rest < 0.001 ? "less than 0.001" : rest.toFixed(3)}`
    );
  }
  const leaders = seen.filter((j) => areAlike([row[first], row[j]]));
  const share = leaders.reduce((sum, j) => sum + row[j], 0);
  if (leaders.length > 1 && share >= 0.99) {
    const all = leaders.length === seen.length;
    const which = all
      ? `${seen.length === 2 ? "both" : `all ${seen.length}`} values that it may see`
      : `${leaders.length === 2 ? "two" : leaders.length} values, ${listed(leaders.map((j) => plainText(value[j])))}`;
    return (
      `${name} reads the mean of ${which}: weights from `
      + `${shareText(Math.min(...leaders.map((j) => row[j])))} to ${shareText(row[first])}, output ${output}. `
      + `${all ? "The scaled scores are alike" : "Their scores tie, far ahead of the others"}`
    );
  }
  const what = row[first] >= 0.8 ? `mostly the value of key ${first + 1}` : "a mixture";
  return (
    `${name} reads ${what}: weight ${shareText(row[first])} on key ${first + 1}, `
    + `${shareText(row[second])} on key ${second + 1}, output ${output}. `
    + `After scaling, key ${first + 1} is ${decimals(lead)} ahead`
  );
}

function areAlike(weights) {
  return Math.max(...weights) - Math.min(...weights) <= 0.02;
}

function listed(words) {
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** In short, what the other queries read. */
function others({ mask }, { weights, outputs }, chosen) {
  return weights.map((row, i) => {
    if (i === chosen) return "";
    if (!mask[i].includes(true)) return `Query ${i + 1} may see no key, output 0`;
    const seen = row.filter((_, j) => mask[i][j]);
    if (seen.length > 1 && areAlike(seen))
      return `Query ${i + 1}: output ${decimals(outputs[i])}, weights alike`;
    const largest = row.indexOf(Math.max(...row));
    return `Query ${i + 1}: output ${decimals(outputs[i])}, most weight (${shareText(row[largest])}) on key ${largest + 1}`;
  });
}

/** The keys that the query sees and yet could never give the most weight, wherever it lay. */
function lostKeys({ key, mask }, i) {
  const seen = key.map((_, j) => j).filter((j) => mask[i][j]);
  const vectors = seen.map((j) => key[j]);
  const lost = seen.filter((_, at) => !canLead(vectors, at)).map((j) => j + 1);
  if (!lost.length) return "";
  return (
    `No query can give key ${lost.join(" or ")} more weight than every other key: `
    + "in each direction another reaches at least as far"
  );
}

/** The names of the values' marks; one too close to an earlier mark is named there. */
function markTexts(places) {
  const names = places.map(() => []);
  places.forEach((at, j) => {
    const home = places.findIndex(
      (other, i) => i === j || (names[i].length && Math.abs(other - at) < 5),
    );
    names[home].push(j + 1);
  });
  return names.map((those) => (those.length ? `v${those.join(",\u2009")}` : "\u00a0"));
}

function nameOf(kind, index) {
  return `${kind === "key" ? "Key" : "Query"} ${index + 1}`;
}

/** −1.5 as "−1.50". */
function decimals(number) {
  const text = Math.abs(number).toFixed(2);
  return Number(text) && number < 0 ? `−${text}` : text;
}

/** −1.5 as "−1.5". */
function plainText(number) {
  return String(Number(number.toPrecision(6))).replace("-", "−");
}

function pointText(vector) {
  return `(${vector.map(plainText).join(", ")})`;
}

/** A weight that is neither 0 nor 1 is not written so. */
function shareText(weight) {
  if (weight > 0 && weight < 0.0005) return "<0.001";
  if (weight < 1 && weight >= 0.9995) return ">0.999";
  return weight.toFixed(3);
}

function tidied(number) {
  return Number(number.toFixed(2)) || 0; // no −0
}

// Elements -----------------------------------------------------------------------------

/** A weight as a number over a bar. */
function weightBar() {
  const text = make("data");
  const element = make(
    "span",
    { class: "lu-weight" },
    text,
    make("span", { class: "lu-bar", "aria-hidden": "true" }),
  );
  function set(weight, seen) {
    text.value = weight.toFixed(6);
    text.textContent = seen ? shareText(weight) : "0";
    element.style.setProperty("--weight", weight.toFixed(4));
    element.classList.toggle("off", !seen);
  }
  return { element, set };
}

/** A box for a number between −largest and largest, its label for listeners alone. */
function decimalBox(label, largest, step, onNumber) {
  const parse = (text) => parseDecimal(text, label, largest);
  const box = numberBox({ label, parse, onNumber, step, inputmode: "text" });
  box.field.querySelector("label").classList.add("al-hidden");
  return box;
}

function setBox(box, number) {
  // What was refused goes once the number changes by another way; not while it is typed.
  if (box.input !== document.activeElement && box.input.getAttribute("aria-invalid") === "true") {
    box.input.value = String(number);
    box.complain("");
  }
  box.set(number);
}

/** The number that the text says, as { number }, or why it will not do, as { error }. */
export function parseDecimal(text, label, largest) {
  const typed = text.trim().replace("−", "-").replace(",", ".");
  if (!typed) return { error: `${label}: type a number, such as 1.5.` };
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(typed)) {
    return { error: `${label}: “${text.trim().slice(0, 20)}” is not a number.` };
  }
  const number = Number(typed);
  if (Math.abs(number) > largest) {
    return { error: `${label}: it must lie between −${largest} and ${largest}.` };
  }
  return { number: number || 0 }; // no −0
}

function place(handle, [x, y]) {
  handle.style.left = `${(50 * (x + VIEW)) / VIEW}%`;
  handle.style.top = `${(50 * (VIEW - y)) / VIEW}%`;
}

function setLine(line, from, to) {
  setAll(line, { x1: from[0], y1: -from[1], x2: to[0], y2: -to[1] });
}

function setAll(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
}
