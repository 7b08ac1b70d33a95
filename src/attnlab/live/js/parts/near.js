// What may wait until the reader comes near.

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
