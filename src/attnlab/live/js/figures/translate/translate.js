// A Transformer translates an English sentence into Chinese in the reader's browser: every
// head's map, every step of the search, heads to switch off, a beginning to rewrite.

import { trainedModels } from "../../models/weights.js";
import { choices } from "../../parts/choices.js";
import { onceNearViewport } from "../../parts/near.js";
import { debounce, rafThrottle } from "../../parts/timing.js";
import { sentencePanel, settingsPanel } from "./asking.js";
import { headsView } from "./headsview.js";
import { resultPanel } from "./result.js";
import { headTrials, translateRuns } from "./runs.js";
import { searchView } from "./searchview.js";
import { translateScene, translateState } from "./state.js";
import { textOf, translateInWords } from "./words.js";

const TRANSLATE_INSIDE = [
  ["encoder", "Encoder"],
  ["decoder", "Decoder"],
  ["cross", "Cross"],
  ["search", "Search"],
];

export function render({ model, el, say, signal }) {
  const speak = debounce(say);
  const { stored, limits, glosses } = model.get("_frame");
  const { config } = stored.about;
  const renderNext = rafThrottle(render);
  const trained = trainedModels(model);
  const runs = translateRuns({ stored, limits, trained, signal, onMet: renderNext });
  const state = translateState(model, renderNext);
  const scene = () => translateScene(state.now(), runs.shown());
  const sentence = sentencePanel({ state, runs, stored, signal, onLoaded });
  const settings = settingsPanel({ state, runs });
  const result = resultPanel({ onToken: (t) => state.goTo(t + 1), dictionary: glosses });
  const onTake = (tokens) => settings.goOnFrom(textOf(tokens));
  const inside = insidePanel({ config, state, settings, scene, signal, speak, onTake });
  const trials = headTrials({ config, signal, loaded: runs.loaded, onHarms: inside.showHarms });
  el.append(sentence.element, result.element, ...inside.elements);
  let asked = ""; // the request that was tried last, in vain perhaps
  let shown = null; // the runs that are shown

  function onLoaded() {
    asked = "";
    render();
  }

  // Meets the request, and draws what there is.
  function render() {
    const request = state.request();
    sentence.show(request);
    settings.show(request);
    if (JSON.stringify(request) !== asked) {
      asked = JSON.stringify(request);
      const { text, prefix, begun } = runs.meet(request);
      sentence.complain(text);
      if (prefix) settings.complain(prefix);
      if (begun) {
        result.element.setAttribute("aria-busy", "true");
        return; // until it is met
      }
    }
    result.element.setAttribute("aria-busy", String(runs.underWay()));
    if (shown !== runs.shown()) {
      shown = runs.shown();
      trials(shown.whole);
    }
    const now = scene();
    const note = sentence.tell(now);
    result.show(now);
    inside.show(now);
    speak([note, translateInWords(now)].filter(Boolean).join(" "));
  }
  onceNearViewport(el, signal, render); // to lay it all out takes a while
}

// Beneath the translation: where the heads of a kind look, or how the words are chosen.
function insidePanel({ config, state, settings, scene, signal, speak, onTake }) {
  const view = choices({
    label: "Look inside",
    options: TRANSLATE_INSIDE,
    onChoice: (name) =>
      state.look(name === "search" ? { view: name } : { view: "heads", kind: name }),
  });
  view.field.classList.add("tr-view", "al-more");
  const heads = headsView({ config, state, onRead: (text) => speak(`${text}.`) });
  const search = searchView({ state, settings, scene, signal, onTake });
  const showNext = rafThrottle(() => show(scene()));
  let drawn = null; // the run that is shown

  // Another run waits a frame: to lay it out takes as long as to lay out the translation.
  function show(now) {
    const waits = drawn && drawn !== now.run;
    drawn = now.run;
    if (waits) {
      showNext();
      return;
    }
    view.set(now.view === "search" ? "search" : now.kind);
    heads.element.hidden = now.view !== "heads";
    search.element.hidden = now.view !== "search";
    (now.view === "heads" ? heads : search).show(now);
  }
  // What is wrong with a beginning is told in both views.
  const elements = [view.field, settings.error, heads.element, search.element];
  return { elements, show, showHarms: heads.showHarms };
}
