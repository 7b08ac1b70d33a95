// A Transformer translates an English sentence into Chinese in the reader's browser: every
// head's map, every step of the search, heads to switch off, a beginning to rewrite.

import { trainedModels } from "../../models/weights.js";
import { choices } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { calmly, oncePerFrame } from "../../parts/timing.js";
import { sentencePanel, settingsPanel } from "./asking.js";
import { headsView } from "./headsview.js";
import { resultPanel } from "./result.js";
import { headTrials, translateRuns } from "./runs.js";
import { searchView } from "./searchview.js";
import { translateScene, translateState } from "./state.js";
import { aboutText, textOf, translateInWords } from "./words.js";

const TRANSLATE_VIEWS = [
  ["heads", "Where the heads look"],
  ["search", "How the words are chosen"],
];

export function renderTranslate({ model, el, say, signal }) {
  const speak = calmly(say);
  const { stored, limits } = model.get("_frame");
  const { config } = stored.about;
  const runs = translateRuns({ stored, limits, trained: trainedModels(model) });
  const state = translateState(model, {
    onWish: oncePerFrame(update),
    onLook: oncePerFrame(draw),
    onHand: () => search.stop(),
  });
  const scene = () => translateScene(state.now(), runs.shown());
  const sentence = sentencePanel({ state, runs, stored, signal, onLoaded });
  const settings = settingsPanel({ state, runs });
  const result = resultPanel({ onToken: (t) => state.goTo(t + 1) });
  const onChoice = (view) => state.look({ view });
  const view = choices({ label: "Look inside", options: TRANSLATE_VIEWS, onChoice });
  view.field.classList.add("tr-view");
  const heads = headsView({ config, state, onRead: (text) => speak(`${text}.`) });
  const onTake = (tokens) => settings.goOnFrom(textOf(tokens));
  const search = searchView({ state, scene, signal, onTake });
  const trials = headTrials({ config, signal, loaded: runs.loaded, onHarms: heads.showHarms });
  const about = make("p", { class: "al-note tr-about" }, aboutText(stored.about));
  el.append(...sentence.elements, settings.element, result.element);
  el.append(view.field, heads.element, search.element, about);
  let asked = ""; // the wish that was tried last, in vain perhaps
  let shown = null; // the runs that are shown

  function onLoaded() {
    asked = "";
    update();
  }

  function update() {
    const wish = state.wish();
    sentence.show(wish);
    settings.show(wish);
    if (JSON.stringify(wish) !== asked) {
      asked = JSON.stringify(wish);
      const faults = runs.meet(wish);
      sentence.complain(faults.text);
      if (faults.prefix) settings.complain(faults.prefix);
    }
    if (shown !== runs.shown()) {
      shown = runs.shown();
      trials(shown.whole);
    }
    draw();
  }

  function draw() {
    const now = scene();
    const note = sentence.tell(now);
    view.set(now.view);
    heads.element.hidden = now.view !== "heads";
    search.element.hidden = now.view !== "search";
    result.show(now);
    (now.view === "heads" ? heads : search).show(now);
    speak([note, translateInWords(now)].filter(Boolean).join(" "));
  }
  update();
}
