// What may wait until the reader comes near.

/** Call `act` once, when `element` is in the window or not far below it. */
export function whenNear(element, signal, act) {
  const watcher = new IntersectionObserver(
    (seen) => {
      if (!seen.some(({ isIntersecting }) => isIntersecting)) return;
      watcher.disconnect();
      act();
    },
    { rootMargin: "50%" },
  );
  watcher.observe(element);
  signal.addEventListener("abort", () => watcher.disconnect());
}
