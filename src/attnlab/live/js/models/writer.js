// A trained writer of captions, as in attnlab/sentences/writer.py: text in, what may
// follow out.

import { DecoderOnly } from "./decoderonly.js";
import { WORD_MARK, makeTokenizer } from "./subwords.js";
import { BOS, EOS, PAD, UNK } from "./tokens.js";

/**
 * `makeWriter(await trained.load("writer-en"))` returns
 *
 * read       read(text): { ids, unknown } of a text as people write it
 * write      write(ids): their text, as people read it
 * following  following(ids): a generator that pauses after every token that it reads, and
 *            returns what may follow: { ids, logits }, the most probable first. What the
 *            last call has read too is not read again.
 * name       name(id): a token as it is shown
 */
export function makeWriter(stored) {
  const { tokenizer: described, ...metadata } = stored.metadata;
  const tokenizer = makeTokenizer(described);
  const model = new DecoderOnly(stored);
  let known = []; // the ids that were read, and the state after each

  function* nextTokenLogits(ids) {
    const all = [BOS, ...ids];
    let same = 0;
    while (same < all.length && known[same]?.id === all[same]) same++;
    known = known.slice(0, same);
    for (const id of all.slice(same)) {
      known.push({ id, state: model.read(known.at(-1)?.state ?? model.start(), id) });
      yield;
    }
    return rankedTokens(model.logits(known.at(-1).state));
  }

  const read = (text) => tokenizer.encode(cutIntoWords(text));
  const write = (ids) => unescapeEntities(tokenizer.decode(ids));
  const name = (id) => shownToken(tokenizer.tokens[id]);
  return { read, write, following: nextTokenLogits, name, metadata };
}

const NEVER_SAMPLED = [PAD, BOS, UNK];

/** The ids that may be drawn, the most probable first, and their logits. */
export function rankedTokens(logits) {
  const ids = [...logits.keys()].filter((id) => !NEVER_SAMPLED.includes(id));
  ids.sort((a, b) => logits[b] - logits[a] || a - b);
  return { ids, logits: Float32Array.from(ids, (id) => logits[id]) };
}

/** A token as it is shown: "▁sing" begins a word, "ing" goes on with one. */
export function shownToken(token) {
  if (token === "<eos>") return "the end";
  const text = unescapeEntities(token.replace(WORD_MARK, ""));
  return token.startsWith(WORD_MARK) ? text : `-${text}`;
}

export const isEnd = (id) => id === EOS;

/**
 * A text in lower case and cut into words, as the captions are: "A man's hat." becomes
 * "a man &apos;s hat .". A sign at a word's end is a word, and so is what an apostrophe begins.
 */
export function cutIntoWords(text) {
  return text
    .toLowerCase()
    .replace(/[’‘]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/\d[.,](?=\d)|[.,!?:;()]/g, (found) => (found.length > 1 ? found : ` ${found} `))
    .replace(/&/g, " &amp; ")
    .replace(/"/g, " &quot; ")
    .replace(/\s*'/g, " &apos;")
    .trim()
    .replace(/\s+/g, " ");
}

function unescapeEntities(text) {
  return text
    .replace(/&apos;/g, "'")
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, "&");
}
