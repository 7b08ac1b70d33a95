// One training: a task, a model, an optimizer, and how far they have come.

import { collate, endlessBatches } from "./batches.js";
import { crossEntropy } from "./loss.js";
import { Machine } from "./machine.js";
import { newModel } from "./models.js";
import { AdamW, Descent, clipGradients, learningRateAt, sumOfSquares } from "./optimizer.js";
import { Random } from "./random.js";
import { modelConfig } from "./settings.js";
import { Tape } from "./tape.js";
import { makeTask } from "./tasks.js";

const MAX_GRADIENT_NORM = 1; // the largest norm of a gradient
const EXAMPLES = 12;

/**
 * Learns what the settings say: { task, language, pairs, units, model, …, rate, warmup, batch,
 * steps, seed, optimizer }; `modelConfig` and `makeTask` say what those of model and task mean.
 * `step()` takes a step, `test()` looks at what was not learned from.
 */
export class Training {
  constructor(settings, { simd = true } = {}) {
    this.settings = settings;
    // Pairs, weights and order have a stream each: the pairs of a seed are the same whatever
    // the model.
    this.task = makeTask(settings, new Random(settings.seed, 1));
    const { kind, config } = modelConfig(settings, this.task);
    this.machine = new Machine({ simd });
    this.model = newModel(this.machine, kind, config, settings.seed);
    this.tensors = [...this.model.parameters.byName.values()];
    this.optimizer =
      settings.optimizer === "sgd" ? new Descent(this.tensors) : new AdamW(this.tensors);
    this.batches = endlessBatches(this.task.train, settings.batch, new Random(settings.seed, 2));
    this.taken = 0;
    // Some that it does not learn from, to look at: the longest first.
    this.examples = this.task.held
      .slice(0, EXAMPLES)
      .toSorted((a, b) => b.source.length - a.source.length);
  }

  /** Go on from the weights of a file, { tensors, about }; an error if they do not fit. */
  take({ tensors, about }) {
    const { srcTokens, tgtTokens } = this.task;
    const known = { src_tokens: srcTokens, tgt_tokens: tgtTokens };
    for (const [name, tokens] of Object.entries(known)) {
      if (about[name] && JSON.stringify(about[name]) !== JSON.stringify(tokens)) {
        throw new Error("The model of this file knows other words than this task has.");
      }
    }
    this.model.parameters.load(tensors);
  }

  /**
   * Learn from one batch: { loss, right, norm }, `right` the share of targets it had right
   * before, `norm` that of the gradient. A loss that is no number any more changes nothing.
   */
  step() {
    const { rate, steps, warmup } = this.settings;
    const tape = new Tape(this.machine);
    this.model.parameters.clear();
    const { logits, targets } = this.model.run(tape, this.batches.next().value);
    const { loss, right, wanted } = crossEntropy(logits, targets);
    if (!Number.isFinite(loss)) {
      tape.end();
      return { loss, right: 0, norm: NaN };
    }
    tape.backward();
    const norm = clipGradients(this.tensors, MAX_GRADIENT_NORM);
    const risen = Math.round(warmup * steps);
    this.optimizer.step(learningRateAt(this.taken, { rate, warmup: risen, steps }));
    tape.end();
    this.taken += 1;
    return { loss, right: right / wanted, norm };
  }

  /**
   * What pairs that it has not learned from come to: { exact, error, looks }, the share that is
   * right in every target; if the alignment is known, its error for each layer and head; and
   * `looks`, for each of `examples` { answer, maps }: the words it says, and the weights of all
   * layers and heads, a row for each target, in 255ths. (Each target is told from the true ones
   * before it. Greedy writing is right throughout if and only if each of these is.)
   */
  test() {
    const { held } = this.task;
    const { answers, targets, maps } = this.forward(held);
    const length = targets.length / held.length;
    const exact = held.filter((_, b) => {
      const row = Array.from({ length }, (_, t) => b * length + t);
      return row.every((at) => targets[at] === 0 || targets[at] === answers[at]);
    });
    const error = held[0].links && maps ? maps.map((layer) => headErrors(layer, held)) : null;
    const looks = this.examples.map((pair) => {
      const b = held.indexOf(pair);
      const answer = pair.target.map((_, t) => this.task.tgtTokens[answers[b * length + t]]);
      return { answer, maps: maps && mapBytes(maps, b, pair) };
    });
    return { exact: exact.length / held.length, error, looks };
  }

  /** By layer, the norm of the last step's gradient: [[name, norm], …]. */
  norms() {
    const squares = new Map();
    for (const [name, { grad }] of this.model.parameters.byName) {
      const layer = layerName(name);
      squares.set(layer, (squares.get(layer) ?? 0) + sumOfSquares(grad));
    }
    return [...squares].map(([name, square]) => [name, Math.sqrt(square)]);
  }

  // The maps are those of cross-attention, or of a reader's own.
  forward(pairs) {
    const tape = new Tape(this.machine);
    const { logits, targets, maps } = this.model.run(tape, collate(pairs));
    const { answers } = crossEntropy(logits, targets);
    const shown = maps.cross ?? maps.encoder ?? null;
    const kept = shown && shown.map(({ shape, data }) => ({ shape, data: data.slice() }));
    tape.end();
    return { answers, targets, maps: kept };
  }
}

// "encoder.layers.0.self_attention.query_layer.weight" is of layer "encoder.layers.0", and what
// comes after the last layer is of "encoder.norm".
function layerName(name) {
  return name.match(/^(.*?layers\.\d+|(en|de)coder\.norm|[^.]+)/)[1];
}

// Of pair b: the weights of its source's words and end, by layer, head and target, in 255ths.
function mapBytes(maps, b, { source, target }) {
  const rows = maps.flatMap(({ shape: [, heads, length, columns], data }) =>
    Array.from({ length: heads }, (_, h) =>
      target.map((_, t) => {
        const at = ((b * heads + h) * length + t) * columns;
        return [...data.subarray(at, at + source.length + 1)];
      }),
    ),
  );
  return Uint8Array.from(rows.flat(2), (weight) => Math.round(255 * weight));
}

// Of each head, Och and Ney's alignment error rate (attnlab.data.alignment_error_rate).
function headErrors({ shape: [, heads, rows, columns], data }, pairs) {
  return Array.from({ length: heads }, (_, h) => {
    let [found, all] = [0, 0];
    pairs.forEach(({ links }, b) => {
      const judged = [...new Set(links.map(([t]) => t))];
      for (const t of judged) {
        const known = links.filter(([i]) => i === t).map(([, s]) => s);
        const at = ((b * heads + h) * rows + t) * columns;
        const hit = known.includes(strongestWeights(data, at, columns));
        const worth = known.length === 1 ? 2 : 1; // it is sure, and possible
        found += hit ? worth : 0;
        all += worth;
      }
    });
    return all === 0 ? null : 1 - found / all;
  });
}

function strongestWeights(data, at, count) {
  let best = 0;
  for (let s = 1; s < count; s++) if (data[at + s] > data[at + best]) best = s;
  return best;
}
