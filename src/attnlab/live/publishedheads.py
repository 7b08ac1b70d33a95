"""The figure of chapter 10: where the heads of a published model look."""

import json
from functools import cache
from typing import Any, ClassVar

from attnlab.live.base import LiveFigure, Stop
from attnlab.live.traits import Whole
from attnlab.saved import path_of

MAPS = "minilm-maps"  # what `tools.published_maps` wrote
SENTENCES, LAYERS, HEADS = 20, 6, 12
PLACES = ("separators", "itself", "before", "after", "same word", "others")


@cache
def stored_maps() -> tuple[dict, list[Any]]:
    """Return what the file says, and for each sentence its maps (layers, h, n, n)."""
    from safetensors import safe_open

    with safe_open(path_of(MAPS), framework="pt") as file:
        about = json.loads(file.metadata()["attnlab"])
        whole = [file.get_tensor(str(i)) for i in range(len(about["sentences"]))]
    return about, [maps.float() / about["config"]["steps"] for maps in whole]


def shares_of_places(maps: Any, tokens: list[str]) -> Any:
    """Where the words of a sentence look: the mean weight on each of the `PLACES`.

    The first and the last token, which stand for no word, do not ask. The neighbour
    of the first word is a separator, not a word before.

    Args:
        maps: (layers, h, n, n).
        tokens: the n tokens.

    Returns:
        (layers, h, places).
    """
    import torch

    n = len(tokens)
    kinds = torch.zeros(n, n, dtype=torch.long)
    for i in range(1, n - 1):
        for j in range(n):
            kinds[i, j] = PLACES.index(_place(tokens, i, j))
    asked = maps[..., 1:-1, :]  # (layers, h, n - 2, n)
    each = [(asked * (kinds[1:-1] == at)).sum((-2, -1)) for at in range(len(PLACES))]
    return torch.stack(each, -1) / (n - 2)


def _place(tokens: list[str], i: int, j: int) -> str:
    if j in (0, len(tokens) - 1):
        return "separators"
    near = {0: "itself", -1: "before", 1: "after"}
    return near.get(j - i, "same word" if tokens[i] == tokens[j] else "others")


class PublishedHeads(LiveFigure):
    """The 72 maps of all-MiniLM-L6-v2 for stored sentences, and what kind each is.

    Traits:
        sentence: which of the 20, from 1.
        layer: from 1 to 6.
        head: from 1 to 12.
        word: the token whose row is read, from 1; the first is [CLS].
    """

    figure: ClassVar[str] = "published-heads"
    title: ClassVar[str] = "Where do its heads look?"
    caption: ClassVar[str] = "Heads of all-MiniLM-L6-v2. Separators: [CLS], [SEP]."
    description: ClassVar[str] = (
        "Attention maps of the six layers of twelve heads of a published model for one "
        "of twenty sentences, with the kind of place where each head looks most."
    )
    tour: ClassVar[tuple[Stop, ...]] = (
        Stop(
            "One head of a published model reads a sentence: a row for every word that "
            "looks, a column for every word looked at, the weight in percent.",
            {},
            ".ph-scroll",
        ),
        Stop(
            "Head 3 of layer 1 looks at the word before: from dog at the, from bit at "
            "dog, with nearly all of its weight.",
            {"sentence": 1, "layer": 1, "head": 3, "word": 3},
            ".ph-scroll",
        ),
        Stop(
            "In layer 2, head 9 looks at the word after: from bit at the, from man at "
            "the full stop. Nobody trained these two heads to do so.",
            {"sentence": 1, "layer": 2, "head": 9, "word": 4},
            ".ph-scroll",
        ),
        Stop(
            "All twelve heads of layer 3, and the kind of place that gets most. For "
            "eleven it is the separators, which stand for no word.",
            {"sentence": 1, "layer": 3, "head": 8, "word": 3},
            ".ph-heads",
        ),
        Stop(
            "Now choose other sentences and layers. Do the two heads keep their jobs? "
            "Which heads of layers 4 to 6 look most at others, words farther away?",
            {"sentence": 1, "layer": 4, "head": 1, "word": 3},
            ".al-controls, .ph-heads",
        ),
    )
    styles: ClassVar[tuple[str, ...]] = ("matrix", "headmaps")
    limits: ClassVar[dict] = {"layers": LAYERS, "heads": HEADS}

    sentence = Whole(1, min=1, max=SENTENCES).tag(sync=True)
    layer = Whole(1, min=1, max=LAYERS).tag(sync=True)
    head = Whole(3, min=1, max=HEADS).tag(sync=True)
    word = Whole(3, min=1).tag(sync=True)
