// When a figure draws and speaks: not more often than can be seen or heard.

/** Run `draw` at most once a frame, however often it is asked for. */
export function rafThrottle(draw) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      draw();
    });
  };
}

/**
 * Say the latest text. While one change chases the next, as in a drag, it waits for the
 * last, so that a screen reader is not flooded.
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
 * Go through `search`, an iterable, at once if it is quick, or else in a piece of every
 * frame; then call `onEnd` with all that it gave. Returns a function that gives it up.
 */
export function timeSliced(search, signal, onEnd, milliseconds = 5) {
  const given = [];
  const steps = search[Symbol.iterator]();
  let wanted = true;

  function runSlice() {
    const until = performance.now() + milliseconds;
    while (wanted && !signal.aborted) {
      const { value, done } = steps.next();
      if (done) {
        onEnd(given);
        return;
      }
      given.push(value);
      if (performance.now() > until) {
        requestAnimationFrame(runSlice);
        return;
      }
    }
  }
  runSlice();
  return () => {
    wanted = false;
  };
}

/** A promise: what comes after it comes in a task of its own, so that the page can answer. */
export function nextTask() {
  return new Promise((done) => setTimeout(done));
}

/** Call `draw` at most once a frame when the width of `el` changes, unless it has none. */
export function onWidthChange(el, signal, draw) {
  let width = el.clientWidth;
  const drawNext = rafThrottle(draw);
  const watcher = new ResizeObserver(() => {
    if (el.clientWidth === width) return;
    width = el.clientWidth;
    if (width > 0) drawNext();
  });
  watcher.observe(el);
  signal.addEventListener("abort", () => watcher.disconnect());
}

export function prefersReducedMotion() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** Call `callback` once, when `element` is in the window or not far below it. */
export function onceNearViewport(element, signal, callback) {
  const watcher = new IntersectionObserver(
    (seen) => {
      if (!seen.some(({ isIntersecting }) => isIntersecting)) return;
      watcher.disconnect();
      callback();
    },
    { rootMargin: "50%" },
  );
  watcher.observe(element);
  signal.addEventListener("abort", () => watcher.disconnect());
}
