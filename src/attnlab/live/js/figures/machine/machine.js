// A numeral goes through a whole Transformer: every matrix, every number followed back.

import { writeBy } from "../../models/machine.js";
import { make } from "../../parts/elements.js";
import { modelLoader } from "../../parts/loading.js";
import { calmly, oncePerFrame } from "../../parts/timing.js";
import { traitsOf } from "../../shell/traits.js";
import { percent } from "../../words/phrases.js";
import { readTyped } from "../../words/places.js";
import { numberTokens } from "../../words/spell.js";
import { closeUp, wordArrows } from "./closeup.js";
import { machineControls, machineWalk } from "./controls.js";
import { STOPS, whatItDoes } from "./layout.js";
import { machinePicture } from "./picture.js";

const TRAITS = ["text", "without", "training", "step", "cell"];

export function render({ model, el, say, signal }) {
  const speak = calmly(say);
  const { mostWords, mostWritten } = model.get("_frame").limits;
  const traits = traitsOf(model, TRAITS);
  const loader = modelLoader(model, signal);
  const controls = machineControls(traits, mostWords);
  const walk = machineWalk(traits, signal);
  const told = make("p", { class: "ma-told", "aria-hidden": "true" }); // as the status says it
  const picture = machinePicture({ onStep });
  const near = closeUp({ onMarks: picture.mark, onCell: (cell) => traits.change({ cell }) });
  const arrows = wordArrows();
  const aside = make("div", {}, near.element, arrows.element);
  const body = make("div", { class: "ma-body", hidden: true }, picture.element, aside);
  const bar = make("div", { class: "ma-bar" }, walk.field, told);
  el.append(controls.element, bar, loader.note, body);
  let written = { key: "" }; // the last numeral, part and weights, and what was written

  function onStep(step) {
    walk.stop();
    traits.change({ step, cell: [0, 0] });
  }

  async function draw() {
    controls.show(traits.read());
    walk.show(traits.read().step);
    const wish = () => fileOf(traits.read());
    const models = await loader.load([wish()], "Loading the machine …", wish);
    if (!models) return;
    const [network] = models;
    body.hidden = !network;
    if (network) show(network, traits.read());
    else speak(loader.failure());
  }

  function show(network, state) {
    const { text, without, training, step } = state;
    const key = [text, without, training].join();
    if (written.key !== key) {
      const { tokens, number } = readTyped(text, "en", mostWords);
      written = { key, number, ...writeBy(network, tokens, { without, mostWritten }) };
    }
    picture.show(written.steps, step);
    near.show(written, state, network.tgtTokens);
    arrows.show(written, step);
    const said = written.said.join(" ") || "nothing";
    const result = resultOf(written, network.metadata, state);
    const sight = STOPS.find(([name]) => name === step)?.[1](written) ?? whatItDoes(step);
    told.replaceChildren("It writes ", make("strong", {}, said), ` ${result} ${sight}`);
    speak(`It writes “${said}” ${result} ${sight}`);
  }

  traits.follow(oncePerFrame(draw));
  draw();
}

function fileOf({ without, training }) {
  if (training === "untrained") return "machine-untrained";
  return training === "whole" || without === "nothing" ? "machine" : `machine-no-${without}`;
}

// Whether what was written is right, and how often it is where five were trained like this.
function resultOf({ said, ended, number }, metadata, { without, training }) {
  if (number === null) return "(for no numeral).";
  const right = ended && String(said) === String(numberTokens(number, "de"));
  const verdict = right ? "(right)." : "(wrong).";
  const likeThis = training !== "untrained" && metadata.part === without;
  if (!likeThis) return verdict;
  const [least, most] = [Math.min, Math.max].map((pick) => percent(pick(...metadata.right)));
  const range = least === most ? least : `${least} to ${most}`;
  return `${verdict} Unseen numerals right, of five trainings: ${range}.`;
}
