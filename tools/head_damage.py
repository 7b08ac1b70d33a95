"""Measures what the taggers of the heads figure lose without a head, or without two.

    python -m tools.head_damage                # all of them, some minutes
    python -m tools.head_damage places-en-1    # one

A head that is gone hands on nothing, or its mean output: the mean of what it hands on
over all words, and the end, of the numbers held out. The weights stay as they are: what
is measured is written beside them, into the header of their file.
"""

import argparse
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import Tensor

from attnlab.data import PlacePairs, batches, split_numbers
from attnlab.saved import load, names, path_of, save
from attnlab.tagger import Tagger
from attnlab.tokens import PAD
from tools.live_weights import SEED, TEST_NUMBERS, TRAIN_NUMBERS, read_right

Head = tuple[int, int]  # layer and head, counted from 0


@torch.no_grad()
def mean_outputs(model: Tagger, numbers: list[int], language: str) -> Tensor:
    """Return (layers, heads, d_head): each head's mean output over all real tokens."""
    found: list[list[Tensor]] = [[] for _ in model.layers]

    def record_output(
        layer: int, real: Tensor
    ) -> Callable[[object, tuple[Tensor]], None]:
        return lambda _, inputs: found[layer].append(inputs[0][real])

    for batch in batches(PlacePairs(numbers, language), 256):
        real = batch.src != PAD  # (batch, n)
        with ExitStack() as stack:
            for layer, out in enumerate(_output_layers(model)):
                hook = out.register_forward_pre_hook(record_output(layer, real))
                stack.callback(hook.remove)
            model(batch.src)
    means = torch.stack([torch.cat(rows).double().mean(0) for rows in found])
    return means.unflatten(-1, (_num_heads(model), -1)).float()


@contextmanager
def heads_replaced(model: Tagger, gone: list[Head], outputs: Tensor) -> Iterator[None]:
    """Within it, the heads that are gone hand on theirs of (layers, heads, d_head)."""

    def replace(layer: int) -> Callable[[object, tuple[Tensor]], Tensor]:
        def hook(_: object, inputs: tuple[Tensor]) -> Tensor:
            heads = inputs[0].unflatten(-1, outputs.shape[1:]).clone()
            for head in [head for at, head in gone if at == layer]:
                heads[..., head, :] = outputs[layer, head]
            return heads.flatten(-2)

        return hook

    with ExitStack() as stack:
        for layer, out in enumerate(_output_layers(model)):
            handle = out.register_forward_pre_hook(replace(layer))
            stack.callback(handle.remove)
        yield


def measure_damage(
    model: Tagger, numbers: list[int], language: str, outputs: Tensor
) -> list[list[float]]:
    """Return the shares of numbers read wrong without two heads, whichever they are.

    Row and column count the heads of all layers; on the diagonal one is gone. A head
    that is gone hands on `outputs`, (layers, heads, d_head).
    """
    heads = [
        (layer, head)
        for layer in range(len(model.layers))
        for head in range(_num_heads(model))
    ]
    lost = [[0.0] * len(heads) for _ in heads]
    for i, one in enumerate(heads):
        for j, other in enumerate(heads[: i + 1]):
            with heads_replaced(model, [one, other], outputs):
                share = 1 - read_right(model, numbers, language)
            lost[i][j] = lost[j][i] = round(share, 6)
    return lost


def without_heads(model: Tagger, numbers: list[int], language: str) -> dict:
    """Return what the figure shows of absent heads: means, damage, and over what."""
    means = mean_outputs(model, numbers, language)
    means = (means * 1e6).round() / 1e6
    return {
        "mean_outputs": [
            [[round(x, 6) for x in h] for h in row] for row in means.tolist()
        ],
        "damage": {
            "zero": measure_damage(model, numbers, language, torch.zeros_like(means)),
            "mean": measure_damage(model, numbers, language, means),
        },
        "damage_numbers": len(numbers),
        "damage_command": "python -m tools.head_damage",
    }


def _output_layers(model: Tagger) -> list[torch.nn.Module]:
    layers: Any = model.layers
    return [layer.mixer.heads.output_layer for layer in layers]


def _num_heads(model: Tagger) -> int:
    layers: Any = model.layers
    return layers[0].mixer.heads.num_heads


def main() -> None:
    """Measure the models named on the command line, or all, and write it down."""
    taggers = [name for name in names() if name.startswith("places-")]
    parser = argparse.ArgumentParser(
        prog="python -m tools.head_damage",
        description="Measure what taggers lose without heads, and store it.",
    )
    parser.add_argument(
        "names", nargs="*", help=f"of {', '.join(taggers)}; default all"
    )
    args = parser.parse_args()
    if unknown := set(args.names) - set(taggers):
        parser.error(f"there is no tagger {', '.join(sorted(unknown))}")
    for name in args.names or taggers:
        model, about = load(path_of(name))
        longest = about["digits"][1]
        _, numbers = split_numbers(TRAIN_NUMBERS, TEST_NUMBERS, (3, longest), SEED)
        measured = without_heads(model, numbers, about["language"])
        # JSON made texts of the lengths, which would be sorted as texts.
        measured["exact_match"] = {int(n): x for n, x in about["exact_match"].items()}
        save(path_of(name), model, about | measured)
        print(name, measured["damage"], flush=True)


if __name__ == "__main__":
    main()
