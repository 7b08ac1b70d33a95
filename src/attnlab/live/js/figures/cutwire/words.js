// What the figure of cut wires says.

import { begun, grouped, heaviest, inARow, quoted } from "../../words/phrases.js";
import { goldLinks } from "../../words/spell.js";
import { END_WORD, changeOf } from "./reading.js";

const FAINTEST_TOLD = 0.05; // a weight below this is not told
const MOST_TOLD = 3; // changes that are told one by one

/** All that the picture shows. */
export function cutInWords(reading, wish) {
  const { place, plain, attentive, number } = reading;
  if (place === null) return `${refused(wish)}${wholeInWords(number, plain, attentive)}`;
  return [whatIsCut(reading), ...effects(reading), origins(reading)].filter(Boolean).join(" ");
}

function refused({ cut, place }) {
  if (place === null) return "";
  return cut === "word"
    ? "The end mark is no word that could be deleted: nothing is cut. "
    : "There is no such word: nothing is cut. ";
}

function wholeInWords(number, plain, attentive) {
  const tell = (name, words) => {
    const slips = words.filter((word) => changeOf(word) === "slip");
    return `${name} attention ${slips.length ? slipText(slips) : "every part is right"}`;
  };
  return (
    `${grouped(number)}, nothing cut: ${tell("without", plain)}, ${tell("with", attentive)}. `
    + "Choose an English word."
  );
}

function slipText(slips) {
  return inARow(slips.map(({ wanted, after }) => `“${after}” stands for “${wanted}”`));
}

function whatIsCut({ cut, source, place }) {
  const word = quoted(source, place);
  if (cut === "word") return `${begun(word)} is deleted from the sentence, for both.`;
  const left =
    cut === "weight"
      ? `The weight to ${word} is 0 at every step, the others sum to 1 again`
      : `Only the weight to ${word} is left, 1 at every step`;
  return `${left}; all states are as before.`;
}

function effects({ cut, plain, attentive }) {
  const without =
    cut === "word"
      ? `Without attention ${changesText(plain)}.`
      : "Without attention there is no such weight, only one vector: nothing changes.";
  return [`With attention ${changesText(attentive)}.`, without];
}

function changesText(words) {
  const changed = words.filter(({ before, after }) => before !== after);
  if (!changed.length) return "nothing changes";
  const list = changed
    .slice(0, MOST_TOLD)
    .map(({ before, after }) => `“${before}” becomes “${after}”`);
  if (changed.length > MOST_TOLD) list.push(`${changed.length - MOST_TOLD} more`);
  const verb = changed.length > 1 ? "change" : "changes";
  return `${changed.length} of ${words.length} parts ${verb}: ${inARow(list)}`;
}

// What the known alignment says of the word: is what comes from it still right?
function origins({ number, place, attentive }) {
  const own = goldLinks(number, "en", "de").filter(([, s]) => s === place);
  if (!own.length) return "No German word comes from it.";
  const told = own.map(([t]) => {
    const { wanted, after } = attentive[t];
    return `“${wanted}” ${after === wanted ? "still right" : "lost"}`;
  });
  return `What comes from it, with attention: ${inARow(told)}.`;
}

/** Where the attentive network looks to predict word t, before and after the cut. */
export function lookText({ source, place, attentive }, t) {
  const { wanted, whole, weights, chances } = attentive[t];
  const [before, after] = chances.map((chance) => chance.toFixed(2));
  const what = wanted === END_WORD ? "the end" : `“${wanted}”`;
  if (place === null)
    return `For ${what} it looks at ${topOf(source, whole)}; probability ${before}.`;
  return (
    `For ${what} it looked at ${topOf(source, whole)}, and now at ${topOf(source, weights)}; `
    + `its probability ${before === after ? `stays ${after}` : `goes from ${before} to ${after}`}.`
  );
}

function topOf(source, weights) {
  const top = heaviest(weights, FAINTEST_TOLD);
  return inARow(top.map((j) => `${quoted(source, j)} ${weights[j].toFixed(2)}`));
}
