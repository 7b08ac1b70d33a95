// One of the six maps with its words: the matrix of the alignment figure.

import { make } from "../../parts/elements.js";
import { alignmentMatrix } from "../../parts/linkmatrix.js";
import { prefersReducedMotion } from "../../parts/timing.js";
import { describeMark } from "../../words/compare.js";
import { scoreName } from "./words.js";

/**
 * `show(picture, score, row)` draws it, with the row that is compared, or null. `onWord(t)`
 * is called for a row that is pressed, `onRead(text)` for a cell that the focus comes to.
 */
export function largeLinks({ onWord, onRead }) {
  const written = make("p", { class: "sc-written" });
  const matrix = alignmentMatrix({ onRow: onWord, onRead });
  const element = make("div", { class: "sc-large" }, written, matrix.element);
  let drawn = null;

  function show(picture, score, row) {
    if (picture !== drawn) {
      drawn = picture;
      written.replaceChildren(make("strong", {}, scoreName(score)), " writes ", answer(picture));
      matrix.show(picture);
      element.style.setProperty("--rows", picture.words.length);
    }
    matrix.write(picture.words.length, row ?? -1);
  }

  function bringIntoView() {
    const behavior = prefersReducedMotion() ? "auto" : "smooth";
    element.scrollIntoView({ block: "nearest", behavior });
  }
  return { element, show, bringIntoView };
}

/** The words, syllable by syllable, with those that are wrong marked. */
function answer({ marks, language }) {
  const parts = marks.map((mark) => {
    const { kind, token } = mark;
    if (kind === "right") return make("span", {}, token);
    return make("span", { class: "sc-slip", title: describeMark(mark) }, token ?? "…");
  });
  const spaced = parts.flatMap((part, at) => (at ? ["\u00b7\u200b", part] : [part]));
  return make("span", { lang: language }, ...spaced);
}
