"""What do several heads buy? (claims C28, C30 and C32)

A shelf holds eight boxes, each with a label and a content. Someone asks for one label,
or for two in order, and wants the contents, in the same order. One attention answers
the one question: its query says what is asked for, its keys and values come from the
boxes, and each answer is read from its output,

- by a linear layer alone, or
- after a hidden layer that all answers share ("hidden").

What varies is the number of heads, and whether they share the model's width out among
them ("shared": every model has the same number of parameters) or have all of it each
("full").

The second experiment does the same with numerals: a `Tagger` says for every word of a
number which power of ten it counts (`attnlab.data.places`). The third measures the
subspaces that two heads read, before training and after it.

Run all seeds with `python -m attnlab.experiments.heads --seeds 5`. With `--tune` it
tries four learning rates on a seed that is not among those reported.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnlab.attention import MultiHeadAttention
from attnlab.data import PlacePairs, collate, split_numbers
from attnlab.data.places import NO_PLACE, NUM_CLASSES
from attnlab.experiments.study import Study, mean_at_rate, run_studies
from attnlab.recurrent import count_parameters
from attnlab.store import grid
from attnlab.tagger import Tagger
from attnlab.training import set_seed, tagging_accuracy, tagging_loss, train

LABELS, CONTENTS, BOXES = 32, 8, 8  # chance level is 1 / CONTENTS
D_MODEL = 16
RATES = (1e-3, 3e-3, 1e-2, 3e-2, 1e-1)


def look_up_batch(size: int, asked: int) -> dict[str, Tensor]:
    """Shelves with `asked` of their boxes, a different one each, asked for.

    Returns:
        `labels` and `contents`, (size, 8), no label twice on a shelf; `places`, which
        boxes are asked for, their labels `questions` and contents `answers`, all
        (size, asked).
    """
    labels = torch.rand(size, LABELS).argsort(dim=-1)[:, :BOXES]
    contents = torch.randint(CONTENTS, (size, BOXES))
    places = torch.rand(size, BOXES).argsort(dim=-1)[:, :asked]
    return {
        "labels": labels,
        "contents": contents,
        "places": places,
        "questions": labels.gather(1, places),
        "answers": contents.gather(1, places),
    }


class LookUp(nn.Module):
    """One attention from a question to the boxes of a shelf.

    Args:
        asked: how many labels the question names.
        num_heads, d_head, bias: as for `MultiHeadAttention`.
        d_model: the width of the embeddings.
        hidden: whether a hidden layer stands between attention and read-out.
    """

    def __init__(
        self,
        asked: int,
        num_heads: int,
        *,
        d_model: int = D_MODEL,
        d_head: int | None = None,
        hidden: bool = False,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.questions = nn.ModuleList(
            nn.Embedding(LABELS, d_model) for _ in range(asked)
        )
        self.labels = nn.Embedding(LABELS, d_model)
        self.contents = nn.Embedding(CONTENTS, d_model)
        self.attention = MultiHeadAttention(
            d_model, num_heads, d_head=d_head, bias=bias
        )
        self.hidden: nn.Module = nn.Identity()
        if hidden:
            self.hidden = nn.Sequential(
                nn.Linear(d_model, 4 * d_model),
                nn.ReLU(),
                nn.Linear(4 * d_model, d_model),
            )
        self.outputs = nn.ModuleList(nn.Linear(d_model, CONTENTS) for _ in range(asked))

    def forward(self, batch: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        """Return logits (B, asked, contents) and weights (B, heads, boxes)."""
        asked = batch["questions"].unbind(dim=1)
        query = sum(
            embed(label) for embed, label in zip(self.questions, asked, strict=True)
        )  # (B, d_model): all labels asked for in one query
        boxes = self.labels(batch["labels"]) + self.contents(batch["contents"])
        output, weights = self.attention(
            query[:, None], boxes, need_weights=True
        )  # (B, 1, d_model), (B, heads, 1, boxes)
        output = self.hidden(output[:, 0])  # (B, d_model)
        logits = torch.stack([read(output) for read in self.outputs], dim=1)
        return logits, weights[:, :, 0]


def train_look_up(
    *,
    seed: int,
    asked: int,
    num_heads: int,
    width: str = "shared",
    hidden: bool = False,
    bias: bool = True,
    lr: float = 1e-2,
    steps: int = 1500,
) -> LookUp:
    """Train one model; `width` is "shared" or "full", the others as for `LookUp`.

    Another width raises ValueError.
    """
    if width not in ("shared", "full"):
        raise ValueError(f"width must be 'shared' or 'full', got {width!r}")
    torch.manual_seed(seed)
    d_head = None if width == "shared" else D_MODEL
    model = LookUp(asked, num_heads, d_head=d_head, hidden=hidden, bias=bias)
    fit_look_up(model, asked, lr=lr, steps=steps)
    return model


def fit_look_up(model: LookUp, asked: int, *, lr: float, steps: int = 1500) -> None:
    """Train a model on fresh shelves, with a learning rate that falls to 0."""
    optimizer = torch.optim.Adam(model.parameters(), lr=lr, fused=True)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, steps)
    for _ in range(steps):
        batch = look_up_batch(128, asked)
        logits, _ = model(batch)
        loss = F.cross_entropy(logits.flatten(0, 1), batch["answers"].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()


@torch.no_grad()
def measure_model(model: LookUp, asked: int, samples: int = 2000) -> dict:
    """How often it is right, and where its heads look, on new shelves.

    Returns:
        `accuracy`, the share of shelves with every answer right; `each`, that of each
        answer; `mass`, for each answer and head the mean weight on its box;
        `similarity`, see `map_similarity`; and `parameters`.
    """
    batch = look_up_batch(samples, asked)
    logits, weights = model(batch)
    right = logits.argmax(dim=-1) == batch["answers"]  # (samples, asked)
    places = batch["places"][:, None].expand(-1, weights.shape[1], -1)
    mass = weights.gather(2, places).mean(dim=0).T  # (asked, heads)
    return {
        "accuracy": right.all(dim=1).float().mean().item(),
        "each": right.float().mean(dim=0).tolist(),
        "mass": mass.tolist(),
        "similarity": map_similarity(weights),
        "parameters": count_parameters(model),
    }


def map_similarity(weights: Tensor) -> float | None:
    """Mean cosine between the maps of two different heads, row by row.

    Args:
        weights: (..., heads, keys), a row of weights for each head.

    Returns:
        1 if all heads look alike, 0 if no two look at the same place, None with one
        head.
    """
    heads = weights.shape[-2]
    if heads == 1:
        return None
    unit = F.normalize(weights, dim=-1)
    cosines = unit @ unit.transpose(-2, -1)  # (..., heads, heads)
    between = cosines.sum(dim=(-2, -1)) - cosines.diagonal(dim1=-2, dim2=-1).sum(-1)
    return (between / (heads * (heads - 1))).mean().item()


def subspace_overlap(one: Tensor, other: Tensor) -> float:
    """Return how much alike two heads read: the cosine between W₁ᵀW₁ and W₂ᵀW₂.

    A direction counts by the square of its singular value: what a head hardly reads
    hardly counts.

    Args:
        one, other: (r, d), r ≤ d: the matrices of two heads, a row for each number
            that a head reads.

    Returns:
        1 if they read the same directions in the same proportions, 0 if what one of
        them reads is orthogonal to all that the other does.

    Raises:
        ValueError: two shapes, or more rows than columns.
    """
    if one.dim() != 2 or one.shape != other.shape or one.shape[0] > one.shape[1]:
        shapes = f"{tuple(one.shape)} and {tuple(other.shape)}"
        raise ValueError(f"expected twice the same (r, d) with r ≤ d, got {shapes}")
    ours, theirs = (rows.double().T @ rows.double() for rows in (one, other))  # (d, d)
    return F.cosine_similarity(ours.flatten(), theirs.flatten(), dim=0).item()


def head_subspaces(model: LookUp) -> dict:
    """How much the subspaces that two heads read as query, key and value overlap."""
    attention = model.attention
    return {
        name: subspace_overlap(*layer.weight.detach().chunk(2))
        for name, layer in (
            ("query", attention.query_layer),
            ("key", attention.key_layer),
            ("value", attention.value_layer),
        )
    }


def measure_subspaces(*, seed: int, asked: int, steps: int = 1500) -> dict:
    """Train two heads; `start` and `end` are `head_subspaces` before and after it."""
    torch.manual_seed(seed)
    model = LookUp(asked, num_heads=2)
    start = head_subspaces(model)
    fit_look_up(model, asked, lr=1e-2, steps=steps)
    metrics = measure_model(model, asked)
    kept = {name: metrics[name] for name in ("accuracy", "similarity")}
    return {**kept, "start": start, "end": head_subspaces(model)}


def measure_heads(*, seed: int, asked: int, **setting: Any) -> dict:
    """Train one model and measure it; see `train_look_up` for the settings."""
    model = train_look_up(seed=seed, asked=asked, **setting)
    return measure_model(model, asked)


def train_places(
    *, seed: int, num_heads: int, lr: float = 1e-2, steps: int = 600, d_model: int = 32
) -> tuple[Tagger, PlacePairs]:
    """Train one layer of attention on numbers of 1 to 9 digits; also held-out ones."""
    train_numbers, test_numbers = split_numbers(8_000, 1_000, (1, 9), seed=0)
    pairs = PlacePairs(train_numbers)
    set_seed(seed)
    model = Tagger(len(pairs.vocab), NUM_CLASSES, d_model, num_heads=num_heads)
    train(
        model,
        pairs,
        steps=steps,
        batch_size=128,
        lr=lr,
        seed=seed,
        loss=tagging_loss,
        progress=False,
    )
    return model, PlacePairs(test_numbers)


def measure_places(*, seed: int, **setting: Any) -> dict:
    """Train one `Tagger` and measure it; see `train_places` for the settings."""
    model, held_out = train_places(seed=seed, **setting)
    words, numbers = tagging_accuracy(model, held_out)
    return {
        "words": words,
        "accuracy": numbers,
        "parameters": count_parameters(model),
    }


@torch.no_grad()
def measure_reading(
    model: Tagger, pairs: PlacePairs, head_mask: Tensor | None = None
) -> dict:
    """What a reader of numerals tells right of the words with a worth.

    Words without one (*hundred*, *and*, the end) do not count: whatever is said of
    them, the number that is read is the same.

    Args:
        model, pairs: as for `tagging_accuracy`.
        head_mask: (layers, heads), bool, True = the head speaks; None lets all.

    Returns:
        `words`, the share of words told right; `numbers`, that of numbers with every
        word told right; `margin`, by how much the right answer's logit exceeds the
        best wrong one's, the median over the words.
    """
    batch = collate(pairs)
    counts = batch.tgt > NO_PLACE  # (B, n): what has a worth
    logits = model(batch.src, head_mask)  # (B, n, classes)
    answer = batch.tgt[..., None]
    wrong = logits.scatter(-1, answer, -torch.inf).amax(-1)
    margins = logits.gather(-1, answer)[..., 0] - wrong  # (B, n)
    right = margins > 0
    return {
        "words": right[counts].float().mean().item(),
        "numbers": (right | ~counts).all(dim=1).float().mean().item(),
        "margin": margins[counts].median().item(),
    }


SETTINGS = [
    *grid(asked=[1], num_heads=[1, 2, 4, 8, 16], width=["shared"]),
    *grid(asked=[2], num_heads=[1, 2, 4, 8, 16], width=["shared"]),
    *grid(asked=[2], num_heads=[1, 2, 4, 8], width=["shared"], hidden=[True]),
    *grid(asked=[2], num_heads=[2, 8, 16], width=["full"]),
    *grid(asked=[2], num_heads=[4, 8, 16], width=["shared"], bias=[False]),
    *grid(asked=[2], num_heads=[1], width=["shared"], hidden=[True], bias=[False]),
]


def most_accurate(runs: list[dict]) -> dict:
    """Return the run with the best accuracy."""
    return max(runs, key=lambda run: run["figures"]["accuracy"])


def run_at_best_mean(runs: list[dict]) -> dict:
    """A run at the rate with the best mean accuracy over the seeds that tried it."""
    return max(runs, key=mean_at_rate(runs, "accuracy"))


STUDY = Study(
    "heads",
    measure_heads,
    SETTINGS,
    RATES,
    run_at_best_mean,
    tuning_seeds=range(100, 105),
)
PLACES = Study(
    "heads.places",
    measure_places,
    grid(num_heads=[1, 2, 4, 8]),
    RATES[1:],
    most_accurate,
)
SUBSPACES = Study("heads.subspaces", measure_subspaces, grid(asked=[1, 2]))


if __name__ == "__main__":
    run_studies(__doc__, STUDY, PLACES, SUBSPACES)
