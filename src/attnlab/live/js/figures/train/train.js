// A model of the reader's own, built and trained in the page. A worker computes (client.js);
// here stands what is asked of it and what is drawn of its answers.

import { textButton } from "../../parts/buttons.js";
import { make } from "../../parts/elements.js";
import { debounce, rafThrottle } from "../../parts/timing.js";
import { traitsOf } from "../../shell/traits.js";
import { trainingButtons } from "./buttons.js";
import { trainingControls } from "./controls.js";
import { fileField } from "./filefield.js";
import { runsLink } from "./link.js";
import { MAX_RUNS, isRunning, trainingSession } from "./session.js";
import { storedRun, trainingStage } from "./stage.js";
import { readWeights } from "./weightsfile.js";
import { describePlan, describeProgress } from "./words.js";

const SETTINGS = ["task", "language", "model", "layers", "heads", "width", "inner", "positions"];
SETTINGS.push("norm", "score", "reads", "sees", "rate", "warmup", "batch", "steps", "optimizer");
SETTINGS.push("seed", "pairs", "units", "activation", "scale", "residual");

export function render({ model, el, say, signal }) {
  const speak = debounce(say);
  const traits = traitsOf(model, SETTINGS);
  const { limits, stored } = model.get("_frame");
  const seen = traitsOf(model, ["at_step", "shows"]);
  const answers = { onSeen: seen.change, onExample: () => draw(), onRead: speak };
  const stage = trainingStage(storedRun(stored), limits.bands, answers);
  const session = trainingSession(model, signal, { onFile: offerFile, onChange: () => draw() });
  const controls = trainingControls(limits, traits.change);
  // A run that begins is the one to be seen.
  const whenValid = (act) => () => {
    if (controls.wrong()) return;
    seen.change({ at_step: 0, shows: "latest" });
    act(traits.read());
  };
  const buttons = trainingButtons({
    Train: whenValid(session.begin),
    Stop: session.stop,
    "Go on": session.goOn,
    "Start again": whenValid(session.restart),
    "Save the weights": session.save,
  });
  const problem = make("p.al-error");
  const linked = linkedRuns((all) => {
    session.begin(all[0]);
    session.waiting = all.slice(1);
  });
  const weights = fileField("Load weights from a file", ".safetensors", (file) =>
    openWeights(file, { traits, limits, session }).then(draw),
  );
  const link = runsLink({ model, el, traits, limits, most: MAX_RUNS, onRuns: adoptRuns });
  buttons.element.append(link.button ?? "");
  const tries = presetButtons(model.get("questions"), traits);
  const form = make("div.al-more", ...tries, controls.element, linked.element);
  el.append(form, buttons.element, problem, stage.element);
  el.append(make("div.al-more", weights));

  // The last run stands in the controls; if there are others, one button trains them all.
  function adoptRuns(all) {
    const whole = all.map((one) => ({ ...traits.read(), ...one, ...controls.corrections(one) }));
    traits.change(whole.at(-1));
    linked.offerRun(whole);
  }

  function draw() {
    const { run, runs } = session;
    buttons.update(run);
    link.update(runs);
    if (run) linked.offerRun([]);
    stage.draw(runs, seen.read());
    problem.textContent = session.problem;
    speak(describeStatus(session, traits.read(), stage.inWords()));
  }

  function showSettings() {
    const settings = traits.read();
    const corrections = controls.corrections(settings);
    if (Object.keys(corrections).length) traits.change(corrections);
    controls.update({ ...settings, ...corrections });
    draw();
  }
  traits.follow(rafThrottle(showSettings));
  seen.follow(rafThrottle(draw));
  showSettings();
}

// Once a run has ended and other settings are chosen, these are what is spoken of.
function describeStatus({ run, problem }, settings, look) {
  const other = run && SETTINGS.some((name) => run.settings[name] !== settings[name]);
  const planned = !run || (other && !isRunning(run));
  return problem || `${planned ? describePlan(settings) : describeProgress(run)} ${look}`.trim();
}

// Training goes on from them, by the settings of the file or, if it has none, those chosen.
async function openWeights(file, { traits, limits, session }) {
  try {
    const found = await readWeights(file, limits);
    traits.change(found.settings ?? {});
    session.begin({ ...traits.read(), ...found.settings }, found);
  } catch (error) {
    session.problem = error.message;
  }
}

// A row of them, if there are any: each sets what it takes, and all else as the figure began.
function presetButtons(questions, traits) {
  const first = traits.read();
  const buttons = questions.map(([text, values]) =>
    textButton(text, () => traits.change({ ...first, ...values })),
  );
  const label = make("span.al-label", "Try");
  return buttons.length ? [make("div.al-row.tn-questions", label, ...buttons)] : [];
}

// The runs of the link that the page was opened with, to be trained one after the other.
function linkedRuns(train) {
  let all = [];
  const button = textButton("Train them all", () => train(all));
  const text = make("span");
  const element = make("div.al-row", { hidden: true }, text, button);

  function offerRun(settings) {
    all = settings;
    element.hidden = all.length < 2;
    text.textContent = `This link holds ${all.length} runs; the last stands in the settings above.`;
  }
  return { element, offerRun };
}

// A file of safetensors, which attnlab.saved loads.
function offerFile(bytes, { settings, number }) {
  const url = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
  const name = `${settings.task}-${settings.model}-run-${number}.safetensors`;
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
