"""By what should a dot product be scaled? (claim C21)

The tagger of `attnlab.data.places` with one layer and one head as wide as the model,
and the scores multiplied by 1, 1/√d or 1/d. Two more have the scale 1/√d and one half
each of what 1/d changes: the small scores that it begins with, or the small steps that
Adam, whose steps do not know the scale, then takes with them. Measured for each:

- weight, jacobian, share: before training, how sharp the weights are, how much of a
  gradient the softmax lets through, and how much of it reaches the queries' matrix;
- loss: during training, the mean of every twenty steps;
- words: after it, the share of held-out words with a worth told right.

    python -m attnlab.experiments.scale --tune        # learning rates, once
    python -m attnlab.experiments.scale --seeds 5

The tuning seed is not among those reported.
"""

from typing import Any

import torch
from torch import Tensor, nn

from attnlab.checks import check_choice
from attnlab.data import PAD, collate
from attnlab.data.places import NUM_CLASSES, PlacePairs
from attnlab.experiments.encoders import make_data, word_accuracy
from attnlab.experiments.study import Study, run_studies
from attnlab.store import grid
from attnlab.tagger import Tagger
from attnlab.training import Progress, set_seed, tagging_loss, train

# Of each scale: the powers of d by which the scores are multiplied, beside the 1/√d
# that attention has, and W_Q at its start.
SCALES = {
    "1": (0.5, 0.0),
    "1/√d": (0.0, 0.0),
    "1/d": (-0.5, 0.0),
    "begins as 1/d": (0.0, -0.5),
    "steps as 1/d": (-0.5, 0.5),
}
WIDTHS = (32, 128)
RATES = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1)


class FixedScale(nn.Module):
    """Multiplies by a fixed number."""

    def __init__(self, factor: float) -> None:
        super().__init__()
        self.factor = factor

    def forward(self, x: Tensor) -> Tensor:
        """Any shape to the same shape."""
        return self.factor * x


def build(pairs: PlacePairs, scale: str, d_model: int) -> Tagger:
    """Return the untrained tagger whose scores are multiplied by `scale`.

    Attention divides by √d itself. Its queries are multiplied by what is missing.

    Raises:
        ValueError: an unknown scale.
    """
    check_choice("scale", scale, SCALES)
    model = Tagger(len(pairs.vocab), NUM_CLASSES, d_model, num_heads=1)
    missing, start = (d_model**power for power in SCALES[scale])
    heads: Any = model.layers[0].mixer.heads
    with torch.no_grad():
        heads.query_layer.weight *= start
    heads.query_layer = nn.Sequential(heads.query_layer, FixedScale(missing))
    return model


def measure_start(model: Tagger, pairs: PlacePairs) -> dict:
    """Before training: how sharp the weights are, and what gradient comes through.

    Returns:
        `weight`, the largest weight of a row, median over the first 64 numerals;
        `jacobian`, |∂weights/∂scores| of a row (Frobenius norm), the median; and
        `share`, |∂loss/∂W_Q| / |∂loss/∂W_V|. Both get their gradient from the same
        outputs; only what goes to W_Q has to pass through the softmax.
    """
    batch = collate([pairs[i] for i in range(64)])
    with torch.no_grad():
        weights = model.attention(batch.src)[0, :, 0]  # (64, n, n)
    rows = weights[batch.src != PAD]  # (tokens, n)
    model.zero_grad()
    tagging_loss(model, batch)[0].backward()
    heads: Any = model.layers[0].mixer.heads
    through = heads.query_layer[0].weight.grad.norm()
    beside = heads.value_layer.weight.grad.norm()
    return {
        "weight": rows.amax(-1).median().item(),
        "jacobian": softmax_jacobian(rows).norm(dim=(-2, -1)).median().item(),
        "share": (through / beside).item(),
    }


def softmax_jacobian(weights: Tensor) -> Tensor:
    """∂weightᵢ/∂scoreⱼ = weightᵢ (1[i = j] − weightⱼ): (…, n) to (…, n, n)."""
    return weights.diag_embed() - weights[..., :, None] * weights[..., None, :]


def measure_scale(
    *,
    seed: int,
    scale: str,
    d_model: int,
    lr: float,
    steps: int = 400,
    train_numbers: int = 6_000,
    progress: bool | Progress = False,
) -> dict:
    """Train one tagger; see the head of this module for what is measured.

    `progress` is as `attnlab.training.train` takes it.
    """
    pairs, held_out = make_data(seed, train_numbers)
    set_seed(seed)
    model = build(pairs, scale, d_model)
    start = measure_start(model, pairs)
    history = train(
        model,
        pairs,
        steps=steps,
        lr=lr,
        loss=tagging_loss,
        seed=seed,
        progress=progress,
    )
    means = [sum(history.loss[i : i + 20]) / 20 for i in range(0, steps, 20)]
    return {
        **start,
        "loss": [round(mean, 4) for mean in means],
        "words": word_accuracy(model, held_out),
    }


def lowest_loss(runs: list[dict]) -> dict:
    """Return the run with the lowest loss over its last hundred steps."""
    return min(runs, key=lambda run: sum(run["figures"]["loss"][-5:]))


SETTINGS = grid(scale=list(SCALES), d_model=list(WIDTHS))
STUDY = Study("scale", measure_scale, SETTINGS, RATES, lowest_loss)


if __name__ == "__main__":
    run_studies(__doc__, STUDY)
