"""Soft against hard attention. (claim C11)

Hard attention looks at one position, drawn from the weights. It learns

- by REINFORCE (Williams 1992), with a moving baseline or without;
- by passing the draw's gradient straight on to the weights (Bengio et al. 2013), the
  draw being an ordinary one or Gumbel's (Jang et al. 2016);
- from the exact likelihood, a sum over all positions and no draw (Deng et al. 2018).

In evaluation all of them look at the heaviest position alone. Measured beside soft
attention, for the same model, data and budget: the validation accuracy after every
epoch, exact match by length, the alignment error rate, and how noisy the gradient is.

The control is hard attention to whose score nothing of that is told: the ordinary loss
reaches what reads the drawn state, and stops at the draw.

    python -m attnlab.experiments.hard --tune
    python -m attnlab.experiments.hard --seeds 5

The tuning seed is not among those reported.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnlab.checks import check_choice
from attnlab.data import (
    PAD,
    Batch,
    NumberPairs,
    collate,
    sample_numbers,
    split_numbers,
)
from attnlab.experiments.scores import (
    BEYOND_DIGITS,
    RATES,
    TRAINED_DIGITS,
    measure_alignment,
    score_of,
)
from attnlab.experiments.study import Study, command_line
from attnlab.masks import masked_softmax
from attnlab.recurrent import Seq2Seq
from attnlab.recurrent_attention import Attention, AttentionOutput, choose
from attnlab.scores import Score
from attnlab.store import grid
from attnlab.training import (
    Loss,
    cross_entropy_loss,
    exact_match_by_length,
    reinforce_loss,
    set_seed,
    train,
)

ESTIMATORS = ("soft", "hard", "hard, no baseline")
STRAIGHT_THROUGH = ("straight-through", "straight-through Gumbel")
EXACT_SUM = "exact sum"
NO_SCORE_GRADIENT = (
    "hard, no REINFORCE"  # no gradient for the score, so none to be noisy
)


def straight_through(weights: Tensor) -> Tensor:
    """Draw a position of each row (…, L_s): one-hot, with the weights' gradient."""
    choice, _, _ = choose(weights, sample=True)
    return choice + weights - weights.detach()


def straight_through_gumbel(weights: Tensor) -> Tensor:
    """Do the same, (…, L_s), with the gradient of a softmax of noisy log-weights."""
    tiny = torch.finfo(weights.dtype).tiny
    return F.gumbel_softmax(weights.clamp(min=tiny).log(), hard=True)


DRAWS = dict(
    zip(STRAIGHT_THROUGH, (straight_through, straight_through_gumbel), strict=True)
)


class StraightThroughAttention(Attention):
    """Hard attention through whose draw a gradient passes.

    Args:
        score: one of `attnlab.scores`.
        draw: maps weights (batch, L_q, L_s) to one-hot rows that have a gradient.
    """

    def __init__(self, score: Score, draw: Callable[[Tensor], Tensor]) -> None:
        super().__init__(score)
        self.draw = draw

    def forward(
        self, query: Tensor, keys: Tensor, memory: Tensor, mask: Tensor, time: Tensor
    ) -> AttentionOutput:
        soft = super().forward(query, keys, memory, mask, time).weights
        drawn = self.draw(soft) if self.training else choose(soft, sample=False)[0]
        return AttentionOutput(drawn @ memory, drawn)


def exact_loss(model: Any, batch: Batch) -> tuple[Tensor, Tensor]:
    """Return −log of the expected P(true token), and the accuracy of that mean.

    P(y_t) = Σ_j α_tj P(y_t | position j): the read-out is asked at every position.

    Args:
        model: of Luong's style without input feeding, so that a position changes what
            is read out and no later state.
        batch: `src` and `tgt`, as for `cross_entropy_loss`.
    """
    inputs, targets = batch.tgt[:, :-1], batch.tgt[:, 1:]
    decoder, encoded = model.decoder, model.encode(batch.src)
    start = decoder.start(encoded)
    states, _ = decoder._run_rnn([decoder.embedding(inputs)], start)
    scores = decoder.attention.score.compare(states, start.keys)
    weights = masked_softmax(scores, start.mask)  # (batch, L_t, L_s)
    shape = *weights.shape, states.shape[-1]  # every step at every position
    looked_at = encoded.memory[:, None].expand(shape)
    asking = states[:, :, None].expand(shape)
    logits = decoder._logits(decoder._combine(looked_at, asking))
    expected = torch.einsum("bts,btsv->btv", weights, logits.softmax(dim=-1))
    true = expected.gather(2, targets[..., None])[..., 0]  # (batch, L_t)
    real = targets != PAD
    right = (expected.argmax(dim=-1) == targets)[real].float().mean()
    return -true[real].clamp(min=1e-12).log().mean(), right


