"""What the reader of a bench sets: a number that is typed, or one of a few choices.

A *setting* is a dict of keyword arguments for the study's function. What it leaves
unsaid, and what is False in it, is as the function has it by itself.
"""

import re
from dataclasses import dataclass
from math import log2
from typing import Any

import ipywidgets as widgets

MAX_SEEDS = 10
_WIDGET_STYLE: dict = {
    "style": {"description_width": "9.5rem"},
    "layout": {"width": "auto"},
}


@dataclass(frozen=True)
class WholeNumberField:
    """A whole number, typed.

    Attributes:
        name: of the keyword argument.
        label: what the reader sees beside the box.
        value: what it holds at first, and what a stored setting without it has.
        low, high: the bounds, both allowed.
        weight: how much it counts that a stored run's is twice or half as large.
    """

    name: str
    label: str
    value: int
    low: int
    high: int
    weight: float = 1.0

    @property
    def names(self) -> set[str]:
        """The keyword arguments that it sets."""
        return {self.name}

    def widget(self) -> widgets.Text:
        """Return a box to type the number into.

        Text, because a box for numbers quietly puts right what was typed.
        """
        return text_box(f"{self.label} ({self.low:,}–{self.high:,})", f"{self.value}")

    def read(self, typed: str) -> dict[str, int]:
        """Return what was typed; commas and spaces between digits are allowed.

        Raises:
            ValueError: it is no whole number, or out of bounds.
        """
        wanted = f"{self.label} is a whole number from {self.low:,} to {self.high:,}"
        digits = re.sub(r"(?<=[0-9])[, ](?=[0-9])", "", typed.strip())
        if not re.fullmatch("-?[0-9]{1,12}", digits):
            raise ValueError(f"{wanted}; “{typed[:40]}” is none.")
        if not self.low <= int(digits) <= self.high:
            raise ValueError(f"{wanted}, not {int(digits):,}.")
        return {self.name: int(digits)}

    def describe(self, setting: dict) -> str:
        """Say its value in a setting."""
        return f"{self.label.lower()} {setting[self.name]:,}"

    def of_stored(self, stored: dict) -> dict:
        """Return its part of a stored setting."""
        return {self.name: stored.get(self.name, self.value)}

    def distance(self, one: dict, other: dict) -> float:
        """Return how much it makes two settings differ: doubling counts 1."""
        return self.weight * abs(log2(one[self.name] / other[self.name]))


@dataclass(frozen=True)
class ChoiceField:
    """One of a few.

    Attributes:
        label: what the reader sees beside the list.
        options: what stands in the list, and the keyword arguments that each stands
            for; the first is chosen at first.
        weight: how much it counts that a stored run has another.
    """

    label: str
    options: dict[str, dict[str, Any]]
    weight: float = 4.0

    @property
    def names(self) -> set[str]:
        """The keyword arguments that it sets."""
        return {name for chosen in self.options.values() for name in chosen}

    def widget(self) -> widgets.Dropdown:
        """Return the list to choose from."""
        lines = list(self.options)
        return widgets.Dropdown(options=lines, description=self.label, **_WIDGET_STYLE)

    def read(self, chosen: str) -> dict[str, Any]:
        """Return what the chosen line stands for; ValueError if there is no such."""
        if chosen not in self.options:
            raise ValueError(f"{self.label} has no “{chosen}”.")
        return dict(self.options[chosen])

    def describe(self, setting: dict) -> str:
        """Return the line that a setting has; ValueError if none of them."""
        had = {name: setting[name] for name in self.names if setting.get(name)}
        for line, chosen in self.options.items():
            if had == {name: value for name, value in chosen.items() if value}:
                return line
        if not had:  # unsaid is what comes first
            return next(iter(self.options))
        raise ValueError(f"{self.label} has no choice {had}")

    def of_stored(self, stored: dict) -> dict:
        """Return its part of a stored setting; ValueError as for `describe`."""
        return self.read(self.describe(stored))

    def distance(self, one: dict, other: dict) -> float:
        """Return how much it makes two settings differ: its weight, or nothing."""
        return self.weight * (self.describe(one) != self.describe(other))


Field = WholeNumberField | ChoiceField


def text_box(label: str, value: str) -> widgets.Text:
    """Return a labelled box to type into."""
    return widgets.Text(value=value, description=label, **_WIDGET_STYLE)


def read_seeds(typed: str) -> list[int]:
    """Return the seeds of a text such as "5", "5, 7" or "5-9".

    Raises:
        ValueError: it is none such, or too many.
    """
    wanted = f"Seeds are whole numbers up to 9,999, {MAX_SEEDS} at most: 5, or 5-9"
    found: list[int] = []
    for part in re.split("[, ]+", typed.strip()):
        ends = re.fullmatch("([0-9]{1,4})(?:[-–]([0-9]{1,4}))?", part)
        if not ends:
            raise ValueError(f"{wanted}; “{typed[:40]}” is none.")
        first, last = int(ends[1]), int(ends[2] or ends[1])
        found += range(first, last + 1)
        if not first <= last or len(found) > MAX_SEEDS:
            raise ValueError(f"{wanted}, not “{typed[:40]}”.")
    return list(dict.fromkeys(found))
