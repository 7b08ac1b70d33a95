// The controls for the four sizes.

import { make } from "../../parts/elements.js";
import { numberSlider } from "../../parts/numbers.js";
import { groupDigits } from "../../words/phrases.js";
import { reachName } from "./costs.js";
import { COST_SIZES } from "./state.js";

/**
 * A box and a slider for each size, and `back`, whether layers look back only. `update(now)`
 * shows them.
 */
export function sizeControls(state) {
  const controls = COST_SIZES.map(([name, label]) => {
    const rounds = roundSizes(name, state.limits[name]);
    const { box, track } = numberSlider({
      label,
      parse: (text) => parseSize(text, name, state.limits[name], state.read().causal),
      step: name === "k" ? 2 : 1,
      max: rounds.length - 1,
      numberAt: (place) => rounds[place],
      onNumber: (size) => state.change({ [name]: size }),
    });
    const field = make("div.cost-size", box.field, track.field, box.error);
    return { name, rounds, box, track, field };
  });

  const causal = make("input", { type: "checkbox" });
  causal.addEventListener("change", () => state.change({ causal: causal.checked }));

  function update(now) {
    causal.checked = now.causal;
    for (const { name, rounds, box, track, field } of controls) {
      field.hidden = !isSizeUsed(name, now);
      const place = rounds.indexOf(nearestRoundSize(rounds, now[name]));
      box.set(now[name]);
      track.set(place, rounds.length - 1, `${name} = ${now[name]}`);
    }
  }

  const back = make("label.cost-check", causal, "look back only");
  const fields = controls.map(({ field }) => field);
  const element = make("div.cost-sizes.al-more", ...fields);
  return { element, back, update };
}

// All layers have a length and a width; a kernel or a radius only some.
function isSizeUsed(name, { layers, x }) {
  return ["n", "d", x].includes(name) || layers.some((layer) => reachName(layer) === name);
}

// Powers of two and those in the middle between them; kernels one less, so that they are odd.
function roundSizes(name, [least, most]) {
  const rounds = [];
  for (let size = 1; size <= most + 1; size *= 2) rounds.push(size, 1.5 * size);
  const whole = rounds.filter(Number.isInteger);
  const kept = name === "k" ? whole.map((size) => size - 1).filter((size) => size % 2) : whole;
  return kept.filter((size) => size >= least && size <= most);
}

function nearestRoundSize(rounds, value) {
  const far = rounds.map((size) => Math.abs(Math.log(size / value)));
  return rounds[far.indexOf(Math.min(...far))];
}

/** The round size that is nearest to a value. */
export function roundSize(name, limits, value) {
  return nearestRoundSize(roundSizes(name, limits), value);
}

function parseSize(text, name, [least, most], causal) {
  const typed = text.trim();
  const size = Number(typed);
  const shown = typed.slice(0, 12);
  const range = `from ${least} to ${groupDigits(most)}`;
  if (typed === "" || Number.isNaN(size))
    return { error: `Please type a whole number for ${name}, ${range}.` };
  if (!Number.isInteger(size)) return { error: `${shown} is not whole: ${name} goes ${range}.` };
  if (size < least || size > most) return { error: `${shown} is outside: ${name} goes ${range}.` };
  if (name === "k" && !causal && size % 2 === 0) {
    const odd = `${size - 1} or ${size + 1}`;
    const error = `A centred kernel must be odd to have a centre: ${odd}. One that looks back `;
    return { error: `${error}only may be even.` };
  }
  return { number: size };
}
