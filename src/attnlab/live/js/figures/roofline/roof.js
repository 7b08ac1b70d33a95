// The roof of a machine and a time by it, as `attnlab.complexity.roof` has them. Sizes are
// { n, d, heads, batch }.

import { COST_TYPES, bytesTouched, sequentialCalls, flopsOf } from "../../models/layercosts.js";

const ATTENTIONS = ["attention", "attention_fused"];
const RECURRENT = ["gru", "lstm"];
const KERNEL = 3; // of the convolution

/** The FLOPs of a whole batch. */
function countFlops(layer, phase, { n, d, batch }) {
  return batch * flopsOf(layer, phase, { n, d, k: KERNEL });
}

/** The bytes that a batch must fetch and write: of fused attention without its weights. */
function countBytesMoved(layer, phase, sizes) {
  return bytesTouched(layer, phase, { ...sizes, k: KERNEL }, false);
}

/** The bytes that a layer goes over again and again. */
function countBytesHeld(layer, phase, { n, d, heads, batch }) {
  const generates = phase === "generation";
  let each = 2 * d * (generates || RECURRENT.includes(layer) ? 1 : n); // of a sequence
  if (ATTENTIONS.includes(layer) && generates) each = n * d;
  else if (layer === "attention") each += heads * n * n;
  return 4 * (COST_TYPES[layer].parameters({ n, d, k: KERNEL }) + batch * each);
}

/**
 * Where a layer stands under a roof { peak, slopes }, if each of its calls in a row takes `call`
 * seconds: FLOPs a byte, FLOPs a second, seconds, those of its calls among them, what the others
 * wait for, "memory" (be it the cache) or "arithmetic", and the bytes that are gone over.
 */
export function predictTime(layer, phase, sizes, roof, call) {
  const [work, traffic] = [countFlops(layer, phase, sizes), countBytesMoved(layer, phase, sizes)];
  const held = countBytesHeld(layer, phase, sizes);
  const [, bandwidth] = roof.slopes.find(([size]) => held <= size) ?? roof.slopes.at(-1);
  const [arithmetic, fetching] = [work / roof.peak, traffic / bandwidth];
  const calls = call * sequentialCalls(layer, phase, sizes);
  const seconds = calls + Math.max(arithmetic, fetching);
  const waits = fetching > arithmetic ? "memory" : "arithmetic";
  const [intensity, speed] = [work / traffic, work / seconds];
  return { layer, intensity, speed, seconds, calls, waits, held };
}
