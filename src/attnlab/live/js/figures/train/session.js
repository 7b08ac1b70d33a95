// The runs of one figure: what is asked of the worker, and what it has told of each.

import { trainingClient } from "./client.js";

export const MAX_RUNS = 8; // that are kept

/**
 * A run is { number, settings, file, state, parameters, simd, examples, now, points }: `file` is
 * the name of the file that its weights began with, or null; `state` is "starting", "training",
 * "stopped", "over", or "gone" with its worker; `now` is what the worker has told last, `points`
 * its curve. Settings in `session.waiting` are trained one after the other, each when the run
 * before is over.
 *
 * `onFile(bytes, run)` is called when a file comes, `onChange()` after anything has changed.
 * `session.runs` has those that are kept, `session.run` the one under way or the last,
 * `session.problem` what went wrong.
 */
export function trainingSession(model, signal, { onFile, onChange }) {
  const session = { runs: [], run: null, problem: "", waiting: [], begin, restart, stop, goOn };
  session.save = () => client.post({ say: "save" });
  const client = trainingClient(model, signal, onMessage);

  // `weights` are those of a file, as readWeights has them, or null for new ones.
  function begin(settings, weights = null) {
    const number = (session.runs.at(-1)?.number ?? 0) + 1;
    const run = newRun(number, settings, weights);
    for (const point of session.run?.points ?? []) delete point.looks; // they take much room
    session.runs = [...session.runs.slice(1 - MAX_RUNS), run];
    Object.assign(session, { run, problem: "" });
    client.begin(settings, weights);
    onChange();
  }

  // What was begun is not kept.
  function restart(settings) {
    session.runs = session.runs.filter((one) => one !== session.run);
    begin(settings);
  }

  function stop() {
    session.waiting = [];
    if (session.run.state === "starting") giveUp("");
    else client.post({ say: "stop" });
  }

  function goOn() {
    session.run.state = "training";
    client.post({ say: "go" });
    onChange();
  }

  // See learn/worker.js for what it tells.
  function onMessage({ told, ...message }) {
    const { run } = session;
    if (told === "begun") start(message);
    else if (told === "progress") addProgress(message);
    else if (told === "file") onFile(message.bytes, run);
    else if (told === "refused" || told === "failed") giveUp(message.message);
    else run.state = told; // stopped, or over
    if (told === "over" && session.waiting.length) begin(session.waiting.shift());
    else onChange();
  }

  function start(begun) {
    Object.assign(session.run, { state: "training", ...begun });
    client.post({ say: "go" });
  }

  function addProgress({ points, ...now }) {
    session.run.now = { ...session.run.now, ...now };
    session.run.points.push(...points);
  }

  // A run that has taken no step is none.
  function giveUp(problem) {
    session.problem = problem;
    session.waiting = [];
    session.run.state = "stopped";
    if (!session.run.now) {
      client.end();
      dropRun(session);
    }
    onChange();
  }
  return session;
}

function newRun(number, settings, weights) {
  const file = weights?.name ?? null;
  return { number, settings, file, state: "starting", points: [], now: null };
}

// The run before it is the last one again; its model went when the next was begun.
function dropRun(session) {
  session.runs = session.runs.filter((one) => one !== session.run);
  session.run = session.runs.at(-1) ?? null;
  if (session.run) session.run.state = "gone";
}

export function isRunning(run) {
  return run !== null && (run.state === "starting" || run.state === "training");
}
