// What is worth a try, and what happens to the scores before the softmax.

import { textButton } from "../../parts/buttons.js";
import { menu } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { slider } from "../../parts/numbers.js";
import { uid } from "../../shell/shelf.js";
import { formatNumber } from "../../words/phrases.js";
import { LOOKUP_TRIES, START } from "./tries.js";

/** The `tries`, and what is done to scores, `scaling`. */
export function lookupControls(state) {
  const tries = tryMenu(state);
  const temperature = temperatureSlider(state);
  const scale = scaleTick(state);
  const scaling = make("div", { class: "lu-scaling" }, temperature.element, scale.element);
  function show(shown) {
    for (const part of [tries, temperature, scale]) part.show(shown);
  }
  return { tries: tries.element, scaling, show };
}

function tryMenu({ atFirst, startFrom }) {
  const options = [["", "an example …"], ...LOOKUP_TRIES.map(([name]) => [name, name])];
  const { field, set } = menu({ label: "Try", options, onChoice });
  function onChoice(chosen) {
    const found = LOOKUP_TRIES.find(([name]) => name === chosen);
    if (!found) return;
    const [name, values, text] = found;
    startFrom({ ...START, ...values }, text, name);
  }
  const again = textButton("Start again", () => startFrom(atFirst, "As it was at first"));
  const element = make("div", { class: "lu-try al-more" }, field, again);
  return { element, show: ({ tried }) => set(tried) };
}

function temperatureSlider({ limits, setTemperature }) {
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

  function show({ temperature }) {
    const text = formatNumber(temperature);
    now.textContent = text;
    track.set(temperatureStep(temperature), most, text);
  }
  return { element: track.field, show };
}

// Ten steps of the slider are a factor of ten.
function temperatureStep(temperature) {
  return Math.round(10 * Math.log10(temperature));
}

function scaleTick({ setScale }) {
  const id = uid("scale");
  const tick = make("input", { type: "checkbox", id });
  tick.addEventListener("change", () => setScale(tick.checked));
  const label = make("label", { for: id }, "divide by √d = √2");
  const element = make("div", { class: "lu-scale" }, tick, label);
  function show({ scale }) {
    tick.checked = scale;
  }
  return { element, show };
}
