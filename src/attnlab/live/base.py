"""The base of all live figures: one program, with a kernel and without."""

import html
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import anywidget
import traitlets

from attnlab import live
from attnlab.live.bundle import JS, bundle
from attnlab.live.page import (
    CSS,
    NO_SCRIPT,
    Kind,
    as_json,
    inline_weights,
    late_weight_bytes,
    program,
    sheets,
    style,
)


class Stop(NamedTuple):
    """A stop of a figure's tour.

    Attributes:
        say: a sentence or two on what is to be seen.
        set: the traits that it sets, by name. Those that only other stops set are as
            the figure was made.
        mark: a CSS selector of the parts that it speaks of.
    """

    say: str
    set: dict[str, Any]
    mark: str = ""


class LiveFigure(anywidget.AnyWidget):
    """A figure that computes in the reader's browser.

    In a notebook with a kernel it is a widget: its synced traits go both ways. In a
    page without one, the HTML it leaves behind holds the same JavaScript and the state
    it was in when it was displayed.

    A subclass sets these class attributes and adds its traits with `.tag(sync=True)`:

    Attributes:
        figure: its name. `js/figures/<figure>/<figure>.js` exports `render`, which
            `js/shell/mount.js` describes; `css/<figure>.css` is its style, if there.
            (In those names a hyphen is left out: "look-up" is `lookup.js`.)
        title: the heading of the figure.
        caption: what it shows and what to try.
        description: one would see this, told to those who see no live figure.
        tour: stops with which it opens, before all its controls are shown.
        limits: bounds that its JavaScript keeps to as well, which finds them in
            `model.get("_frame").limits`.
        weights: names of trained models that it needs at once. It can ask for more.
        styles: names of further style sheets, of parts that it shares with others.
        script: the module, if it lies elsewhere.

    Raises:
        TypeError: a keyword that is no trait of the figure.
    """

    figure: ClassVar[str]
    title: ClassVar[str]
    caption: ClassVar[str]
    description: ClassVar[str]
    tour: ClassVar[tuple[Stop, ...]] = ()
    limits: ClassVar[dict] = {}
    weights: ClassVar[tuple[str, ...]] = ()
    styles: ClassVar[tuple[str, ...]] = ()
    script: ClassVar[Path | None] = None

    _esm = traitlets.Unicode().tag(sync=True)
    _css = traitlets.Unicode().tag(sync=True)
    _frame = traitlets.Dict().tag(sync=True)
    _weights = traitlets.Dict().tag(sync=True)

    # Older ipywidgets display themselves through this method, without any HTML.
    _ipython_display_ = None

    def __init__(self, **traits: object) -> None:
        unknown = set(traits) - set(self.class_trait_names())
        if unknown:
            raise TypeError(
                f"{type(self).__name__} has no trait {', '.join(sorted(unknown))}; "
                f"it has {', '.join(sorted(_own_traits(type(self))))}"
            )
        super().__init__(**traits)
        self.on_msg(_answer)

    @classmethod
    def page_kind(cls) -> Kind:
        """Return what a page needs for it, whatever its state."""
        name = cls.figure.replace("-", "")
        module = cls.script or JS / "figures" / name / f"{name}.js"
        names = ("live", *cls.styles, name)
        styles = tuple(one for one in names if (CSS / f"{one}.css").exists())
        return Kind(cls.figure, module, styles, cls.weights)

    @traitlets.default("_esm")
    def _default_esm(self) -> str:
        return bundle({self.figure: self.page_kind().module})

    @traitlets.default("_css")
    def _default_css(self) -> str:
        return "\n".join(css for _, css in sheets([self.page_kind()]))

    @traitlets.default("_frame")
    def _default_frame(self) -> dict:
        names = ("figure", "title", "caption", "description", "limits")
        frame = {name: getattr(self, name) for name in names}
        if stops := self.stops():
            frame["tour"] = [stop._asdict() for stop in stops]
        return frame

    @traitlets.default("_weights")
    def _default_weights(self) -> dict:
        return inline_weights(self.weights)

    def __repr__(self) -> str:
        state = ", ".join(f"{k}={v!r}" for k, v in self.state().items())
        return f"{type(self).__name__}({state})"

    def state(self) -> dict:
        """Return the figure's own traits and their values."""
        return {name: getattr(self, name) for name in _own_traits(type(self))}

    def stops(self) -> tuple[Stop, ...]:
        """Return the stops of its tour. A figure of two views has a tour for each."""
        return self.tour

    def without_script(self) -> str:
        """Return HTML that stands below the description until a script runs: none."""
        return ""

    def _repr_html_(self) -> str:
        """Return the figure as HTML that runs without a kernel, same on every run."""
        state = as_json({**self.state(), "_frame": self._frame})
        return (
            f"{style([self.page_kind()])}"
            f'<figure class="attnlab-live" data-figure="{html.escape(self.figure)}">\n'
            f'<p class="attnlab-title">{html.escape(self.title)}</p>\n'
            f'<p class="attnlab-status" role="status">{html.escape(self.description)} '
            f"{NO_SCRIPT}</p>\n"
            f"{self.without_script()}"
            f"<figcaption>{html.escape(self.caption)}</figcaption>\n"
            f'<script type="application/json">{state}</script>\n'
            f"{program([self.page_kind()])}"
            "</figure>"
        )

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict, dict]:
        result = super()._repr_mimebundle_(**kwargs)
        data, metadata = result if isinstance(result, tuple) else (result or {}, {})
        html_and_text = {"text/plain": repr(self), "text/html": self._repr_html_()}
        return {**data, **html_and_text}, metadata


def all_kinds() -> list[Kind]:
    """Return what pages need for each kind of the package's live figures."""
    found = [getattr(live, name) for name in live.__all__]
    return [one.page_kind() for one in found if getattr(one, "figure", None)]


def _own_traits(cls: type[LiveFigure]) -> list[str]:
    """Name the synced traits that a figure added to those of every widget."""
    added = set(cls.class_trait_names(sync=True)) - set(LiveFigure.class_trait_names())
    return sorted(name for name in added if not name.startswith("_"))


def _answer(figure: LiveFigure, message: dict, buffers: list) -> None:
    """Send the weights, or the program, that a figure's JavaScript asks for."""
    name: Any = message.get("weights")
    try:
        figure.send({"weights": name}, [late_weight_bytes(name)])
    except (TypeError, ValueError) as error:
        figure.send({"weights": name, "error": str(error)})
