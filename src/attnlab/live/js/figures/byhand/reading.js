// The example's arithmetic: a sentence read by a recurrent network of width 2, the scores of
// three German words, and what noise does to the answer.

/** A matrix, a list of rows, times a vector. */
export function product(matrix, vector) {
  return matrix.map((row) => row.reduce((sum, entry, i) => sum + entry * vector[i], 0));
}

/** All that the example computes of a sentence; `limits` has its weights. */
export function readByHand({ sentence, noise }, limits) {
  const words = sentence.split(" ");
  const reads = [];
  let state = [0, 0];
  for (const word of words) {
    const x = limits.embeddings[word];
    const fromWord = product(limits.fromWord, x);
    const fromState = product(limits.fromState, state);
    const next = fromWord.map((number, i) => Math.tanh(number + fromState[i]));
    reads.push({ word, x, state, fromWord, fromState, next });
    state = next;
  }
  const scores = product(limits.readOut, state);
  const powers = scores.map(Math.exp);
  const total = powers.reduce((sum, power) => sum + power, 0);
  const best = argmax(scores);
  const copies = limits.draws.map((draw) => state.map((x, i) => x + (noise / 10) * draw[i]));
  const answers = copies.map((copy) => argmax(product(limits.readOut, copy)));
  return {
    words,
    reads,
    context: state,
    scores,
    probabilities: powers.map((power) => power / total),
    best,
    right: answers.filter((answer) => answer === best).length,
  };
}

function argmax(numbers) {
  return numbers.indexOf(Math.max(...numbers));
}
