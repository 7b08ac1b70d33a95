// A number on a scale: a box and a slider, and afterwards both numbers on the scale.

import { make, makeSvg } from "../../parts/elements.js";
import { numberBox, slider } from "../../parts/numbers.js";
import { parseDecimal } from "../../words/decimals.js";
import { formatNumber } from "../../words/phrases.js";
import { roundToStep } from "./state.js";
import { forecastNumber } from "./words.js";

const LAYOUT = { height: 92, line: 46, side: 14, tick: 64, widest: 640 };

export function numberGuess(asked, onGuess) {
  const { ends, step, unit } = asked;
  const [least, most] = ends;
  const range = `from ${forecastNumber(asked, least)} to ${forecastNumber(asked, most)}`;
  const label = `Your guess, ${range}`;
  const parse = (text) => parseDecimal(text.replace(unit, ""), "Your guess", least, most);
  const box = numberBox({ label, parse, step, inputmode: "decimal", onNumber: onGuess });
  const places = Math.round((most - least) / step);
  const track = slider(`${label}, slider`, 0, places, (place) =>
    onGuess(roundToStep(asked, least + place * step)),
  );
  track.field.firstChild.classList.add("al-hidden");
  // A tap on the middle, where the slider stands at first, is a guess as well.
  track.input.addEventListener("click", () => {
    onGuess(roundToStep(asked, least + Number(track.input.value) * step));
  });
  const row = make("div.fc-number", box.field, track.field);
  const ask = make("div.fc-entry", row, box.error);
  const svg = makeSvg("svg.fc-scale", { "aria-hidden": "true" });
  const element = make("div", ask, make("div.fc-answer", svg));

  function update({ guess, width: room }) {
    const width = Math.min(room, LAYOUT.widest);
    box.set(guess);
    const place = guess === null ? places / 2 : (guess - least) / step;
    const told = guess === null ? "no guess yet" : forecastNumber(asked, guess);
    track.set(Math.round(place), places, told);
    track.input.dataset.untouched = guess === null;
    svg.setAttribute("viewBox", `0 0 ${width} ${LAYOUT.height}`); // paper is narrower
    svg.replaceChildren(...scalePicture(asked, guess, width));
  }
  return { element, update };
}

// The guess stands over the line, the answer under it, what counts as right on it.
function scalePicture(asked, guess, width) {
  const { ends, answer, tolerance } = asked;
  const { line, side, tick } = LAYOUT;
  const [least, most] = ends;
  const xOfValue = (y) => side + ((y - least) / (most - least)) * (width - 2 * side);
  const from = xOfValue(Math.max(least, answer - tolerance));
  const to = xOfValue(Math.min(most, answer + tolerance));
  const parts = [
    makeSvg("rect.fc-close", { x: from, y: line - 8, width: to - from, height: 16, rx: 3 }),
    makeSvg("line.fc-axis", { x1: xOfValue(least), x2: xOfValue(most), y1: line, y2: line }),
    ...ends.map((end, i) =>
      makeSvg(
        "text.fc-end",
        { x: i ? width - 2 : 2, y: tick, "text-anchor": i ? "end" : "start" },
        formatNumber(end),
      ),
    ),
  ];
  parts.push(makeSvg("circle.fc-dot.truth", { cx: xOfValue(answer), cy: line, r: 6 }));
  parts.push(
    scaleLabel(
      `what happened: ${forecastNumber(asked, answer)}`,
      xOfValue(answer),
      line + 38,
      width,
      "truth",
    ),
  );
  if (guess !== null) {
    parts.push(makeSvg("circle.fc-dot.yours", { cx: xOfValue(guess), cy: line, r: 6 }));
    parts.push(
      scaleLabel(
        `your guess: ${forecastNumber(asked, guess)}`,
        xOfValue(guess),
        line - 20,
        width,
        "yours",
      ),
    );
  }
  return parts;
}

// A text at x that stays inside the picture.
function scaleLabel(text, x, y, width, whose) {
  const half = text.length * 4.5;
  const inside = Math.max(half, Math.min(width - half, x));
  return makeSvg(
    "text",
    { class: `fc-label ${whose}`, x: inside, y, "text-anchor": "middle" },
    text,
  );
}
