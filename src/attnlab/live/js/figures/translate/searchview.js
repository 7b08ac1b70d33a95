// How the words are chosen: every step of the search, as a tree and as lists.

import { make } from "../../parts/elements.js";
import { slider } from "../../parts/numbers.js";
import { stepper } from "../../parts/stepper.js";
import { finishedList, stepList } from "./lists.js";
import { searchTree } from "./tree.js";

const SEARCH_PAUSE = 900; // milliseconds a step
const PENALTY_STEPS = 10; // of the slider for the length penalty, from one whole to the next

/** `scene()` is what the figure shows, and `onTake` is as in `stepList`. */
export function searchView({ state, scene, signal, onTake }) {
  const steps = stepper({
    label: "Step",
    first: 1,
    pause: SEARCH_PAUSE,
    signal,
    now: () => ({ step: scene().step, last: scene().total }),
    onStep: (step) => state.look({ step }),
  });
  steps.field.classList.add("tr-progress");
  const penalty = penaltySlider(state);
  const tree = searchTree({ onStep: state.goTo });
  const list = stepList({ onTake });
  const finished = finishedList();
  const tables = make("div", { class: "bt-tables" }, list.element, finished.element);
  const element = make(
    "div",
    { class: "tr-panel" },
    make("div", { class: "al-controls" }, steps.field, penalty.field),
    make("div", { class: "bt" }, ...tree.elements, tables),
  );

  function show(now) {
    steps.show();
    steps.field.querySelector("label").textContent = `Step ${now.step} of ${now.total}`;
    for (const part of [penalty, tree, list, finished]) part.show(now);
  }
  return { element, stop: steps.stop, show };
}

function penaltySlider(state) {
  const max = PENALTY_STEPS * state.limits.penalty;
  const onValue = (n) => state.look({ length_penalty: n / PENALTY_STEPS });
  const { field, set } = slider({ label: "Length penalty", min: 0, max, onValue });
  field.classList.add("tr-penalty");

  function show({ alpha }) {
    const text = alpha.toFixed(1);
    set(Math.round(PENALTY_STEPS * alpha), max, text);
    field.querySelector("label").textContent = `Length penalty α = ${text}`;
  }
  return { field, show };
}
