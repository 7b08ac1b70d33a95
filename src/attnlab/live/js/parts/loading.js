// A line that says that a figure's models are on their way, or why they did not come.

import { trainedModels } from "../models/weights.js";
import { make } from "./elements.js";

/**
 * `load(names, saying, currentRequest)` returns a promise of the models of these names; `saying`
 * is shown while they load. It resolves to [] if one failed to load, and to null if
 * `currentRequest()`, what the reader wants, has changed meanwhile. `failure()` says why.
 */
export function modelLoader(traits, signal) {
  const trained = trainedModels(traits);
  const note = make("p", { class: "al-note", hidden: true });
  let failure = "";

  function showNote(text) {
    note.textContent = text;
    note.hidden = !text;
  }

  async function load(names, saying, currentRequest) {
    let models = names.map(trained.ready);
    if (!models.every(Boolean)) {
      const requested = String(currentRequest());
      failure = "";
      showNote(saying);
      try {
        models = await Promise.all(names.map(trained.load));
      } catch (error) {
        failure = error.message;
        models = [];
      }
      if (signal.aborted || String(currentRequest()) !== requested) return null;
    }
    showNote(failure);
    return models;
  }

  return { note, load, failure: () => failure, forget: () => (failure = "") };
}
