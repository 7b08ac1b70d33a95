// A slider along steps, with buttons that go one back, one on, and play them.

import { setEnabled, pressButton } from "./buttons.js";
import { make } from "./elements.js";
import { slider } from "./numbers.js";
import { player } from "./player.js";

/**
 * `now()` is { step, last }: the step that is shown, and the last one; `onStep(step)` is to
 * show another. A play takes `pause` milliseconds a step, and at most `mostTicks` of them.
 * `thing` is what a step is called. `update()` follows what is shown; `stop()` ends a play, and
 * so does `goTo(step)`.
 */
export function stepper({ label, thing = "step", first = 0, now, onStep, ...playing }) {
  const { pause, mostTicks = Infinity, signal } = playing;
  let stride = 1;
  const back = pressButton("◂\uFE0E", `One ${thing} back`, () => goTo(now().step - 1));
  const forward = pressButton("▸\uFE0E", `One ${thing} on`, () => goTo(now().step + 1));
  const play = player({ pause, signal, begin, tick });
  const { field, input, set } = slider(label, first, 1, goTo);
  field.append(make("div.al-row", back, play.button, forward, input));

  function goTo(step) {
    play.stop();
    onStep(step);
  }

  function begin() {
    const { step, last } = now();
    const from = step === last ? first : step;
    stride = Math.max(1, Math.ceil((last - from) / mostTicks));
    onStep(from);
  }

  function tick() {
    const { step, last } = now();
    onStep(Math.min(step + stride, last));
    return now().step < last;
  }

  function update() {
    const { step, last } = now();
    set(step, last, thing === "step" ? `${step} of ${last}` : `${step} of ${last} ${thing}s`);
    setEnabled(back, step > first);
    setEnabled(forward, step < last);
    setEnabled(play.button, last > first);
  }
  return { field, update, goTo, stop: play.stop };
}
