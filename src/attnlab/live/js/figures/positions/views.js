// The table, and beside it one of the other pictures; on a phone one of all four.

import { make } from "../../parts/elements.js";
import { onWidthChange } from "../../parts/timing.js";
import { viewSwitch } from "../../parts/views.js";

/**
 * `draw` is called when another of the `panels` is shown, or when they have another width.
 * `show(name)` shows one, `shown()` says which.
 */
export function tableAndView({ table, hands, kernel, rotation }, draw) {
  const choice = viewSwitch({
    label: "View",
    views: [
      ["table", "Table", table.element],
      ["hands", "Hands", hands.element],
      ["kernel", "Kernel", kernel.element],
      ["rotation", "Rotation", rotation.element],
    ],
    onView: draw,
  });
  choice.field.classList.add("pos-choice", "al-more");
  choice.field.firstChild.classList.add("al-hidden");
  const panels = [table, hands, kernel, rotation].map(({ element }) => element);
  const element = make("div", { class: "pos-views" }, choice.field, ...panels);
  const tableButton = choice.field.querySelector("label");

  // Where there is room, the style sheet always shows the table, and takes its button away.
  function fitNow() {
    const beside = getComputedStyle(tableButton).display === "none";
    if (beside && choice.shown() === "table") choice.show("hands");
    else draw();
  }
  function fit(el, signal) {
    onWidthChange(el, signal, fitNow);
    fitNow();
  }
  return { element, fit, show: choice.show, shown: choice.shown };
}
