"""Stores where the heads of a published model look, for the figure of chapter 10.

    python -m tools.published_maps        # writes live/weights/minilm-maps.safetensors

The model is all-MiniLM-L6-v2 (`attnlab.pretrained`), which this finds or downloads. For
each of the sentences below the file holds all 72 maps, (layers, heads, n, n), in whole
parts of 127; its header has the sentences, their tokens, what the model's file is, how
far the vectors of two hundred sentences are from those of its authors' own library,
which a test keeps, and how far two common mistakes move the vectors of these sentences.
"""

import json
from copy import deepcopy
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import save
from torch import nn

from attnlab import store
from attnlab.files import write_atomically
from attnlab.layers import FeedForward
from attnlab.pretrained import HUB, SHA256, SentenceEncoder
from attnlab.saved import FOLDER

PATH = FOLDER / "minilm-maps.safetensors"
REFERENCE = Path(__file__).parents[1] / "tests" / "pretrained.safetensors"
STEPS = 127  # a weight of 1
SENTENCES = [
    "The dog bit the man.",
    "The man bit the dog.",
    "She gave her brother the book.",
    "I did not see the man who saw me.",
    "The cat that chased the mice was black.",
    "Time flies like an arrow.",
    "The bank of the river was steep.",
    "The bank lent us the money.",
    "Two and two are four.",
    "Four and two are two and four.",
    "Paris is the capital of France.",
    "He said that he was tired.",
    "It rained, and we stayed at home.",
    "Who wrote this letter?",
    "Somebody must have written it.",
    "Attention is all you need.",
    "The quick brown fox jumps.",
    "No, no, no!",
    "Unbelievably, nobody complained.",
    "Hello.",
]


def make_file() -> bytes:
    """Return the file's bytes."""
    model = SentenceEncoder.load()
    maps, tokens = attention_maps(model)
    layers, heads, *_ = maps["0"].shape
    about = {
        "config": {"layers": layers, "heads": heads, "steps": STEPS},
        "sentences": SENTENCES,
        "tokens": tokens,
        "model": {"address": HUB, "sha256": SHA256["model.safetensors"]},
        "gap": largest_error(model),
        "mistakes": effects_of_mistakes(model),
        "command": store.command(),
        "versions": store.versions(),
    }
    header = json.dumps(about, ensure_ascii=False, sort_keys=True)
    return save(maps, {"attnlab": header})


def attention_maps(
    model: SentenceEncoder,
) -> tuple[dict[str, torch.Tensor], list[list[str]]]:
    """The maps (layers, heads, n, n) of each sentence, in steps, and its n tokens."""
    maps, tokens = {}, []
    for number, sentence in enumerate(SENTENCES):
        weights, (written,) = model.attention([sentence])  # (layers, 1, heads, n, n)
        maps[str(number)] = (weights[:, 0] * STEPS).round().to(torch.int8)
        tokens.append(written)
    return maps, tokens


def largest_error(model: SentenceEncoder) -> float:
    """The largest difference from the vectors that the authors' library gives."""
    with safe_open(REFERENCE, framework="pt") as file:
        sentences = json.loads(file.metadata()["sentences"])
        wanted = file.get_tensor("vectors")
    return (model.encode(sentences) - wanted).abs().max().item()


def effects_of_mistakes(model: SentenceEncoder) -> dict[str, float]:
    """Return the most that each of two common mistakes moves the sentences' vectors."""
    right, gelu, epsilon = model.encode(SENTENCES), deepcopy(model), deepcopy(model)
    for part in gelu.modules():
        if isinstance(part, FeedForward):
            part.activation = nn.GELU("tanh")
    for part in epsilon.modules():
        if isinstance(part, nn.LayerNorm):
            part.eps = 1e-5
    wrong = {"GELU": gelu, "epsilon": epsilon}
    return {
        name: (one.encode(SENTENCES) - right).abs().max().item()
        for name, one in wrong.items()
    }


if __name__ == "__main__":
    torch.set_num_threads(1)
    write_atomically(PATH, make_file())
