// What plays once by itself, when the picture is first in sight.

import { prefersStillness } from "../../parts/timing.js";

const FIRST_TOUCHES = ["pointerdown", "keydown", "wheel"];
const BEFORE = 1200; // milliseconds in which the picture stands still
const BETWEEN = 450;

/**
 * Lights words 0 … `count` − 1 by `light(index)` once most of `stage` is in sight, then none,
 * by `light(null)`; never for readers who prefer stillness. Returns a function that ends it,
 * as the reader's first touch does wherever it is.
 */
export function playOnce(stage, count, light, signal) {
  let timer = 0;
  let index = -1;
  const over = new AbortController();
  const sight = new IntersectionObserver(begin, { threshold: 0.6 });

  function begin([{ isIntersecting }]) {
    if (!isIntersecting || timer) return;
    timer = setTimeout(next, BEFORE);
  }

  function next() {
    index += 1;
    if (index === count) end();
    else {
      light(index);
      timer = setTimeout(next, BETWEEN);
    }
  }

  function end() {
    if (over.signal.aborted) return;
    over.abort();
    sight.disconnect();
    clearTimeout(timer);
    if (index >= 0) light(null);
  }

  for (const touch of FIRST_TOUCHES) {
    addEventListener(touch, end, { capture: true, passive: true, signal: over.signal });
  }
  signal.addEventListener("abort", end);
  if (prefersStillness()) end();
  else sight.observe(stage);
  return end;
}
