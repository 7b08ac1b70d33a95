"""Training: losses, evaluation, schedule, the loop, checkpoints, several processes."""

from attnlab.training.loop import (
    PRECISIONS,
    SCHEDULES,
    History,
    cross_entropy_loss,
    exact_match,
    exact_match_by_length,
    exact_matches,
    learning_rate,
    mean_loss,
    reinforce_loss,
    set_seed,
    train,
)

__all__ = [
    "PRECISIONS",
    "SCHEDULES",
    "History",
    "cross_entropy_loss",
    "exact_match",
    "exact_match_by_length",
    "exact_matches",
    "learning_rate",
    "mean_loss",
    "reinforce_loss",
    "set_seed",
    "train",
]
