// The colours of the theme, for what is painted rather than styled.

import { make } from "./elements.js";
import { onWidthChange } from "./timing.js";

/** A custom property as [red, green, blue]: the browser resolves it for the theme. */
export function colourOf(figure, name) {
  const probe = figure.appendChild(make("span.al-probe"));
  probe.style.color = `var(${name})`;
  const numbers = getComputedStyle(probe).color.match(/[\d.]+/g) ?? [0, 0, 0];
  probe.remove();
  return numbers.slice(0, 3).map(Number);
}

/** Call `repaint` when the colours of `element` are others: a theme, paper, forced ones. */
export function onColourChange(figure, element, signal, repaint) {
  figure.addEventListener("themechange", repaint, { signal });
  for (const medium of ["print", "(forced-colors: active)"]) {
    matchMedia(medium).addEventListener("change", repaint, { signal });
  }
  onWidthChange(element, signal, repaint); // what was not in the page yet had no colours
}
