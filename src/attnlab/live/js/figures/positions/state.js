// The state of the figure of positions: plain data, and what may change it.

import { traitsOf } from "../../shell/traits.js";

export const POSITIONS_START = { base: 1e4, d: 32, n: 64, position: 20, shift: 7 };
export const MAX_HANDS = 6;

/**
 * The traits and their `limits`, and beside them `pairs`, the pairs of dimensions whose
 * hands are drawn, and `slot`, which of them is chosen. `onChange` is called after every
 * change.
 */
export function positionsState(model, onChange) {
  const names = Object.keys(POSITIONS_START);
  const traits = traitsOf(model, names);
  const { limits } = model.get("_frame");
  const asked = { ...POSITIONS_START }; // what the reader set, be the table too short for it
  let slot = 1;
  traits.follow(onChange);

  function now() {
    const settings = clampToTable(traits.read());
    const pairs = handPairs(settings.d / 2);
    slot = Math.min(slot, pairs.length - 1);
    return { ...settings, pairs, slot };
  }

  // A table too short draws position and shift in, and lets them go when it grows: on the
  // way to 128 a reader types 12.
  function change(values) {
    const drawn = now();
    const kept = clampToTable(asked);
    for (const name of names) if (kept[name] !== drawn[name]) asked[name] = drawn[name];
    Object.assign(asked, values);
    traits.change(clampToTable(asked));
  }

  function choose(hand) {
    slot = hand;
    onChange();
  }
  return { limits, now, change, choose };
}

export function clamp(value, least, most) {
  return Math.max(least, Math.min(most, value));
}

// Position and shift, drawn into a table of n rows.
function clampToTable({ position, shift, ...table }) {
  const last = table.n - 1;
  return { ...table, position: clamp(position, 0, last), shift: clamp(shift, -last, last) };
}

// Up to six pairs of `count`, from the fastest to the slowest, evenly spread.
function handPairs(count) {
  const hands = Math.min(MAX_HANDS, count);
  return Array.from({ length: hands }, (_, slot) =>
    Math.round((slot * (count - 1)) / Math.max(1, hands - 1)),
  );
}
