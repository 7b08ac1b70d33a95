// What must a query do to read one value, the mean of two, or nothing? Vectors that can
// be moved in the plane, and every step from them to the output.

import { coordinateFields } from "../../parts/decimals.js";
import { make } from "../../parts/elements.js";
import { slider } from "../../parts/numbers.js";
import { calmly, oncePerFrame } from "../../parts/timing.js";
import { tryRow } from "../../parts/tries.js";
import { uid } from "../../shell/shelf.js";
import { plainNumber } from "../../words/phrases.js";
import { lookUp } from "./attend.js";
import { lookupPlane } from "./plane.js";
import { lookupState } from "./state.js";
import { sumLine } from "./sum.js";
import { stepTable, weightTable } from "./tables.js";
import { LOOKUP_TRIES, START } from "./tries.js";
import { lookupInWords, vectorName } from "./words.js";

export function renderLookup({ model, el, say }) {
  const speak = calmly(say);
  const state = lookupState(model, oncePerFrame(draw));
  const controls = scoreControls(state);
  const left = make("div", { class: "lu-left" });
  const right = make("div", { class: "lu-right" });
  el.append(lookupTries(state), make("div", { class: "lu-columns" }, left, right));
  let parts = [];
  let sizes = ""; // for which the parts were made

  // All but the controls is made anew when the number of queries or keys changes.
  function build(shown) {
    const plane = lookupPlane(shown, state);
    const coordinates = coordinateFields({
      kind: "lu",
      vectors: vectorsOf(shown, state),
      reach: state.limits.reach,
    });
    const tables = [weightTable(shown, state), stepTable(shown, state), sumLine(shown)];
    left.replaceChildren(...plane.elements, coordinates.element);
    right.replaceChildren(controls.element, ...tables.map(({ element }) => element));
    parts = [controls, plane, coordinates, ...tables];
  }

  function draw() {
    const now = state.now();
    if (!fitTogether(now)) return;
    const shown = { ...now, ...lookUp(now) };
    const wanted = `${now.query.length} ${now.key.length}`;
    if (sizes !== wanted) build(shown);
    sizes = wanted;
    for (const part of parts) part.show(shown);
    speak(lookupInWords(shown));
  }
  draw();
}

function vectorsOf({ query, key }, state) {
  const of = (kind) => (_, index) => ({
    name: vectorName(kind, index),
    read: () => state.now()[kind][index],
    write: (vector) => state.move(kind, index, vector),
  });
  return [...query.map(of("query")), ...key.map(of("key"))];
}

// While Python changes the number of keys, one trait comes after another.
function fitTogether({ query, key, value, mask }) {
  return (
    key.length === value.length
    && mask.length === query.length
    && mask.every((row) => row.length === key.length)
  );
}

function lookupTries({ atFirst, startFrom }) {
  const tries = LOOKUP_TRIES.map(([name, values, text]) => [
    name,
    () => startFrom({ ...START, ...values }, text),
  ]);
  const again = ["Start again", () => startFrom(atFirst, "As it was at first")];
  return tryRow("lu-tries", [...tries, again]);
}

// Ten steps of the slider are a factor of ten.
function temperatureStep(temperature) {
  return Math.round(10 * Math.log10(temperature));
}

// What happens to the scores before the softmax.
function scoreControls({ limits, setTemperature, setScale }) {
  const [least, most] = limits.temperature.map(temperatureStep);
  const track = slider({
    label: "Temperature ",
    min: least,
    max: most,
    onValue: (step) => setTemperature(Number((10 ** (step / 10)).toPrecision(2))),
  });
  track.field.classList.add("lu-temperature");
  const now = make("span", { class: "lu-now", "aria-hidden": "true" });
  track.field.firstChild.append(now);
  const scaleId = uid("scale");
  const tick = make("input", { type: "checkbox", id: scaleId });
  tick.addEventListener("change", () => setScale(tick.checked));
  const label = make("label", { for: scaleId }, "divide by √d = √2");
  const scaling = make("div", { class: "lu-scale" }, tick, label);

  function show({ temperature, scale }) {
    const text = plainNumber(temperature);
    now.textContent = text;
    track.set(temperatureStep(temperature), most, text);
    tick.checked = scale;
  }
  return { element: make("div", { class: "al-controls" }, track.field, scaling), show };
}
