"""How many patterns does a memory of d spins hold? (claim C57)

Patterns are drawn at random, every spin −1 or 1. One in eight of a pattern's spins is
turned over, the memory is run, and the pattern counts as found if at least 95 in 100 of
its spins are right. More and more patterns are stored; the *capacity* is the number at
which half of them are found any more.

- classical: spins follow the pull of the others until none turns (`settle`);
- modern: one update, which is one attention (`update`), at inverse temperature 1, and
  the signs of what comes out.

    python -m attnlab.experiments.hopfield --seeds 5
"""

import math

import torch
from torch import Tensor

from attnlab.checks import check_choice
from attnlab.experiments.study import Study, run_studies
from attnlab.hopfield import hebbian_weights, settle, update

SIZES = {
    "classical": (64, 128, 256, 512),
    "modern": (8, 16, 24, 32),
}
FLIPPED_SHARE = 1 / 8  # the share of spins that are wrong at the start
RIGHT = 0.95  # the share that must be right in the end
BETA = 1.0
QUERIES = 100
GROWTH = 2**0.25  # from one number of patterns to the next
MAX_PATTERNS = 200_000  # patterns that are tried


def random_spins(count: int, d: int, generator: torch.Generator) -> Tensor:
    """Return (count, d) random spins."""
    return 2.0 * torch.randint(2, (count, d), generator=generator) - 1


def flip_some(
    spins: Tensor, generator: torch.Generator, share: float = FLIPPED_SHARE
) -> Tensor:
    """Return the spins (rows, n) with that share of each row turned over."""
    count = round(share * spins.shape[1])
    turned = torch.rand(spins.shape, generator=generator).argsort(dim=1) < count
    return torch.where(turned, -spins, spins)


def share_found(
    network: str,
    patterns: Tensor,
    generator: torch.Generator,
    beta: float = BETA,
    turned: float = FLIPPED_SHARE,
) -> float:
    """Store the patterns (N, d), start near some of them, and count those found.

    Raises:
        ValueError: an unknown network.
    """
    check_choice("network", network, SIZES)
    wanted = patterns[:QUERIES]
    start = flip_some(wanted, generator, turned)
    if network == "classical":
        end = settle(start, hebbian_weights(patterns))
    else:
        end = update(start, patterns, beta).sign()
    right = (end == wanted).float().mean(dim=1)  # (queries,)
    return (right >= RIGHT).float().mean().item()


def capacity(
    network: str, d: int, generator: torch.Generator, turned: float = FLIPPED_SHARE
) -> tuple[float, list]:
    """Store ever more patterns until fewer than half are found.

    Returns:
        The number at which it is half, between the two last ones on a logarithmic
        scale, or `MAX_PATTERNS` if half are found of so many; and all that was tried:
        [number, share found].
    """
    tried: list[tuple[int, float]] = []
    count = 2
    while not tried or tried[-1][1] >= 0.5:
        if count > MAX_PATTERNS:
            return float(MAX_PATTERNS), tried
        patterns = random_spins(count, d, generator)
        found = share_found(network, patterns, generator, turned=turned)
        tried.append((count, found))
        count = max(count + 1, round(count * GROWTH))
    if len(tried) == 1:
        return float(tried[0][0]), tried
    (low, above), (high, below) = tried[-2:]
    part = (above - 0.5) / (above - below)
    return math.exp(math.log(low) + part * math.log(high / low)), tried


def measure_capacity(*, seed: int, network: str, d: int, one_in: int = 8) -> dict:
    """Store patterns of d spins, of which one in so many is turned over.

    Returns:
        `capacity`, and `found`: [[number stored, share found], …].
    """
    generator = torch.Generator().manual_seed(1000 * seed + d)
    number, tried = capacity(network, d, generator, turned=1 / one_in)
    return {"capacity": round(number, 2), "found": tried}


SETTINGS = [
    {"network": network, "d": d} for network, sizes in SIZES.items() for d in sizes
]
STUDY = Study("hopfield", measure_capacity, SETTINGS, threads=1)


if __name__ == "__main__":
    run_studies(__doc__, STUDY)
