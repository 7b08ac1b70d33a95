"""How a bench looks: its colours, its drawings, and what it says.

Colours are those of the book's figures. A drawing stands in the page as SVG, whose
colours are custom properties, so that it is light or dark as the notebook is.
"""

import io
import re
import traceback
from html import escape

from matplotlib import rc_context
from matplotlib.figure import Figure

from attnlab.figures import palette
from attnlab.figures.style import SVG, shade

# What a file needs and a page must not have twice.
_FILE_ONLY = re.compile(r"<metadata>.*?</metadata>|<style.*?</style>", re.DOTALL)
_DARK = (
    '[data-jp-theme-light="false"] .attnlab-bench, html[theme="dark"] .attnlab-bench, '
    ".vscode-dark .attnlab-bench"
)


def _variables() -> dict[str, tuple[str, str, str]]:
    """Name, value in light and in dark, by every colour of a drawing."""
    found = {}
    for name, light in palette.ROLES.items():
        dark = palette.DARK[light]
        found[light.lower()] = (f"--bench-{name}", light, dark)
        found[shade(light)] = (f"--bench-{name}-text", shade(light), dark)
    return found


def style_sheet() -> str:
    """Return the style of all benches, as an element of HTML."""
    light = "".join(f"{name}: {value}; " for name, value, _ in _variables().values())
    dark = "".join(f"{name}: {value}; " for name, _, value in _variables().values())
    return f"<style>.attnlab-bench {{ {light}}}\n{_DARK} {{ {dark}}}\n{_RULES}</style>"


_RULES = """\
.attnlab-bench {
  max-width: 62rem; padding: 0.75rem 1rem 1rem; overflow: visible; gap: 0 1.5rem;
  border: 1px solid var(--bench-grid); border-radius: 10px;
  background: var(--bench-card); color: var(--bench-ink);
}
.attnlab-bench .widget-label, .attnlab-bench .widget-html-content {
  color: var(--bench-ink); line-height: 1.45; height: auto; white-space: normal;
}
.attnlab-bench .widget-html, .attnlab-bench .widget-html-content {
  width: 100%; min-width: 0; max-width: 100%;
}
.attnlab-bench a { color: inherit; text-decoration: underline; }
.attnlab-bench .widget-box { overflow: visible; }
.attnlab-bench .widget-inline-hbox .widget-label { text-align: left; }
.attnlab-bench button, .attnlab-bench .jupyter-button { min-height: 2.1rem; }
.attnlab-bench button:focus-visible, .attnlab-bench input:focus-visible,
.attnlab-bench select:focus-visible {
  outline: 3px solid var(--bench-ink); outline-offset: 1px;
}
.attnlab-bench h3 { margin: 0; font-size: 1.1rem; color: inherit; }
.attnlab-bench p { margin: 0.25rem 0; }
.attnlab-bench .bench-said { min-height: 1.5rem; }
.attnlab-bench .bench-wrong { color: var(--bench-wrong-text); font-weight: 600; }
.attnlab-bench pre { overflow-x: auto; font-size: 0.75rem; }
.attnlab-bench svg { display: block; width: 100%; height: auto; max-width: 36rem; }
.attnlab-bench .bench-table { overflow-x: auto; }
.attnlab-bench table { border-collapse: collapse; font-size: 0.875rem; }
.attnlab-bench th, .attnlab-bench td {
  padding: 0.2rem 0.75rem 0.2rem 0; border-bottom: 1px solid var(--bench-grid);
  font-weight: 400; vertical-align: top;
}
.attnlab-bench thead th { font-weight: 600; vertical-align: bottom; }
"""


def figure_svg(figure: Figure, alt: str) -> str:
    """Return a figure as SVG that stands in a page and takes its colours."""
    file = io.StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    with rc_context(SVG):  # whether or not the notebook has the book's style
        figure.savefig(file, format="svg", metadata=nothing)
    svg = file.getvalue()
    svg = _FILE_ONLY.sub("", svg[svg.index("<svg") :])
    names = _variables()

    def colour(found: re.Match[str]) -> str:
        value = found[0].lower()
        return f"var({names[value][0]})" if value in names else value

    svg = re.sub(r"#[0-9a-fA-F]{6}\b", colour, svg)
    return svg.replace("<svg", f'<svg role="img" aria-label="{escape(alt)}"', 1)


def status_html(text: str, *, wrong: bool = False) -> str:
    """Return what a bench says, so that a screen reader says it as well."""
    mark = "bench-said bench-wrong" if wrong else "bench-said"
    lines = "<br>".join(escape(line) for line in text.split("\n"))
    return f'<div class="{mark}" role="status">{lines}</div>'


def failure_html(error: Exception) -> str:
    """Return what went wrong, with where it did folded below."""
    trace = "".join(traceback.format_exception(error))
    name = type(error).__name__
    return (
        status_html(f"This failed: {name}: {error}", wrong=True)
        + f"<details><summary>Where</summary><pre>{escape(trace)}</pre></details>"
    )


def duration_text(seconds: float) -> str:
    """Write a time as one says it: "34 s", "2 min 10 s", "3 h 5 min".

    Raises:
        ValueError: it is negative, infinite or no number.
    """
    if not 0 <= seconds < float("inf"):
        raise ValueError(f"a duration is a number of seconds, got {seconds}")
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60} min"
