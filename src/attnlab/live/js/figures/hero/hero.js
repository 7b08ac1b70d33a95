// The figure at the top of the book: a number in two languages, and who read what.

import { trainedModels } from "../../models/weights.js";
import { make } from "../../parts/elements.js";
import { numberBox } from "../../parts/numbers.js";
import { player } from "../../parts/player.js";
import { debounce, onWidthChange, prefersReducedMotion } from "../../parts/timing.js";
import { parseNumber } from "../../words/spell.js";
import { heroReading } from "./reading.js";
import { heroStage } from "./stage.js";
import { heroLooks, heroSummary } from "./words.js";

const FIRST_TOUCHES = ["pointerdown", "keydown", "wheel"];
const OPENING_DELAY = 1200; // milliseconds in which the picture stands still
const OPENING_PAUSE = 450;

export function render({ model, el, say, signal }) {
  const speak = debounce(say);
  // `chosen` is the word whose ribbons are lit, { kind, index }.
  const now = { network: null, reading: null, chosen: null };
  const stage = heroStage({ onChoose: choose, onLeave: () => play.playing() || choose(null) });
  const play = wordPlayer(now, highlight, signal);
  let endOpening = () => {};
  const box = numberBox({ label: "Type a number", parse: parseNumber, onNumber: change });
  const another = make("button", { type: "button" }, "Another number");
  another.addEventListener("click", () => change(10000 + Math.floor(Math.random() * 990000)));
  const buttons = make("div.al-row", another, play.button);
  el.append(make("div.al-controls", box.field, buttons, box.error), stage.element);

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
    stage.update(now.reading);
    announce();
  }

  function choose(word) {
    play.stop();
    endOpening();
    if (!word || word.kind !== now.chosen?.kind || word.index !== now.chosen.index) highlight(word);
  }

  function highlight(word) {
    if (!now.reading) return;
    now.chosen = word;
    stage.highlight(word);
    announce();
  }

  function announce() {
    const { network, reading, chosen } = now;
    speak(chosen ? heroLooks(reading, chosen) : heroSummary(reading, network.metadata.digits[1]));
  }

  function startWith(network) {
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
  if (ready) startWith(ready);
  else trained.load(name).then(startWith, (error) => speak(error.message));
}

/** Lights the German words one after the other, from the chosen one if there is one. */
function wordPlayer(now, highlight, signal) {
  const wordCount = () => now.reading?.words.target.length ?? 0;
  let index = 0;
  return player({
    name: "Play word by word",
    text: { play: " Play", pause: " Pause" },
    pause: 320,
    calm: 900,
    signal,
    begin() {
      const { chosen } = now;
      index = chosen?.kind === "target" && chosen.index + 1 < wordCount() ? chosen.index : -1;
    },
    tick() {
      index += 1;
      highlight(index < wordCount() ? { kind: "target", index } : null);
      return index < wordCount();
    },
  });
}

// What plays once by itself, when the picture is first in sight.

/**
 * Lights the `count` German words of the stage, one by one, once most of it is in sight, then
 * none; never for readers who prefer stillness. It says nothing, since nobody has asked. Returns
 * a function that ends it, as the reader's first touch does wherever it is.
 */
function playOnce(stage, count, signal) {
  let timer = 0;
  let index = -1;
  const over = new AbortController();
  const sight = new IntersectionObserver(startWith, { threshold: 0.6 });

  function startWith([{ isIntersecting }]) {
    if (!isIntersecting || timer) return;
    timer = setTimeout(next, OPENING_DELAY);
  }

  function next() {
    index += 1;
    if (index === count) end();
    else {
      stage.highlight({ kind: "target", index });
      timer = setTimeout(next, OPENING_PAUSE);
    }
  }

  function end() {
    if (over.signal.aborted) return;
    over.abort();
    sight.disconnect();
    clearTimeout(timer);
    if (index >= 0) stage.highlight(null);
  }

  for (const touch of FIRST_TOUCHES) {
    addEventListener(touch, end, { capture: true, passive: true, signal: over.signal });
  }
  signal.addEventListener("abort", end);
  if (prefersReducedMotion()) end();
  else sight.observe(stage.element);
  return end;
}
