"""What do heads cost, step by step, with and without new memory? (claim C33)

Scores, softmax and weighted sum of one head and of sixteen, with equally many
operations. Each step is timed twice: as it is usually written, where its result gets
new memory at every call; and with `out=`, where it is written into memory that is
there.

    python -m attnlab.experiments.steps --seeds 5

Seeds are repeats. Times are milliseconds on one thread of the machine that is stored
with them.
"""

import time
from collections.abc import Callable
from statistics import median

import torch

from attnlab.experiments.study import Study, run_studies
from attnlab.store import grid

ROUNDS = 15
STEPS = "scores", "softmax", "sum"


def measure_steps(
    *, seed: int, num_heads: int, allocate: bool, n: int = 512, d: int = 64
) -> dict[str, float]:
    """Time the three steps of attending, in milliseconds, the median of `ROUNDS`.

    Args:
        seed: of the numbers that are multiplied.
        num_heads: how many share the width.
        allocate: whether every result gets new memory.
        n: how many tokens; two sequences of them.
        d: the width of all heads together.

    Returns:
        By step, one of `STEPS`.
    """
    torch.manual_seed(seed)
    query, key, value = torch.randn(3, 2, num_heads, n, d // num_heads)
    scores = query @ key.mT  # (2, h, n, n)
    weights = scores.softmax(dim=-1)
    found = weights @ value  # (2, h, n, d_head)
    calls: dict[str, Callable[[], object]] = {
        "scores": lambda: torch.matmul(query, key.mT),
        "softmax": lambda: torch.softmax(scores, dim=-1),
        "sum": lambda: torch.matmul(weights, value),
    }
    if not allocate:
        room = torch.empty_like(scores), torch.empty_like(found)
        calls = {
            "scores": lambda: torch.matmul(query, key.mT, out=room[0]),
            "softmax": lambda: torch.softmax(scores, dim=-1, out=room[0]),
            "sum": lambda: torch.matmul(weights, value, out=room[1]),
        }
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for round_ in range(ROUNDS + 2):
        for name, call in calls.items():
            start = time.process_time()
            call()
            if round_ > 1:  # the first calls of a kernel are slow
                taken[name].append(1000 * (time.process_time() - start))
    return {name: median(times) for name, times in taken.items()}


STUDY = Study(
    "steps",
    measure_steps,
    grid(num_heads=[1, 16], allocate=[True, False]),
    threads=1,
)


if __name__ == "__main__":
    run_studies(__doc__, STUDY)
