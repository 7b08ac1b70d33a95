// Decimal numbers that are typed.

import { formatNumber } from "./phrases.js";

/** The number that the text says, as { number }, or why it will not do, as { error }. */
export function parseDecimal(text, label, least, most) {
  const typed = text.trim().replace("−", "-").replace(",", ".");
  if (!typed) return { error: `${label}: type a number, such as 1.5.` };
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(typed)) {
    return { error: `${label}: “${text.trim().slice(0, 20)}” is not a number.` };
  }
  const number = Number(typed);
  if (number < least || number > most) {
    const range = `between ${formatNumber(least)} and ${formatNumber(most)}`;
    return { error: `${label}: it must lie ${range}.` };
  }
  return { number: number || 0 }; // no −0
}
