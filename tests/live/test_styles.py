"""The style sheet that all figures share."""

import re
from pathlib import Path

from attnlab import live
from attnlab.figures import palette

CSS_FOLDER = Path(live.__file__).parent / "css"


def test_figure_css_has_palette_colours():
    sheet = (CSS_FOLDER / "live.css").read_text("utf-8")
    found = re.findall(r"--al-(\w+): light-dark\((#\w{6}), (#\w{6})\);", sheet)
    ideas = {
        role: (color.lower(), palette.DARK[color].lower())
        for role, color in palette.ROLES.items()
        if role not in {"card", "grid"}  # the figures call them ground and line
    }
    assert {name: pair for name, *pair in found if name in ideas} == {
        role: list(pair) for role, pair in ideas.items()
    }
