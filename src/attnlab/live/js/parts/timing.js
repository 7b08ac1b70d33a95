// Timing: draw at most once a frame, speak only after a pause, slice long work.

/** Return a function that runs `draw` in the next frame, however often it is called before. */
export function rafThrottle(draw) {
  let scheduled = false;
  return () => {
    if (scheduled) return;
    scheduled = true;
    requestAnimationFrame(() => {
      scheduled = false;
      draw();
    });
  };
}

/**
 * Return `say` debounced: a text is said at once unless it follows another within `pause`
 * milliseconds, as in a drag; then only the last is said, so that a screen reader is not flooded.
 */
export function debounce(say, pause = 150) {
  let last = -Infinity;
  let timer = 0;
  return (text) => {
    const now = performance.now();
    const hurried = now - last < pause;
    last = now;
    clearTimeout(timer);
    if (hurried) timer = setTimeout(say, pause, text);
    else say(text);
  };
}

/**
 * Iterate over `search`, in one go if it is quick, else for a few milliseconds a frame; then
 * call `onEnd` with the list of its values. Returns a function that cancels the search.
 */
export function timeSliced(search, signal, onEnd, milliseconds = 5) {
  const values = [];
  const steps = search[Symbol.iterator]();
  let cancelled = false;

  function runSlice() {
    const until = performance.now() + milliseconds;
    while (!cancelled && !signal.aborted) {
      const { value, done } = steps.next();
      if (done) {
        onEnd(values);
        return;
      }
      values.push(value);
      if (performance.now() > until) {
        requestAnimationFrame(runSlice);
        return;
      }
    }
  }
  runSlice();
  return () => {
    cancelled = true;
  };
}

/** Return a promise that resolves in a new task, so that the page can respond in between. */
export function nextTask() {
  return new Promise((done) => setTimeout(done));
}

/** Call `draw` at most once a frame when the width of `el` changes. */
export function onWidthChange(el, signal, draw) {
  let width = el.clientWidth;
  const drawNext = rafThrottle(draw);
  const watcher = new ResizeObserver(() => {
    if (el.clientWidth === width) return;
    width = el.clientWidth;
    drawNext();
  });
  watcher.observe(el);
  signal.addEventListener("abort", () => watcher.disconnect());
}

export function prefersReducedMotion() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
