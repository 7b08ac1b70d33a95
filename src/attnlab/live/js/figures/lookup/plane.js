// The queries and keys in the plane, where they are moved.

import { dot } from "../../math/tensor.js";
import { make, makeSvg, setAttributes } from "../../parts/elements.js";
import { gridLines, movingPlane } from "../../parts/plane.js";
import { uid } from "../../shell/shelf.js";
import { formatNumber, twoDecimals } from "../../words/phrases.js";
import { pointText, vectorName } from "./words.js";

const PLANE_REACH = 4.5; // what the plane shows around the vectors

/** For as many queries and keys as there are; all that moves one goes to the state. */
export function lookupPlane({ query, key }, state) {
  const stage = make("div.lu-plane", {
    role: "group",
    "aria-label": "Queries and keys in the plane",
  });
  const direction = make("span");
  const hands = make("span.al-byhand", "Drag, or use the arrow keys (Shift: farther). ");
  const fingers = make("span.al-byfinger", "Drag a circle or a square. ");
  const hint = make("p.al-note", { id: uid("hint") }, hands, fingers, direction);
  const readings = make("p.lu-readings", { "aria-hidden": "true" });
  const plane = movingPlane(stage, { view: PLANE_REACH, reach: state.limits.reach });
  const makeHandle = (kind) => (_, index) =>
    plane.handle(
      {
        class: `lu-handle ${kind}`,
        "aria-describedby": hint.id,
        read: () => state.now()[kind][index],
        write: (vector) => state.move(kind, index, vector),
      },
      `${kind[0]}${index + 1}`,
    );
  const keys = key.map(makeHandle("key"));
  const queries = query.map(makeHandle("query"));
  queries.forEach((button, i) => button.addEventListener("click", () => state.choose(i)));
  for (const button of [...keys, ...queries.slice(1)]) button.classList.add("al-still");
  const lines = planeLines(query, key, state.limits.reach);
  stage.append(lines.svg, ...queries, ...keys);

  function update(shown) {
    const { chosen, value, mask } = shown;
    lines.update(shown);
    keys.forEach((button, j) => {
      const seen = mask[chosen][j];
      const hidden = seen ? "" : `, hidden from query ${chosen + 1}`;
      plane.place(button, shown.key[j]);
      button.dataset.value = formatNumber(value[j]);
      button.classList.toggle("hidden-key", !seen);
      const name = `${vectorName("key", j)} at ${pointText(shown.key[j])}${hidden}`;
      button.setAttribute("aria-label", name);
    });
    queries.forEach((button, i) => {
      plane.place(button, shown.query[i]);
      button.classList.toggle("chosen", i === chosen);
      const name = `${vectorName("query", i)} at ${pointText(shown.query[i])}`;
      button.setAttribute("aria-label", name);
    });
    readings.textContent = shown.outputs
      .map((output, i) => `q${i + 1} reads ${twoDecimals(output)}`)
      .join(" · ");
    direction.textContent =
      `Dashed: the direction of q${chosen + 1}. The farther a key lies along it, the larger `
      + "its score.";
  }
  return { elements: [stage, readings], hint, update };
}

// The grid, the vectors, and how far along the chosen query each key lies.
function planeLines(query, key, reach) {
  const direction = makeSvg("line.direction");
  const halos = key.map(() => makeSvg("circle.halo"));
  const feet = key.map(() => makeSvg("line.foot"));
  const arrows = query.map(() => makeSvg("line.arrow", { x1: 0, y1: 0 }));
  const box = {
    viewBox: `${-PLANE_REACH} ${-PLANE_REACH} ${2 * PLANE_REACH} ${2 * PLANE_REACH}`,
    "aria-hidden": "true",
  };
  const svg = makeSvg(
    "svg",
    box,
    ...gridLines(reach, PLANE_REACH),
    ...halos,
    direction,
    ...feet,
    ...arrows,
  );

  function update(shown) {
    const { chosen, mask, weights } = shown;
    const [x, y] = shown.query[chosen];
    const length = Math.hypot(x, y);
    const unit = length ? [x / length, y / length] : [0, 0];
    const pointAlongQuery = (far) => unit.map((u) => far * u);
    setLine(direction, pointAlongQuery(-2 * PLANE_REACH), pointAlongQuery(2 * PLANE_REACH));
    shown.key.forEach((at, j) => {
      const seen = mask[chosen][j];
      const weight = weights[chosen][j];
      const [r, opacity] = [0.5 + 0.9 * Math.sqrt(weight), seen ? 0.15 + 0.35 * weight : 0];
      setAttributes(halos[j], { cx: at[0], cy: -at[1], r, opacity });
      setLine(feet[j], at, pointAlongQuery(dot(at, unit)));
      feet[j].classList.toggle("off", !seen || !length);
    });
    shown.query.forEach((at, i) => {
      setLine(arrows[i], [0, 0], at);
      arrows[i].classList.toggle("chosen", i === chosen);
    });
  }
  return { svg, update };
}

function setLine(line, from, to) {
  setAttributes(line, { x1: from[0], y1: -from[1], x2: to[0], y2: -to[1] });
}
