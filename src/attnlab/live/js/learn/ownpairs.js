// Pairs that the reader has pasted or opened: a pair a line, its two sides apart by a tab or
// by one of a few signs.

const MAX_LINES = 5000;
const MIN_PAIRS = 20;
const MAX_TOKENS = 40; // of either side
const MAX_WORDS = 2000; // different ones of either side
const SEPARATORS = ["\t", " -> ", " → ", " = ", ";"];

/**
 * The pairs of a text: { source, target, links: null }, by "words" or by "characters". Throws
 * an Error that says what is wrong, and in which line.
 */
export function parsePairs(text, units) {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.normalize("NFC"));
  const numbered = lines.map((line, i) => [line, i + 1]).filter(([line]) => line.trim() !== "");
  if (numbered.length === 0) {
    throw new Error("There are no pairs yet. Write one a line, its sides apart by a tab or =.");
  }
  if (numbered.length > MAX_LINES) {
    throw new Error(`These are ${numbered.length} lines; at most ${MAX_LINES} fit in here.`);
  }
  const pairs = numbered.map(([line, number]) => parseLine(line, number, units));
  if (pairs.length < MIN_PAIRS) {
    throw new Error(`These are ${pairs.length} pairs; it takes at least ${MIN_PAIRS} to learn.`);
  }
  for (const side of ["source", "target"]) {
    const { size } = new Set(pairs.flatMap((pair) => pair[side]));
    if (size > MAX_WORDS) {
      throw new Error(
        `The ${side} sides have ${size} different ${units}; at most ${MAX_WORDS} fit in.`,
      );
    }
  }
  return pairs;
}

function parseLine(line, number, units) {
  const separator = SEPARATORS.find((sign) => line.includes(sign));
  const sides = separator ? line.split(separator).map((side) => side.trim()) : [];
  if (sides.length !== 2 || sides.includes("")) {
    const shown = line.trim().length > 30 ? `${line.trim().slice(0, 30)}…` : line.trim();
    throw new Error(
      `Line ${number}, “${shown}”, is not a pair: two sides, apart by a tab, by = or by ->.`,
    );
  }
  const [source, target] = sides.map((side) =>
    units === "characters" ? [...side] : side.split(/\s+/),
  );
  const longest = Math.max(source.length, target.length);
  if (longest > MAX_TOKENS) {
    throw new Error(
      `Line ${number} has a side of ${longest} ${units}; at most ${MAX_TOKENS} fit in here.`,
    );
  }
  return { source, target, links: null };
}
