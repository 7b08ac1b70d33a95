// The products of the chosen query, one after another on a line: their sum is the output.

import { make } from "../../parts/elements.js";
import { formatNumber, twoDecimals } from "../../words/phrases.js";

const MIN_GAP = 5; // percent of the line: marks closer than this share a name

export function sumLine({ key }) {
  const marks = key.map((_, j) => make("span", { class: "lu-mark" }, `v${j + 1}`));
  const bits = key.map(() => make("span", { class: "lu-bit" }));
  const parts = bits.map((bit, j) =>
    make("div", { class: "lu-part" }, make("span", { class: "lu-bit-name" }, `k${j + 1}`), bit),
  );
  const zero = make("span", { class: "lu-zero" });
  const reading = make("span", { class: "lu-reading" });
  const ends = [make("span"), make("span")];
  const line = make(
    "div",
    { class: "lu-line", role: "img" },
    make("div", { class: "lu-marks" }, ...marks),
    zero,
    ...parts,
    reading,
    make("div", { class: "lu-ends" }, ...ends),
  );
  const title = "The products add up to the output";
  const element = make("div", {}, make("p", { class: "al-label" }, title), line);

  function show({ value, weights, outputs, chosen }) {
    const low = Math.min(0, ...value);
    const largest = Math.max(0, ...value);
    const high = largest > low ? largest : 1; // all values may be 0
    const across = (x) => (100 * (x - low)) / (high - low);
    showMarks(marks, value.map(across));
    let reached = 0;
    value.forEach((v, j) => {
      const next = reached + weights[chosen][j] * v;
      const [from, to] = [across(Math.min(reached, next)), across(Math.max(reached, next))];
      bits[j].style.left = `${from}%`;
      bits[j].style.width = `${to - from}%`;
      reached = next;
    });
    zero.style.left = `${across(0)}%`;
    const output = twoDecimals(outputs[chosen]);
    const place = across(outputs[chosen]);
    reading.style.left = `${place}%`;
    reading.dataset.text = `output ${output}`;
    reading.style.setProperty("--back", `${-place}%`);
    const [least, most] = [formatNumber(low), formatNumber(high)];
    ends[0].textContent = least;
    ends[1].textContent = most;
    const range = `from ${least} to ${most}`;
    const values = value.map((v) => formatNumber(v)).join(", ");
    const text = `The output ${output} on a line ${range}, with the values ${values}`;
    line.setAttribute("aria-label", text);
  }
  return { element, show };
}

function showMarks(marks, places) {
  const names = markTexts(places);
  marks.forEach((mark, j) => {
    mark.style.left = `${places[j]}%`;
    mark.textContent = names[j];
    mark.classList.toggle("unnamed", !names[j].trim());
  });
}

/** The names of the values' marks; one too close to an earlier mark is named there. */
function markTexts(places) {
  const names = places.map(() => []);
  places.forEach((at, j) => {
    const near = (other, i) => names[i].length && Math.abs(other - at) < MIN_GAP;
    const home = places.findIndex((other, i) => i === j || near(other, i));
    names[home].push(j + 1);
  });
  return names.map((those) => (those.length ? `v${those.join(",\u2009")}` : "\u00a0"));
}
