// The words of one language, side by side or one below the other.

import { make } from "../../parts/elements.js";
import { percent } from "../../words/phrases.js";
import { HERO_END, HERO_MIN_WEIGHT } from "./reading.js";

const HERO_STEPS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

/**
 * `fillWords(words, wrong, missing)` makes a button of every word, and before word `i` a ghost of
 * each of `missing[i]`, which were left out; `highlight(index, share)` lights the chosen one, or
 * those whose `share(index)` is enough. `onChoose(index)` is called for the word under mouse or
 * focus, `onCross(index)` where an arrow key leads to the other line: down from the source, up
 * from the target, or across if the lines stand `isInColumns()`.
 */
export function heroLine(kind, { language, lang, isInColumns, onChoose, onCross }) {
  const named = { role: "group", "aria-label": `${language} words`, lang };
  const element = make("div.hero-words", { "data-kind": kind, ...named });
  let buttons = [];

  function fillWords(words, wrong = [], missing = []) {
    buttons = words.map((word, index) => wordButton(word, index, wrong[index]));
    const missingWords = (index) => (missing[index] ?? []).map(missingWord);
    const shown = buttons.flatMap((button, index) => [...missingWords(index), button]);
    element.replaceChildren(...shown, ...missingWords(words.length));
  }

  function wordButton(word, index, wrong) {
    const tabindex = index ? -1 : 0;
    const attributes = { type: "button", class: "hero-word", "data-kind": kind, tabindex };
    const button = make("button", attributes, word);
    if (kind === "source" && word === HERO_END) {
      button.classList.add("end");
      button.setAttribute("aria-label", "the end of the number");
    }
    if (wrong) {
      button.classList.add("wrong");
      button.setAttribute("aria-label", `${word}, wrong`);
    }
    for (const event of ["focus", "click"]) button.addEventListener(event, () => onChoose(index));
    return button;
  }

  function highlight(chosen, share) {
    buttons.forEach((button, index) => {
      const linked = share !== null && share(index) >= HERO_MIN_WEIGHT;
      button.classList.toggle("chosen", index === chosen);
      button.classList.toggle("lit", linked);
      button.removeAttribute("data-share");
      if (!linked) return;
      button.style.setProperty("--weight", share(index));
      button.dataset.share = percent(share(index));
    });
  }

  // One stop of the Tab key a line.
  function focusWord(index) {
    buttons.forEach((button, i) => {
      button.tabIndex = i === index ? 0 : -1;
    });
    buttons[index].focus();
  }

  element.addEventListener("keydown", (event) => {
    const index = buttons.indexOf(document.activeElement);
    const last = buttons.length - 1;
    const step = HERO_STEPS[event.key];
    const jump = { Home: 0, End: last }[event.key];
    if (index < 0 || (!step && jump === undefined)) return;
    event.preventDefault();
    const [along, across] = step && isInColumns() ? [step[1], step[0]] : (step ?? []);
    if (jump !== undefined) focusWord(jump);
    else if (along) focusWord(Math.min(last, Math.max(0, index + along)));
    else if (across > 0 === (kind === "source")) onCross(index);
  });
  element.addEventListener("pointerover", (event) => {
    const index = buttons.indexOf(event.target.closest("button"));
    if (index >= 0 && event.pointerType === "mouse") onChoose(index);
  });
  return { element, fillWords, highlight, focusWord, buttons: () => buttons };
}

function missingWord(word) {
  return make("span.hero-ghost", { title: "left out", "aria-hidden": "true" }, word);
}
