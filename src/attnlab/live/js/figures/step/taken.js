// What one step computes, with the numbers for paper of attnlab/live/step.py.

import { argmax, dot, softmax } from "../../math/tensor.js";

/**
 * One step from the state that asks, `query`. `numbers` holds memory, readOut, start, embeddings
 * and half. Returns scores, weights, context, mixed (h̃), nextState, probabilities, and
 * `best`, the most probable word.
 */
export function takeStep({ wiring, query }, numbers) {
  const { memory, readOut, start, embeddings, half } = numbers;
  const scores = memory.map((h) => dot(h, query)); // equation 2.1
  const weights = softmax(scores); // 2.2
  const context = query.map((_, axis) =>
    dot(
      weights,
      memory.map((h) => h[axis]),
    ),
  ); // 2.3
  const cell = (inputs) => query.map((x, axis) => Math.tanh(half * x + inputs[axis]));
  const mix = (s) => s.map((x, axis) => Math.tanh(half * context[axis] + half * x)); // 2.4
  const wordOf = (mixed) => softmax(readOut.map((row) => dot(row, mixed)));

  if (wiring === "bahdanau") {
    const nextState = cell(start.map((x, axis) => x + half * context[axis])); // 2.6
    const mixed = mix(nextState);
    const probabilities = wordOf(mixed);
    const best = argmax(probabilities);
    return { scores, weights, context, mixed, nextState, probabilities, best };
  }
  const mixed = mix(query);
  const probabilities = wordOf(mixed);
  const best = argmax(probabilities);
  const fed = wiring === "feeding" ? half : 0;
  const nextState = cell(embeddings[best].map((x, axis) => x + fed * mixed[axis]));
  return { scores, weights, context, mixed, nextState, probabilities, best };
}
