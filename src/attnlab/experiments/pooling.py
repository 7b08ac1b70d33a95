"""Three ways to sum a sequence up for a classifier. (claim C15)

A GRU reads a sequence of digits; one vector has to be made of its states, and that
vector is mapped to ten classes. The vector is the last state, the mean of all
states, or their sum weighted by attention. Two tasks:

- marked: name the digit right after the one marker; nothing else matters;
- common: name the digit that occurs most often; every position matters.

`pooling.frozen` asks what that takes of the GRU: it stays as it began.

Run all seeds with `python -m attnlab.experiments.pooling --seeds 5`. With `--tune`
it tries three learning rates on a seed that is not among those reported.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnlab.checks import check_choice
from attnlab.experiments.study import Study, fit, means_of_tens, run_studies, solved_at
from attnlab.store import grid

DIGITS = 10  # chance level is 1 / DIGITS
MARKER = 10
POOLINGS = ("last", "mean", "attention")
TASKS = ("marked", "common")
RATES = (1e-3, 3e-3, 1e-2)


def marked_batch(size: int, length: int) -> tuple[Tensor, Tensor]:
    """Random digits with one marker, `(size, length)`, and the digit after it."""
    digits = torch.randint(DIGITS, (size, length))
    place = torch.randint(length - 1, (size, 1))
    labels = digits.gather(1, place + 1).squeeze(1)  # (size,)
    return digits.scatter(1, place, MARKER), labels


def common_batch(size: int, length: int) -> tuple[Tensor, Tensor]:
    """Digits `(size, length)`, a third of a row alike, and which: `(size,)`."""
    labels = torch.randint(DIGITS, (size,))
    digits = torch.randint(DIGITS, (size, length))
    chosen = torch.rand(size, length) < 0.25
    return torch.where(chosen, labels[:, None], digits), labels


BATCHES = {"marked": marked_batch, "common": common_batch}


class Classifier(nn.Module):
    """GRU states pooled into one vector, and that vector mapped to ten classes.

    A pooling that is none of `POOLINGS` raises ValueError.
    """

    def __init__(self, pooling: str, d_model: int) -> None:
        super().__init__()
        check_choice("pooling", pooling, POOLINGS)
        self.pooling = pooling
        self.embedding = nn.Embedding(DIGITS + 1, d_model)
        self.gru = nn.GRU(d_model, d_model, batch_first=True)
        self.query = nn.Parameter(torch.zeros(d_model))  # one learned question
        self.output = nn.Linear(d_model, DIGITS)

    def weights(self, states: Tensor) -> Tensor:
        """States `(batch, length, d)` to weights `(batch, length)`, each row sum 1."""
        length = states.shape[1]
        if self.pooling == "attention":
            return (states @ self.query).softmax(dim=-1)
        if self.pooling == "mean":
            return states.new_full(states.shape[:2], 1 / length)
        last = torch.arange(length) == length - 1
        return last.to(states).expand(states.shape[:2])

    def forward(self, tokens: Tensor, *, swap: bool = False) -> Tensor:
        """Tokens `(batch, length)` to logits `(batch, 10)`.

        With `swap` each row is pooled by the weights of the row before it.
        """
        states, _ = self.gru(self.embedding(tokens))  # (batch, length, d)
        weights = self.weights(states)
        if swap:
            weights = weights.roll(1, dims=0)
        pooled = torch.einsum("bl,bld->bd", weights, states)
        return self.output(pooled)


def measure_pooling(
    *,
    seed: int,
    task: str,
    pooling: str,
    length: int = 40,
    d_model: int = 32,
    steps: int = 300,
    lr: float = 3e-3,
    frozen: bool = False,
) -> dict:
    """Train one classifier; measure it on new sequences, of 40 digits and of 200.

    `frozen` leaves embedding and GRU as they begin: query and read-out alone learn.

    `solved_at` is the first training step, counted in tens, whose ten batches were
    95% right on average; the number of steps if there is none. `swapped` is the
    accuracy on 40 digits with each row pooled by another row's weights.
    """
    torch.manual_seed(seed)
    model = Classifier(pooling, d_model)
    if frozen:
        model.embedding.requires_grad_(False)
        model.gru.requires_grad_(False)
    right = []

    def draw_loss() -> Tensor:
        tokens, labels = BATCHES[task](64, length)
        logits = model(tokens)
        right.append((logits.argmax(dim=-1) == labels).float().mean().item())
        return F.cross_entropy(logits, labels)

    fit(model, draw_loss, steps=steps, lr=lr)
    solved = solved_at(means_of_tens(right))
    return {
        "accuracy": accuracy(model, task, length),
        "longer": accuracy(model, task, 5 * length),
        "swapped": accuracy(model, task, length, swap=True),
        "solved_at": steps if solved is None else solved,
    }


@torch.no_grad()
def accuracy(
    model: Classifier,
    task: str,
    length: int,
    samples: int = 500,
    *,
    swap: bool = False,
) -> float:
    """The share of `samples` new sequences of this length classified right.

    With `swap` each is pooled by the weights of another.
    """
    tokens, labels = BATCHES[task](samples, length)
    return (model(tokens, swap=swap).argmax(dim=-1) == labels).float().mean().item()


def most_accurate(runs: list[dict]) -> dict:
    """Return the run with the best accuracy; the fastest of equals."""
    return max(
        runs, key=lambda run: (run["figures"]["accuracy"], -run["figures"]["solved_at"])
    )


SETTINGS = grid(task=list(TASKS), pooling=list(POOLINGS))
STUDY = Study("pooling", measure_pooling, SETTINGS, RATES, most_accurate)
FROZEN = Study(
    "pooling.frozen",
    measure_pooling,
    grid(task=list(TASKS), pooling=list(POOLINGS), lr=[0.01, 0.1], frozen=[True]),
)


if __name__ == "__main__":
    run_studies(__doc__, STUDY, FROZEN)
