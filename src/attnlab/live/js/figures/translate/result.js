// The sentence in pieces, and its translation token by token.

import { textButton } from "../../parts/buttons.js";
import { make } from "../../parts/elements.js";
import { rovingTabindex } from "../../parts/rove.js";
import { alignTokens } from "../../words/compare.js";
import {
  CHINESE,
  chosenWeights,
  hypothesisScore,
  sharePercent,
  shownToken,
  joinTokens,
} from "./words.js";

const MAX_WORD_LENGTH = 4; // characters

/**
 * `onToken(t)` is called for a press on a token of the translation; `dictionary` has English
 * glosses of Chinese words.
 */
export function resultPanel({ onToken, dictionary }) {
  const textLine = (name, label) =>
    make("div", { class: `tr-line${name}`, role: "group", "aria-label": label });
  const source = textLine("", "The sentence in pieces");
  const target = textLine(" tr-target", "The translation");
  const verdict = make("p.tr-verdict");
  const title = make("p.al-label", "In pieces");
  const element = make("div.tr-result", title, source, verdict, target);
  const reachFirst = rovingTabindex(target, "button");
  let drawn = {};
  let tiles = [];

  function update(scene) {
    const { run, best } = scene;
    if (drawn.run !== run) source.replaceChildren(...run.pieces.map(pieceStrip));
    if (drawn.run !== run || drawn.best !== best) {
      tiles = tokenTiles(scene, onToken);
      target.replaceChildren(...addGlosses(tiles, scene.best.tokens, dictionary));
      reachFirst();
    }
    drawn = { run, best };
    verdict.replaceChildren(...describeResult(scene));
    highlightRow([...source.children], tiles, scene);
  }
  return { element, update };
}

function pieceStrip(piece) {
  const end = piece === "end" ? " end" : "";
  return make("span", { class: `tr-piece${end}`, lang: "en" }, piece);
}

// What is not as with all heads is marked, and what the reader wrote.
function tokenTiles({ request, best, full }, onToken) {
  const others = alignTokens(best.tokens, full.tokens)
    .filter(({ kind }) => kind !== "missing")
    .map(({ kind }) => kind !== "right");
  return best.tokens.map((token, t) => {
    const logProb = best.maps.logProbs[t];
    const [other, written] = [others[t], t < [...request.prefix].length];
    const share = sharePercent(logProb);
    const language = token === null ? "en" : CHINESE;
    const name = make("span.tr-character", { lang: language }, shownToken(token));
    const value = written ? ["✎\uFE0E"] : [share.slice(0, -1), percentSign()];
    const tile = textButton(name, () => onToken(t), { class: "tr-tile" });
    tile.append(make("span.tr-share", other ? "≠ " : "", ...value));
    tile.style.setProperty("--share", Math.exp(logProb).toFixed(3));
    tile.classList.toggle("end", token === null);
    tile.classList.toggle("other", other);
    const notes = [written && "written by you", other && "not as with all heads", share];
    tile.setAttribute("aria-label", [shownToken(token), ...notes].filter(Boolean).join(", "));
    return tile;
  });
}

// Where there is little room it is left out.
const percentSign = () => make("span.tr-percent", "%");

// Tiles by words, each word over its gloss.
function addGlosses(tiles, tokens, dictionary) {
  return segmentWords(tokens.map(shownToken), dictionary).map(({ from, to, gloss }) =>
    make(
      "span.tr-word",
      make("span.tr-wordtiles", ...tiles.slice(from, to)),
      make("span.tr-gloss", { lang: "en" }, gloss),
    ),
  );
}

function describeResult({ run, best, full, alpha }) {
  const label = make("span.al-label", "Chinese");
  const score = make("span.tr-score.al-more", hypothesisScore(best, alpha));
  if (!run.off.length) return [label, score];
  const same = joinTokens(full.tokens) === joinTokens(best.tokens);
  const verdict = same
    ? make("span.tr-same", "= the same words")
    : make("span.tr-other", "≠ other words");
  return [label, score, verdict];
}

// The row of the chosen head, spread over the tokens that it looks at.
function highlightRow(pieces, tiles, scene) {
  const [kind] = scene.chosen;
  const inHeads = scene.view === "heads";
  const weights = chosenWeights(scene);
  const setHighlight = (element, lit, weight) =>
    element.style.setProperty("--weight", inHeads && lit ? weight.toFixed(3) : 0);
  pieces.forEach((piece, j) => {
    setHighlight(piece, kind !== "decoder", weights[j]);
    const chosen = inHeads && kind === "encoder" && j === scene.rows.encoder;
    piece.classList.toggle("chosen", chosen);
  });
  const oneChosen = inHeads ? kind !== "encoder" : !scene.all;
  tiles.forEach((tile, t) => {
    setHighlight(tile, kind === "decoder", weights[t + 1] ?? 0);
    tile.setAttribute("aria-pressed", String(oneChosen && t === scene.rows.cross));
  });
}

// English glosses under Chinese words.

/**
 * Tokens as words, of which each is { from, to, gloss }: the longest that the dictionary
 * has, one after the other. What it does not have is a word of one token without a gloss.
 */
function segmentWords(tokens, dictionary) {
  const words = [];
  for (let from = 0; from < tokens.length; from = words.at(-1).to) {
    const most = Math.min(MAX_WORD_LENGTH, tokens.length - from);
    let length = most;
    while (length > 1 && !dictionary[tokens.slice(from, from + length).join("")]) length--;
    const gloss = dictionary[tokens.slice(from, from + length).join("")] ?? "";
    words.push({ from, to: from + length, gloss });
  }
  return words;
}
