// A numeral goes through a whole Transformer: every matrix, every number followed back.

import { translateGreedily } from "../../models/machine.js";
import { menu } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { modelLoader } from "../../parts/loading.js";
import { textBox } from "../../parts/textbox.js";
import { debounce, rafThrottle } from "../../parts/timing.js";
import { traitsOf } from "../../shell/traits.js";
import { percent } from "../../words/phrases.js";
import { readTyped } from "../../words/places.js";
import { numberTokens } from "../../words/spell.js";
import { matrixCloseUp, wordArrows } from "./closeup.js";
import { stepCaption } from "./layout.js";
import { machinePicture } from "./picture.js";

const PARTS = {
  nothing: "nothing",
  sums: "the plus signs",
  norms: "the norms",
  "feed-forward": "the feed-forward layers",
  factor: "the factor √d",
  positions: "the positions",
  mask: "the decoder's mask",
};
const TRAININGS = { own: "trained so", whole: "trained whole", untrained: "untrained" };

const TRAITS = ["text", "without", "training", "step", "cell"];

export function render({ model, el, say, signal }) {
  const speak = debounce(say);
  const { mostWords, mostWritten } = model.get("_frame").limits;
  const traits = traitsOf(model, TRAITS);
  const loader = modelLoader(model, signal);
  const controls = machineControls(traits, mostWords);
  // As the status says it.
  const told = make("p.ma-told.al-more", { "aria-hidden": "true" });
  const picture = machinePicture({ onStep });
  const near = matrixCloseUp({ onMarks: picture.mark, onCell: (cell) => traits.change({ cell }) });
  const arrows = wordArrows();
  const aside = make("div.ma-aside", near.element, arrows.element);
  const body = make("div.ma-body", picture.element, aside);
  el.append(controls.element, told, loader.note, body);
  let drawn = null; // what of `request` is shown
  let written = { key: "" }; // the last numeral, part and weights, and what was written

  const request = () => weightsRequest(traits.read());

  function onStep(step) {
    traits.change({ step, cell: [0, 0] });
  }

  async function draw() {
    controls.update(traits.read());
    if (drawn && weightsName(request()) !== weightsName(drawn)) loader.forget();
    const requests = () => Object.values(request());
    const models = await loader.load([weightsName(request())], "Loading the machine …", requests);
    if (!models) return;
    const [network] = models;
    if (!network) {
      if (drawn) traits.change(drawn);
      speak(loader.failure());
      return;
    }
    drawn = request();
    update(network, traits.read());
  }

  function update(network, state) {
    const { text, without, training, step } = state;
    const key = [text, without, training].join();
    if (written.key !== key) {
      const { tokens, number } = readTyped(text, "en", mostWords);
      written = { key, number, ...translateGreedily(network, tokens, { without, mostWritten }) };
    }
    picture.update(written.steps, step);
    near.update(written, state, network.tgtTokens);
    arrows.update(written, step);
    const said = written.said.join(" ") || "nothing";
    const result = describeResult(written, network.metadata, state);
    const sight = stepCaption(step, written);
    told.replaceChildren("It writes ", make("strong", said), ` ${result} ${sight}`);
    speak(`${loader.failure()} It writes “${said}” ${result} ${sight}`.trim());
  }

  traits.follow(rafThrottle(draw));
  draw();
}

function weightsRequest({ without, training }) {
  return { without, training };
}

function weightsName({ without, training }) {
  if (training === "untrained") return "machine-untrained";
  return training === "whole" || without === "nothing" ? "machine" : `machine-no-${without}`;
}

// Whether what was written is right, and how often it is where five were trained like this.
function describeResult({ said, ended, number }, metadata, { without, training }) {
  if (number === null) return "(for no numeral).";
  const right = ended && String(said) === String(numberTokens(number, "de"));
  const verdict = right ? "(right)." : "(wrong).";
  const likeThis = training !== "untrained" && metadata.part === without;
  if (!likeThis) return verdict;
  const [least, most] = [Math.min, Math.max].map((pick) => percent(pick(...metadata.right)));
  const range = least === most ? least : `${least} to ${most}`;
  return `${verdict} Unseen numerals right, of five trainings: ${range}.`;
}

// What a reader sets: the numeral, the part that is left out, and whose weights.

/** Its `element`, and `update(state)`. */
function machineControls(traits, mostWords) {
  const box = textBox({
    label: "A numeral, in English or in digits",
    className: "ma-text",
    onText(typed) {
      const { text, tokens, error } = readTyped(typed, "en", mostWords);
      if (error !== undefined) return error;
      if (tokens.length > mostWords) return `Please type at most ${mostWords} words.`;
      traits.change({ text });
      return "";
    },
  });
  const without = menu("Left out", PARTS, (name) => traits.change({ without: name }));
  const training = menu("Weights", TRAININGS, (name) => traits.change({ training: name }));
  const fields = [box.field, without.field, training.field, box.error];
  return {
    element: make("div.al-controls", ...fields),
    update(state) {
      box.set(state.text);
      without.set(state.without);
      training.set(state.training);
    },
  };
}
