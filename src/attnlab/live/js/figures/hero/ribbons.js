// The ribbons from every English word to the German words that looked at it.

import { makeSvg } from "../../parts/elements.js";
import { uid } from "../../shell/shelf.js";
import { HERO_MIN_WEIGHT } from "./reading.js";

const HERO_MAX_WIDTH = 9; // pixels, for a weight of 1

/** `show` draws from the source's buttons to the target's, `light` lights a word's ribbons. */
export function heroRibbons() {
  const fade = uid("fade");
  const svg = makeSvg("svg", { class: "hero-lines", "aria-hidden": "true" });

  function show(source, target, weights, upright) {
    const home = svg.parentElement.getBoundingClientRect();
    const from = source.map((button) => ribbonEnd(button, home, "source", upright));
    const to = target.map((button) => ribbonEnd(button, home, "target", upright));
    if (!from.length || !to.length) {
      svg.replaceChildren();
      return;
    }
    const ribbons = to.flatMap((end, t) =>
      from.flatMap((start, s) => {
        if (weights[t][s] < HERO_MIN_WEIGHT) return [];
        const path = makeSvg("path", {
          d: ribbonPath(start, end, upright),
          stroke: `url(#${fade})`,
          "stroke-width": HERO_MAX_WIDTH * weights[t][s],
          "data-source": s,
          "data-target": t,
        });
        return [path];
      }),
    );
    const gradient = ribbonGradient(fade, from[0], to[0], upright);
    svg.replaceChildren(makeSvg("defs", {}, gradient), ...ribbons);
  }

  function light(chosen) {
    for (const path of svg.querySelectorAll("path")) {
      const lit = chosen !== null && Number(path.dataset[chosen.kind]) === chosen.index;
      path.classList.toggle("lit", lit);
    }
  }
  return { svg, show, light };
}

// The point beside a word's button that faces the other line.
function ribbonEnd(button, home, kind, upright) {
  const { left, right, top, bottom } = button.getBoundingClientRect();
  return upright
    ? [(kind === "source" ? right + 3 : left - 3) - home.left, (top + bottom) / 2 - home.top]
    : [(left + right) / 2 - home.left, (kind === "source" ? bottom + 3 : top - 3) - home.top];
}

function ribbonGradient(id, from, to, upright) {
  const ends = upright
    ? { x1: from[0], y1: 0, x2: to[0], y2: 0 }
    : { x1: 0, y1: from[1], x2: 0, y2: to[1] };
  return makeSvg(
    "linearGradient",
    { id, gradientUnits: "userSpaceOnUse", ...ends },
    makeSvg("stop", { offset: 0, style: "stop-color: var(--al-key)" }),
    makeSvg("stop", { offset: 1, style: "stop-color: var(--al-query)" }),
  );
}

function ribbonPath([x1, y1], [x2, y2], upright) {
  // A gradient has no effect on a perfectly straight line's empty box: bend it a hair.
  const [mx, my] = [(x1 + x2) / 2, (y1 + y2) / 2];
  return upright
    ? `M${x1},${y1} C${mx},${y1} ${mx},${y2 + 0.1} ${x2},${y2 + 0.1}`
    : `M${x1},${y1} C${x1},${my} ${x2 + 0.1},${my} ${x2 + 0.1},${y2}`;
}
