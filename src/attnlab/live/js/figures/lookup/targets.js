// What to make query 1 read: it is ticked once that has been.

import { make } from "../../parts/elements.js";
import { formatNumber } from "../../words/phrases.js";

const TARGET_TOLERANCE = 0.05;
const TARGETS = [
  [6, "alone"],
  [8, "the mean of 6 and 10"],
  [3.5, "that of 1 and 6"],
];

/** The target that query 1 reads, or undefined. */
export function reachedTarget([output]) {
  const [target] = TARGETS.find(([each]) => Math.abs(output - each) < TARGET_TOLERANCE) ?? [];
  return target;
}

/** A list to be ticked off; `update(shown)` ticks what is read. */
export function targetList() {
  const done = new Set();
  const items = TARGETS.map(([target, how]) => {
    const tick = make("span.lu-tick");
    const text = make("span.lu-how", `, ${how}`);
    const item = make("li", tick, make("b", formatNumber(target)), text);
    return { target, tick, item };
  });
  const list = make("ul", ...items.map(({ item }) => item));
  const title = make("p.al-label", "Make query 1 read");
  const element = make("div.lu-targets.al-more", title, list);

  function update({ outputs }) {
    done.add(reachedTarget(outputs));
    for (const { target, tick, item } of items) {
      tick.textContent = done.has(target) ? "✓\uFE0E" : "○\uFE0E";
      tick.setAttribute("aria-label", done.has(target) ? "done" : "to do");
      item.classList.toggle("done", done.has(target));
    }
  }
  return { element, update };
}
