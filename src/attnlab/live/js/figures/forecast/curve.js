// A curve drawn by hand, one handle for each place: by mouse or finger across the picture,
// by arrow keys on a handle; afterwards the curve of what happened beside it.

import { followDrag } from "../../parts/drag.js";
import { make } from "../../parts/elements.js";
import { roundToStep, interpolatePoints } from "./state.js";
import { forecastTag } from "./tags.js";
import { curveFrame, curvePicture } from "./plot.js";
import { forecastNumber } from "./words.js";

const CURVE_HELP = "Draw across the picture.";
const CURVE_KEYS = " By keyboard: ↑ and ↓ move a point, ← and → go to the next.";

export function curveGuess(asked, onGuess) {
  const { x, ylabel, ends } = asked;
  const hand = curveDrawing(asked, onGuess);
  const picture = curvePicture(asked);
  const { svg } = picture;
  const inputs = x.map((_, i) =>
    handleInput(asked, i, hand.setPoint, (next) => inputs[next]?.focus()),
  );
  const keys = make("span.al-byhand", CURVE_KEYS);
  const help = make("p.al-note.fc-entry", CURVE_HELP, keys);
  const group = { role: "group", "aria-label": `Your curve${ylabel && `: ${ylabel}`}` };
  const field = make("div.fc-curve", { ...group }, svg, ...inputs);
  const legend = make("p.fc-legend", forecastTag("yours"), forecastTag("truth"));
  const element = make("div", make("p.al-label", ylabel), field, legend, help);
  let current = null; // the curve in the picture
  let frame = null;
  const paint = () => picture.draw(frame, current, inputs.indexOf(document.activeElement));

  followDrag(
    svg,
    (event) => field.dataset.shown === "true" || hand.moveTo(event, svg, frame),
    hand.endStroke,
  );
  for (const input of inputs) {
    for (const event of ["focus", "blur"]) input.addEventListener(event, paint);
  }
  function update({ guess, shown, width }) {
    hand.follow(guess);
    current = guess;
    field.dataset.shown = shown;
    frame = curveFrame(asked, width);
    inputs.forEach((input, i) => {
      input.disabled = shown;
      input.value = guess ? guess[i] : (ends[0] + ends[1]) / 2;
      const told = guess ? forecastNumber(asked, guess[i]) : "not drawn yet";
      input.setAttribute("aria-valuetext", told);
      input.style.left = `${frame.xAt(i)}px`;
    });
    legend.firstChild.hidden = !shown || !guess;
    paint();
  }
  return { element, update };
}

// What has been drawn so far, by hand or point by point; `onGuess` gets the whole curve.
function curveDrawing(asked, onGuess) {
  let drawn = asked.x.map(() => null);
  let pen = null; // where the pointer was last: a place and a number
  const fullCurve = () => interpolatePoints(drawn)?.map((y) => roundToStep(asked, y)) ?? null;

  function setPoint(place, value) {
    drawn[place] = roundToStep(asked, value);
    onGuess(fullCurve());
  }
  // From where the pen was to where it is, so that a quick hand skips no point.
  function drawTo(event, svg, { placeAt, valueAt }) {
    const box = svg.getBoundingClientRect();
    const place = placeAt(event.clientX - box.left);
    const value = valueAt(event.clientY - box.top);
    const [from, start] = pen ?? [place, value];
    for (let i = from; i !== place; i += Math.sign(place - from)) {
      const share = (i - from) / (place - from);
      if (share) drawn[i] = roundToStep(asked, start + share * (value - start));
    }
    pen = [place, value];
    setPoint(place, value);
  }
  function endStroke() {
    pen = null;
  }
  // A curve that came from elsewhere is drawn in all its points.
  function adoptCurve(guess) {
    if (String(fullCurve()) !== String(guess)) drawn = guess ? [...guess] : asked.x.map(() => null);
  }
  return { setPoint, moveTo: drawTo, endStroke, follow: adoptCurve };
}

// A range that is heard and has the keyboard, while the picture is seen.
function handleInput(asked, place, setPoint, goTo) {
  const { x, xlabel, ends, step } = asked;
  const input = make("input.fc-handle", {
    type: "range",
    min: ends[0],
    max: ends[1],
    step,
    "aria-label": xlabel ? `${xlabel}: ${x[place]}` : x[place],
  });
  input.addEventListener("input", () => setPoint(place, Number(input.value)));
  input.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!way) return;
    event.preventDefault();
    goTo(place + way);
  });
  return input;
}
