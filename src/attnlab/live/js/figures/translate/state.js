// The state of the translator figure, all that may change it, and what it shows of a run.

import { traitsOf } from "../../shell/traits.js";
import { listHeads, rankHypotheses } from "./run.js";

const RUN_TRAITS = ["text", "width", "heads_off", "prefix"]; // what a run depends on
const VIEW_TRAITS = ["step", "length_penalty", "view", "kind", "layer", "head"];

/**
 * The traits and their `limits`, and beside them `word`, the piece whose row of an encoder's
 * map is chosen, and `failure`, why the model did not come. `onChange` is called when another
 * run is requested, or the same one is to be looked at in another way; a play is ended by
 * `stop` of `setStop(stop)` before the reader does something else.
 */
export function translateState(model, onChange) {
  const requests = traitsOf(model, RUN_TRAITS);
  const looks = traitsOf(model, VIEW_TRAITS);
  const { stored, limits } = model.get("_frame");
  let word = 0;
  let failure = "";
  let endPlay = () => {};
  requests.follow(onChange);
  looks.follow(onChange);

  const now = () => ({ ...requests.read(), ...looks.read(), word, failure });

  // Another run: show all its steps.
  function requestRun(values) {
    endPlay();
    failure = "";
    requests.change({ ...values, step: null });
  }

  function goTo(step) {
    endPlay();
    looks.change({ step });
  }

  /** Let the heads speak, or silence them. */
  function switchHeads(heads, on) {
    const meant = new Set(heads.map(String));
    const off = new Set(now().heads_off.map(String));
    const isOff = (head) => (meant.has(head) ? !on : off.has(head));
    requestRun({ heads_off: listHeads(stored.about.config).filter((head) => isOff(String(head))) });
  }

  function chooseRow(row) {
    if (now().kind !== "encoder") {
      goTo(row + 1);
      return;
    }
    endPlay();
    word = row;
    onChange();
  }

  function fail(message) {
    failure = message;
  }

  function setStop(stop) {
    endPlay = stop;
  }

  const { read: request } = requests;
  const { change: look } = looks;
  return { limits, now, request, setStop, requestRun, look, goTo, switchHeads, chooseRow, fail };
}

/**
 * What is shown of the runs that a request gave: `whole` with all heads, `run` with those
 * that are on. The best hypotheses of both are `full` and `best`; `step` of `total` is the
 * step of the search, and `rows` has the chosen row of each kind of map.
 */
export function translateScene(now, { request, whole, run }) {
  const { length_penalty: alpha, kind, layer, head } = now;
  const hypotheses = rankHypotheses(run, alpha);
  const [best] = hypotheses;
  const [full] = rankHypotheses(whole, alpha);
  const total = run.search.steps.length;
  const step = Math.max(1, Math.min(total, now.step ?? total));
  const row = now.step === null ? 0 : Math.min(now.step, best.tokens.length) - 1;
  const word = Math.min(now.word, run.pieces.length - 1);
  const rows = { encoder: word, decoder: row, cross: row };
  const shown = { request, whole, run, alpha, hypotheses, best, full, total, step, rows };
  return { ...now, ...shown, all: now.step === null, chosen: [kind, layer, head] };
}
