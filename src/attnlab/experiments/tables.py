"""Is a learned table of positions as good as the formula? (C36)

The task is `places` of `positions`, lists of one to three numbers, with few numbers to
learn from: no scheme reads all of the unseen ones, and a slightly worse table shows.

- sinusoidal: the formula.
- learned: a trained table, begun small, from N(0, 0.02²), as is usual.
- learned, loud: begun as loud as the rows of the formula are.
- coarse: the formula's rows two by two: places 0 and 1 share one, 2 and 3 the next.
- random: rows as loud, drawn once and never trained.

    python -m attnlab.experiments.tables --tune        # learning rates, once
    python -m attnlab.experiments.tables --seeds 5
    python -m attnlab.experiments.tables --plenty --seeds 3

The last gives the coarse table what `positions` gives the others in the end, all
numbers and 3,000 steps: does a worse table still show where they are at the ceiling?

The tuning seed is not among those reported.
"""

from typing import Any

import torch
from torch import Tensor, nn

from attnlab.checks import check_choice
from attnlab.data import split_numbers
from attnlab.data.places import PlacePairs
from attnlab.experiments.positions import (
    D_MODEL,
    TASKS,
    FirstColumns,
    build,
    least_loss,
    mean_loss,
    numbers_right,
)
from attnlab.experiments.study import Study, command_line
from attnlab.positions import sinusoidal
from attnlab.store import grid
from attnlab.tagger import Tagger
from attnlab.training import set_seed, tagging_accuracy, tagging_loss, train

SCHEMES = ("sinusoidal", "learned", "learned, loud", "coarse", "random")
NUMBERS = 1_000  # to learn from; `places` has 8,000
RATES = (3e-3, 1e-2, 3e-2)
MAX_LENGTH = 64  # tokens, more than three numbers have
TABLE_RMS = 0.5**0.5  # the root mean square of a sine or a cosine


def coarse_table(n: int) -> Tensor:
    """Sinusoids (n, D_MODEL) in which two neighbours at a time share a row."""
    return sinusoidal(n, D_MODEL)[torch.arange(n) // 2]


def make_model(scheme: str) -> Tagger:
    """Return the untrained model with one of `SCHEMES`; another raises ValueError."""
    check_choice("scheme", scheme, SCHEMES)
    if scheme == "coarse":
        model = build("places", "none", MAX_LENGTH)
        model.positions = FirstColumns(coarse_table)
        return model
    formula = scheme == "sinusoidal"
    model = build("places", "sinusoidal" if formula else "learned", MAX_LENGTH)
    if scheme in ("learned, loud", "random"):
        table: Any = model.positions
        nn.init.normal_(table.table, std=TABLE_RMS)
        table.requires_grad_(scheme != "random")
    return model


def measure_table(
    *, seed: int, scheme: str, lr: float, numbers: int = NUMBERS, steps: int = 1_500
) -> dict:
    """Train one model, and test it on 1,200 other numbers, three a list.

    Returns:
        `loss`, a token; `right`, the share of tokens told right; `numbers`, that of
        numbers with every word right.
    """
    known, unseen = split_numbers(8_000, 1_200, (1, 6), seed=0)
    longest = TASKS["places"]["longest"]
    pairs = PlacePairs(known[:numbers], per_sequence=(1, longest))
    tests = PlacePairs(unseen, per_sequence=longest)
    set_seed(seed)
    model = make_model(scheme)
    options: dict = {"loss": tagging_loss, "progress": False, "device": "cpu"}
    train(model, pairs, steps=steps, lr=lr, seed=seed, **options)
    return {
        "loss": mean_loss(model, tests),
        "right": tagging_accuracy(model, tests)[0],
        "numbers": numbers_right(model, tests),
    }


STUDY = Study("tables", measure_table, grid(scheme=list(SCHEMES)), RATES, least_loss)
PLENTY = Study(
    "tables.plenty",
    measure_table,
    grid(scheme=["coarse"], lr=[1e-2], numbers=[8_000], steps=[3_000]),
)


def main() -> None:
    """Tune; or run every table; or the coarse one with plenty to learn from."""
    parser = command_line(__doc__, tune=True)
    parser.add_argument("--plenty", action="store_true", help="all numbers, more steps")
    args = parser.parse_args()
    (PLENTY if args.plenty else STUDY).run(args)


if __name__ == "__main__":
    main()
