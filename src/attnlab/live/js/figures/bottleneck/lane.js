// One network's part: what its decoder is given, and what it writes.

import { make } from "../../parts/elements.js";
import { stripRows } from "../../parts/strips.js";
import { describeMark } from "../../words/compare.js";
import { countRight, memoryInWords, scoreText } from "./words.js";

const MANY_WORDS = 13; // words, of which more are written smaller

/** `show` takes { network, vectors, marks }: see `answerOf` in bottleneck.js. */
export function bottleneckLane(name, { sized }) {
  const count = make("span", { class: "bn-count" });
  const explanation = make("p", { class: "al-note" });
  const strips = stripRows();
  const named = { lang: "de", "aria-label": `${name}: the answer` };
  const answer = make("ol", { class: "bn-answer", ...named });
  const head = make("p", { class: "bn-head" }, make("strong", {}, name), " ", count);
  const element = make("div", { class: "bn-lane" }, head, explanation, strips.svg, answer);

  function show({ network, vectors, marks }) {
    explanation.textContent = memoryInWords(network, vectors.length, sized);
    strips.show(vectors);
    const perfect = marks.every((mark) => mark.kind === "right");
    count.textContent = `${perfect ? "✓" : "✗"}\uFE0E ${scoreText(countRight(marks))}`;
    count.dataset.perfect = perfect;
    const shown = joinMissing(marks);
    answer.dataset.long = shown.length > MANY_WORDS;
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

// A wrong word is struck out, and what should stand there is written below it.
function markItem(mark, first) {
  const item = make("li", { class: `bn-mark ${mark.kind}${first ? " first" : ""}` });
  if (mark.kind === "right") {
    item.textContent = mark.token;
    return item;
  }
  item.append(
    mark.kind === "missing" ? make("span", {}, "…") : make("del", {}, mark.token),
    mark.kind === "extra" ? make("span", {}, "nothing") : make("ins", {}, mark.wanted),
  );
  item.title = describeMark(mark);
  return item;
}
