// What must a query do to read one value, the mean of two, or nothing? Vectors that can
// be moved in the plane, and every step from them to the output.

import { coordinateFields } from "../../parts/decimals.js";
import { make } from "../../parts/elements.js";
import { debounce, rafThrottle } from "../../parts/timing.js";
import { lookUp } from "./attend.js";
import { lookupControls } from "./controls.js";
import { lookupPlane } from "./plane.js";
import { lookupState } from "./state.js";
import { sumLine } from "./sum.js";
import { stepTable, weightTable } from "./tables.js";
import { targetList } from "./targets.js";
import { lookupInWords, vectorName } from "./words.js";

export function render({ model, el, say }) {
  const speak = debounce(say);
  const state = lookupState(model, rafThrottle(draw));
  const controls = lookupControls(state);
  const targets = targetList();
  const [picture, numbers, folded] = ["picture", "numbers", "folded"].map((name) =>
    make("div", { class: `lu-${name}` }),
  );
  const columns = make("div", { class: "lu-columns" }, picture, numbers);
  const summary = make("summary", {}, "Masks, values, temperature and every step");
  const more = make("details", { class: "lu-more al-more" }, summary, controls.scaling, folded);
  el.append(controls.tries, targets.element, columns, more);
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
