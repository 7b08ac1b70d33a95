// Two small charts of all runs: the loss, and what of unseen examples is right.

import { make, makeSvg } from "../../parts/elements.js";
import { percent } from "../../words/phrases.js";

const [WIDTH, HEIGHT, LEFT, TOP, BOTTOM, RIGHT] = [320, 180, 46, 10, 24, 68];
const LABEL_HEIGHT = 14; // from one number to the next below it
const MIN_LOSS = 1e-3; // the loss is drawn by its logarithm, from here
const DECADES = [0.001, 0.01, 0.1, 1, 10];

/**
 * `update(runs, shown)` draws runs of the last one's task, it above the others; each has its
 * number at its end. `shown` is { run, at }, a point that is marked, or null. `exact` and `rest`
 * are what it draws in.
 * `bands` are those of stored seeds: { traits, steps, loss, exact }, the least and the largest
 * at each step. The one that has the settings of the last run is drawn behind it.
 */
export function learningCurves(bands) {
  const loss = chart("Loss in training, on a scale of tens");
  const exact = chart("Held-out examples with every word right");
  const key = make("p.al-note.al-first", "Shaded: five stored runs.");
  exact.element.classList.add("tn-exact");
  exact.element.append(key);
  const rest = make("div.al-more", loss.element);

  function update(all, shown) {
    const task = all.at(-1)?.settings.task;
    const runs = all.filter(({ settings }) => settings.task === task);
    const steps = Math.max(1, ...runs.map(({ settings }) => settings.steps));
    const highest = Math.max(1, ...runs.flatMap(({ points }) => points.map((p) => p.loss)));
    const most = DECADES.find((decade) => decade >= highest) ?? 100;
    const logScale = (value) =>
      Math.log(Math.max(value, MIN_LOSS) / MIN_LOSS) / Math.log(most / MIN_LOSS);
    const marks = DECADES.filter((decade) => decade <= most).map((d) => [logScale(d), String(d)]);
    const last = runs.at(-1)?.file ? null : runs.at(-1); // from a file it begins elsewhere
    const band = bands.find(({ traits }) => hasSettings(traits, last?.settings ?? {})) ?? null;
    key.hidden = band === null;
    const mark = runs.includes(shown?.run) ? shown.run.points[shown.at] : null;
    const both = { steps, band, mark };
    loss.draw(runs, { ...both, marks, name: "loss", share: logScale });
    const shares = [0, 0.5, 1].map((share) => [share, percent(share)]);
    exact.draw(runs, { ...both, marks: shares, name: "exact", share: (value) => value });
  }
  return { exact: exact.element, rest, update };
}

// Whether these are the settings of a run, whatever its seed.
function hasSettings(traits, settings) {
  return Object.entries(traits).every(([name, value]) => settings[name] === value);
}

function chart(title) {
  const svg = makeSvg("svg.tn-chart", { role: "img", viewBox: `0 0 ${WIDTH} ${HEIGHT}` });
  const element = make("div", make("p.al-label", title), svg);
  const y = (share) => TOP + (1 - share) * (HEIGHT - TOP - BOTTOM);

  function draw(runs, { steps, marks, band, mark, name, share: shareOf }) {
    const x = (step) => LEFT + (step / steps) * (WIDTH - LEFT - RIGHT);
    svg.setAttribute("aria-label", `${title}: ${runs.length} runs over ${steps} steps.`);
    const place = (step, value) => [x(step), y(shareOf(value))];
    svg.replaceChildren(
      ...(band ? [drawBand(band.steps, band[name], place)] : []),
      ...marks.flatMap(([share, text]) => [
        makeSvg("line.grid", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(share), y2: y(share) }),
        makeSvg("text", { x: LEFT - 5, y: y(share) + 4, "text-anchor": "end" }, text),
      ]),
      makeSvg("text", { x: LEFT, y: HEIGHT - 6 }, "step 0"),
      makeSvg("text", { x: WIDTH - RIGHT, y: HEIGHT - 6, "text-anchor": "end" }, String(steps)),
      ...runs.flatMap((run, i) => drawCurve(run, i === runs.length - 1, name, place)),
      ...drawRunNumbers(runs, name, place),
      ...(mark ? drawMark(...place(mark.step, mark[name])) : []),
    );
  }
  return { element, draw };
}

// From the least values, up and back along the largest.
function drawBand(steps, ranges, place) {
  const [low, high] = [0, 1].map((end) => steps.map((step, i) => place(step, ranges[i][end])));
  return makeSvg("polygon.band", { points: [...low, ...high.toReversed()].join(" ") });
}

function drawCurve({ points }, last, name, place) {
  if (points.length === 0) return [];
  const places = points.map((point) => place(point.step, point[name]));
  return [makeSvg("polyline", { class: last ? "now" : "before", points: places.join(" ") })];
}

// What is seen of the example is of this point.
function drawMark(x, y) {
  return [
    makeSvg("line.at", { x1: x, x2: x, y1: TOP, y2: HEIGHT - BOTTOM }),
    makeSvg("circle.at", { cx: x, cy: y, r: 5 }),
  ];
}

// Each run's number at the end of its curve, and so far from each other that they can be read.
function drawRunNumbers(runs, name, place) {
  const last = runs.at(-1);
  const drawn = runs.filter(({ points }) => points.length > 0);
  const ends = drawn.map((run) => {
    const { step, [name]: value } = run.points.at(-1);
    const [x, y] = place(step, value);
    return { run, x, y };
  });
  ends.sort((a, b) => a.y - b.y);
  let free = TOP; // from here down
  for (const end of ends) {
    end.y = Math.max(end.y, free);
    free = end.y + LABEL_HEIGHT;
  }
  free = HEIGHT - BOTTOM; // from here up
  for (const end of ends.toReversed()) {
    end.y = Math.min(end.y, free);
    free = end.y - LABEL_HEIGHT;
  }
  return ends.map(({ run, x, y }) =>
    makeSvg("text", { class: run === last ? "now" : "", x: x + 8, y: y + 4 }, String(run.number)),
  );
}
