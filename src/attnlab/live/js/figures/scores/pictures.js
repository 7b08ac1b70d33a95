// The six translations of a number: stored ones, or made here once the models are there.

import { modelLoader } from "../../parts/loading.js";
import { alignmentPicture, linkPicture } from "../../parts/links.js";
import { timeSliced } from "../../parts/timing.js";

const SCORES_LANGUAGE = "de";

/**
 * `translate(request, now, onFailure)` calls `onPictures(request, pictures)`, one picture a score,
 * unless `now()` is another request by then; `rest()` gives up what is under way. `note`
 * says what that is, `failure()` why it did not come.
 */
export function sixPictures({ model, el, stored, scores, signal, onPictures }) {
  const loader = modelLoader(model, signal);
  const requestKey = ({ number, seed }) => `${number} ${seed}`;
  const isStored = ({ number }) => number === stored.number;
  let stop = () => {};

  function rest() {
    stop();
    el.removeAttribute("aria-busy");
    loader.load([]); // which empties the note
  }

  async function translate(request, now, onFailure) {
    rest();
    const { number, seed } = request;
    const task = { number, language: SCORES_LANGUAGE };
    if (isStored(request)) {
      const pictures = scores.map((score) => linkPicture(stored.pictures[score][seed], task));
      onPictures({ number, seed }, pictures);
      return;
    }
    const names = scores.map((score) => weightsName(score, seed));
    const saying = "Loading the weights of six models …";
    const networks = await loader.load(names, saying, () => requestKey(now()));
    if (networks?.length) start(networks, task, { number, seed });
    else if (networks) onFailure();
  }

  // A long number takes longer than a frame: the page may answer between two models.
  function start(networks, task, request) {
    el.setAttribute("aria-busy", "true");
    stop = timeSliced(oneByOne(networks, task), signal, (pictures) => {
      el.removeAttribute("aria-busy");
      onPictures(request, pictures);
    });
  }
  const { note, failure, forget } = loader;
  return { note, failure, forget, isStored, translate, rest };
}

function* oneByOne(networks, task) {
  for (const network of networks) yield alignmentPicture(network, task);
}

// As attnlab.live.scores names them.
function weightsName(score, seed) {
  return seed ? `en-de-${score}-${seed}` : `en-de-${score}`;
}
