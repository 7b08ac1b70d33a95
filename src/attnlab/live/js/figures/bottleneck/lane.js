// One model's row: what its decoder is given, and what it writes.

import { make } from "../../parts/elements.js";
import { stripColumn } from "../../parts/strips.js";
import { describeMark } from "../../words/compare.js";
import { countRight, scoreText } from "./words.js";

/** `show` takes the vectors of the memory with their labels, the marks, and what explains. */
export function bottleneckLane(name) {
  const explain = make("p", { class: "al-note" });
  const count = make("span", { class: "bn-count" });
  const memory = make("div", { class: "bn-memory" });
  const named = { lang: "de", "aria-label": `${name}: the answer` };
  const answer = make("ol", { class: "bn-answer", ...named });
  const head = make("p", { class: "bn-head" }, make("strong", {}, name), count);
  const element = make("div", { class: "bn-lane" }, head, explain, memory, answer);
  const showMemory = stripColumn(memory);

  function show({ vectors, labels, marks, explanation }) {
    explain.textContent = explanation;
    showMemory(vectors, labels);
    const perfect = marks.every((mark) => mark.kind === "right");
    count.textContent = `${perfect ? "✓" : "✗"}\uFE0E ${scoreText(countRight(marks))}`;
    count.dataset.perfect = perfect;
    const shown = joinMissing(marks);
    const first = shown.findIndex((mark) => mark.kind !== "right");
    answer.replaceChildren(...shown.map((mark, i) => markItem(mark, i === first)));
  }
  return { element, show };
}

// Neighbouring words that were left out make one mark.
function joinMissing(marks) {
  const joined = [];
  for (const mark of marks) {
    const before = joined.at(-1);
    if (mark.kind === "missing" && before?.kind === "missing") {
      before.wanted += ` ${mark.wanted}`;
    } else joined.push({ ...mark });
  }
  return joined;
}

function markItem(mark, first) {
  const item = make("li", { class: `bn-mark ${mark.kind}${first ? " first" : ""}` });
  if (mark.kind === "right") {
    item.textContent = mark.token;
    return item;
  }
  item.append(
    make("span", { class: "bn-token" }, mark.kind === "missing" ? "…" : mark.token),
    make("span", { class: "bn-wanted" }, mark.kind === "extra" ? "nothing" : mark.wanted),
  );
  item.title = describeMark(mark);
  return item;
}
