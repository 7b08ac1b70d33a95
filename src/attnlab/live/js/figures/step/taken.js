// What one step computes, with the numbers for paper of attnlab/live/step.py.

import { argmax, dot, softmax } from "../../math/tensor.js";

/**
 * One step from the state that asks, `query`. `numbers` holds memory, readOut, start, embeddings
 * and half. Returns scores, weights, context, mixed (h̃), nextState, probabilities, and
 * `best`, the most probable word.
 */
export function computeStep({ wiring, query }, numbers) {
  const { memory, readOut, start, embeddings, half } = numbers;
  const scores = memory.map((h) => dot(h, query)); // equation 2.1
  const weights = softmax(scores); // 2.2
  const context = query.map((_, axis) =>
    dot(
      weights,
      memory.map((h) => h[axis]),
    ),
  ); // 2.3
  const tanhCell = (inputs) => query.map((x, axis) => Math.tanh(half * x + inputs[axis]));
  const mixContext = (s) => s.map((x, axis) => Math.tanh(half * context[axis] + half * x)); // 2.4
  const wordProbabilities = (mixed) => softmax(readOut.map((row) => dot(row, mixed)));

  if (wiring === "bahdanau") {
    const nextState = tanhCell(start.map((x, axis) => x + half * context[axis])); // 2.6
    const mixed = mixContext(nextState);
    const probabilities = wordProbabilities(mixed);
    const best = argmax(probabilities);
    return { scores, weights, context, mixed, nextState, probabilities, best };
  }
  const mixed = mixContext(query);
  const probabilities = wordProbabilities(mixed);
  const best = argmax(probabilities);
  const fed = wiring === "feeding" ? half : 0;
  const nextState = tanhCell(embeddings[best].map((x, axis) => x + fed * mixed[axis]));
  return { scores, weights, context, mixed, nextState, probabilities, best };
}
