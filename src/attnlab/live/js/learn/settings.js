// From what the reader has chosen to a model's kind and configuration.

import { scoreConfig } from "./seq2seq.js";
import { isTagging } from "./tasks.js";

/**
 * The kind and config of a model, as attnlab.saved has them, for a task and the settings
 * { model, layers, heads, width, inner, positions, norm, score, reads, sees, activation, scale,
 * residual }; without the last three they are as they were before there was a choice.
 */
export function modelConfig(settings, { srcTokens, tgtTokens, train, held }) {
  const { task, model, width } = settings;
  if (isTagging(task) !== (model === "reader")) {
    throw new Error(
      "This model does not fit this task: a reader names each word, the others write.",
    );
  }
  checkWidth(settings);
  const longest = Math.max(
    ...[...train, ...held].flatMap(({ src, tgt }) => [src.length, tgt.length]),
  );
  const sizes = { src_vocab: srcTokens.length, tgt_vocab: tgtTokens.length, d_model: width };
  if (model === "gru") {
    const score = settings.score === "none" ? null : scoreConfig(settings.score, width, longest);
    return {
      kind: "Seq2Seq",
      config: { ...sizes, score, bidirectional: settings.reads === "both" },
    };
  }
  const { layers, heads, positions, activation = "relu", residual = true } = settings;
  const attention_scale = { sqrt_d: null, one: 1, d: heads / width }[settings.scale ?? "sqrt_d"];
  const attention = { num_heads: heads, positions, attention_scale };
  const stack = { ...attention, num_layers: layers, max_length: longest, activation, residual };
  if (model === "transformer") {
    const more = { d_ff: settings.inner, dropout: 0, norm_first: settings.norm === "pre" };
    return { kind: "Transformer", config: { ...sizes, ...stack, ...more } };
  }
  const [vocab_size, num_classes] = [srcTokens.length, tgtTokens.length];
  const causal = model === "decoder" || settings.sees === "before";
  const own = { d_ff: settings.inner || null, causal };
  const config = { vocab_size, num_classes, d_model: width, ...stack, ...own };
  return { kind: "Tagger", config };
}

function checkWidth({ model, width, heads, positions, reads }) {
  if (model === "gru") {
    if (reads === "both" && width % 2)
      throw new Error(`Two directions cannot share a width of ${width} evenly.`);
    return;
  }
  if (width % heads) throw new Error(`${heads} heads cannot share a width of ${width} evenly.`);
  if (positions === "sinusoidal" && width % 2) {
    throw new Error(`Sines and cosines come in pairs: a width of ${width} is odd.`);
  }
  if (positions === "rotary" && (width / heads) % 2) {
    throw new Error(`Rotary positions turn pairs: a head of width ${width / heads} is odd.`);
  }
}
