// The page's side of the conversation that learn/worker.js describes.

import { fetchProgram } from "../../models/weights.js";

/**
 * A trainer: `begin(settings, weights)` ends what was going on and starts anew, in a worker of its
 * own; `post(message)` says anything else to it. `onTold(message)` gets its answers.
 */
export function trainingClient(traits, signal, onTold) {
  let worker = null;
  let begun = 0; // how many have been asked for

  async function begin(settings, weights) {
    const own = ++begun;
    end();
    try {
      const program = await fetchProgram(traits, "train-worker");
      if (own !== begun || signal.aborted) return;
      worker = startWorker(program);
    } catch (error) {
      if (own === begun) onTold({ told: "failed", message: error.message });
      return;
    }
    worker.onmessage = ({ data }) => own === begun && onTold(data);
    worker.onerror = ({ message }) =>
      onTold({ told: "failed", message: `The training broke off: ${message}` });
    worker.postMessage({ say: "begin", settings, weights });
  }

  function end() {
    worker?.terminate();
    worker = null;
  }
  signal.addEventListener("abort", end);
  return { begin, post: (message) => worker?.postMessage(message), end };
}

// From a blob: under file:// no worker comes from anywhere else.
function startWorker(program) {
  const url = URL.createObjectURL(new Blob([program], { type: "text/javascript" }));
  try {
    return new Worker(url);
  } finally {
    setTimeout(() => URL.revokeObjectURL(url), 10_000); // some browsers fetch it later
  }
}
