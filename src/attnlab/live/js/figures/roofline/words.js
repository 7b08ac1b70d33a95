// What the figure of the roof says.

import { joinWithAnd } from "../../words/phrases.js";
import { ROOF_STYLES } from "./looks.js";

const UNITS = [
  [1, "s"],
  [1e-3, "ms"],
  [1e-6, "µs"],
];

/** 0.00312 seconds as "3.1 ms". */
export function shortTime(seconds) {
  const [unit, name] = UNITS.find(([size]) => seconds >= 0.9995 * size) ?? UNITS.at(-1);
  const number = seconds / unit;
  return `${number >= 100 ? Math.round(number) : Number(number.toPrecision(2))}\u00a0${name}`;
}

/** Who waits for what, with the time of each, and whose time goes into calls. */
export function roofInWords(standings) {
  const told = ["memory", "arithmetic"].flatMap((what) => {
    const those = standings.filter(({ waits }) => waits === what);
    if (!those.length) return [];
    const timed = those.map(({ layer, seconds }) => `${nameOf(layer)} (${shortTime(seconds)})`);
    return [`for ${what}: ${joinWithAnd(timed)}`];
  });
  const calling = standings.filter(({ calls, seconds }) => calls > seconds / 2);
  const mostly = calling.length === standings.length ? "all" : layerNames(calling);
  const calls = calling.length ? ` More than half is the price of calls: ${mostly}.` : "";
  return `Waiting ${told.join("; ")}.${calls}`;
}

function layerNames(standings) {
  return joinWithAnd(standings.map(({ layer }) => ROOF_STYLES[layer].short));
}

function nameOf(layer) {
  return ROOF_STYLES[layer].name;
}
