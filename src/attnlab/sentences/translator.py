"""A trained Transformer and its two tokenizers: text in, text out.

translator = load_translator("checkpoints/tatoeba-0/model.safetensors")
translator.translate(["Where is the station?"])
"""

import json
import os
from collections.abc import Sequence
from typing import NamedTuple

from attnlab import saved
from attnlab.checks import check_integer
from attnlab.data import EOS, collate
from attnlab.data.text import Characters, Subwords, Tokenizer
from attnlab.decoding import beam_search
from attnlab.transformer import Transformer


class Translator(NamedTuple):
    """What translates text.

    Attributes:
        model: the Transformer.
        src_tokenizer, tgt_tokenizer: between text and ids.
        metadata: what there is to say about it; `config` holds the model's arguments.
    """

    model: Transformer
    src_tokenizer: Tokenizer
    tgt_tokenizer: Tokenizer
    metadata: dict

    def translate(
        self,
        sentences: Sequence[str],
        *,
        width: int = 5,
        length_penalty: float = 1.0,
        max_len: int = 100,
        batch_size: int = 100,
    ) -> list[str]:
        """Translate sentences by beam search.

        Args:
            sentences: text of the source language.
            width: places in the beam; 1 is greedy search.
            length_penalty: α, see `beam_search`.
            max_len: the most tokens of a translation, EOS included.
            batch_size: sentences at a time.

        Returns:
            The best translation of each.

        Raises:
            TypeError: what is no text, or a setting that is no number.
            ValueError: a batch size or settings of `beam_search` that do not fit.
        """
        check_integer("batch_size", batch_size, 1)
        ids = [[*self.src_tokenizer.encode(text), EOS] for text in sentences]
        order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
        where = next(self.model.parameters()).device
        answers = {}
        for start in range(0, len(order), batch_size):
            chosen = order[start : start + batch_size]
            src = collate([(ids[i], [EOS]) for i in chosen]).src.to(where)
            found = beam_search(self.model, src, max_len, width, length_penalty)
            for i, hypotheses in zip(chosen, found, strict=True):
                answers[i] = self.tgt_tokenizer.decode(hypotheses[0].tokens)
        return [answers[i] for i in range(len(ids))]

    def save(self, path: str | os.PathLike, *, bits: int = 16) -> None:
        """Write all of it into one file, as `attnlab.saved.save` does.

        The header has the two tokenizers as well: `src_tokenizer`, `tgt_tokenizer`.

        Raises:
            ValueError: the number of bits is none of 8, 16 and 32.
            OSError: the file cannot be written; an old one is as it was.
        """
        tokenizers = {
            "src_tokenizer": describe_tokenizer(self.src_tokenizer),
            "tgt_tokenizer": describe_tokenizer(self.tgt_tokenizer),
        }
        saved.save(path, self.model, self.metadata | tokenizers, bits=bits)


def load_translator(path: str | os.PathLike | None = None) -> Translator:
    """Return what `Translator.save` wrote, the model in eval mode on the CPU.

    Args:
        path: the file; None is the translator of the live figure.

    Raises:
        ValueError: there is no such file, or it is broken or something else.
    """
    path = saved.path_of(saved.TRANSLATOR) if path is None else path
    sides = "src_tokenizer", "tgt_tokenizer"
    try:
        model, metadata = saved.load(path)
        source, target = (make_tokenizer(metadata.pop(side, None)) for side in sides)
    except ValueError as error:
        raise ValueError(f"{path} is no translator that was saved: {error}") from error
    return Translator(model, source, target, metadata)


def describe_tokenizer(tokenizer: Tokenizer) -> dict:
    """Return what a translator's file says of it: what `make_tokenizer` takes."""
    if isinstance(tokenizer, Subwords):
        return {"kind": "subwords", "definition": json.loads(tokenizer.to_json())}
    return {"kind": "characters", "characters": "".join(tokenizer.tokens[4:])}


def make_tokenizer(described: dict) -> Tokenizer:
    """Return the tokenizer that a translator's file describes.

    Raises:
        ValueError: that is no description of one.
    """
    kind = described.get("kind") if isinstance(described, dict) else None
    if kind == "subwords" and isinstance(described.get("definition"), dict):
        return Subwords(json.dumps(described["definition"]))
    if kind == "characters" and isinstance(described.get("characters"), str):
        return Characters(described["characters"])
    raise ValueError(f"no description of a tokenizer: {str(described)[:200]!r}")
