"""What the reader of a bench sets: a number that is typed, or one of a few choices."""

import re
from dataclasses import dataclass
from typing import Any

import ipywidgets as widgets

_STYLE = {"description_width": "9.5rem"}


@dataclass(frozen=True)
class Whole:
    """A whole number, typed.

    Attributes:
        name: of the setting.
        label: what the reader sees beside the box.
        value: what it holds at first.
        low, high: the bounds, both allowed.
    """

    name: str
    label: str
    value: int
    low: int
    high: int

    def widget(self) -> widgets.Text:
        """Return a box to type the number into.

        Text, because a box for numbers quietly puts right what was typed.
        """
        return widgets.Text(
            value=f"{self.value}",
            description=f"{self.label} ({self.low:,}–{self.high:,})",
            style=_STYLE,
            layout={"width": "auto"},
        )

    def read(self, typed: str) -> int:
        """Return the number typed; commas and spaces between digits are allowed.

        Raises:
            ValueError: it is no whole number, or out of bounds.
        """
        wanted = f"{self.label} is a whole number from {self.low:,} to {self.high:,}"
        digits = re.sub(r"(?<=[0-9])[, ](?=[0-9])", "", typed.strip())
        if not re.fullmatch("-?[0-9]{1,12}", digits):
            raise ValueError(f"{wanted}; “{typed[:40]}” is none.")
        if not self.low <= int(digits) <= self.high:
            raise ValueError(f"{wanted}, not {int(digits):,}.")
        return int(digits)


@dataclass(frozen=True)
class Choice:
    """One of a few.

    Attributes:
        name: of the setting.
        label: what the reader sees beside the list.
        options: what stands in the list, and what each stands for; the first is
            chosen at first.
    """

    name: str
    label: str
    options: dict[str, Any]

    def widget(self) -> widgets.Dropdown:
        """Return the list to choose from."""
        return widgets.Dropdown(
            options=list(self.options),
            description=self.label,
            style=_STYLE,
            layout={"width": "auto"},
        )

    def read(self, chosen: str) -> Any:
        """Return what the chosen line stands for.

        Raises:
            ValueError: there is no such line.
        """
        if chosen not in self.options:
            raise ValueError(f"{self.label} has no “{chosen}”.")
        return self.options[chosen]


Field = Whole | Choice


def epochs(setting: dict) -> str:
    """Say how many epochs a setting has."""
    count = setting["epochs"]
    return "1 epoch" if count == 1 else f"{count} epochs"


def differences(fields: tuple[Field, ...], setting: dict, stored: dict) -> list[str]:
    """Name the fields in which a setting and a stored one differ.

    What only one of them says is no difference.
    """
    shared = [f for f in fields if f.name in stored and f.name in setting]
    return [f.label.lower() for f in shared if setting[f.name] != stored[f.name]]
