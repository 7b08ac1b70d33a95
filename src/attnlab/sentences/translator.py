"""A trained Transformer and its two tokenizers: text in, text out.

translator = load_translator("checkpoints/tatoeba-0/model.safetensors")
translator.translate(["Where is the station?"])
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from attnlab.attention import MultiHeadAttention
from attnlab.checks import check_dropout, check_integer
from attnlab.data import EOS, collate
from attnlab.data.text import Characters, Subwords, Tokenizer
from attnlab.decoding import beam_search
from attnlab.files import write_atomically
from attnlab.layers import FeedForward
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

    def save(self, path: str | os.PathLike) -> None:
        """Write all of it into one file of safetensors, the weights in float16.

        The header's `attnlab` is a JSON text: the metadata and the two tokenizers. Of
        weights that are tied the file has one.

        Raises:
            OSError: the file cannot be written; an old one is as it was.
        """
        from safetensors.torch import save

        state, seen = {}, set()
        for name, tensor in self.model.state_dict().items():
            if tensor.data_ptr() not in seen:
                state[name] = tensor.half().contiguous().cpu()
            seen.add(tensor.data_ptr())
        header = self.metadata | {
            "src_tokenizer": _describe(self.src_tokenizer),
            "tgt_tokenizer": _describe(self.tgt_tokenizer),
        }
        text = json.dumps(header, ensure_ascii=False, sort_keys=True)
        write_atomically(Path(path), save(state, {"attnlab": text}))


# What text that is no JSON, or not the JSON one expects, ends in.
_BROKEN_JSON = (ValueError, KeyError, TypeError, AttributeError)


def load_translator(path: str | os.PathLike) -> Translator:
    """Return what `Translator.save` wrote, the model in eval mode on the CPU.

    Raises:
        ValueError: there is no such file, or it is broken or something else.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as file:
            header = json.loads(file.metadata()["attnlab"])
            state = {name: file.get_tensor(name).float() for name in file.keys()}  # noqa: SIM118
        source, target = (
            make_tokenizer(header.pop(f"{side}_tokenizer")) for side in ("src", "tgt")
        )
        model = Transformer(**header["config"])
        wrong = model.load_state_dict(state, strict=False)
    except (OSError, SafetensorError, RuntimeError, *_BROKEN_JSON) as e:
        raise ValueError(f"{path} is no translator that was saved: {e}") from e
    left_out = set(wrong.missing_keys) - _tied_names(model)
    if left_out or wrong.unexpected_keys:
        raise ValueError(f"{path} does not fit its own configuration")
    return Translator(model.eval(), source, target, header)


def _tied_names(model: Transformer) -> set[str]:
    """The names of weights that are those of another name."""
    own = {name for name, _ in model.named_parameters()}
    everything = dict(model.named_parameters(remove_duplicate=False))
    return everything.keys() - own


def _describe(tokenizer: Tokenizer) -> dict:
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


def set_inner_dropout(model: Transformer, dropout: float) -> None:
    """Set the dropout on attention weights and inside the feed-forward layers.

    fairseq's Transformers leave these two at 0 and drop elements of the embeddings
    and of what each sublayer adds alone.

    Raises:
        TypeError, ValueError: no number in [0, 1).
    """
    check_dropout(dropout)
    for module in model.modules():
        if isinstance(module, MultiHeadAttention):
            module.dropout = dropout
        if isinstance(module, FeedForward):
            module.dropout.p = dropout


# Scores -----------------------------------------------------------------------------
