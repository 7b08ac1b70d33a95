// What is folded below the figure of costs: all crossings, and what is counted how.

import { make } from "../../parts/elements.js";
import { costNote, noCrossing } from "./words.js";

/** `show(now, picture, crossings)` takes what `costPicture` found and its crossings. */
export function notesBelow() {
  const crossed = make("div");
  const note = make("p", { class: "al-note" });
  const element = make("div", { class: "cost-notes" }, crossed, note);

  function show(now, { costs, curves }, crossings) {
    crossed.replaceChildren(crossingList(crossings, now));
    note.textContent = costNote(now, costs, curves);
  }
  return { element, show };
}

function crossingList(crossings, now) {
  if (!crossings.length) return make("p", {}, noCrossing(now));
  const items = crossings.map(({ text, measured }) => make("li", {}, text + measured));
  return make("ul", { class: "cost-crossings" }, ...items);
}
