// A search as lists: the continuations at a step, and what is finished.

import { textButton } from "../../parts/buttons.js";
import { make } from "../../parts/elements.js";
import { columnHead, tableRow } from "../../parts/tables.js";
import { twoDecimals } from "../../words/phrases.js";
import { candidatePrefix, lengthDivisor, penalizedScore } from "./run.js";
import { CHINESE, sharePercent, shownToken, joinTokens } from "./words.js";

const FATE_TEXTS = {
  kept: "✓\uFE0E kept",
  ended: "■\uFE0E finished",
  dropped: "✗\uFE0E dropped",
  written: "✎\uFE0E yours",
};

/** `onPrefix(tokens)` is called for a beginning that the model is to go on from. */
export function stepList({ onPrefix }) {
  const caption = make("caption.al-label");
  const body = make("tbody");
  const head = columnHead("Beginning", "Next", "Log P", "Fate");
  const element = make("table.al-table.bt-list", caption, head, body);
  let listed = {};

  function update({ run: { search }, step }) {
    if (listed.search === search && listed.step === step) return;
    listed = { search, step };
    const what = "the most probable continuations. Press one to go on from it.";
    caption.textContent = `Step ${step}: ${what}`;
    const { candidates, room } = search.steps[step - 1];
    const rows = candidates.map((one) => {
      const before = candidatePrefix(search, step - 2, one.parent);
      return candidateRow(one, before, onPrefix);
    });
    rows[room]?.classList.add("cut");
    body.replaceChildren(...rows);
  }
  return { element, update };
}

// Its heading is a button, unless there is nothing to go on with.
function candidateRow({ token, logProb, total, fate }, before, onPrefix) {
  const end = token === null;
  const tokens = [...before, token];
  const take = { class: "bt-take", "aria-label": `Go on from ${joinTokens(tokens)}` };
  const heading = end ? make("span.bt-end") : textButton("", () => onPrefix(tokens), take);
  heading.replaceChildren(
    make("span.bt-before", { lang: CHINESE }, before.join("")),
    make("b", { lang: end ? "en" : CHINESE }, shownToken(token)),
  );
  const cells = [sharePercent(logProb), twoDecimals(total), FATE_TEXTS[fate]];
  const row = tableRow(heading, ...cells.map((text) => make("td", text)));
  row.classList.add(fate);
  return row;
}

/** What is finished at a step, with its score. */
export function finishedList() {
  const element = make("table.al-table.bt-list.bt-finished");
  const title = "Finished so far, the best score first (★\uFE0E is the translation)";
  const none = make("tr", make("td.al-note", { colspan: 4 }, "none yet"));
  const body = make("tbody");
  const head = columnHead("Translation", "Log P", "÷", "Score");
  element.append(make("caption.al-label", title), head, body);

  function update(scene) {
    const there = scene.hypotheses.filter((one) => endStep(one, scene) <= scene.step);
    const rows = there.map((one) => hypothesisRow(one, scene));
    body.replaceChildren(...(rows.length ? rows : [none]));
  }
  return { element, update };
}

function hypothesisRow(one, { best, step, total, alpha }) {
  const star = one === best && step === total ? "★\uFE0E " : "";
  const divisor = lengthDivisor(one.tokens.length, alpha).toFixed(2);
  const cells = [twoDecimals(one.logProb), divisor, twoDecimals(penalizedScore(one, alpha))];
  const name = make("th", { scope: "row", lang: CHINESE }, `${star}${joinTokens(one.tokens)}`);
  const row = make("tr", name, ...cells.map((text) => make("td", text)));
  row.classList.toggle("best", one === best);
  return row;
}

// The step at which a hypothesis was finished, or cut off.
function endStep({ tokens }, { total }) {
  return Math.min(tokens.length, total);
}
