// A drag that leaves a finger free to scroll.

/**
 * Follow a mouse or a pen while it is down. A finger may want to scroll the page: where the
 * style says `touch-action: none` it is followed as well, elsewhere its tap counts.
 *
 * @param {(event: MouseEvent) => void} onStart
 */
export function followDrag(element, onMove, onStart = () => {}) {
  const canDrag = (event) =>
    event.pointerType !== "touch" || getComputedStyle(element).touchAction === "none";
  let led = true;
  element.addEventListener("pointerdown", (event) => {
    led = canDrag(event);
    if (event.button !== 0 || !led) return;
    event.preventDefault();
    element.setPointerCapture(event.pointerId);
    onStart(event);
    onMove(event);
  });
  element.addEventListener("pointermove", (event) => {
    if (led && element.hasPointerCapture(event.pointerId)) onMove(event);
  });
  element.addEventListener("click", (event) => {
    if (led) return;
    onStart(event);
    onMove(event);
  });
}
