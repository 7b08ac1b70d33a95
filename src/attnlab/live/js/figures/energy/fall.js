// What both views have: β, the steps of the way down, and the energy at each.

import { make } from "../../parts/elements.js";
import { numberSlider } from "../../parts/numbers.js";
import { stepper } from "../../parts/stepper.js";
import { parseDecimal } from "../../words/decimals.js";
import { energyLine } from "./charts.js";
import { betaNote, shortNumber, sumTexts } from "./words.js";

const STEPS_PER_DECADE = 20; // steps of the slider for β in a factor of ten
const STEP_PAUSE = 450; // milliseconds
const MAX_TICKS = 20; // in a play, however long the way

export function fallPanel({ signal, state }) {
  const beta = betaControl(state);
  let last = 0; // step of the way that is shown
  const steps = stepper({
    label: "Step ",
    pause: STEP_PAUSE,
    mostTicks: MAX_TICKS,
    signal,
    now: () => ({ step: Math.min(state.now().step, last), last }),
    onStep: (step) => state.change({ step }),
  });
  steps.field.classList.add("al-more");
  const stepNow = sliderValueLabel(steps.field);
  const energies = energyLine();
  energies.element.classList.add("al-more");
  const sum = make("p.en-sum.al-more", { "aria-hidden": "true" });

  function update(now, fall) {
    const { path, step } = fall;
    ({ last } = fall);
    beta.update(now);
    steps.update();
    stepNow.textContent = `${step} of ${last}`;
    const heights = path.energies.map(({ energy }) => energy);
    energies.update(heights, step, shortNumber);
    const [formula, numbers] = sumTexts(now, fall);
    sum.replaceChildren(make("span", formula), " ", make("span", numbers));
  }
  const controls = [beta.element, steps.field];
  return { controls, energies: [energies.element, sum], update };
}

/** What a slider is at, to see beside its label. */
export function sliderValueLabel(field) {
  const value = make("span.en-value", { "aria-hidden": "true" });
  return field.querySelector("label").appendChild(value);
}

// A box for β and a slider that goes by factors.
function betaControl({ limits, now, change }) {
  const [least, most] = limits.beta;
  const betaTraitName = ({ view }) => (view === "plane" ? "beta" : "picture_beta");
  const { box, track } = numberSlider({
    label: "Inverse temperature β",
    short: "β",
    parse: (text) => parseDecimal(text, "β", least, most),
    numberAt: (place) => Number((10 ** (place / STEPS_PER_DECADE)).toPrecision(2)),
    min: sliderPositionOf(least),
    max: sliderPositionOf(most),
    inputmode: "decimal",
    step: 0.1,
    onNumber: (beta) => change({ [betaTraitName(now())]: beta }, `β ${shortNumber(beta)}`),
  });
  const note = make("p.al-note");
  const element = make("div.en-beta.al-more", box.field, track.field, box.error, note);
  function update(shown) {
    const beta = shown[betaTraitName(shown)];
    box.settle(beta);
    track.set(Math.round(sliderPositionOf(beta)), sliderPositionOf(most), `β ${shortNumber(beta)}`);
    note.textContent = betaNote(shown);
  }
  return { element, update };
}

function sliderPositionOf(beta) {
  return STEPS_PER_DECADE * Math.log10(beta);
}
