// What is read, and by which model: words that are typed, their language, and examples.

import { choices, menu } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { typingBox } from "../../parts/typing.js";
import { pluralize, groupDigits } from "../../words/phrases.js";
import { readTyped } from "../../words/places.js";
import { LARGEST_NUMBER, detokenize } from "../../words/spell.js";

const HEADS_LANGUAGES = { en: "English", de: "German" };
const REPLACEMENTS = { zero: "nothing", mean: "their mean" };
// By language, with the words of each apart, and with disorder at the end.
const HEADS_NUMBERS = "205300, 300000, 700000000000, 302415, 777777, ";
const HEADS_EXAMPLES = {
  en:
    HEADS_NUMBERS
    + "19019, 987654321012, two hundred five, hundred two thousand, two thousand hundred, "
    + "five and hundred, two million million",
  de:
    HEADS_NUMBERS
    + "21021, 987654321012, hundert und fünf, hundert zwei tausend, zwei tausend hundert, "
    + "zwan zig und ein, zwei Millionen Millionen",
};

/** `note` is a line about the weights. `update` follows what is drawn. */
export function headsControls(state, note) {
  const { limits } = state;
  const box = wordsBox(parseText);
  const language = choices("Words", HEADS_LANGUAGES, changeLanguage);
  const size = menu(
    "Layers",
    limits.layers.map((count) => [String(count), pluralize(count, "layer")]),
    (layers) => state.changeModel(Number(layers)),
  );
  const example = menu("Examples", [], submitExample);
  const instead = choices("Silent heads add", REPLACEMENTS, state.changeInstead);
  instead.field.classList.add("hd-instead");
  for (const { field } of [size, example]) field.classList.add("hd-choice");
  for (const { field } of [box, language, size, example]) {
    field.firstChild.classList.add("al-hidden"); // what stands in them says what they are
  }
  const fields = [box, language, size, example].map(({ field }) => field);
  const element = make("div.al-controls.hd-controls", ...fields, box.error, note);

  function parseText(typed) {
    const read = readTyped(typed, state.request().language, limits.words);
    if (read.error === undefined) state.changeText({ text: read.text });
    return read;
  }

  // Also where the box says something else, in vain, and the text stays what it was.
  function submitText(values) {
    box.replace(values.text);
    state.changeText(values);
  }

  // Words of one language are none of the other: their number takes their place. What was
  // refused is perhaps words of this one.
  function changeLanguage(name) {
    const rejected = readTyped(box.rejected(), name, limits.words);
    submitText({ language: name, text: rejected.text ?? toDigits(state.request(), state.shown()) });
  }

  function submitExample(text) {
    example.set("");
    if (text) submitText({ text });
  }

  let filled = null; // the language of the examples
  function update(request) {
    box.set(request.text);
    language.set(request.language);
    size.set(request.layers);
    updateMenu();
    if (filled !== request.language) example.fill(examplesInLanguage(request.language));
    filled = request.language;
  }
  const updateMenu = () => instead.set(state.instead());
  return { element, instead: instead.field, update, updateMenu, showError: box.showError };
}

// The text; or the number that its words mean, or else the one that is read.
function toDigits({ text }, shown) {
  if (/^\d+$/.test(text) || !shown) return text;
  return String(Math.min(shown.number ?? shown.now.number, LARGEST_NUMBER));
}

function examplesInLanguage(language) {
  const isShown = (text) =>
    /^\d+$/.test(text) ? groupDigits(text) : detokenize(text.split(" "), language);
  return [
    ["", "Examples"],
    ...HEADS_EXAMPLES[language].split(", ").map((text) => [text, isShown(text)]),
  ];
}

/** A box for a number or words; `onText(typed)` returns what `readTyped` does. */
function wordsBox(onText) {
  const { field, error, input, showError } = typingBox({
    label: "A number, in digits or in words",
    autocapitalize: "off",
  });
  field.classList.add("hd-text");
  let current = null; // what the figure shows
  input.addEventListener("input", () => {
    const read = onText(input.value);
    showError(read.error ?? "");
    current = read.text ?? current;
  });
  function replaceText(text) {
    current = text;
    input.value = text;
    showError("");
  }
  function setText(text) {
    // What stands in the box is not rewritten while it is typed, nor a complaint about it.
    if (text !== current) replaceText(text);
  }
  const rejected = () => (error.textContent ? input.value : "");
  return { field, error, showError, set: setText, replace: replaceText, rejected };
}
