// Three sliders that say from which tokens is drawn, the seed, and the buttons that write.

import { setEnabled, pressButton, showPlaying, textButton } from "../../parts/buttons.js";
import { make } from "../../parts/elements.js";
import { numberBox, slider } from "../../parts/numbers.js";
import { groupDigits } from "../../words/phrases.js";
import { parseSeed } from "./words.js";

const TEMPERATURE_STEPS = 20; // a step is a twentieth
const TOP_P_STEPS = 20;
const TOP_KS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 20, 50, 100, 300, 1000, null]; // null: all

/** The sliders; `update(now)` follows the state. */
export function settingSliders({ change, limits }) {
  const temperature = valueSlider("Temperature", {
    most: limits.temperature * TEMPERATURE_STEPS,
    onValue: (step) => change({ temperature: step / TEMPERATURE_STEPS }),
  });
  const topK = valueSlider("Top-k", {
    most: TOP_KS.length - 1,
    onValue: (place) => change({ top_k: TOP_KS[place] }),
  });
  const topP = valueSlider("Top-p", {
    least: 1,
    most: TOP_P_STEPS,
    onValue: (step) => change({ top_p: step / TOP_P_STEPS }),
  });
  const element = make("div.sa-sliders", temperature.field, topK.field, topP.field);

  function update({ temperature: heat, top_k: k, top_p: p }) {
    const hot = heat === 0 ? "0: the best" : String(Number(heat.toFixed(2)));
    temperature.update(Math.round(heat * TEMPERATURE_STEPS), hot);
    const place = TOP_KS.findIndex((bound) => bound === null || (k !== null && bound >= k));
    topK.update(k === null ? TOP_KS.length - 1 : place, k === null ? "all" : groupDigits(k));
    topP.update(Math.round(p * TOP_P_STEPS), p === 1 ? "all" : String(Number(p.toFixed(2))));
  }
  return { element, update };
}

function valueSlider(label, { least = 0, most, onValue }) {
  const track = slider(`${label} `, least, most, onValue);
  const value = make("b.sa-value", { "aria-hidden": "true" });
  track.field.firstChild.append(value);
  function update(place, text) {
    value.textContent = text;
    track.set(place, most, text);
  }
  return { field: track.field, update };
}

/** The buttons that write; each of `on` is called when its button is pressed. */
export function writingButtons(on) {
  const word = textButton("Write a word", on.word, { class: "al-primary" });
  const play = textButton("", on.play, { class: "sa-play" });
  const back = pressButton("⌫\uFE0E", "Take back", on.back);
  const again = pressButton("↺\uFE0E", "Start again", on.again);
  const element = make("div.sa-buttons", word, play, back, again);

  function update({ ended, full, written, playing }) {
    setEnabled(word, !ended && !full);
    showPlaying(play, playing, "Write to the end", { play: " Write to the end", pause: " Pause" });
    setEnabled(play, playing || (!ended && !full));
    setEnabled(back, written.length > 0);
    setEnabled(again, written.length > 0);
  }
  return { element, update };
}

/** The seed, and a button for another. */
export function seedField({ change, now }) {
  const box = numberBox({ label: "Seed", parse: parseSeed, onNumber: (seed) => change({ seed }) });
  const other = textButton("Another seed", () => change({ seed: now().seed + 1 }));
  const element = make("div.sa-seed", box.field, other);
  return { element, error: box.error, update: ({ seed }) => box.set(seed) };
}
