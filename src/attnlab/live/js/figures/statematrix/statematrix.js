// Pairs written into a matrix of fixed size, and what it answers to their keys.

import { choices } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { slider } from "../../parts/numbers.js";
import { debounce, rafThrottle } from "../../parts/timing.js";
import { traitsOf } from "../../shell/traits.js";
import { answerBars } from "./bars.js";
import { readBackPairs } from "./readings.js";
import { statePicture } from "./picture.js";
import { describeReadings } from "./words.js";

export function render({ model, el, say }) {
  const speak = debounce(say);
  const traits = traitsOf(model, ["rule", "kind", "written", "read"]);
  const { limits } = model.get("_frame");
  const controls = makeControls(limits.keys.length, traits);
  const picture = statePicture(limits.values[0].length);
  const bars = answerBars((read) => traits.change({ read }));
  el.append(controls.element, make("div.sm-picture", picture.element, bars.element));

  function draw() {
    const settings = traits.read();
    const shown = readBackPairs(settings, limits);
    controls.update(settings);
    picture.update(shown);
    bars.update(shown);
    speak(describeReadings(settings, shown));
  }

  traits.follow(rafThrottle(draw));
  draw();
}

function makeControls(pairs, traits) {
  const traitControl = (label, name, options) =>
    choices(
      label,
      options.map((option) => [option, option]),
      (value) => traits.change({ [name]: value }),
    );
  const rule = traitControl("Rule", "rule", ["sum", "decay", "delta", "gated delta"]);
  const keys = traitControl("Keys", "kind", ["random", "alike", "one twice"]);
  const written = slider("Pairs written", 1, pairs, (number) => traits.change({ written: number }));
  const read = slider("Read the key of pair", 1, pairs, (number) =>
    traits.change({ read: number }),
  );
  const numbers = [written, read].map(({ field }) => {
    const number = make("strong", { "aria-hidden": "true" });
    field.append(number);
    return number;
  });
  const fields = [rule, keys, written, read].map(({ field }) => field);
  return {
    element: make("div.al-controls.sm-controls", ...fields),
    update(settings) {
      const asked = Math.min(settings.read, settings.written);
      rule.set(settings.rule);
      keys.set(settings.kind);
      written.set(settings.written, pairs, `${settings.written} of ${pairs}`);
      read.set(asked, settings.written, `pair ${asked} of ${settings.written}`);
      numbers[0].textContent = settings.written;
      numbers[1].textContent = asked;
    },
  };
}
