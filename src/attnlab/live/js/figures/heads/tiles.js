// The answer, and the words with their worths and with bars of how much each head looks at
// them.

import { make } from "../../parts/elements.js";
import { rovingTabindex } from "../../parts/rove.js";
import { fillByWeight } from "../../parts/shading.js";
import { groupDigits, percent } from "../../words/phrases.js";
import { allHeads, wordChange, hasDigit, headName, hasHead, judgeReading } from "./reading.js";
import { tileName, worthSign } from "./words.js";

/** The number that is read, and whether it is the one that is meant. */
export function answerLine() {
  const element = make("p.hd-answer");
  function update(shown) {
    const verdicts = {
      unsaid: "– no number is written so: there is no right answer",
      right: "✓\uFE0E right",
      wrong: `✗\uFE0E wrong: ${groupDigits(shown.number ?? 0)} is meant`,
    };
    const verdict = judgeReading(shown);
    element.dataset.verdict = verdict;
    element.replaceChildren(
      make("span.al-label", "The model reads "),
      make("span.hd-number", groupDigits(shown.now.number)),
      " ",
      make("span.hd-verdict", verdicts[verdict]),
    );
  }
  return { element, update };
}

/** A word is chosen by mouse, finger and keyboard; a mouse also looks without choosing. */
export function wordTiles({ chooseWord, point }) {
  const element = make("div.hd-words", { role: "group", "aria-label": "Words" });
  const key = make("p.al-note.al-first.hd-key");
  let tiles = [];
  let words = null; // that the tiles were made for

  function build({ network, language, tokens }) {
    tiles = tokens.map((token, index) =>
      wordTile(network, language, token, () => chooseWord(index)),
    );
    tiles.at(-1).button.classList.add("end");
    element.replaceChildren(...tiles.map(({ button }) => button));
  }

  function update(shown) {
    if (words !== shown.tokens) build(shown);
    words = shown.tokens;
    tiles.forEach((tile, index) => tile.update(shown, index));
  }

  function showRow(shown) {
    const { network, tokens, reached, index } = shown;
    tiles.forEach(({ button, moveBars }, i) => {
      button.setAttribute("aria-pressed", String(i === index));
      button.tabIndex = i === reached ? 0 : -1;
      moveBars(shown, i);
    });
    const heads = allHeads(network);
    const [first, last] = [heads[0], heads.at(-1)].map((head) => headName(network, head));
    key.replaceChildren(
      `Bars: weight of heads ${first} to ${last} on each word, from `,
      make("b", tokens[index]),
      ". Percent: how sure.",
    );
  }

  rovingTabindex(element, "button", { columns: 1 });
  element.addEventListener("pointerover", (event) => {
    const index = tiles.findIndex(({ button }) => button === event.target.closest("button"));
    if (event.pointerType === "mouse" && index >= 0) point(index);
  });
  element.addEventListener("pointerleave", () => point(null));
  return { element, key, update, showRow };
}

function wordTile(network, language, token, onChoose) {
  const worth = make("span.hd-worth");
  const was = make("span.hd-was");
  const heads = allHeads(network);
  const bars = heads.map(() => make("span"));
  const columns = `--heads: ${network.config.num_heads}`;
  const button = make(
    "button.hd-tile",
    { type: "button" },
    make("span.hd-word", { lang: language }, token),
    worth,
    was,
    make("span.hd-bars", { style: columns }, ...bars),
  );
  for (const kind of ["focus", "click"]) button.addEventListener(kind, onChoose);

  function update(shown, index) {
    const name = tileName(shown, index);
    if (button.getAttribute("aria-label") === name) return;
    button.setAttribute("aria-label", name);
    const { now, whole, truth } = shown;
    const { changed, wrong } = wordChange(shown, index);
    const placeSign = () => make("b", worthSign(now.places[index]));
    const worths = hasDigit(shown, index) ? [placeSign(), ` ${percent(now.sure[index])}`] : ["–"];
    worth.replaceChildren(...worths);
    const instead = changed
      ? `was ${worthSign(whole.places[index])}`
      : `not ${worthSign(truth[index])}`;
    was.textContent = changed || wrong ? `${wrong ? "✗\uFE0E" : "≠"} ${instead}` : "";
    button.classList.toggle("changed", changed);
    button.classList.toggle("wrong", wrong);
  }

  function moveBars({ now, off, index }, to) {
    heads.forEach(([layer, head], h) => {
      fillByWeight(bars[h], now.weights[layer][head][index][to]);
      bars[h].classList.toggle("off", hasHead(off, [layer, head]));
    });
  }
  return { button, update, moveBars };
}
