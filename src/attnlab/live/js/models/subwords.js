// Text as token ids and back, as in attnlab/data/text.py: words in pieces (byte-pair
// encoding, Sennrich et al. 2016) and single characters.

import { EOS, UNK } from "./tokens.js";

export const WORD_MARK = "▁"; // begins a word: "▁in" does, "ing" does not

// What the tokenizers library takes for words: white space and punctuation end them, or
// white space alone. (These are \w and \s of its regular expressions; JavaScript's differ.)
const WORD_CLASS = String.raw`\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}`;
const WORD_PATTERNS = {
  Whitespace: new RegExp(`[${WORD_CLASS}]+|[^${WORD_CLASS}\\p{White_Space}]+`, "gu"),
  WhitespaceSplit: /\P{White_Space}+/gu,
};
// eslint-disable-next-line no-control-regex -- it splits there, too
const PYTHON_SPACE = /[\p{White_Space}\x1c-\x1f]/gu; // what str.split() splits at

// Makes the tokenizer that a translator's file describes.
export function makeTokenizer({ kind, definition, characters }) {
  return kind === "subwords" ? new Subwords(definition) : new Characters(characters);
}

// Both have `tokens`, in the order of their ids, and
//
// encode(text)   { ids, tokens, unknown }, without BOS and EOS. An unknown character's id
//                is UNK, its token is itself; `unknown` lists them, each once.
// decode(ids)    the text of ids up to the first EOS.

export class Subwords {
  // `definition`: as `Subwords.to_json` writes it, parsed.
  constructor(definition) {
    const { model, added_tokens: reserved, pre_tokenizer: splitter } = definition;
    this.ids = new Map(Object.entries(model.vocab));
    this.tokens = [];
    for (const [token, id] of this.ids) this.tokens[id] = token;
    this.merges = new Map(); // the key of a pair -> when it was learned, what it makes
    model.merges.forEach(([left, right], rank) => {
      const merge = { rank, id: this.ids.get(left + right) };
      this.merges.set(this.pairKey(this.ids.get(left), this.ids.get(right)), merge);
    });
    this.reservedIds = new Set(reserved.map(({ id }) => id));
    this.wordPattern = WORD_PATTERNS[splitter.pretokenizers[0].type];
  }

  pairKey(left, right) {
    return left * this.tokens.length + right;
  }

  encode(text) {
    const pieces = [];
    // (A text that holds "<eos>" means these five signs, not the end.)
    for (const [word] of lowerCased(text.normalize("NFKC")).matchAll(this.wordPattern)) {
      const marked = word.startsWith(WORD_MARK) ? word : WORD_MARK + word;
      // (Not by `push(...)`: a page has room for so many arguments only.)
      for (const piece of this.cut(marked)) pieces.push(piece);
    }
    return makeEncoding(pieces);
  }

  // Joins neighbours as long as their pair was learned, the earliest learned first. Every
  // piece keeps what joins it to the next one: a word may be as long as a page.
  cut(word) {
    const id = (text) => this.ids.get(text) ?? UNK;
    const pieces = Array.from(word, (text) => ({ id: id(text), text, merge: null }));
    for (let i = 1; i < pieces.length; i++) this.meet(pieces[i - 1], pieces[i]);
    for (;;) {
      let first = null;
      for (const { merge } of pieces) if (merge && !(first?.rank <= merge.rank)) first = merge;
      if (!first) return pieces;
      this.joinAll(pieces, first);
    }
  }

  meet(left, right) {
    left.merge = this.merges.get(this.pairKey(left.id, right.id)) ?? null;
  }

  joinAll(pieces, merge) {
    let kept = 0;
    let previous = null;
    for (let i = 0; i < pieces.length; i++) {
      let piece = pieces[i];
      const joins = piece.merge === merge;
      if (joins) {
        i += 1;
        piece = { id: merge.id, text: piece.text + pieces[i].text, merge: null };
      }
      if (previous && (joins || previous.id === merge.id)) this.meet(previous, piece);
      pieces[kept] = piece;
      kept += 1;
      previous = piece;
    }
    pieces.length = kept;
  }

  decode(ids) {
    const kept = idsUntilEos(ids, this.tokens.length).filter((id) => !this.reservedIds.has(id));
    const texts = kept.map((id, i) => this.tokens[id].replaceAll(WORD_MARK, i ? " " : ""));
    return texts.join("");
  }
}

export class Characters {
  // `characters`: all that are known, in the order of their ids.
  constructor(characters) {
    this.tokens = ["<pad>", "<bos>", "<eos>", "<unk>", ...characters];
    this.ids = new Map(this.tokens.map((token, id) => [token, id]));
  }

  encode(text) {
    const characters = Array.from(text.replace(PYTHON_SPACE, ""));
    return makeEncoding(characters.map((one) => ({ id: this.ids.get(one) ?? UNK, text: one })));
  }

  decode(ids) {
    const kept = idsUntilEos(ids, this.tokens.length).filter((id) => id >= EOS);
    return kept.map((id) => this.tokens[id]).join("");
  }
}

// Letter by letter, as the library does: at a word's end JavaScript makes Σ a ς.
function lowerCased(text) {
  return Array.from(text, (letter) => letter.toLowerCase()).join("");
}

function makeEncoding(pieces) {
  const unknown = pieces.filter(({ id }) => id === UNK).map(({ text }) => text);
  return {
    ids: pieces.map(({ id }) => id),
    tokens: pieces.map(({ text }) => text),
    unknown: [...new Set(unknown)],
  };
}

function idsUntilEos(ids, size) {
  for (const id of ids) {
    if (!Number.isInteger(id) || id < 0 || id >= size) {
      throw new RangeError(`There is no token ${id}: ids go from 0 to ${size - 1}.`);
    }
  }
  const end = ids.indexOf(EOS);
  return end < 0 ? ids : ids.slice(0, end);
}