def reinforce_without_baseline(model: Any, batch: Batch) -> tuple[Tensor, Tensor]:
    """`reinforce_loss` with a baseline that stays 0."""
    model.baseline.zero_()
    return reinforce_loss(model, batch)


LOSSES: dict[str, Loss] = {
    "soft": cross_entropy_loss,
    "hard": reinforce_loss,
    "hard, no baseline": reinforce_without_baseline,
    **dict.fromkeys(STRAIGHT_THROUGH, cross_entropy_loss),
    EXACT_SUM: exact_loss,
    NO_SCORE_GRADIENT: cross_entropy_loss,
}


def build(pairs: NumberPairs, estimator: str, d_model: int) -> Seq2Seq:
    """Return the model of chapter 2 (general score, read both ways), soft or hard.

    An unknown estimator raises ValueError.
    """
    check_choice("estimator", estimator, LOSSES)
    model = Seq2Seq(
        len(pairs.src_vocab),
        len(pairs.tgt_vocab),
        d_model,
        score=score_of("general", d_model),
        bidirectional=True,
        hard=estimator != "soft",
    )
    if estimator in STRAIGHT_THROUGH:
        decoder: Any = model.decoder
        decoder.attention = StraightThroughAttention(
            decoder.attention.score, DRAWS[estimator]
        )
    return model


def gradient_noise(
    model: nn.Module, loss: Loss, batch: Batch, draws: int = 30
) -> float:
    """Return how much the gradient of one batch varies from draw to draw.

    The variance of the score's gradient, summed over its entries, divided by the
    squared length of the mean gradient. 0 means the same gradient every time, 1 that
    noise and signal are as long as each other.
    """
    weights = list(model.decoder.attention.score.parameters())
    drawn = []
    for _ in range(draws):
        value, _ = loss(model, batch)
        gradients = torch.autograd.grad(value, weights)
        drawn.append(torch.cat([gradient.flatten() for gradient in gradients]))
    each = torch.stack(drawn)  # (draws, entries)
    return (each.var(dim=0).sum() / each.mean(dim=0).square().sum()).item()


def measure_noise(estimator: str, pairs: NumberPairs, d_model: int) -> float:
    """Gradient noise of a model that has not learned anything yet."""
    model = build(pairs, estimator, d_model).train()
    batch = collate([pairs[i] for i in range(64)])
    for _ in range(50):  # let the moving baseline, if there is one, settle
        LOSSES[estimator](model, batch)
    return gradient_noise(model, LOSSES[estimator], batch)


def measure_hard(
    *,
    seed: int,
    estimator: str,
    lr: float = 3e-3,
    d_model: int = 64,
    train_numbers: int = 10_000,
    epochs: int = 4,
    progress: bool = False,
) -> dict:
    """Train one model and measure it on numbers it has not seen.

    `gradient_noise` is that of the score; it has none without REINFORCE.
    """
    set_seed(seed)
    train_set, test_set = split_numbers(train_numbers, 1_500, TRAINED_DIGITS, seed)
    valid, test_set = NumberPairs(test_set[:300]), test_set[300:]
    pairs = NumberPairs(train_set)
    tests = NumberPairs(test_set + sample_numbers(400, BEYOND_DIGITS, seed))
    metrics: dict[str, Any] = {}
    if estimator != NO_SCORE_GRADIENT:
        metrics["gradient_noise"] = measure_noise(estimator, pairs, d_model)
    set_seed(seed)  # the same first weights for all
    model = build(pairs, estimator, d_model)
    history = train(
        model,
        pairs,
        epochs=epochs,
        lr=lr,
        loss=LOSSES[estimator],
        valid=valid,
        seed=seed,
        progress=progress,
    )
    return {
        **metrics,
        "valid": [epoch["valid"] for epoch in history.epochs],
        "exact_match": exact_match_by_length(model, tests),
        **measure_alignment(model, test_set[:600]),
    }


def fastest_learner(runs: list[dict]) -> dict:
    """Return the run with the best mean of the epochs' validation accuracies.

    All rates end near the same accuracy; what is compared here is how fast.
    """
    return max(runs, key=lambda run: sum(run["figures"]["valid"]))


SETTINGS = grid(estimator=list(LOSSES))
STUDY = Study(
    "hard", measure_hard, SETTINGS, RATES, fastest_learner, shorter={"epochs": 3}
)


def main() -> None:
    """Tune, or run every estimator with the rates found, or those that are named."""
    parser = command_line(__doc__, tune=True)
    parser.add_argument("--estimators", nargs="+", choices=LOSSES, default=[*LOSSES])
    args = parser.parse_args()
    STUDY.run(args, [s for s in SETTINGS if s["estimator"] in args.estimators])


if __name__ == "__main__":
    main()
