"""Results as a table: typeset where a page can, columns of text elsewhere."""

import re
from collections.abc import Iterable, Sequence
from html import escape

from IPython.display import display

NUMBER = re.compile(r"[<>≤≥≈~±+−-]*\s*[\d.,]+.{0,14}|–|")  # "3", "97 (95–99)", "< 1e-5"

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Table:
    """Rows of text under a header: HTML where a page can, columns of text elsewhere.

    Args:
        header: a name for each column.
        rows: as many texts each; the first names the row.

    Attributes:
        right: of each column, whether it holds numbers alone, which stand to the right.

    Raises:
        ValueError: no rows, or one that is not as long as the header.

    >>> rows = [["a", "9", "–"], ["b", "10", "no"]]
    >>> Table(["", "of 10", "said"], rows).right
    [False, True, False]
    """

    def __init__(self, header: list[str], rows: list[list[str]]) -> None:
        if not rows or any(len(row) != len(header) for row in rows):
            lengths = sorted({len(row) for row in rows})
            raise ValueError(
                f"every row needs {len(header)} cells like the header, got {lengths}"
            )
        self.header, self.rows = header, rows
        self.right = [
            all(NUMBER.fullmatch(row[column]) for row in rows)
            for column in range(len(header))
        ]

    def __repr__(self) -> str:
        lines = [self.header, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        padded = (
            [
                text.rjust(width) if right else text.ljust(width)
                for text, width, right in zip(line, widths, self.right, strict=True)
            ]
            for line in lines
        )
        return "\n".join("  ".join(line).rstrip() for line in padded)

    def _repr_html_(self) -> str:
        head = "".join(
            self._cell(
                "th" if name else "td", name, column, ' scope="col"' * bool(name)
            )
            for column, name in enumerate(self.header)
        )
        body = "".join(f"<tr>{self._row(row)}</tr>" for row in self.rows)
        return (
            '<table class="measured">'
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )

    def _row(self, row: list[str]) -> str:
        first = self._cell("th", row[0], 0, ' scope="row"')
        rest = (self._cell("td", text, i) for i, text in enumerate(row[1:], start=1))
        return first + "".join(rest)

    def _cell(self, tag: str, text: str, column: int, attributes: str = "") -> str:
        side = "right" if self.right[column] else "left"
        style = f' style="text-align: {side}"'
        return f"<{tag}{attributes}{style}>{escape(text)}</{tag}>"


def show_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Display rows under a header; the first cell of a row names it.

    A column of numbers stands to the right. What is shown is `str` of each cell: round
    so far that another machine shows the same.

    >>> show_table(["score", "exact"], [["dot", "97.5"], ["none", "20.1"]])
    score  exact
    dot     97.5
    none    20.1

    Raises:
        ValueError: no rows, or one that is not as long as the header.
    """
    texts = [[str(cell) for cell in row] for row in rows]
    display(Table([str(name) for name in header], texts))


def under(value: float, limit: float) -> str:
    """Say that a number is as small as it should be, the same on every machine.

    >>> under(3e-7, 1e-5), under(0.25, 1e-5)
    ('under 10⁻⁵', '0.25, not under 10⁻⁵')
    """
    words = f"under {_power(limit)}"
    return words if value < limit else f"{value:.2g}, not {words}"


def over(value: float, limit: float) -> str:
    """Say that a number is as large as it should be, the same on every machine.

    >>> over(97.3, 90), over(41, 90)
    ('over 90', '41, not over 90')
    """
    words = f"over {_power(limit)}"
    return words if value > limit else f"{value:.2g}, not {words}"


def _power(limit: float) -> str:
    """Return a small limit as one writes it by hand: 10⁻⁵ or 3·10⁻⁵."""
    factor, e, exponent = f"{limit:g}".partition("e")
    if not e:
        return factor
    power = f"10{str(int(exponent)).translate(SUPERSCRIPTS)}"
    return power if factor == "1" else f"{factor}·{power}"
