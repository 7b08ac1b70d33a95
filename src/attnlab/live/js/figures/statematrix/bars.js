// For each pair a bar: how closely the answer to its key resembles its value.

import { make } from "../../parts/elements.js";
import { percent } from "../../words/phrases.js";

/** `update(readings)` draws them; `onRead(pair)` is called with the pair that is clicked. */
export function answerBars(onRead) {
  const heading = make("p.sm-heading");
  const chart = make("div.sm-chart", { "aria-hidden": "true" });
  chart.addEventListener("click", ({ target }) => {
    const bar = target.closest(".sm-bar");
    if (bar) onRead([...chart.children].indexOf(bar) + 1);
  });
  const scale = make("div.sm-scale", { "aria-hidden": "true" }, make("p", "1"), make("p", "0"));
  const element = make("div.sm-bars", heading, make("div.sm-plot", scale, chart));

  function update({ pairs, asked, right }) {
    const counted = pairs.filter(Boolean).length;
    heading.textContent = `${right} of ${counted} values read back`;
    chart.replaceChildren(...pairs.map((pair, i) => answerBar(pair, i, i === asked)));
  }
  return { element, update };
}

function answerBar(pair, i, asked) {
  const fill = make("div.sm-fill");
  fill.style.height = percent(Math.max(0, pair?.like ?? 0));
  const sign = make("span.sm-sign", pair ? (pair.named ? "✓" : "✕") : "–");
  const kind = pair && (pair.named ? "right" : "wrong");
  const place = make("small", i + 1);
  const attributes = { class: `sm-bar ${kind ?? "replaced"}${asked ? " asked" : ""}` };
  return make("div", attributes, sign, make("div.sm-track", fill), place);
}
