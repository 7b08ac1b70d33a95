// A Transformer translates an English sentence into Chinese in the reader's browser: every
// head's map, every step of the search, heads to switch off, a beginning to rewrite.

import { trainedModels } from "../../models/weights.js";
import { setEnabled, textButton } from "../../parts/buttons.js";
import { choices } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { slider } from "../../parts/numbers.js";
import { rovingTabindex } from "../../parts/rove.js";
import { smallMap } from "../../parts/smallmap.js";
import { stepper } from "../../parts/stepper.js";
import { debounce, rafThrottle, onceNearViewport } from "../../parts/timing.js";
import { viewSwitch } from "../../parts/views.js";
import { withMinusSign } from "../../words/phrases.js";
import { sentencePanel, settingsPanel } from "./asking.js";
import { largeMap } from "./largemap.js";
import { finishedList, stepList } from "./lists.js";
import { resultPanel } from "./result.js";
import { listHeads, MAP_KINDS } from "./run.js";
import { ablateHeads, translateRuns } from "./runs.js";
import { translateScene, translateState } from "./state.js";
import { searchTree } from "./tree.js";
import {
  CHINESE,
  hypothesisScore,
  mapAxes,
  mapName,
  ablatedHeads,
  joinTokens,
  describeTranslate,
} from "./words.js";

const MAP_TITLES = {
  encoder: ["Encoder:", "the sentence reads itself"],
  decoder: ["Decoder:", "the translation reads itself"],
  cross: ["Cross:", "the translation reads the sentence"],
};

const SEARCH_PAUSE = 900; // milliseconds a step
const PENALTY_STEPS = 10; // of the slider for the length penalty, from one whole to the next

const MAP_KEY = "Number: the change of log P without the head.";

const TRANSLATE_INSIDE = {
  encoder: "Encoder",
  decoder: "Decoder",
  cross: "Cross",
  search: "Search",
};

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
  const onPrefix = (tokens) => settings.setPrefixFrom(joinTokens(tokens));
  const inside = insidePanel({ config, state, settings, scene, signal, speak, onPrefix });
  const trials = ablateHeads({ config, signal, loaded: runs.loaded, onHarms: inside.updateHarms });
  el.append(sentence.element, result.element, ...inside.elements);
  let asked = ""; // the wish that was tried last, in vain perhaps
  let shown = null; // the runs that are shown

  function onLoaded() {
    asked = "";
    render();
  }

  // Meets what is wished for, and draws what there is.
  function render() {
    const request = state.request();
    sentence.update(request);
    settings.update(request);
    if (JSON.stringify(request) !== asked) {
      asked = JSON.stringify(request);
      const { text, prefix, begun } = runs.meet(request);
      sentence.showError(text);
      if (prefix) settings.showError(prefix);
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
    result.update(now);
    inside.update(now);
    speak([note, describeTranslate(now)].filter(Boolean).join(" "));
  }
  onceNearViewport(el, signal, render); // to lay it all out takes a while
}

// Beneath the translation: where the heads of a kind look, or how the words are chosen.
function insidePanel({ config, state, settings, scene, signal, speak, onPrefix }) {
  const view = choices("Look inside", TRANSLATE_INSIDE, (name) =>
    state.look(name === "search" ? { view: name } : { view: "heads", kind: name }),
  );
  view.field.classList.add("tr-view", "al-more");
  const heads = headsView({ config, state, onRead: (text) => speak(`${text}.`) });
  const search = searchView({ state, settings, scene, signal, onPrefix });
  const showNext = rafThrottle(() => update(scene()));
  let drawn = null; // the run that is shown

  // Another run waits a frame: to lay it out takes as long as to lay out the translation.
  function update(now) {
    const waits = drawn && drawn !== now.run;
    drawn = now.run;
    if (waits) {
      showNext();
      return;
    }
    view.set(now.view === "search" ? "search" : now.kind);
    heads.element.hidden = now.view !== "heads";
    search.element.hidden = now.view !== "search";
    (now.view === "heads" ? heads : search).update(now);
  }
  // What is wrong with a beginning is told in both views.
  const elements = [view.field, settings.error, heads.element, search.element];
  return { elements, update, updateHarms: heads.updateHarms };
}

