"""A study's stored runs by their settings, and which of them is nearest to another."""

from collections.abc import Callable, Sequence

from attnlab import store
from attnlab.bench.fields import Field
from attnlab.experiments.study import Study

Groups = list[tuple[dict, list[dict]]]  # settings, and the runs of each


class Stored:
    """The stored runs of a study, grouped by setting.

    Args:
        study: whose results they are, see `attnlab.store.load`.
        fields: what the bench sets. Left out are runs that differ in anything else, but
            for the learning rate, which the study tunes.
        of_stored: returns a stored setting in the terms of the fields.

    Attributes:
        groups: settings in the order stored, each with its runs, one a seed.
    """

    def __init__(
        self,
        study: Study,
        fields: Sequence[Field],
        of_stored: Callable[[dict], dict] = dict,
    ) -> None:
        self.fields = fields
        groups: dict[str, tuple[dict, list[dict]]] = {}
        for run in store.load(study.name)["runs"]:
            setting = self._setting_of(of_stored(run["setting"]))
            if setting is not None:
                group = groups.setdefault(self.describe(setting), (setting, []))
                group[1].append(run)
        self.groups: Groups = list(groups.values())

    def _setting_of(self, stored: dict) -> dict | None:
        known = {"lr"}.union(*(field.names for field in self.fields))
        if not known.issuperset(stored):
            return None
        try:
            parts = [field.of_stored(stored) for field in self.fields]
        except ValueError:  # a choice that the bench does not offer
            return None
        return {name: value for part in parts for name, value in part.items()}

    def nearest(self, setting: dict) -> tuple[dict, list[dict]]:
        """Return the stored setting that is most like this one, and its runs."""
        return min(self.groups, key=lambda group: self.distance(setting, group[0]))

    def distance(self, one: dict, other: dict) -> float:
        """Return how much two settings differ, 0 if in nothing."""
        return sum(field.distance(one, other) for field in self.fields)

    def differences(self, one: dict, other: dict) -> list[str]:
        """Name the fields in which two settings differ."""
        return [f.label.lower() for f in self.fields if f.distance(one, other)]

    def describe(self, setting: dict) -> str:
        """Say all of a setting."""
        return ", ".join(field.describe(setting) for field in self.fields)

    def distinguish(self, setting: dict) -> str:
        """Say of a stored setting what differs among those stored."""
        return ", ".join(f.describe(setting) for f in self.fields if self._varies(f))

    def common_settings(self) -> str:
        """Say what is the same in all that is stored."""
        first = self.groups[0][0]
        return ", ".join(f.describe(first) for f in self.fields if not self._varies(f))

    def _varies(self, field: Field) -> bool:
        first = self.groups[0][0]
        return any(field.distance(first, setting) for setting, _ in self.groups)
