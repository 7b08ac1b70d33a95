// Numbers that grow and shrink at their end. What is added depends on the number alone, so
// that the same number always grows into the same one.

const NEXT_DIGITS = "345678912345"; // a number of k digits grows by the one at place k
export const MAX_DIGITS = NEXT_DIGITS.length; // parseNumber takes no longer ones

/** The number cut, or lengthened, to so many digits. */
export function resizeNumber(number, count) {
  const own = number === 0 ? "" : String(number); // 0 grows as if nothing stood there
  return Number(own.slice(0, count) + NEXT_DIGITS.slice(own.length, count));
}

export function digitsOf(number) {
  return String(number).length;
}
