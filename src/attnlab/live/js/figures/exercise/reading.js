// Answers as people type them: 1/3, 2,487, [0.2, 0.3, 0.5], (2, 3), BOS drei EOS.

const NUMBER = String.raw`[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?`;
const PRODUCT = new RegExp(`^${NUMBER}(?:[*/]${NUMBER})*$`, "i");
const EXAMPLES = {
  number: "a number, such as 1.5, 1/3 or 2,487",
  numbers: "numbers with commas between, such as 0.5, 1/3",
  shape: "whole numbers with commas between, such as (2, 3)",
  choice: "one of the answers",
  sentence: "tokens with spaces between",
};

/** What to type, or to choose, for an answer of this kind. */
export function formatHint({ kind }) {
  return EXAMPLES[kind];
}

/** The answer that the text says, as { answer }, or why it will not do, as { error }. */
export function parseAnswer(asked, text) {
  const typed = text.trim();
  if (asked.kind === "choice") {
    return asked.choices.includes(text)
      ? { answer: text }
      : { error: `Choose ${formatHint(asked)}.` };
  }
  if (!typed) return { error: `Type ${formatHint(asked)}.` };
  if (asked.kind === "number")
    return parseProduct(typed, normalizeDecimalPoint(typed), asked.largest);
  if (asked.kind === "sentence") return splitTokens(typed);
  return parseList(typed, asked);
}

/** An answer as one would type it. */
export function formatAnswer({ kind }, answer) {
  if (!Array.isArray(answer)) return String(answer);
  if (kind === "sentence") return answer.join(" ");
  return kind === "shape" ? `(${answer.join(", ")})` : answer.join(", ");
}

// A comma before three figures groups them, any other is a decimal point.
function normalizeDecimalPoint(text) {
  const grouped = /^[+\-−]?[1-9]\d{0,2}(?:[,\s_]\d{3})+(?!\d|,)/;
  return grouped.test(text) ? text.replace(/[,\s_]/g, "") : text.replace(",", ".");
}

function parseProduct(typed, text, largest) {
  const plain = text.replace(/−/g, "-").replace(/[×·]/g, "*").replace(/\s+/g, "");
  if (!PRODUCT.test(plain)) return { error: `“${typed.slice(0, 20)}” is not a number.` };
  const [first, ...rest] = plain.split(/(?=[*/])/);
  const product = rest.reduce((value, part) => {
    const other = Number(part.slice(1));
    return part[0] === "*" ? value * other : value / other;
  }, Number(first));
  if (Number.isNaN(product)) return { error: `“${typed.slice(0, 20)}” is not a number.` };
  if (Math.abs(product) > largest) return { error: `“${typed.slice(0, 20)}” is too large.` };
  return { answer: product || 0 }; // no −0
}

// What stands between brackets, and before them where it is copied from a notebook.
function stripBrackets(text) {
  return text.replace(/^(?:[a-z.]*\s*[([]\s*)+/i, "").replace(/[\s)\]]+$/, "");
}

function parseList(typed, asked) {
  const inner = stripBrackets(typed);
  // Where a semicolon stands between, a comma is a decimal point.
  const byComma = inner.includes(";") ? inner.replaceAll(",", ".") : inner;
  const between = asked.kind === "shape" ? /\s*[,;x×]\s*|\s+/ : /\s*[,;]\s*|\s+(?![*/×·])/;
  const parts = byComma
    .replace(/\s*([*/×·])\s*/g, "$1")
    .split(between)
    .filter(Boolean);
  const read = parts.map((part) => parseProduct(part, part, asked.largest));
  const wrong = read.find(({ error }) => error);
  if (wrong) return wrong;
  const answer = read.map((one) => one.answer);
  if (asked.kind === "shape" && !answer.every((size) => Number.isInteger(size) && size >= 0)) {
    return { error: "A shape has whole numbers, none of them negative." };
  }
  return { answer };
}

function splitTokens(typed) {
  const tokens = stripBrackets(typed)
    .split(/[\s,|"'“”]+/)
    .filter(Boolean);
  return tokens.length ? { answer: tokens } : { error: "Type tokens with spaces between." };
}
