// The training's side of the conversation with the page. It runs in a worker, so that the
// page never waits for it; steps come in slices, so that it hears what the page says.
//
// The page says                        It answers
// { say: "begin", settings }           { told: "begun", parameters, simd, examples }, the first
//                                      words of pairs that can be looked at, or "refused"
// { say: "go" }                        "progress" now and then, and "over" after the last step
// { say: "stop" }                      { told: "stopped" }
// { say: "look", example }             { told: "look", look, norms }
// { say: "save" }                      { told: "file", bytes }
//
// { told: "progress", step, loss, right, milliseconds, points, look, norms }: the means since
// the last one, how long a step takes, the points of the curve that came since then,
// { step, loss, right, exact, error }, and the example. { told: "refused" or "failed",
// message } says in words what is wrong with the settings, or what went wrong.

import { saveModel } from "./saving.js";
import { Training } from "./training.js";

const SLICE = 40; // milliseconds of steps before it listens
const REPORT = 400; // milliseconds between reports
const POINTS = 40; // of a curve, in all
const EXAMPLES = 12; // that can be looked at

/** Listen on a port, a worker's global scope, and answer there. */
export function serve(port) {
  const state = {
    training: null,
    going: false,
    example: 0,
    sums: newSums(),
    points: [],
    reported: 0,
  };
  const tell = (told, more = {}, transfer = []) => port.postMessage({ told, ...more }, transfer);

  const commands = {
    begin({ settings }) {
      state.going = false;
      state.training = null; // its memory goes before the next one's comes
      try {
        state.training = new Training(settings);
      } catch (error) {
        tell("refused", { message: error.message });
        return;
      }
      Object.assign(state, { example: 0, sums: newSums(), points: [], reported: 0 });
      const { model, machine, task } = state.training;
      const examples = task.held.slice(0, EXAMPLES).map(({ source }) => source);
      tell("begun", { parameters: model.parameters.count(), simd: machine.simd, examples });
    },
    go() {
      if (!state.training || state.going) return;
      state.going = true;
      runSlices(state, tell);
    },
    stop() {
      state.going = false;
      if (state.training) report(state, tell);
      tell("stopped");
    },
    look({ example }) {
      state.example = example;
      if (state.training) tell("look", looked(state));
    },
    save() {
      if (!state.training) return;
      const { model, settings, task, taken } = state.training;
      const { srcTokens, tgtTokens } = task;
      const { text, ...told } = settings; // the reader's pairs stay the reader's
      const about = { settings: { ...told, own: Boolean(text) }, steps: taken };
      const bytes = saveModel(model, { ...about, src_tokens: srcTokens, tgt_tokens: tgtTokens });
      tell("file", { bytes }, [bytes.buffer]);
    },
  };
  port.addEventListener("message", ({ data }) => commands[data.say]?.(data));
  port.start?.();
}

// Steps, until the page says stop or the last one is taken; a message is heard between slices.
async function runSlices(state, tell) {
  const { training } = state;
  try {
    while (state.going && state.training === training) {
      const until = performance.now() + SLICE;
      do if (!oneStep(state)) return end(state, tell);
      while (performance.now() < until);
      if (performance.now() - state.reported > REPORT) report(state, tell);
      await nextTask();
    }
  } catch (error) {
    state.going = false;
    tell("failed", { message: error.message });
  }
}

// Whether there are more to come. The curve's points stand at the same steps in every run.
function oneStep(state) {
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
  for (const sum of [sums.report, sums.point]) {
    sum.loss += loss;
    sum.right += right;
    sum.count += 1;
  }
  sums.report.milliseconds += performance.now() - begun;
  const { taken } = training;
  if (taken === steps || taken % Math.ceil(steps / POINTS) === 0) addPoint(state);
  return taken < steps;
}

function addPoint(state) {
  const { training, sums } = state;
  const { loss, right, count } = sums.point;
  const point = { step: training.taken, loss: loss / count, right: right / count };
  state.points.push({ ...point, ...training.test() });
  sums.point = emptySum();
}

function end(state, tell) {
  state.going = false;
  report(state, tell);
  tell("over");
}

function report(state, tell) {
  const { training, sums, points } = state;
  const { loss, right, milliseconds, count } = sums.report;
  const means = count
    ? { loss: loss / count, right: right / count, milliseconds: milliseconds / count }
    : {};
  tell("progress", { step: training.taken, ...means, points, ...looked(state) });
  state.points = [];
  sums.report = emptySum();
  state.reported = performance.now();
}

function looked({ training, example }) {
  return { look: training.look(example), norms: training.norms() };
}

function newSums() {
  return { report: emptySum(), point: emptySum() };
}

function emptySum() {
  return { loss: 0, right: 0, milliseconds: 0, count: 0 };
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
