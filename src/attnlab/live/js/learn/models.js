// The models by their kind, as attnlab.saved names them.

import { Parameters } from "./parameters.js";
import { Random } from "./random.js";
import { runSeq2seq, seq2seqWeights } from "./seq2seq.js";
import { runTagger, taggerWeights } from "./tagger.js";
import { runTransformer, transformerWeights } from "./transformer.js";

const KINDS = {
  Tagger: [taggerWeights, runTagger],
  Seq2Seq: [seq2seqWeights, runSeq2seq],
  Transformer: [transformerWeights, runTransformer],
};

/**
 * A new model with its first weights: { kind, config, parameters, run(tape, batch) }. What
 * `run` returns is { logits, targets, maps }.
 */
export function newModel(machine, kind, config, seed) {
  const parameters = new Parameters(machine, new Random(seed));
  const [makeWeights, run] = KINDS[kind];
  const weights = makeWeights(parameters, config);
  return { kind, config, parameters, run: (tape, batch) => run(tape, config, weights, batch) };
}
