// How the words are chosen: every step of the search, as a tree or as a list.

import { make } from "../../parts/elements.js";
import { slider } from "../../parts/numbers.js";
import { stepper } from "../../parts/stepper.js";
import { viewSwitch } from "../../parts/views.js";
import { finishedList, stepList } from "./lists.js";
import { searchTree } from "./tree.js";

const SEARCH_PAUSE = 900; // milliseconds a step
const PENALTY_STEPS = 10; // of the slider for the length penalty, from one whole to the next

/**
 * `settings` are those of the search (`settingsPanel`), `scene()` is what the figure shows,
 * and `onTake` is as in `stepList`.
 */
export function searchView({ state, settings, scene, signal, onTake }) {
  const steps = stepper({
    label: "Step",
    first: 1,
    pause: SEARCH_PAUSE,
    signal,
    now: () => ({ step: scene().step, last: scene().total }),
    onStep: (step) => state.look({ step }),
  });
  steps.field.classList.add("tr-progress", "al-more");
  state.endBy(steps.stop);
  const penalty = penaltySlider(state);
  const tree = searchTree({ onStep: state.goTo });
  const list = stepList({ onTake });
  const finished = finishedList();
  const views = [
    ["tree", "Tree", make("div", {}, ...tree.elements)],
    ["step", "This step", make("div", {}, list.element)],
    ["finished", "Finished", make("div", { class: "bt-ranking" }, penalty.field, finished.element)],
  ];
  const view = viewSwitch({ label: "Show", views });
  view.field.classList.add("tr-show");
  const controls = make("div", { class: "al-controls" }, ...settings.fields, view.field);
  const pictures = make("div", { class: "bt" }, ...views.map(([, , picture]) => picture));
  const element = make("div", { class: "tr-panel al-more" }, controls, steps.field, pictures);

  function show(now) {
    steps.show();
    steps.field.querySelector("label").textContent = `Step ${now.step} of ${now.total}`;
    for (const part of [penalty, tree, list, finished]) part.show(now);
  }
  return { element, show };
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