// Where the heads of one kind look: their maps small, with switches, and one of them large.

/** `onRead` is as in `largeMap`. */
function headsView({ config, state, onRead }) {
  const onChoose = ([kind, layer, head]) => state.look({ kind, layer, head });
  const cards = headCards({ config, onChoose, onSwitch: state.switchHeads });
  const many = groupSwitches(config, state);
  const before = make("p.tr-before");
  const key = make("p.al-note.tm-key", MAP_KEY);
  const small = make("div", cards.element, many.element, before);
  const large = largeMap({ onRow: state.chooseRow, onRead });
  const picture = make("div.tm-large", ...large.elements);
  const maps = make("div.tm", small, picture, key);
  const element = make("div.tr-panel.al-more", maps);

  function update(scene) {
    for (const part of [cards, many, large]) part.update(scene);
    before.hidden = scene.run.off.length === 0;
    before.replaceChildren(...fullText(scene));
  }
  return { element, update, updateHarms: cards.updateHarms };
}

// Buttons that switch all heads of the kind that is shown, and all there are.
function groupSwitches(config, state) {
  const kind = textButton("All heads off", () => state.switchHeads(heads, !anyOn));
  const all = textButton("All heads on", () => {
    if (state.now().heads_off.length) state.requestRun({ heads_off: [] });
  });
  const element = make("div.tm-many.al-more", kind, all);
  let heads = [];
  let anyOn = true;

  function update({ kind: shown, heads_off: off }) {
    const silent = new Set(off.map(String));
    heads = listHeads(config).filter(([own]) => own === shown);
    anyOn = heads.some((at) => !silent.has(String(at)));
    kind.textContent = `All ${shown} heads ${anyOn ? "off" : "on"}`;
    setEnabled(all, off.length > 0);
  }
  return { element, update };
}

function fullText(scene) {
  const { full, alpha } = scene;
  return [
    make("span.al-label", `Without ${ablatedHeads(scene)}. With all heads: `),
    make("span.tr-was", { lang: CHINESE }, joinTokens(full.tokens)),
    make("span.tr-score", ` ${hypothesisScore(full, alpha)}`),
  ];
}

// How the words are chosen: every step of the search, as a tree or as a list.

/**
 * `settings` are those of the search (`settingsPanel`), `scene()` is what the figure shows,
 * and `onPrefix` is as in `stepList`.
 */
function searchView({ state, settings, scene, signal, onPrefix }) {
  const steps = stepper({
    label: "Step",
    first: 1,
    pause: SEARCH_PAUSE,
    signal,
    now: () => ({ step: scene().step, last: scene().total }),
    onStep: (step) => state.look({ step }),
  });
  steps.field.classList.add("tr-progress", "al-more");
  state.setStop(steps.stop);
  const penalty = penaltySlider(state);
  const tree = searchTree({ onStep: state.goTo });
  const list = stepList({ onPrefix });
  const finished = finishedList();
  const views = [
    ["tree", "Tree", make("div", ...tree.elements)],
    ["step", "This step", make("div", list.element)],
    ["finished", "Finished", make("div.bt-ranking", penalty.field, finished.element)],
  ];
  const view = viewSwitch({ label: "Show", views });
  view.field.classList.add("tr-show");
  const controls = make("div.al-controls", ...settings.fields, view.field);
  const pictures = make("div.bt", ...views.map(([, , picture]) => picture));
  const element = make("div.tr-panel.al-more", controls, steps.field, pictures);

  function update(now) {
    steps.update();
    steps.field.querySelector("label").textContent = `Step ${now.step} of ${now.total}`;
    for (const part of [penalty, tree, list, finished]) part.update(now);
  }
  return { element, update };
}

