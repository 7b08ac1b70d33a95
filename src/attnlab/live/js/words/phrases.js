// Numbers, lists and words as a sentence says them.

/** 1234567 as "1 234 567", with narrow spaces that do not break. */
export function groupDigits(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

const ORDINALS = "first second third fourth fifth sixth seventh eighth ninth".split(" ");

/** "second" for the second of equal words; "" for a word that occurs once. */
export function ordinal(words, index) {
  const places = words.flatMap((word, i) => (word === words[index] ? [i] : []));
  return places.length > 1 ? (ORDINALS[places.indexOf(index)] ?? "last") : "";
}

/** The word in quotation marks, told apart from equal ones: the second “hundred”. */
export function quoted(words, index) {
  const which = ordinal(words, index);
  return `${which && `the ${which} `}“${words[index]}”`;
}

/** "1 step", "2 steps"; `things` if that is no mere s. */
export function pluralize(number, thing, things = `${thing}s`) {
  return `${number} ${number === 1 ? thing : things}`;
}

/** With a capital at its beginning. */
export function capitalized(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The places of the largest weights, at most three, the largest first. */
export function indicesOfLargest(weights, faintest) {
  return Array.from(weights, (_, place) => place)
    .filter((place) => weights[place] >= faintest)
    .sort((a, b) => weights[b] - weights[a])
    .slice(0, 3);
}

export function percent(share) {
  return `${Math.round(100 * share)}%`;
}

/** "1, 2 and 3" */
export function joinWithAnd(items) {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}

/** With a true minus sign, and none before a zero. */
export function withMinusSign(number) {
  return String(number)
    .replace(/^-(?=0(\.0*)?$)/, "")
    .replace("-", "−");
}

/** −1.5 as "−1.5"; of a long number so many figures. */
export function formatNumber(number, figures = 6) {
  return withMinusSign(Number(number.toPrecision(figures)));
}

/** −16 as "⁻¹⁶". */
export function superscript(number) {
  return [...withMinusSign(number)].map((sign) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[sign] ?? "⁻").join("");
}

/** −1.5 as "−1.50". */
export function twoDecimals(number) {
  return withMinusSign(number.toFixed(2));
}
