// The norm of the last step's gradient, layer by layer.

import { make } from "../../parts/elements.js";
import { describeLayer } from "./words.js";

/** `update(norms)` draws [[layer, norm], …] as bars. */
export function gradientBars() {
  const list = make("ul.tn-norms");
  const title = make("summary", "The norm of the last step's gradient, by layer");
  const element = make("details.al-more.tn-more", title, list);

  function update(norms) {
    element.hidden = norms.length === 0;
    const largest = Math.max(...norms.map(([, norm]) => norm)) || 1;
    list.replaceChildren(
      ...norms.map(([name, norm]) => {
        const bar = make("span.tn-bar", { "aria-hidden": "true" });
        bar.style.setProperty("--share", (norm / largest).toFixed(3));
        return make(
          "li",
          make("span", describeLayer(name)),
          bar,
          make("span.tn-norm", norm.toPrecision(2)),
        );
      }),
    );
  }
  return { element, update };
}
