// The buttons of a training, each of which works where it has a meaning.

import { setEnabled, textButton } from "../../parts/buttons.js";
import { make } from "../../parts/elements.js";
import { isRunning } from "./session.js";

const IS_ENABLED = {
  Train: (run) => !isRunning(run),
  Stop: (run) => isRunning(run),
  "Go on": (run) => run?.state === "stopped" && run.now !== null,
  "Start again": (run) => run !== null,
  "Save the weights": (run) => run !== null && run.now !== null && run.state !== "gone",
};

const BUTTON_TITLES = {
  "Start again": "Train in place of the last run",
  Train: "A new run, beside those that are there",
};

/** `actions` has a function by the name of each button; `update(run)` says which may be pressed. */
export function trainingButtons(actions) {
  let shown = null;
  const made = Object.entries(IS_ENABLED).map(([name, works]) => {
    const onPress = () => works(shown) && actions[name]();
    return [textButton(name, onPress, buttonLabel(name)), works];
  });
  const element = make("div.al-row.tn-buttons", ...made.map(([button]) => button));

  function update(run) {
    shown = run;
    for (const [button, works] of made) setEnabled(button, works(run));
  }
  update(null);
  return { element, update };
}

function buttonLabel(name) {
  const title = BUTTON_TITLES[name] ? { title: BUTTON_TITLES[name] } : {};
  return { class: name === "Train" ? "tn-train" : "", ...title };
}
