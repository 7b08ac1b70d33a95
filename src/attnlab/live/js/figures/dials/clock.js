// The hands of `Dials` alone: a clock that goes on from position to position.

import { make } from "../../parts/elements.js";
import { slider } from "../../parts/numbers.js";
import { player } from "../../parts/player.js";
import { debounce, rafThrottle } from "../../parts/timing.js";
import { traitsOf } from "../../shell/traits.js";
import { dialFaces } from "./hands.js";
import { computeHands } from "./turns.js";
import { describeClock, roundText } from "./words.js";

const TICK_INTERVAL = 250; // milliseconds a position

export function render({ model, el, say, signal }) {
  const speak = debounce(say);
  const traits = traitsOf(model, ["position"]);
  const { farthest, d, base } = model.get("_frame").limits;
  const dials = dialFaces(d / 2, roundText);
  const setPosition = (position) => traits.change({ position });
  const play = player({
    text: { play: " Play", pause: " Pause" },
    pause: TICK_INTERVAL,
    signal,
    begin() {
      if (traits.read().position === farthest) setPosition(0);
    },
    tick() {
      setPosition(traits.read().position + 1);
      return traits.read().position < farthest;
    },
  });
  const place = slider("Position", 0, farthest, (position) => {
    play.stop();
    setPosition(position);
  });
  const readout = make("strong.di-position", { "aria-hidden": "true" });
  place.field.append(readout);
  el.append(make("div.al-controls.di-controls", play.button, place.field), dials.element);

  function draw() {
    const { position } = traits.read();
    // Shaded is where a hand has been: what training on all positions so far had met.
    const hands = computeHands({ position, trained: position + 1, base }, d);
    place.set(position, farthest, `position ${position}`);
    readout.textContent = position;
    dials.update(hands);
    speak(describeClock(position, hands));
  }

  traits.follow(rafThrottle(draw));
  draw();
}
