// What must a query do to read one value, the mean of two, or nothing? Vectors that can
// be moved in the plane, and every step from them to the output.

import { textButton } from "../../parts/buttons.js";
import { coordinateFields } from "../../parts/decimals.js";
import { make } from "../../parts/elements.js";
import { slider } from "../../parts/numbers.js";
import { debounce, rafThrottle } from "../../parts/timing.js";
import { uid } from "../../shell/shelf.js";
import { formatNumber, twoDecimals } from "../../words/phrases.js";
import { lookUp } from "./attend.js";
import { lookupPlane } from "./plane.js";
import { lookupState } from "./state.js";
import { stepTable, weightTable } from "./tables.js";
import { targetList } from "./targets.js";
import { describeLookup, vectorName } from "./words.js";

const MIN_MARK_DISTANCE = 5; // percent of the line: marks closer than this share a name

export function render({ model, el, say }) {
  const speak = debounce(say);
  const state = lookupState(model, rafThrottle(draw));
  const controls = lookupControls(state);
  const targets = targetList();
  const [picture, numbers, folded] = ["picture", "numbers", "folded"].map((name) =>
    make("div", { class: `lu-${name}` }),
  );
  const columns = make("div.lu-columns", picture, numbers);
  const summary = make("summary", "Masks, values, temperature and every step");
  const more = make("details.lu-more.al-more", summary, controls.element, folded);
  el.append(targets.element, columns, more);
  let parts = [];
  let sizes = ""; // for which the parts were made

  // All but the controls is made anew when the number of queries or keys changes.
  function build(shown) {
    const plane = lookupPlane(shown, state);
    const coordinates = coordinateFields({
      kind: "lu",
      vectors: vectorFields(shown, state),
      reach: state.limits.reach,
    });
    const weights = weightTable(shown, state);
    const steps = stepTable(shown, state);
    const sum = sumLine(shown);
    picture.replaceChildren(...plane.elements);
    numbers.replaceChildren(weights.element, sum.element, plane.hint);
    for (const { element } of [weights, sum]) element.classList.add("al-more");
    folded.replaceChildren(steps.element, coordinates.element);
    parts = [controls, targets, plane, coordinates, weights, steps, sum];
  }

  function draw() {
    const now = state.now();
    if (!haveMatchingSizes(now)) return;
    const shown = { ...now, ...lookUp(now) };
    const wanted = `${now.query.length} ${now.key.length}`;
    if (sizes !== wanted) build(shown);
    sizes = wanted;
    for (const part of parts) part.update(shown);
    speak(describeLookup(shown));
  }
  draw();
}

function vectorFields({ query, key }, state) {
  const vectorField = (kind) => (_, index) => ({
    name: vectorName(kind, index),
    read: () => state.now()[kind][index],
    write: (vector) => state.move(kind, index, vector),
  });
  return [...query.map(vectorField("query")), ...key.map(vectorField("key"))];
}

// While Python changes the number of keys, one trait comes after another.
function haveMatchingSizes({ query, key, value, mask }) {
  return (
    key.length === value.length
    && mask.length === query.length
    && mask.every((row) => row.length === key.length)
  );
}

// What happens to the scores before the softmax, and the way back to the start.

function lookupControls(state) {
  const temperature = temperatureSlider(state);
  const scale = scaleCheckbox(state);
  const again = textButton("Start again", state.startAgain);
  const element = make("div.lu-scaling", temperature.element, scale.element, again);
  function update(shown) {
    for (const part of [temperature, scale]) part.update(shown);
  }
  return { element, update };
}

function temperatureSlider({ limits, setTemperature }) {
  const [least, most] = limits.temperature.map(temperatureToStep);
  const track = slider("Temperature ", least, most, (step) =>
    setTemperature(Number((10 ** (step / 10)).toPrecision(2))),
  );
  track.field.classList.add("lu-temperature");
  const now = make("span.lu-now", { "aria-hidden": "true" });
  track.field.firstChild.append(now);

  function update({ temperature }) {
    const text = formatNumber(temperature);
    now.textContent = text;
    track.set(temperatureToStep(temperature), most, text);
  }
  return { element: track.field, update };
}

// Ten steps of the slider are a factor of ten.
function temperatureToStep(temperature) {
  return Math.round(10 * Math.log10(temperature));
}

function scaleCheckbox({ setScale }) {
  const id = uid("scale");
  const tick = make("input", { type: "checkbox", id });
  tick.addEventListener("change", () => setScale(tick.checked));
  const label = make("label", { for: id }, "divide by √d = √2");
  const element = make("div.lu-scale", tick, label);
  function update({ scale }) {
    tick.checked = scale;
  }
  return { element, update };
}

// The products of the chosen query, one after another on a line: their sum is the output.

function sumLine({ key }) {
  const marks = key.map((_, j) => make("span.lu-mark", `v${j + 1}`));
  const bits = key.map(() => make("span.lu-bit"));
  const parts = bits.map((bit, j) =>
    make("div.lu-part", make("span.lu-bit-name", `k${j + 1}`), bit),
  );
  const zero = make("span.lu-zero");
  const reading = make("span.lu-reading");
  const ends = [make("span"), make("span")];
  const line = make(
    "div.lu-line",
    { role: "img" },
    make("div.lu-marks", ...marks),
    zero,
    ...parts,
    reading,
    make("div.lu-ends", ...ends),
  );
  const title = "The products add up to the output";
  const element = make("div", make("p.al-label", title), line);

  function update({ value, weights, outputs, chosen }) {
    const low = Math.min(0, ...value);
    const largest = Math.max(0, ...value);
    const high = largest > low ? largest : 1; // all values may be 0
    const xPercent = (x) => (100 * (x - low)) / (high - low);
    showMarks(marks, value.map(xPercent));
    let reached = 0;
    value.forEach((v, j) => {
      const next = reached + weights[chosen][j] * v;
      const [from, to] = [xPercent(Math.min(reached, next)), xPercent(Math.max(reached, next))];
      bits[j].style.left = `${from}%`;
      bits[j].style.width = `${to - from}%`;
      reached = next;
    });
    zero.style.left = `${xPercent(0)}%`;
    const output = twoDecimals(outputs[chosen]);
    const place = xPercent(outputs[chosen]);
    reading.style.left = `${place}%`;
    reading.dataset.text = `output ${output}`;
    reading.style.setProperty("--back", `${-place}%`);
    const [least, most] = [formatNumber(low), formatNumber(high)];
    ends[0].textContent = least;
    ends[1].textContent = most;
    const range = `from ${least} to ${most}`;
    const values = value.map((v) => formatNumber(v)).join(", ");
    const text = `The output ${output} on a line ${range}, with the values ${values}`;
    line.setAttribute("aria-label", text);
  }
  return { element, update };
}

function showMarks(marks, places) {
  const names = markTexts(places);
  marks.forEach((mark, j) => {
    mark.style.left = `${places[j]}%`;
    mark.textContent = names[j];
    mark.classList.toggle("unnamed", !names[j].trim());
  });
}

/** The names of the values' marks; one too close to an earlier mark is named there. */
function markTexts(places) {
  const names = places.map(() => []);
  places.forEach((at, j) => {
    const isNear = (other, i) => names[i].length && Math.abs(other - at) < MIN_MARK_DISTANCE;
    const home = places.findIndex((other, i) => i === j || isNear(other, i));
    names[home].push(j + 1);
  });
  return names.map((those) => (those.length ? `v${those.join(",\u2009")}` : "\u00a0"));
}
