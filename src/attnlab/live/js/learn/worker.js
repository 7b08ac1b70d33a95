// The training's side of the conversation with the page. It runs in a worker, so that the
// page never waits for it; steps come in slices, so that it hears what the page says.
//
// The page says                        It answers
// { say: "begin", settings, weights }  { told: "begun", parameters, simd, examples }, the pairs
//                                      that can be looked at, or "refused"
// { say: "go" }                        "progress" now and then, and "over" after the last step
// { say: "stop" }                      { told: "stopped" }
// { say: "save" }                      { told: "file", bytes }
//
// { told: "progress", step, loss, right, milliseconds, points, norms }: those of the last step,
// how long a step takes, and the points of the curve that came since the last report, { step,
// loss, right, exact, error, looks } with means over the steps between two points. { told:
// "refused" or "failed", message } says in words what is wrong with the settings, or what went
// wrong.

import { saveModel } from "./saving.js";
import { Training } from "./training.js";

const SLICE_MS = 40; // milliseconds of steps before it listens
const REPORT_INTERVAL_MS = 400; // milliseconds between reports
const CURVE_POINTS = 40; // of a curve, in all

/** Listen on a port, a worker's global scope, and answer there. */
export function serveTraining(port) {
  const state = newState();
  const send = (told, more = {}, transfer = []) => port.postMessage({ told, ...more }, transfer);

  const commands = {
    begin({ settings, weights }) {
      Object.assign(state, newState()); // the old memory goes before the new comes
      try {
        state.training = new Training(settings);
        if (weights) state.training.take(weights);
      } catch (error) {
        state.training = null;
        send("refused", { message: error.message });
        return;
      }
      const { training } = state;
      const { model, machine } = training;
      const examples = training.examples.map(({ source, target, links }) => ({
        source,
        target,
        links,
      }));
      send("begun", { parameters: model.parameters.count(), simd: machine.simd, examples });
    },
    go() {
      if (state.training && !state.loop) runSlices(state, send);
    },
    stop() {
      state.loop = null;
      if (state.training) report(state, send);
      send("stopped");
    },
    save() {
      if (!state.training) return;
      const { model, settings, task, taken } = state.training;
      const { srcTokens, tgtTokens } = task;
      const about = { settings: { ...settings, pairs: "" }, steps: taken }; // own pairs stay own
      const bytes = saveModel(model, { ...about, src_tokens: srcTokens, tgt_tokens: tgtTokens });
      send("file", { bytes }, [bytes.buffer]);
    },
  };
  port.addEventListener("message", ({ data }) => commands[data.say]?.(data));
  port.start?.();
}

// Steps, until the page says stop or the last one is taken; a message is heard between slices.
async function runSlices(state, tell) {
  const loop = (state.loop = {}); // none but this one goes on
  try {
    while (state.loop === loop) {
      const until = performance.now() + SLICE_MS;
      let more = true;
      while (more && performance.now() < until) more = trainStep(state);
      if (!more || performance.now() - state.reported > REPORT_INTERVAL_MS) report(state, tell);
      if (!more) {
        state.loop = null;
        tell("over");
      }
      await nextTask();
    }
  } catch (error) {
    state.loop = null;
    tell("failed", { message: error.message });
  }
}

// Whether there are more to come. The curve's points stand at the same steps in every run.
function trainStep(state) {
  const { training, sums } = state;
  const { steps } = training.settings;
  if (training.taken >= steps) return false;
  const begun = performance.now();
  const { loss, right } = training.step();
  if (!Number.isFinite(loss)) {
    throw new Error(
      `The loss is no number any more, at step ${training.taken + 1}: try a smaller rate.`,
    );
  }
  sums.loss += loss;
  sums.right += right;
  sums.count += 1;
  Object.assign(state.last, { loss, right });
  state.pace.milliseconds += performance.now() - begun;
  state.pace.steps += 1;
  const { taken } = training;
  if (taken === steps || taken % Math.ceil(steps / CURVE_POINTS) === 0) addPoint(state);
  return taken < steps;
}

function addPoint(state) {
  const { loss, right, count } = state.sums;
  const point = { step: state.training.taken, loss: loss / count, right: right / count };
  state.points.push({ ...point, ...state.training.test() });
  state.sums = { loss: 0, right: 0, count: 0 };
}

function report(state, tell) {
  const { training, points, last, pace } = state;
  if (pace.steps) last.milliseconds = pace.milliseconds / pace.steps;
  tell("progress", { step: training.taken, ...last, points, norms: training.norms() });
  Object.assign(state, { points: [], pace: { milliseconds: 0, steps: 0 } });
  state.reported = performance.now();
}

// `sums` since the last point of the curve; `pace` since the last report.
function newState() {
  return {
    training: null,
    loop: null, // the steps under way
    last: {},
    points: [],
    sums: { loss: 0, right: 0, count: 0 },
    pace: { milliseconds: 0, steps: 0 },
    reported: 0,
  };
}

// A message to oneself: a timer would wait for four milliseconds.
function nextTask() {
  return new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      done();
    };
    port2.postMessage(null);
  });
}
