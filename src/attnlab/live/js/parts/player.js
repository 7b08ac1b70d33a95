// A button that plays one step after the other.

import { pressButton, showPlaying } from "./buttons.js";
import { prefersReducedMotion } from "./timing.js";

/**
 * `begin()` is called when the play starts, `tick()` every `pause` milliseconds after that
 * (`calm` for readers who prefer stillness); it ends when `tick` returns false, when the
 * button is pressed again or `stop()` is called, and with the figure, by its `signal`.
 *
 * @param {Record<string, any>} asked
 */
export function player({ name = "Play", text, pause, calm = 2 * pause, signal, begin, tick }) {
  let ticking = 0;
  const button = pressButton("", name, () => (ticking ? stop() : start()));

  function start() {
    begin();
    showPlaying(button, true, name, text);
    const advance = () => {
      if (!tick()) stop();
    };
    ticking = setInterval(advance, prefersReducedMotion() ? calm : pause);
  }

  function stop() {
    clearInterval(ticking);
    ticking = 0;
    showPlaying(button, false, name, text);
  }

  stop();
  signal.addEventListener("abort", stop);
  return { button, stop, playing: () => ticking !== 0 };
}
