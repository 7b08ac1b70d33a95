"""One translation with all that the translator figure shows of it, by PyTorch.

    python -m tools.trace        # writes weights/translator-en-zh.json

The page holds it, so that the figure shows something true before the model is loaded.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from attnlab.checks import check_integer
from attnlab.data import BOS, EOS
from attnlab.data.text import UNK
from attnlab.decoding import beam_search, evaluating
from attnlab.live.translate import DROPPED_SHOWN, MAX_WRITTEN
from attnlab.saved import FOLDER, TRANSLATOR, path_of
from attnlab.sentences.translator import Translator, load_translator
from attnlab.transformer import MAPS

TEXT = "There is a cat under the table."
WIDTH = 3
UNKNOWN_SIGN = "□"


def trace(translator: Translator, text: str, width: int) -> dict:
    """Translate one sentence by beam search and keep everything.

    Args:
        translator: from `load_translator`.
        text: an English sentence.
        width: places in the beam.

    Returns:
        `pieces` and `ids` of the sentence; `search` with its `steps` (the candidates,
        best first, each with its token, its parent among those of the step before,
        the log-probabilities of the token and of all, and its fate) and `hypotheses`;
        of each the tokens (None is the end), the log-probability and the `maps`,
        row after row; `encoder`, the encoder's maps; and `harms`: what the
        log-probability of the best one loses by each head's silence alone.

    Raises:
        TypeError: what is no text, or a width that is no integer.
        ValueError: width < 1.
    """
    check_integer("width", width, 1)
    model = translator.model
    ids = [*translator.src_tokenizer.encode(text), EOS]
    src = torch.tensor([ids])
    with evaluating(model):
        steps, finished = _search(model, src, width)
        hypotheses = [_describe(translator, src, tokens) for tokens in finished]
        encoder = _flatten(model.attention(src, torch.tensor([[BOS]]))["encoder"])
        changes = _log_prob_changes(translator, src, finished[0])
    for step in steps:
        for one in step["candidates"]:
            one["token"] = _character(translator, one["token"])
    return {
        "pieces": [_piece(translator.src_tokenizer.tokens[i]) for i in ids],
        "ids": ids,
        "search": {"steps": steps, "hypotheses": hypotheses},
        "encoder": encoder,
        "harms": changes,
    }


def _search(model: Any, src: Tensor, width: int) -> tuple[list[dict], list[list[int]]]:
    """Return the steps of a beam search, and its hypotheses by log-probability."""
    steps: list[dict] = []

    def record(totals: Tensor, log_probs: Tensor, room: Tensor) -> None:
        free, vocab = int(room), totals.shape[-1]
        best = totals.flatten().topk(free + DROPPED_SHOWN)
        candidates = [
            {
                "token": index % vocab,
                "parent": index // vocab if steps else -1,
                "logProb": round(log_probs.flatten()[index].item(), 4),
                "total": round(total, 4),
                "fate": _candidate_fate(index % vocab, rank, free),
            }
            for rank, (total, index) in enumerate(
                zip(best.values.tolist(), best.indices.tolist(), strict=True)
            )
        ]
        steps.append({"candidates": candidates, "room": free})

    (found,) = beam_search(model, src, MAX_WRITTEN, width, record=record)
    return steps, [one.tokens for one in found]


def _candidate_fate(token: int, rank: int, room: int) -> str:
    if rank >= room:
        return "dropped"
    return "ended" if token == EOS else "kept"


def _describe(translator: Translator, src: Tensor, tokens: list[int]) -> dict:
    maps = translator.model.attention(src, torch.tensor([[BOS, *tokens[:-1]]]))
    log_probs = _log_probs(translator, src, tokens)
    return {
        "tokens": [_character(translator, token) for token in tokens],
        "logProb": round(float(log_probs.sum()), 4),
        "maps": {
            "decoder": _flatten(maps["decoder"]),
            "cross": _flatten(maps["cross"]),
            "logProbs": [round(x, 4) for x in log_probs.tolist()],
        },
    }


def _log_probs(translator: Translator, src: Tensor, tokens: list[int]) -> Tensor:
    """Return the log-probability of each token of a translation: (length,)."""
    logits = translator.model(src, torch.tensor([[BOS, *tokens[:-1]]]))[0]
    return logits.log_softmax(-1)[range(len(tokens)), tokens]


def _log_prob_changes(
    translator: Translator, src: Tensor, tokens: list[int]
) -> list[float]:
    model = translator.model
    whole = _log_probs(translator, src, tokens).sum()
    changes = []
    for kind in MAPS:
        for layer in range(model.num_layers):
            for head in range(model.num_heads):
                mask = torch.ones(model.num_layers, model.num_heads, dtype=torch.bool)
                mask[layer, head] = False
                with model.head_mask(**{kind: mask}):
                    without = _log_probs(translator, src, tokens).sum()
                changes.append(round(float(without - whole), 4))
    return changes


def _flatten(maps: Tensor) -> list:
    """(layers, 1, h, rows, columns) as [layer][head], each map row after row."""
    return [
        [[round(x, 3) for x in head.flatten().tolist()] for head in layer[0]]
        for layer in maps
    ]


def _character(translator: Translator, token: int) -> str | None:
    if token == EOS:
        return None
    return UNKNOWN_SIGN if token == UNK else translator.tgt_tokenizer.tokens[token]


def _piece(token: str) -> str:
    if token == "<eos>":
        return "end"
    return token.removeprefix("▁") if token.startswith("▁") else f"-{token}"


def describe_model(metadata: dict, size: int) -> dict:
    """Return what the figure has to know of the model before it is loaded."""
    return {
        "config": {key: metadata["config"][key] for key in ("num_heads", "num_layers")},
        "longest": metadata["longest_source"],
        # The page loads them as base64, four letters for three bytes.
        "megabytes": round(size * 4 / 3e6, 1),
    }


def main(folder: Path = FOLDER) -> None:
    """Translate the figure's first sentence and store it, beside the weights."""
    translator = load_translator()
    size = path_of(TRANSLATOR).stat().st_size
    stored = {
        "about": describe_model(translator.metadata, size),
        "text": TEXT,
        "width": WIDTH,
        **trace(translator, TEXT, WIDTH),
    }
    text = json.dumps(stored, ensure_ascii=False, sort_keys=True)
    (folder / f"{TRANSLATOR}.json").write_text(text + "\n", encoding="utf-8")
    best = stored["search"]["hypotheses"][0]["tokens"]
    print(f"{TEXT} {''.join(token or '' for token in best)}, {len(text) // 1000} kB")


if __name__ == "__main__":
    argparse.ArgumentParser(description=main.__doc__).parse_args()  # answers --help
    main()
