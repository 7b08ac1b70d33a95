// Models as attnlab.live stores them, with their vocabularies.

import { parseSafetensors } from "./safetensors.js";
import { EOS } from "./tokens.js";

// Makes a model out of the bytes of a .safetensors file that attnlab.live wrote.
export function makeModel(buffer) {
  const { tensors, metadata } = parseSafetensors(buffer);
  const about = JSON.parse(metadata.attnlab);
  return {
    tensors,
    metadata: about,
    config: about.config,
    srcTokens: about.src_tokens,
    tgtTokens: about.tgt_tokens,
  };
}

// The ids of a source sentence, EOS last.
export function sourceIds(model, tokens) {
  const ids = tokens.map((token) => {
    const id = model.srcTokens.indexOf(token);
    if (id <= EOS) throw new Error(`The model does not know the word “${token}”.`);
    return id;
  });
  return [...ids, EOS];
}
