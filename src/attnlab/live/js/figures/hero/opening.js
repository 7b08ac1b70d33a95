// What plays once by itself, when the picture is first in sight.

import { prefersReducedMotion } from "../../parts/timing.js";

const TOUCH_EVENTS = ["pointerdown", "keydown", "wheel"];
const FIRST_PAUSE = 1200; // milliseconds in which the picture stands still
const STEP_PAUSE = 450;

/**
 * Lights the `count` German words of the stage, one by one, once most of it is in sight, then
 * none; never for readers who prefer stillness. It says nothing, since nobody has asked. Returns
 * a function that ends it, as the reader's first touch does wherever it is.
 */
export function playOnce(stage, count, signal) {
  let timer = 0;
  let index = -1;
  const over = new AbortController();
  const sight = new IntersectionObserver(begin, { threshold: 0.6 });

  function begin([{ isIntersecting }]) {
    if (!isIntersecting || timer) return;
    timer = setTimeout(next, FIRST_PAUSE);
  }

  function next() {
    index += 1;
    if (index === count) end();
    else {
      stage.light({ kind: "target", index });
      timer = setTimeout(next, STEP_PAUSE);
    }
  }

  function end() {
    if (over.signal.aborted) return;
    over.abort();
    sight.disconnect();
    clearTimeout(timer);
    if (index >= 0) stage.light(null);
  }

  for (const touch of TOUCH_EVENTS) {
    addEventListener(touch, end, { capture: true, passive: true, signal: over.signal });
  }
  signal.addEventListener("abort", end);
  if (prefersReducedMotion()) end();
  else sight.observe(stage.element);
  return end;
}
