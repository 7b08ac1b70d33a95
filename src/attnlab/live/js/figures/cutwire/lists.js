// The English words, of which one is cut, and the German words of either network.

import { make } from "../../parts/elements.js";
import { rovingTabindex } from "../../parts/rove.js";
import { END_WORD, classifyChange } from "./reading.js";
import { lookText } from "./words.js";

const CUT_NAMES = { word: "delete it", weight: "cut its weight", others: "cut all but its weight" };

/** `onChoose(place)` is called for the word that is pressed. */
export function englishWords(onChoose) {
  const named = { role: "group", "aria-label": "English words: which one is cut?", lang: "en" };
  const element = make("div.cw-words.source", { ...named });
  const freshStop = rovingTabindex(element, "button", { columns: 1 });
  let drawn = ""; // the sentence that the buttons were made for

  function update({ source, place, cut }) {
    if (drawn !== source.join(" ")) {
      drawn = source.join(" ");
      element.replaceChildren(...source.map(wordButton));
      freshStop();
    }
    [...element.children].forEach((button, j) => {
      button.setAttribute("aria-pressed", String(j === place));
      button.classList.toggle("off", cut === "others" && place !== null && j !== place);
      button.classList.toggle("deleted", cut === "word" && j === place);
      button.title = `${source[j]}: ${j === place ? "put it back" : CUT_NAMES[cut]}`;
    });
  }

  function wordButton(word, j) {
    const button = make("button", { type: "button", class: word === END_WORD ? "mark" : "" }, word);
    button.addEventListener("click", () => onChoose(j));
    return button;
  }
  return { element, update };
}

/** The predictions of the network without attention. */
export function plainWords() {
  const named = { "aria-label": "German without attention" };
  const element = make("ol.cw-words.german.plain", { ...named });
  function update({ plain }) {
    element.replaceChildren(...plain.map((word) => germanItem(word)));
  }
  return { element, update };
}

/** Those of the network with attention; `onLook(t)` is called for a word that is looked at. */
export function attentiveWords(onLook) {
  const named = { "aria-label": "German with attention" };
  const element = make("ol.cw-words.german.attentive", { ...named });
  const freshStop = rovingTabindex(element, "button", { columns: 1 });
  let buttons = [];

  function update(reading) {
    const { attentive } = reading;
    if (buttons.length !== attentive.length) {
      buttons = attentive.map((_, t) => lookButton(t));
      element.replaceChildren(...buttons.map((button) => make("li", button)));
      freshStop();
    }
    buttons.forEach((button, t) => {
      fillGerman(button, attentive[t]);
      button.setAttribute("aria-label", `${germanText(attentive[t])}. ${lookText(reading, t)}`);
    });
  }

  function highlight(looked) {
    buttons.forEach((button, t) => button.classList.toggle("looked", t === looked));
  }

  function lookButton(t) {
    const button = make("button", { type: "button" });
    for (const event of ["focus", "click"]) button.addEventListener(event, () => onLook(t));
    button.addEventListener("pointerover", ({ pointerType }) => {
      if (pointerType === "mouse") onLook(t);
    });
    return button;
  }
  return { element, update, highlight };
}

function germanItem(word) {
  const item = make("li");
  fillGerman(item, word);
  return item;
}

// The word now, and below it in small what it was, or what it should be.
function fillGerman(element, word) {
  const change = classifyChange(word);
  element.dataset.change = change;
  element.dataset.word = word.after;
  const now = make("span.cw-now", { lang: "de" }, word.after);
  const aside = { lost: `was ${word.before}`, found: `was ${word.before}` };
  aside.other = `was ${word.before}`;
  aside.slip = `for ${word.wanted}`;
  const small = make("span.cw-aside", aside[change] ?? "");
  element.replaceChildren(now, small);
}

function germanText(word) {
  const change = classifyChange(word);
  if (change === "kept") return word.after;
  if (change === "slip") return `${word.after}, where ${word.wanted} belongs`;
  return `${word.after}, was ${word.before}, ${change === "found" ? "right" : "wrong"}`;
}
