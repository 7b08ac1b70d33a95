// Two small charts of all runs: the loss, and what of unseen examples is right.

import { make, makeSvg } from "../../parts/elements.js";
import { percent } from "../../words/phrases.js";

const [WIDTH, HEIGHT, LEFT, TOP, BOTTOM, RIGHT] = [320, 170, 38, 10, 22, 26];
const LEAST_LOSS = 1e-3; // the loss is drawn by its logarithm, from here
const DECADES = [0.001, 0.01, 0.1, 1, 10];

/** `show(runs)` draws runs, the last one above the others; each has its number at its end. */
export function learningCurves() {
  const loss = chart("Loss in training, on a scale of tens");
  const exact = chart("Unseen examples right throughout");
  const element = make("div", { class: "tn-curves" }, loss.element, exact.element);

  function show(runs) {
    const steps = Math.max(1, ...runs.map(({ settings }) => settings.steps));
    const highest = Math.max(1, ...runs.flatMap(({ points }) => points.map((p) => p.loss)));
    const most = DECADES.find((decade) => decade >= highest) ?? 100;
    const scale = (value) =>
      Math.log(Math.max(value, LEAST_LOSS) / LEAST_LOSS) / Math.log(most / LEAST_LOSS);
    const marks = DECADES.filter((decade) => decade <= most).map((d) => [scale(d), String(d)]);
    loss.draw(runs, steps, marks, (point) => scale(point.loss));
    const shares = [0, 0.5, 1].map((share) => [share, percent(share)]);
    exact.draw(runs, steps, shares, (point) => point.exact);
  }
  return { element, show };
}

function chart(title) {
  const svg = makeSvg("svg", { class: "tn-chart", role: "img", viewBox: `0 0 ${WIDTH} ${HEIGHT}` });
  const element = make("div", {}, make("p", { class: "al-label" }, title), svg);
  const y = (share) => TOP + (1 - share) * (HEIGHT - TOP - BOTTOM);

  function draw(runs, steps, marks, shareOf) {
    const x = (step) => LEFT + (step / steps) * (WIDTH - LEFT - RIGHT);
    svg.setAttribute("aria-label", `${title}: ${runs.length} runs over ${steps} steps.`);
    svg.replaceChildren(
      ...marks.flatMap(([share, text]) => [
        makeSvg("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(share), y2: y(share) }),
        makeSvg("text", { x: LEFT - 5, y: y(share) + 4, "text-anchor": "end" }, text),
      ]),
      makeSvg("text", { x: LEFT, y: HEIGHT - 6 }, "step 0"),
      makeSvg("text", { x: WIDTH - RIGHT, y: HEIGHT - 6, "text-anchor": "end" }, String(steps)),
      ...runs.flatMap((run, i) => curve(run, i === runs.length - 1, x, y, shareOf)),
    );
  }
  return { element, draw };
}

function curve({ points, number }, last, x, y, shareOf) {
  if (points.length === 0) return [];
  const places = points.map((point) => [x(point.step), y(shareOf(point))]);
  const end = places.at(-1);
  return [
    makeSvg("polyline", { class: last ? "now" : "before", points: places.join(" ") }),
    makeSvg("text", { class: last ? "now" : "", x: end[0] + 4, y: end[1] + 4 }, String(number)),
  ];
}
