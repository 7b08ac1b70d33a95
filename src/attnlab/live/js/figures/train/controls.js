// What to learn, by which model, and how.

import { menu } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { numberBox } from "../../parts/numbers.js";
import { parseDecimal } from "../../words/decimals.js";
import { ownPairsField } from "./ownpairs.js";
import { applies } from "./used.js";
import { SETTING_LABELS, choiceName } from "./words.js";

const TAGGING_TASKS = ["places", "recall", "recall2"];
const PLACE_LANGUAGES = ["en", "de"]; // in which words have places
const BASIC = ["task", "language", "model", "layers", "heads", "width", "positions", "score"];
const MORE = ["inner", "activation", "norm", "residual", "scale", "reads", "sees"];
MORE.push("warmup", "batch", "optimizer");

/** The choices that fit what else is chosen. */
function allowed(name, options, { task, model }) {
  const tags = TAGGING_TASKS.includes(task);
  if (name === "model") return options.filter((one) => (one === "reader") === tags);
  if (name === "inner") return options.filter((one) => one > 0 || model === "reader");
  if (name !== "language") return options;
  return options.filter((one) =>
    task === "places" ? PLACE_LANGUAGES.includes(one) : one !== "en",
  );
}

/**
 * `change(values)` gets what is chosen; `update(settings)` shows it. What does not fit any more
 * is chosen anew: `corrections(settings)` is what then has to change.
 */
export function trainingControls(limits, change) {
  const menus = Object.fromEntries([...BASIC, ...MORE].map((name) => [name, settingMenu(name)]));
  const numbers = {
    rate: rateBox(limits.rate, (rate) => change({ rate })),
    steps: wholeNumberBox("Steps", 1, limits.steps, (steps) => change({ steps })),
    seed: wholeNumberBox("Seed", 0, limits.seed, (seed) => change({ seed })),
  };
  const own = ownPairsField(limits, change);
  const fields = (names) => names.map((name) => menus[name].field);
  const boxes = Object.values(numbers);
  const element = make(
    "div.tn-settings",
    make("div.al-controls", ...fields(BASIC), ...boxes.map(({ field }) => field)),
    own.element,
    ...boxes.map(({ error }) => error),
    make(
      "details.tn-more",
      make("summary", "More settings"),
      make("div.al-controls", ...fields(MORE)),
    ),
  );

  function settingMenu(name) {
    const onChoice = (text) => change({ [name]: limits[name].find((one) => String(one) === text) });
    return menu(SETTING_LABELS[name], [], onChoice);
  }

  function update(settings) {
    for (const [name, { field, fill, set }] of Object.entries(menus)) {
      field.hidden = !applies(name, settings);
      fill(
        allowed(name, limits[name], settings).map((one) => [String(one), choiceName(name, one)]),
      );
      set(settings[name]);
    }
    for (const [name, box] of Object.entries(numbers)) box.settle(settings[name]);
    own.update(settings);
  }

  function corrections(settings) {
    const wrong = ["model", "language", "inner"].filter(
      (name) =>
        applies(name, settings) && !allowed(name, limits[name], settings).includes(settings[name]),
    );
    return Object.fromEntries(
      wrong.map((name) => [name, allowed(name, limits[name], settings)[0]]),
    );
  }
  const isInvalid = () => boxes.some(({ input }) => input.getAttribute("aria-invalid") === "true");
  return { element, update, corrections, wrong: isInvalid };
}

function rateBox([least, most], onNumber) {
  const parse = (text) => parseDecimal(text, "Rate", least, most);
  return numberBox({ label: "Rate", parse, step: 0.001, inputmode: "text", onNumber });
}

function wholeNumberBox(label, least, most, onNumber) {
  const parse = (text) => {
    const found = parseDecimal(text, label, least, most);
    const whole = found.error !== undefined || Number.isInteger(found.number);
    return whole ? found : { error: `${label}: type a whole number.` };
  };
  return numberBox({ label, parse, onNumber });
}
