"""What does a head do? Put something else in the place of what it found.

The readers of chapter 4's figures, from five seeds: attention on the words of a number
of up to twelve digits, four heads, width 64, and every word is told its power of ten.
Each head, and each pair of heads, is silenced in three ways (`ABLATIONS`):

- zero: what it found is left out of the sum of the heads;
- mean: it says what it says on average, whatever the word;
- other: it says what it has found for some other word of another number.

The second experiment takes a reader of two layers and silences its eight heads one
after the other, in the order of what they cost, or of how blurred their maps are, with
the weight on the end mark counted and without it.

    python -m attnlab.experiments.silence --seeds 5
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations
from typing import Any

import torch
from torch import Tensor, nn

from attnlab.attention import MultiHeadAttention
from attnlab.data import EOS, PAD, PlacePairs, collate, split_numbers
from attnlab.data.places import NUM_CLASSES
from attnlab.experiments.heads import measure_reading
from attnlab.experiments.study import Study, run_studies
from attnlab.store import grid
from attnlab.tagger import Tagger
from attnlab.training import set_seed, tagging_loss, train

ABLATIONS = "zero", "mean", "other"
NUM_HEADS, D_MODEL, MAX_DIGITS = 4, 64, 12
TRAIN_NUMBERS, TEST_NUMBERS = 19_000, 1_600
SHORT = list(range(100))  # too few to be drawn often enough: all are trained on …
SHORT_REPEATS, EPOCHS = 10, 12  # … as often as this in each epoch
JUDGED, POOL = slice(0, 600), slice(600, 1_200)  # of the numbers kept from training
ROUND = [digit * 10**power for power in range(MAX_DIGITS) for digit in range(1, 10)]


def train_reader(
    seed: int, num_layers: int = 1, steps: int | None = None
) -> tuple[Tagger, list[int]]:
    """Train a reader of numerals; return it and numbers that it has not seen.

    `steps` are so many batches in the place of the whole training.
    """
    learn, unseen = split_numbers(TRAIN_NUMBERS, TEST_NUMBERS, (3, MAX_DIGITS), seed=0)
    pairs = PlacePairs(SHORT * SHORT_REPEATS + learn)
    sizes: Any = {"num_heads": NUM_HEADS, "num_layers": num_layers}
    set_seed(seed)
    model = Tagger(len(pairs.vocab), NUM_CLASSES, D_MODEL, **sizes)
    length: Any = {"epochs": EPOCHS} if steps is None else {"steps": steps}
    train(
        model,
        pairs,
        **length,
        loss=tagging_loss,
        seed=seed,
        progress=False,
        device="cpu",
    )
    return model, unseen


# Silencing --------------------------------------------------------------------------


def found_by_heads(model: Tagger, pairs: PlacePairs) -> Tensor:
    """Return what the first layer's heads find for every real word: (words, h, d_head).

    It is what stands side by side before W_O: (4.2)'s H, cut into heads.
    """
    src = collate(pairs).src
    return record_head_outputs(_first_layer_heads(model), lambda: model(src))[
        src != PAD
    ]


@torch.no_grad()
def record_head_outputs(
    attention: MultiHeadAttention, run: Callable[[], object]
) -> Tensor:
    """Return what the heads of an attention find while `run()` uses it.

    Returns:
        (B, L_q, h, d_head).
    """
    found: list[Tensor] = []
    hook = attention.output_layer.register_forward_pre_hook(
        lambda _module, inputs: found.append(inputs[0])  # (B, L_q, h · d_head)
    )
    try:
        run()
    finally:
        hook.remove()
    return found[0].unflatten(-1, (attention.num_heads, attention.d_head))


@contextmanager
def heads_ablated(
    attention: MultiHeadAttention, heads: Sequence[int], way: str, pool: Tensor
) -> Iterator[None]:
    """Let these heads of an attention say something else than they found.

    Args:
        attention: of which.
        heads: which, counted from 0.
        way: one of `ABLATIONS`.
        pool: (words, h, d_head), as of `record_head_outputs`: for the mean, and what
            the others are drawn from.

    Raises:
        ValueError: another way.
    """
    if way not in ABLATIONS:
        raise ValueError(f"way must be one of {ABLATIONS}, got {way!r}")
    chosen = list(heads)

    def replace(_module: nn.Module, inputs: tuple[Tensor]) -> tuple[Tensor]:
        found = inputs[0].unflatten(-1, pool.shape[1:]).clone()  # (B, n, h, d_head)
        if way == "zero":
            found[:, :, chosen] = 0.0
        elif way == "mean":
            found[:, :, chosen] = pool.mean(dim=0)[chosen]
        else:
            donors = torch.randint(len(pool), found.shape[:2])  # (B, n)
            found[:, :, chosen] = pool[donors][:, :, chosen]
        return (found.flatten(2),)

    hook = attention.output_layer.register_forward_pre_hook(replace)
    try:
        yield
    finally:
        hook.remove()


def _first_layer_heads(model: Tagger) -> MultiHeadAttention:
    layer: Any = model.layers[0]
    return layer.mixer.heads


def heads_and_pairs(heads: int = NUM_HEADS) -> list[tuple[int, ...]]:
    """Return every head, then every pair of heads, counted from 0."""
    return [*combinations(range(heads), 1), *combinations(range(heads), 2)]


def ablate_all(model: Tagger, unseen: list[int]) -> dict:
    """What a reader gets right without each head and each pair, silenced in each way.

    Returns:
        `whole`, what it gets right with every head; and by way, by heads ("1 3" are
        the first and the third), a dict: `numbers` and `words`, shares of unseen
        numbers and of their words, `round`, that of the round numbers.
    """
    judged, rounds = PlacePairs(unseen[JUDGED]), PlacePairs(ROUND)
    pool = found_by_heads(model, PlacePairs(unseen[POOL]))

    def measure_shares() -> dict:
        of_unseen = measure_reading(model, judged)
        kept = {name: of_unseen[name] for name in ("numbers", "words")}
        return {**kept, "round": measure_reading(model, rounds)["numbers"]}

    found: dict[str, Any] = {"whole": measure_shares()}
    for way in ABLATIONS:
        found[way] = {}
        torch.manual_seed(0)  # the same others for all readers
        for heads in heads_and_pairs():
            with heads_ablated(_first_layer_heads(model), heads, way, pool):
                found[way][" ".join(str(head + 1) for head in heads)] = measure_shares()
    return found


def measure_silence(*, seed: int, steps: int | None = None) -> dict:
    """Train one reader, and silence its heads; see `ablate_all`."""
    return ablate_all(*train_reader(seed, steps=steps))


# One by one -------------------------------------------------------------------------


@torch.no_grad()
def sharpness(model: Tagger, pairs: PlacePairs, *, end: bool) -> Tensor:
    """The mean of the largest weight in a head's rows (Voita et al. 2019, confidence).

    Args:
        model: whose heads.
        pairs: numbers whose words ask.
        end: whether the weight on the end mark counts, and its own row.

    Returns:
        (layers, h).
    """
    src = collate(pairs).src
    weights = model.attention(src)  # (layers, B, h, n, n)
    counts = (src != PAD) & ((src != EOS) | end)  # (B, n)
    seen = weights.masked_fill(~counts[:, None, None], 0.0)
    return seen.amax(dim=-1).transpose(2, 3)[:, counts].mean(dim=1)


def ablate_in_turn(
    model: Tagger, pairs: PlacePairs, choose: Callable[[Tensor], tuple[int, int]]
) -> tuple[list[float], list[tuple[int, int]]]:
    """Silence one head after another, as `choose` says of the mask of those that speak.

    Returns:
        The share of numbers right with no head silent, one, two, …; and in which order
        they went, (layer, head) from 0.
    """
    mask = torch.ones(len(model.layers), NUM_HEADS, dtype=torch.bool)
    curve, order = [measure_reading(model, pairs, mask)["numbers"]], []
    while mask.any():
        order.append(choose(mask))
        mask[order[-1]] = False
        curve.append(measure_reading(model, pairs, mask)["numbers"])
    return curve, order


def ablation_orders(model: Tagger, pairs: PlacePairs) -> dict:
    """Three ways to choose who goes next: for each its `curve` and its `order`."""

    def cheapest_head(mask: Tensor) -> tuple[int, int]:
        def accuracy_without(pair: tuple[int, int]) -> float:
            trial = mask.clone()
            trial[pair] = False
            return measure_reading(model, pairs, trial)["words"]  # finer than numbers

        return max(_speaking_heads(mask), key=accuracy_without)

    def most_uniform_head(sharp: Tensor) -> Callable[[Tensor], tuple[int, int]]:
        return lambda mask: min(
            _speaking_heads(mask), key=lambda pair: sharp[pair].item()
        )

    choices = {
        "costs least": cheapest_head,
        "most blurred": most_uniform_head(sharpness(model, pairs, end=True)),
        "most blurred, end left out": most_uniform_head(
            sharpness(model, pairs, end=False)
        ),
    }
    found = {
        name: ablate_in_turn(model, pairs, choose) for name, choose in choices.items()
    }
    return {
        name: {"curve": curve, "order": order} for name, (curve, order) in found.items()
    }


def _speaking_heads(mask: Tensor) -> list[tuple[int, int]]:
    return [(layer, head) for layer, head in mask.nonzero().tolist()]


def measure_orders(*, seed: int, num_layers: int, steps: int | None = None) -> dict:
    """Train one reader of several layers, and silence its heads one by one."""
    model, unseen = train_reader(seed, num_layers, steps)
    return ablation_orders(model, PlacePairs(unseen[POOL][:300]))


STUDY = Study("silence", measure_silence, [{}])
ORDERS = Study("silence.orders", measure_orders, grid(num_layers=[2]))


if __name__ == "__main__":
    run_studies(__doc__, STUDY, ORDERS)
