// English glosses under Chinese words.

const MAX_WORD_LENGTH = 4; // characters

/**
 * Tokens as words, of which each is { from, to, gloss }: the longest that the dictionary
 * has, one after the other. What it does not have is a word of one token without a gloss.
 */
export function wordsOf(tokens, dictionary) {
  const words = [];
  for (let from = 0; from < tokens.length; from = words.at(-1).to) {
    const most = Math.min(MAX_WORD_LENGTH, tokens.length - from);
    let length = most;
    while (length > 1 && !dictionary[tokens.slice(from, from + length).join("")]) length--;
    const gloss = dictionary[tokens.slice(from, from + length).join("")] ?? "";
    words.push({ from, to: from + length, gloss });
  }
  return words;
}