function penaltySlider(state) {
  const max = PENALTY_STEPS * state.limits.penalty;
  const onValue = (n) => state.look({ length_penalty: n / PENALTY_STEPS });
  const { field, set } = slider("Length penalty", 0, max, onValue);
  field.classList.add("tr-penalty");

  function update({ alpha }) {
    const text = alpha.toFixed(1);
    set(Math.round(PENALTY_STEPS * alpha), max, text);
    field.querySelector("label").textContent = `Length penalty α = ${text}`;
  }
  return { field, update };
}

// Where the heads of one kind look: all their maps small, with a switch each.

/**
 * `onChoose([kind, layer, head])` is called for a map that is to be large, and
 * `onSwitch(heads, on)` for heads and whether they are to speak.
 */
function headCards({ config, onChoose, onSwitch }) {
  const cards = listHeads(config).map((at) => headCard(at, { onChoose, onSwitch }));
  const groups = MAP_KINDS.map((kind) => {
    const mine = cards.filter(({ at }) => at[0] === kind);
    return cardGroup(kind, mine, config.num_heads);
  });
  const element = make("div", ...groups.map((group) => group.element));
  element.style.setProperty("--heads", config.num_heads);

  function update(scene) {
    const silent = new Set(scene.heads_off.map(String));
    for (const group of groups) group.update(scene, silent);
  }

  /** Write at each map what its head alone is worth; `harms` may be of some only. */
  function updateHarms(harms) {
    const worst = Math.min(-0.5, ...harms);
    cards.forEach((card, i) => card.updateHarm(harms[i], worst));
  }
  return { element, update, updateHarms };
}

// Only the kind that is looked at is drawn.
function cardGroup(kind, cards, columns) {
  const [name, what] = MAP_TITLES[kind];
  const grid = make("div.tm-cards", ...cards.map(({ card }) => card));
  for (const selector of [".tm-map", "input"]) rovingTabindex(grid, selector, { columns })();
  const title = make("p.tm-title", make("b", name), ` ${what}`);
  const named = { role: "group", "aria-label": `Heads of the kind ${kind}` };
  const element = make("div", { hidden: true, ...named }, title, grid);

  function update(scene, silent) {
    element.hidden = kind !== scene.kind;
    if (!element.hidden) for (const card of cards) card.update(scene, silent);
  }
  return { element, update };
}

function headCard(at, { onChoose, onSwitch }) {
  const [kind, layer, head] = at;
  const name = mapName(at);
  const input = make("input", { type: "checkbox", "aria-label": `Head ${name} speaks` });
  input.addEventListener("change", () => onSwitch([at], input.checked));
  const map = smallMap({ preserveAspectRatio: "none" });
  const large = { class: "al-map tm-map", "aria-label": `Map of ${name}` };
  const button = textButton(map.svg, () => onChoose(at), large);
  const number = make("span.tm-number", `${layer + 1}.${head + 1}`);
  const harm = make("span.tm-harm");
  const label = make("label.tm-switch", input, number, harm);
  const card = make("div.tm-card", button, label);

  function update(scene, silent) {
    const on = !silent.has(String(at));
    input.checked = on;
    card.classList.toggle("off", !on);
    button.setAttribute("aria-pressed", String(String(at) === String(scene.chosen)));
    map.update(scene.best.maps[kind][layer][head], mapAxes(kind, scene)[1].length);
    map.mark(scene.rows[kind]);
  }

  function updateHarm(change, worst) {
    const known = change !== undefined;
    harm.textContent = known ? withMinusSign(change.toFixed(1)) : "…";
    harm.style.setProperty("--harm", known ? Math.max(0, change / worst).toFixed(3) : 0);
  }
  return { at, card, update, updateHarm };
}
