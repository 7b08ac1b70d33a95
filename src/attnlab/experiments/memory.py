"""How far back does a recurrent network remember? (claim C05)

A sequence of digits is read; the network must then name the *first* one. The
digits in between are noise. Two measurements for the tanh RNN, the GRU and the
LSTM, both against the distance from the first digit to the end:

- gradient: the norm of d(last state)/d(first embedding), before any training;
- recall: the share of first digits named correctly after training, once with
  every training sequence at the tested distance, once with training distances
  drawn evenly from 1 up to the largest ("mixed").

The learning rate 0.003 was the best or equal best of 0.0003, 0.001 and 0.003 for
each cell, on a seed that is not among those reported. It is also the largest of them:
`memory.rates` has larger ones, at the largest distance.

All that is at PyTorch's first weights. `memory.starts` begins elsewhere, at one
distance: with a bias that makes the LSTM's forget gate keep what it has (Gers et al.
2000, Jozefowicz et al. 2015), or with an orthogonal matrix from state to state in the
tanh RNN (Saxe et al. 2014).

`memory.ungated` gives the tanh RNN, which has no gates, what helps the others most,
mixed lengths, and twice the steps at a rate of its own.

    python -m attnlab.experiments.memory --tune        # memory.ungated's rates
    python -m attnlab.experiments.memory --seeds 5
"""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnlab.experiments.study import Study, fit, run_studies
from attnlab.recurrence import CELLS, Recurrence
from attnlab.store import grid

DIGITS = 10  # chance level is 1 / DIGITS


class FirstDigit(nn.Module):
    """Reads digits one by one and names the first from the last state."""

    def __init__(self, cell: str, d_model: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(DIGITS, d_model)
        self.rnn = Recurrence(cell, d_model, d_model)
        self.output = nn.Linear(d_model, DIGITS)

    def last_state(self, embedded: Tensor) -> Tensor:
        """``(batch, length, d_model)`` embeddings to the last state ``(batch, d)``."""
        states, _ = self.rnn(embedded)
        return states[:, -1]

    def forward(self, digits: Tensor) -> Tensor:
        """``(batch, length)`` digits to logits ``(batch, 10)`` for the first digit."""
        return self.output(self.last_state(self.embedding(digits)))


def gradient_norm(model: FirstDigit, distance: int) -> float:
    """Mean norm of d(sum of last state)/d(first embedding) over 64 sequences."""
    digits = torch.randint(DIGITS, (64, distance + 1))
    embedded = model.embedding(digits).detach().requires_grad_()
    model.last_state(embedded).sum().backward()
    return embedded.grad[:, 0].norm(dim=-1).mean().item()


@torch.no_grad()
def recall_share(model: FirstDigit, distance: int, samples: int = 1000) -> float:
    """Share of first digits named correctly at this distance."""
    digits = torch.randint(DIGITS, (samples, distance + 1))
    hits = model(digits).argmax(dim=-1) == digits[:, 0]
    return hits.float().mean().item()


def train_recall(
    model: FirstDigit, distances: tuple[int, int], steps: int, lr: float
) -> None:
    """Train on distances drawn evenly from ``distances`` (both ends included)."""
    low, high = distances

    def draw_loss() -> Tensor:
        distance = int(torch.randint(low, high + 1, ()))
        digits = torch.randint(DIGITS, (64, distance + 1))
        return F.cross_entropy(model(digits), digits[:, 0])

    fit(model, draw_loss, steps=steps, lr=lr)


@torch.no_grad()
def open_keep_gates(model: FirstDigit, cell: str, keep: float) -> None:
    """Change first weights so that the state is kept from step to step.

    Args:
        model: as PyTorch begins it.
        cell: of the model. The tanh RNN gets an orthogonal matrix, times `keep`.
        keep: what is added to the bias of the LSTM's forget gate or the GRU's update
            gate. Both stand second among the gates.
    """
    if cell == "rnn":
        nn.init.orthogonal_(model.rnn.weight_hh_l0, gain=keep)
        return
    width = model.rnn.d_state
    model.rnn.bias_hh_l0[width : 2 * width] += keep


def measure_memory(
    *,
    seed: int,
    cell: str,
    distance: int,
    mixed: bool,
    steps: int = 1000,
    lr: float = 3e-3,
    keep: float | None = None,
) -> dict:
    """Train one network of width 64 and measure it at ``distance``.

    With ``mixed`` the training distances run from 1 to ``distance``; without it
    every training sequence has exactly this distance. ``keep`` is for
    `open_keep_gates`; None leaves PyTorch's first weights.
    """
    torch.manual_seed(seed)
    model = FirstDigit(cell, 64)
    if keep is not None:
        open_keep_gates(model, cell, keep)
    gradient = gradient_norm(model, distance)
    train_recall(model, (1 if mixed else distance, distance), steps, lr)
    return {"gradient_untrained": gradient, "recall": recall_share(model, distance)}


SETTINGS = [
    *grid(cell=list(CELLS), distance=[2, 5, 10, 20, 40], mixed=[False, True]),
    *grid(cell=list(CELLS), distance=[40], mixed=[False], steps=[4000]),
]
STUDY = Study("memory", measure_memory, SETTINGS)
FAR_SETTING = {"distance": 40, "mixed": False}
RATES = Study(
    "memory.rates",
    measure_memory,
    grid(cell=list(CELLS), distance=[40], mixed=[False], lr=[0.01, 0.03]),
)
STARTS = Study(
    "memory.starts",
    measure_memory,
    [
        {"cell": "rnn", **FAR_SETTING, "keep": 1.0},
        {"cell": "lstm", **FAR_SETTING, "keep": 1.0},
        {"cell": "lstm", **FAR_SETTING, "keep": 3.0},
    ],
)


def best_recall(runs: list[dict]) -> dict:
    """Return the run that recalled most; of equals the one at the largest rate."""
    return max(runs, key=lambda run: (run["figures"]["recall"], run["setting"]["lr"]))


UNGATED = Study(
    "memory.ungated",
    measure_memory,
    [{"cell": "rnn", "distance": 40, "mixed": True, "steps": 2000, "keep": None}],
    (1e-3, 3e-3),
    best_recall,
)


if __name__ == "__main__":
    run_studies(__doc__, STUDY, RATES, STARTS, UNGATED)
