// A line that says that a figure's models are on their way, or why they did not come.

import { trainedModels } from "../models/weights.js";
import { make } from "./elements.js";

/**
 * `load(names, saying, request)` is a promise of the models of these names; `saying` is shown
 * while they are under way. It is [] if one did not come, and null if `request()`, which tells
 * what the reader wants, has changed meanwhile. `failure()` says why one did not come.
 */
export function modelLoader(traits, signal) {
  const trained = trainedModels(traits);
  const note = make("p.al-note", { hidden: true });
  let failure = "";

  function showStatus(text) {
    note.textContent = text;
    note.hidden = !text;
  }

  async function load(names, saying, request) {
    let models = names.map(trained.ready);
    if (!models.every(Boolean)) {
      const wished = String(request());
      failure = "";
      showStatus(saying);
      try {
        models = await Promise.all(names.map(trained.load));
      } catch (error) {
        failure = error.message;
        models = [];
      }
      if (signal.aborted || String(request()) !== wished) return null;
    }
    showStatus(failure);
    return models;
  }

  return { note, load, failure: () => failure, forget: () => (failure = "") };
}
