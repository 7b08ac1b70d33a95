// A guess that is taken before a result is shown, and then stands beside it.

import { textButton } from "../../parts/buttons.js";
import { choices } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { debounce, rafThrottle, onWidthChange } from "../../parts/timing.js";
import { uid } from "../../shell/shelf.js";
import { curveGuess } from "./curve.js";
import { numberGuess } from "./number.js";
import { forecastState } from "./state.js";
import { forecastTag } from "./tags.js";
import {
  describeAnswer,
  describeForecast,
  forecastVerdict,
  SURE_WORDS,
  missingInputText,
} from "./words.js";

const GUESS_KINDS = { choice: choiceGuess, number: numberGuess, curve: curveGuess };

export function render({ model, el, say, signal }) {
  const speak = debounce(say);
  const state = forecastState(model, signal, rafThrottle(draw));
  const { asked } = state;
  const anchor = nameFigure(el.closest("figure"), asked.id);
  const kind = GUESS_KINDS[asked.kind](asked, (guess) => state.change({ guess }));
  const sure = choices("How sure are you? (if you like)", Object.entries(SURE_WORDS), (word) =>
    state.change({ sure: word }),
  );
  const error = make("p.al-error", { role: "alert" });
  const buttons = make(
    "div.fc-buttons",
    textButton("Show what happened", onShow, { class: "al-primary" }),
    textButton("Skip and show", () => revealAnswer(null)),
  );
  const after = outcomePanel(asked, onAgain);
  el.classList.add("fc-body");
  el.append(
    make("p.fc-question", asked.question),
    kind.element,
    make("div.fc-ask", make("div.al-controls", sure.field, buttons), error),
    after.element,
    make("p.fc-paper", `${describeAnswer(asked)} ${asked.because}`),
  );

  function onShow() {
    const missing = missingInputText(asked, state.now());
    error.textContent = missing;
    if (!missing) revealAnswer({ question: asked.question, page: pageUrl(anchor) });
  }
  function revealAnswer(record) {
    state.update(record);
    draw();
    after.again.focus(); // the button that was pressed is gone
  }
  function onAgain() {
    state.again();
    draw();
    el.querySelector("input:not([disabled])").focus();
  }

  function draw() {
    const now = { ...state.now(), width: el.clientWidth || 320 }; // read before writing
    el.dataset.shown = now.shown;
    after.update(now);
    sure.set(now.sure);
    if (now.shown || !missingInputText(asked, now)) error.textContent = "";
    kind.update(now);
    speak(describeForecast(asked, now));
  }
  onWidthChange(el, signal, draw);
  draw();
}

/** How it came out, and the ways on. */
function outcomePanel(asked, onAgain) {
  const verdict = make("p.fc-verdict");
  const again = textButton("", onAgain);
  const element = make("div.fc-after", verdict, again, ledgerLink());
  function update(now) {
    const word = forecastVerdict(asked, now);
    verdict.textContent = word && `${word === "Right" ? "✓" : "✗"}\uFE0E ${word}`;
    verdict.dataset.right = word === "Right";
    verdict.hidden = !word;
    again.textContent = now.guess === null ? "Hide it and forecast" : "Forecast again";
  }
  return { element, again, update };
}

// The first of a page is the place that the ledger leads to.
function nameFigure(figure, id) {
  const anchor = `forecast-${id}`;
  if (!document.getElementById(anchor)) figure.id = anchor;
  return anchor;
}

// The built book's pages know where its root is; a notebook has none.
function bookRoot() {
  const root = document.documentElement.dataset.content_root;
  return root === undefined ? null : new URL(root, document.baseURI).href;
}

function pageUrl(anchor) {
  const root = bookRoot();
  const [here] = location.href.split("#");
  return root && here.startsWith(root) ? `${here.slice(root.length)}#${anchor}` : null;
}

function ledgerLink() {
  const root = bookRoot();
  if (!root) return "";
  return make(
    "a",
    { href: `${root}book/ledger.html#your-forecasts` },
    "Your record, in the ledger",
  );
}

// Radio buttons, one under the other; afterwards the same rows, marked.
function choiceGuess({ choices, answer, question }, onGuess) {
  const name = uid("forecast");
  const rows = choices.map((text) => {
    const input = make("input", { type: "radio", name, value: text });
    input.addEventListener("change", () => onGuess(text));
    const yours = forecastTag("yours");
    const tags = [yours, ...(text === answer ? [forecastTag("truth")] : [])];
    const label = make("label.fc-choice", input, make("span", text), ...tags);
    label.dataset.answer = text === answer;
    return { text, input, yours, label };
  });
  const legend = make("legend.al-hidden", question);
  const list = make("div.fc-choices", ...rows.map(({ label }) => label));
  const element = make("fieldset", legend, list);

  function update({ guess, shown }) {
    for (const { text, input, yours, label } of rows) {
      input.checked = text === guess;
      input.disabled = shown;
      yours.hidden = !shown || text !== guess;
      label.dataset.guess = text === guess;
    }
  }
  return { element, update };
}
