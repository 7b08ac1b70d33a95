// What runs come to: their curves, what one of them says to an example at each point of its
// curve, the gradients of the last step, and a table. A figure may open with a stored run.

import { choices } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { slider } from "../../parts/numbers.js";
import { rafThrottle } from "../../parts/timing.js";
import { learningCurves } from "./curves.js";
import { exampleView } from "./example.js";
import { gradientBars } from "./gradients.js";
import { runsTable } from "./runs.js";
import { describeLook, describePoint } from "./words.js";

/**
 * `stored` is a run or null, `bands` are as learningCurves takes them.
 * `draw(runs, { at_step, shows })` shows the runs and, at that step (or, if it is 0, the last),
 * the latest one's example, or that of the stored run. `onSeen(values)` gets another step, or
 * another of the two; `onExample()` is called when another example is chosen. `inWords()` says
 * what is seen of it.
 */
export function trainingStage(stored, bands, { onSeen, onExample, onRead }) {
  const curves = learningCurves(bands);
  const gradients = gradientBars();
  const table = runsTable();
  const whose = choices("Run", Object.entries({ stored: "stored", latest: "yours" }), (shows) =>
    onSeen({ shows }),
  );
  const example = exampleView({ whose: whose.field, onChoice: onExample, onRead });
  const track = slider("Step", 1, 1, slideTo);
  const told = make("span.tn-told", { "aria-hidden": "true" });
  const label = track.field.firstChild;
  track.field.prepend(make("div.tn-at", label, " ", told));
  const step = make("div.tn-step", track.field);
  const charts = [curves.exact, step, curves.rest, gradients.element];
  const side = make("div.tn-side", ...charts);
  const body = make("div.tn-body", side, example.element);
  const element = make("div.tn-stage", body, table.element);
  let [runs, seen] = [[], {}];
  let shown = null; // { run, at }: whose example is seen, at which of its points

  function slideTo(place) {
    const { step } = shown.run.points[place - 1];
    onSeen({ at_step: place === shown.run.points.length ? 0 : step });
  }

  function draw(...now) {
    [runs, seen] = now;
    shown = shownPoint();
    drawNext();
  }

  // Of the runs the latest alone has kept its examples, from its first point on.
  function shownPoint() {
    const latest = runs.at(-1);
    const run = latest?.points.at(-1)?.looks && seen.shows === "latest" ? latest : stored;
    if (!run) return null;
    const at = run.points.findLastIndex(({ step }) => step <= (seen.at_step || Infinity));
    return { run, at: Math.max(0, at) };
  }

  const drawNext = rafThrottle(() => {
    const all = stored ? [stored, ...runs] : runs;
    element.hidden = all.length === 0;
    curves.update(all, shown);
    table.update(runs);
    table.element.hidden = runs.length === 0;
    gradients.update(runs.at(-1)?.now?.norms ?? []);
    step.hidden = example.element.hidden = !shown;
    if (!shown) return;
    const { run, at } = shown;
    whose.field.hidden = !stored || !runs.at(-1)?.points.at(-1)?.looks;
    whose.set(run === stored ? "stored" : "latest");
    const whom = run === stored ? "Stored run" : `Run ${run.number}`;
    label.textContent = runs.length ? `${whom}, step` : "Step";
    told.textContent = describePoint(run.points[at]);
    track.set(at + 1, run.points.length, `${run.points[at].step}, ${told.textContent}`);
    example.update(run, at);
  });
  const inWords = () => (shown ? describeLook(shown.run, shown.at, example.of(shown.run)) : "");
  return { element, draw, inWords };
}

/** A stored run as one that was trained here; null if there is none. */
export function storedRun(stored) {
  if (!stored) return null;
  const points = stored.points.map(({ answer, map, ...point }) => {
    const maps = Uint8Array.from(atob(map), (letter) => letter.charCodeAt(0));
    return { ...point, looks: [{ answer, maps }] };
  });
  return { ...stored, number: "stored", points };
}
