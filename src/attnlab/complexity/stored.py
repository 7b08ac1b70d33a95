"""The stored grid of times, and where two layers' curves cross in it.

The grid is that of one machine, on one thread, one sequence at a time. Attention has
one head in it, multi-head attention eight.
"""

from functools import cache

from attnlab import store
from attnlab.complexity.fitting import Interval, crossing
from attnlab.complexity.grid import points

NAME = "complexity.full"
SWEEPS = {"num_heads", "kernel_size", "radius"}  # cells of these stand beside the grid
LENGTHS = {2**power for power in range(5, 14)}  # of the grid; others are longer sweeps


@cache
def load_grid() -> dict:
    """Return the stored grid, as `store.load` does."""
    return store.load(NAME)


def grid_machine() -> str:
    """Return the machine that the grid was measured on, in words."""
    machine = load_grid()["runs"][0]["machine"]
    return f"{machine['cpu']}, one thread"


def grid_points(layer: str, phase: str = "forward") -> list[dict]:
    """Return a layer's cells of n × d, without the sweeps and the longest n."""
    cells = points(load_grid(), layer=layer, phase=phase)
    return [c for c in cells if c["n"] in LENGTHS and not SWEEPS & set(c)]


def curves(
    first: str, second: str, d: int, phase: str = "forward"
) -> list[tuple[int, dict, dict]]:
    """Return two layers' cells of one width at all lengths that both have.

    Returns:
        [(n, cell of the first, cell of the second), …], n ascending.
    """
    one, two = (
        {p["n"]: p for p in grid_points(name, phase) if p["d"] == d}
        for name in (first, second)
    )
    return [(n, one[n], two[n]) for n in sorted(set(one) & set(two))]


def slower_from(
    first: str, second: str, d: int, phase: str = "forward"
) -> tuple[Interval | None, str]:
    """Return from which n on the first layer takes longer, with its interval.

    Returns:
        The interval, or None; and what to say of it, to two digits.
    """
    sizes, ours, theirs = zip(*curves(first, second, d, phase), strict=True)
    found = crossing(sizes, ours, theirs)
    if found:
        low, value, high = (f"{float(f'{n:.2g}'):,.0f}" for n in found)
        return found, f"{value} ({low}–{high})"
    ahead = ours[-1]["seconds"] < theirs[-1]["seconds"]
    return None, f"beyond {sizes[-1]:,}" if ahead else "always slower"
