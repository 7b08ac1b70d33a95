// How many pictures come back, for every number of stored ones: counted in pieces, when
// nothing else is to be done, since it takes longer than a frame.

import { countRecalled } from "../../models/hopfield.js";
import { ALBUMS } from "./state.js";

const COUNT_DELAY = 120; // milliseconds in which nothing changes, before it counts
const COUNT_SLICE = 8; // milliseconds of counting at a stretch

/**
 * Returns a function of the state, which gives what is counted of its curve, an array that
 * grows: { attention, classical } for 1, 2, … stored. `onMore(curve)` is called when it has.
 */
export function recallCounter({ signal, onMore }) {
  let [known, curve, timer] = ["", [], 0];
  signal.addEventListener("abort", () => clearTimeout(timer));

  function count(state) {
    const { pictures, flipped, picture_beta: beta } = state;
    const begun = performance.now();
    do {
      const kept = ALBUMS[pictures].slice(0, curve.length + 1);
      curve.push(countRecalled(kept, flipped, beta));
    } while (curve.length < ALBUMS[pictures].length && performance.now() - begun < COUNT_SLICE);
    if (curve.length < ALBUMS[pictures].length) timer = setTimeout(count, 0, state);
    onMore(curve);
  }

  return (state) => {
    const { pictures, flipped, picture_beta: beta } = state;
    const key = JSON.stringify([pictures, [...flipped].sort((a, b) => a - b), beta]);
    if (key === known) return curve;
    clearTimeout(timer);
    [known, curve, timer] = [key, [], setTimeout(count, COUNT_DELAY, state)];
    return curve;
  };
}
