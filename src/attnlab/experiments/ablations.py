"""What is each part of the Transformer for? (claims C49, C53 and C54)

One thing at a time is taken out of, or changed in, a Transformer that learns to turn
English numerals of one to six digits into German ones. Each variant has the best of
three learning rates, and all see the same numbers in the same order, each number once.
The budget is small on purpose: the base only just learns the task, so that a part's
worth shows. Where a variant has fewer parameters than the base, a second one gets them
back in another place.

A second study, `ablations.norms`, sets post-norm against pre-norm in a deep model, six
layers on either side, with and without warm-up, at three learning rates; and gives
post-norm four times as long at the lowest of them.

    python -m attnlab.experiments.ablations --tune       # learning rates, once
    python -m attnlab.experiments.ablations --seeds 5
    python -m attnlab.experiments.ablations --norms --seeds 3

The tuning seed is not among those reported.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from attnlab.checks import check_choice
from attnlab.data import NumberPairs, split_numbers
from attnlab.experiments.numerals import (
    BATCH_SIZE,
    SHAPE,
    learn_numerals,
    rounded_tens,
    vocabularies,
)
from attnlab.experiments.study import Study, command_line, solved_at
from attnlab.layers import FeedForward
from attnlab.recurrent import count_parameters
from attnlab.store import grid
from attnlab.training import exact_match, mean_loss, set_seed
from attnlab.transformer import Transformer

DIGITS = (1, 6)
STEPS = 400
TEST_NUMBERS = 600
RATES = (1e-3, 3e-3, 1e-2)

DEEP = SHAPE | {"d_model": 32, "d_ff": 64, "num_layers": 6}
DEEP_STEPS = 300
DEEP_RATES = (1e-3, 3e-3, 1e-2)
NORM_SETTINGS = [
    *grid(norm_first=[False, True], warmup=[0.0, 0.2], lr=list(DEEP_RATES)),
    *grid(norm_first=[False], warmup=[0.0, 0.2], lr=[1e-3], steps=[4 * DEEP_STEPS]),
]


# The parts that are exchanged ---------------------------------------------------------


class NoFeedForward(nn.Module):
    """Adds nothing: the sublayer is left out."""

    def forward(self, x: Tensor) -> Tensor:
        """Map x (…, d_model) to zeros."""
        return torch.zeros_like(x)


class LinearFeedForward(FeedForward):
    """x W₁ W₂ with its biases, but without the ReLU."""

    def forward(self, x: Tensor) -> Tensor:
        """Map x (…, d_model) to the same shape."""
        return self.outer(self.dropout(self.inner(x)))


class OneSidedTransformer(Transformer):
    """Positions on the source alone, or on the target alone."""

    def __init__(self, *sizes: int, side: str, **shape: Any) -> None:
        super().__init__(*sizes, **shape)
        self.side = side

    def _embed(self, embedding: nn.Embedding, ids: Tensor, start: int) -> Tensor:
        has_positions = {"src": self.src_embedding, "tgt": self.tgt_embedding}
        if embedding is has_positions[self.side]:
            return super()._embed(embedding, ids, start)
        return self.dropout(embedding(ids) * self.scale)  # (B, n, d_model)


def transformer(**changes: object) -> Transformer:
    """Return the base, with another shape or other options."""
    return Transformer(*vocabularies(), **(SHAPE | changes))


def layers_of(model: Transformer) -> list[nn.Module]:
    """Return all layers, those of the encoder first."""
    return [*model.encoder.layers, *model.decoder.layers]


def with_feed_forward(make: Callable[[], nn.Module], **changes: object) -> Transformer:
    """Return the base with another feed-forward in every layer."""
    model = transformer(**changes)
    for layer in layers_of(model):
        layer.feed_forward = make()
    return model


def shared_feed_forward(d_ff: int) -> Transformer:
    """Return the base with one feed-forward of this width for all layers."""
    one = FeedForward(SHAPE["d_model"], d_ff)
    return with_feed_forward(lambda: one)


def unscaled(*, spread: float | None = None, **changes: object) -> Transformer:
    """Return the base without the factor √d_model.

    Args:
        spread: the standard deviation of new embeddings; None leaves them at
            1 / √d_model. With 1, what enters the layers is as large as in the base.
        changes: as for `transformer`.
    """
    model = transformer(**changes)
    model.scale = 1.0
    if spread is not None:
        nn.init.normal_(model.src_embedding.weight, std=spread)
        nn.init.normal_(model.tgt_embedding.weight, std=spread)
    return model


class SmallPositions(nn.Module):
    """Positions at a part of their size.

    Args:
        positions: a module that adds them.
        part: of what it adds.
    """

    def __init__(self, positions: nn.Module, part: float) -> None:
        super().__init__()
        self.positions, self.part = positions, part

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """Return x (…, n, d) plus the part."""
        return x + self.part * (self.positions(x, start) - x)


def unscaled_throughout() -> Transformer:
    """The base without the factor √d_model, and its positions as much smaller."""
    model = unscaled()
    positions: Any = model.positions
    model.positions = SmallPositions(positions, SHAPE["d_model"] ** -0.5)
    return model


def without_residuals(*sides: str) -> Transformer:
    """Return the base whose sublayers replace what they read: LayerNorm(Sublayer(x)).

    Args:
        sides: where: "encoder", "decoder".
    """
    model = transformer()
    layer: Any
    for side in sides:
        for layer in getattr(model, side).layers:
            layer.residual = False
    return model


def without_norms() -> Transformer:
    """Return the base without any LayerNorm, the last ones of both stacks included."""
    model = transformer()
    for module in [*layers_of(model), model.encoder, model.decoder]:
        for name, child in list(module.named_children()):
            if isinstance(child, nn.LayerNorm):
                setattr(module, name, nn.Identity())
    return model


def one_sided(side: str) -> Transformer:
    """Return the base with positions on one side alone, "src" or "tgt"."""
    return OneSidedTransformer(*vocabularies(), side=side, **SHAPE)


# What each variant is made by. Widths and depths that make up for parameters are those
# that come nearest to the base's.
VARIANTS: dict[str, Callable[[], Transformer]] = {
    "base": transformer,
    "pre-norm": lambda: transformer(norm_first=True),
    "no residual": lambda: without_residuals("encoder", "decoder"),
    "no residual, encoder": lambda: without_residuals("encoder"),
    "no residual, decoder": lambda: without_residuals("decoder"),
    "no norm": without_norms,
    "no FFN": lambda: with_feed_forward(NoFeedForward),
    "no FFN, wider": lambda: with_feed_forward(NoFeedForward, d_model=48),
    "no FFN, deeper": lambda: with_feed_forward(NoFeedForward, num_layers=3),
    "FFN ×4": lambda: transformer(d_model=32, d_ff=4 * 32),
    "linear FFN": lambda: with_feed_forward(
        lambda: LinearFeedForward(SHAPE["d_model"], SHAPE["d_ff"])
    ),
    "shared FFN": lambda: shared_feed_forward(SHAPE["d_ff"]),
    "shared FFN, wider": lambda: shared_feed_forward(4 * SHAPE["d_ff"]),
    "no √d": unscaled,
    "no √d, large": lambda: unscaled(spread=1.0),
    "no √d, small positions": unscaled_throughout,
    "tied": lambda: transformer(tie_embeddings=True),
    "tied, no √d": lambda: unscaled(tie_embeddings=True),
    "tied, no √d, large": lambda: unscaled(tie_embeddings=True, spread=1.0),
    "no positions": lambda: transformer(positions="none"),
    "source positions": lambda: one_sided("src"),
    "target positions": lambda: one_sided("tgt"),
}


def build(variant: str) -> Transformer:
    """Return the untrained model of that variant.

    Raises:
        ValueError: an unknown variant.
    """
    check_choice("variant", variant, VARIANTS)
    return VARIANTS[variant]()


# Measuring ----------------------------------------------------------------------------


def train_and_test(
    make: Callable[[], Transformer],
    *,
    seed: int,
    lr: float,
    steps: int,
    warmup: float = 0.1,
    test_numbers: int = TEST_NUMBERS,
) -> dict:
    """Train a model on `steps` batches of new numbers, and test it on others.

    A training whose loss becomes infinite ends there: nothing is right.

    Returns:
        `parameters`; `exact`, the share of unseen numerals that are right; their
        `valid_loss`, None after an infinite loss; the `curve` of learning, see
        `rounded_tens`; and `solved_at`, the step at which 95% were right.
    """
    numbers, held_out = split_numbers(steps * BATCH_SIZE, test_numbers, DIGITS, seed)
    tests = NumberPairs(held_out)
    set_seed(seed)
    model = make()
    metrics = {"parameters": count_parameters(model)}
    try:
        history = learn_numerals(
            model, numbers, lr=lr, seed=seed, steps=steps, warmup=warmup
        )
    except FloatingPointError:
        lost: dict[str, Any] = {
            "exact": 0.0,
            "valid_loss": None,
            "curve": [],
            "solved_at": None,
        }
        return metrics | lost
    curve = rounded_tens(history.accuracy)
    return metrics | {
        "exact": round(exact_match(model, tests), 4),
        "valid_loss": mean_loss(model, tests),
        "curve": curve,
        "solved_at": solved_at(curve),
    }


def measure_ablation(
    *, seed: int, variant: str, lr: float, steps: int = STEPS, **options: int
) -> dict:
    """Train and test one variant; see `train_and_test`."""
    return train_and_test(
        lambda: build(variant), seed=seed, lr=lr, steps=steps, **options
    )


def measure_norm(
    *,
    seed: int,
    norm_first: bool,
    warmup: float,
    lr: float,
    steps: int = DEEP_STEPS,
    **options: int,
) -> dict:
    """Train and test a deep model; see `train_and_test`."""
    return train_and_test(
        lambda: transformer(**DEEP, norm_first=norm_first),
        seed=seed,
        lr=lr,
        steps=steps,
        warmup=warmup,
        **options,
    )


def lowest_loss(runs: list[dict]) -> dict:
    """Return the run with the lowest validation loss of those that stayed finite."""
    finite = [run for run in runs if run["figures"]["valid_loss"] is not None]
    return min(finite, key=lambda run: run["figures"]["valid_loss"])


VARIANT_SETTINGS = grid(variant=list(VARIANTS))
STUDY = Study("ablations", measure_ablation, VARIANT_SETTINGS, RATES, lowest_loss)
NORMS = Study("ablations.norms", measure_norm, NORM_SETTINGS)


def main() -> None:
    """Tune, or run every variant with the rate found; or set the norms side by side."""
    parser = command_line(__doc__, tune=True)
    parser.add_argument("--norms", action="store_true", help="post-norm and pre-norm")
    args = parser.parse_args()
    (NORMS if args.norms else STUDY).run(args)


if __name__ == "__main__":
    main()
