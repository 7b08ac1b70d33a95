"""Training: losses, evaluation, schedule, the loop, checkpoints, several processes."""

from attnlab.training.evaluation import (
    exact_match,
    exact_match_by_length,
    exact_matches,
    mean_loss,
    tagging_accuracy,
)
from attnlab.training.loop import History, Progress, train
from attnlab.training.losses import (
    Loss,
    cross_entropy_loss,
    next_token_loss,
    reinforce_loss,
    tagging_loss,
)
from attnlab.training.schedule import SCHEDULES, learning_rate
from attnlab.training.settings import PRECISIONS, Settings, set_seed

__all__ = [
    "PRECISIONS",
    "SCHEDULES",
    "History",
    "Loss",
    "Progress",
    "Settings",
    "cross_entropy_loss",
    "exact_match",
    "exact_match_by_length",
    "exact_matches",
    "learning_rate",
    "mean_loss",
    "next_token_loss",
    "reinforce_loss",
    "set_seed",
    "tagging_accuracy",
    "tagging_loss",
    "train",
]
