"""The style sheets of figures: each kind keeps to itself."""

import re
from pathlib import Path

import pytest

from attnlab import live
from attnlab.figures import palette
from attnlab.live import Exercise, Forecast

CSS = Path(live.__file__).parent / "css"

NAMES = set(live.__all__) - {"LiveFigure", "load_weights", "Exercise", "Forecast"}
ASKING = Exercise("2.1"), Forecast("f", "Which?", choices=["one", "two"], answer="one")

# What the computed styles of each figure's elements were, and are with no sheet but its
# own: those that differ, as "kind class property".
CHANGES = """() => {
  const PLACE = /^(top|bottom|left|right|inset.*)$/; // follow from the other figures
  const sheets = [...document.querySelectorAll("style[data-attnlab]")];
  const keys = [...getComputedStyle(document.body)].filter((key) => !PLACE.test(key));
  const styles = (nodes) =>
    nodes.flatMap((node) => {
      const found = getComputedStyle(node);
      return keys.map((key) => found.getPropertyValue(key));
    });
  return [...document.querySelectorAll(".attnlab-live")].flatMap((figure) => {
    const nodes = [...figure.querySelectorAll("*")];
    const before = styles(nodes);
    for (const sheet of sheets)
      sheet.disabled = sheet.dataset.attnlab !== figure.dataset.figure;
    const after = styles(nodes);
    for (const sheet of sheets) sheet.disabled = false;
    return before.flatMap((value, at) => {
      if (value === after[at]) return [];
      const { tagName, className } = nodes[Math.floor(at / keys.length)];
      const key = keys[at % keys.length];
      return [`${figure.dataset.figure} ${tagName}.${className} ${key}: ${value}`];
    });
  });
}"""


def every_figure(show):
    """A page with a figure of each kind."""
    figures = [getattr(live, name)() for name in sorted(NAMES)]
    page = show(*figures, *ASKING)
    page.wait_for_function(
        """() => [...document.querySelectorAll(".attnlab-live")].every(
          (figure) => figure.querySelector(".attnlab-body")?.children.length)"""
    )
    return page


@pytest.mark.weekly
def test_no_figure_wears_anothers_style(show):
    page = every_figure(show)
    changes = page.evaluate(CHANGES)
    assert not changes, changes[:9]


def test_the_figures_have_the_books_colours():
    sheet = (CSS / "live.css").read_text("utf-8")
    found = re.findall(r"--al-(\w+): light-dark\((#\w{6}), (#\w{6})\);", sheet)
    ideas = {
        role: (color.lower(), palette.DARK[color].lower())
        for role, color in palette.ROLES.items()
        if role not in {"card", "grid"}  # the figures call them ground and line
    }
    assert {name: pair for name, *pair in found if name in ideas} == {
        role: list(pair) for role, pair in ideas.items()
    }
