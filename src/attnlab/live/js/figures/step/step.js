// What happens in one step of attention? A drawing in which every arrow is an operation,
// in five steps, and the state that asks, which can be moved in the plane.

import { choices } from "../../parts/choices.js";
import { coordinateFields } from "../../parts/decimals.js";
import { make } from "../../parts/elements.js";
import { player } from "../../parts/player.js";
import { debounce, rafThrottle } from "../../parts/timing.js";
import { traitsOf } from "../../shell/traits.js";
import { stepDrawing } from "./drawing.js";
import { stepPlane } from "./plane.js";
import { takeStep } from "./taken.js";
import { STEP_NAMES, stepInWords } from "./words.js";

const STEP_WIRINGS = [
  ["bahdanau", "Bahdanau"],
  ["luong", "Luong"],
  ["feeding", "+ feeding"],
];
const PLAY_PAUSE = 1800; // milliseconds
const LAST_STEP = STEP_NAMES.length;

export function render({ model, el, say, signal }) {
  const speak = debounce(say);
  const traits = traitsOf(model, ["wiring", "query", "step"]);
  const { limits } = model.get("_frame");
  const vector = { read: () => model.get("query"), write: (query) => traits.change({ query }) };
  const wiring = choices({
    label: "Whose step?",
    options: STEP_WIRINGS,
    onChoice: (name) => traits.change({ wiring: name }),
  });
  const steps = stepChoice(traits, signal);
  const drawing = stepDrawing(limits);
  const plane = stepPlane(limits, vector);
  const typed = coordinateFields({
    kind: "st",
    vectors: [{ name: "State s", ...vector }],
    reach: limits.reach,
  });
  typed.element.classList.add("al-more");
  const right = make("div", { class: "st-right" }, plane.element, stepHint(), typed.element);
  el.append(
    make("div", { class: "al-controls st-controls" }, wiring.field, steps.field),
    make("div", { class: "st-columns" }, drawing.element, right),
  );

  function draw() {
    const now = traits.read();
    const shown = { ...now, ...takeStep(now, limits) };
    wiring.set(now.wiring);
    steps.set(now.step);
    drawing.show(shown);
    plane.show(shown);
    typed.show();
    speak(stepInWords(shown, limits));
  }

  // The digits lead to a step from wherever the focus is, but for where one types.
  el.addEventListener("keydown", (event) => {
    const step = Number(event.key);
    if (event.target.matches("input[type=text]") || event.ctrlKey || event.metaKey) return;
    if (step >= 1 && step <= LAST_STEP) steps.goTo(step);
  });
  traits.follow(rafThrottle(draw));
  draw();
}

function stepHint() {
  const keys = make("span", { class: "al-byhand" }, ", or use the arrow keys");
  return make("p", { class: "al-note st-hint" }, "Drag s", keys, ".");
}

/** A button for each step, and one that plays them all. */
function stepChoice(traits, signal) {
  const option = (name, i) => [
    i + 1,
    make("span", {}, String(i + 1), make("span", { class: "st-called" }, ` ${name}`)),
  ];
  const { field, set } = choices({
    label: "Step",
    options: STEP_NAMES.map(option),
    onChoice: (step) => goTo(Number(step)),
  });
  const now = () => traits.read().step;
  const play = player({
    name: "Play the steps",
    pause: PLAY_PAUSE,
    signal,
    begin: () => now() === LAST_STEP && traits.change({ step: 1 }),
    tick() {
      traits.change({ step: Math.min(LAST_STEP, now() + 1) });
      return now() < LAST_STEP;
    },
  });
  field.classList.add("st-steps");
  field.lastChild.append(play.button);

  function goTo(step) {
    play.stop();
    traits.change({ step });
  }
  return { field, set, goTo };
}
