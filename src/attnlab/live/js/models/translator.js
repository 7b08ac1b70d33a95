// A trained Transformer and its two tokenizers, as in attnlab/sentences/translator.py: text in,
// text out.

import { makeTokenizer } from "./subwords.js";
import { EOS } from "./tokens.js";
import { Transformer } from "./transformer.js";

/**
 * `makeTranslator(await trained.load("translator-en-zh"))` returns
 *
 * model      the Transformer
 * source     the tokenizer of the source language
 * target     that of the target language
 * metadata   what its file says about it
 * read       read(text): the source's { ids, tokens, unknown }, EOS at their end
 */
export function makeTranslator(stored) {
  const { src_tokenizer: from, tgt_tokenizer: to, ...metadata } = stored.metadata;
  const source = makeTokenizer(from);
  const target = makeTokenizer(to);
  const read = (text) => {
    const { ids, tokens, unknown } = source.encode(text);
    return { ids: [...ids, EOS], tokens: [...tokens, source.tokens[EOS]], unknown };
  };
  return { model: new Transformer(stored), source, target, metadata, read };
}
