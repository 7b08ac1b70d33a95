"""A study's stored runs by their settings, and which of them is nearest to another."""

from collections.abc import Callable
from math import log2

from attnlab import store


class Stored:
    """The stored runs of a study, grouped by setting.

    Args:
        study: its name, see `attnlab.store.load`.
        as_setting: returns a stored run's setting in the bench's terms, or None for
            one that is left out.
        weights: how much a difference in each value counts. Numbers differ by how
            often they double, anything else differs or does not.

    Attributes:
        groups: settings in the order stored, each with its runs, one a seed.
    """

    def __init__(
        self,
        study: str,
        as_setting: Callable[[dict], dict | None],
        weights: dict[str, float],
    ) -> None:
        self.weights = weights
        self.groups: list[tuple[dict, list[dict]]] = []
        for run in store.load(study)["runs"]:
            setting = as_setting(run["setting"])
            if setting is not None:
                self._group(setting).append(run)

    def _group(self, setting: dict) -> list[dict]:
        """The runs of that setting so far."""
        for other, runs in self.groups:
            if other == setting:
                return runs
        self.groups.append((setting, []))
        return self.groups[-1][1]

    def nearest(self, setting: dict) -> tuple[dict, list[dict]]:
        """Return the stored setting that is most like this one, and its runs."""
        return min(self.groups, key=lambda group: self.distance(setting, group[0]))

    def distance(self, one: dict, other: dict) -> float:
        """Return how much two settings differ, 0 if in nothing that has a weight."""
        total = 0.0
        for name, weight in self.weights.items():
            a, b = one[name], other[name]
            if isinstance(a, int) and not isinstance(a, bool):
                total += weight * abs(log2(a / b))
            else:
                total += weight * (a != b)
        return total
