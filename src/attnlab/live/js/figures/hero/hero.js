// The figure at the top of the book: a number in two languages, and who read what.

import { trainedModels } from "../../models/weights.js";
import { make } from "../../parts/elements.js";
import { numberBox } from "../../parts/numbers.js";
import { player } from "../../parts/player.js";
import { debounce, onWidthChange } from "../../parts/timing.js";
import { parseNumber } from "../../words/spell.js";
import { playOnce } from "./opening.js";
import { heroReading } from "./reading.js";
import { heroStage } from "./stage.js";
import { heroLooks, heroSummary } from "./words.js";

export function render({ model, el, say, signal }) {
  const speak = debounce(say);
  // `chosen` is the word whose ribbons are lit, { kind, index }.
  const now = { network: null, reading: null, chosen: null };
  const stage = heroStage({ onChoose: choose, onLeave: () => play.playing() || choose(null) });
  const play = wordByWord(now, light, signal);
  let endOpening = () => {};
  const box = numberBox({ label: "Type a number", parse: parseNumber, onNumber: change });
  const another = make("button", { type: "button" }, "Another number");
  another.addEventListener("click", () => change(10000 + Math.floor(Math.random() * 990000)));
  const buttons = make("div", { class: "al-row" }, another, play.button);
  el.append(make("div", { class: "al-controls" }, box.field, buttons, box.error), stage.element);

  function change(number) {
    model.set("number", number);
    model.save_changes();
  }

  function draw() {
    if (!now.network) return;
    const number = model.get("number");
    if (number === now.reading?.number) return;
    play.stop();
    endOpening();
    box.set(number);
    now.reading = heroReading(now.network, number);
    now.chosen = null;
    stage.show(now.reading);
    tell();
  }

  function choose(word) {
    play.stop();
    endOpening();
    if (!word || word.kind !== now.chosen?.kind || word.index !== now.chosen.index) light(word);
  }

  function light(word) {
    if (!now.reading) return;
    now.chosen = word;
    stage.light(word);
    tell();
  }

  function tell() {
    const { network, reading, chosen } = now;
    speak(chosen ? heroLooks(reading, chosen) : heroSummary(reading, network.metadata.digits[1]));
  }

  function begin(network) {
    now.network = network;
    draw();
    if (model.get("opening")) endOpening = playOnce(stage, now.reading.words.target.length, signal);
  }

  el.addEventListener("keydown", (event) => {
    if (event.key === "Escape") choose(null);
  });
  model.on("change:number", draw);
  onWidthChange(el, signal, stage.arrange);
  const trained = trainedModels(model);
  const [name] = Object.keys(model.get("_weights"));
  const ready = trained.ready(name);
  if (ready) begin(ready);
  else trained.load(name).then(begin, (error) => speak(error.message));
}

/** Lights the German words one after the other, from the chosen one if there is one. */
function wordByWord(now, light, signal) {
  const count = () => now.reading?.words.target.length ?? 0;
  let index = 0;
  return player({
    name: "Play word by word",
    text: { play: " Play", pause: " Pause" },
    pause: 320,
    calm: 900,
    signal,
    begin() {
      const { chosen } = now;
      index = chosen?.kind === "target" && chosen.index + 1 < count() ? chosen.index : -1;
    },
    tick() {
      index += 1;
      light(index < count() ? { kind: "target", index } : null);
      return index < count();
    },
  });
}
