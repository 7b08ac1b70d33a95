"""The base of all live figures: one program, with a kernel and without."""

import html
import json
from pathlib import Path
from typing import Any, ClassVar

import anywidget
import traitlets

from attnlab.live.bundle import JS, bundle
from attnlab.saved import read_base64, read_bytes

CSS = JS.parent / "css"
FIGURE = ".attnlab-live"
INLINE_LIMIT = 200_000  # bytes of weights that a page holds before anyone asks

NO_SCRIPT = (
    "It moves where JavaScript runs: in the book's page, or in a running notebook."
)


class LiveFigure(anywidget.AnyWidget):
    """A figure that computes in the reader's browser.

    In a notebook with a kernel it is a widget: its synced traits go both ways. In a
    page without one, the HTML it leaves behind holds the same JavaScript and the state
    it was in when it was displayed.

    A subclass sets these class attributes and adds its traits with `.tag(sync=True)`:

    Attributes:
        figure: its name. `js/figures/<figure>/<figure>.js` exports `render<Figure>`,
            which `js/shell/mount.js` describes; `css/<figure>.css` is its style, if
            there. (In those names a hyphen is left out: "look-up" is `lookup.js`.)
        title: the heading of the figure.
        caption: what it shows and what to try.
        description: one would see this, told to those who see no live figure.
        limits: bounds that its JavaScript keeps to as well, which finds them in
            `model.get("_frame").limits`.
        weights: names of trained models that it needs at once. It can ask for more.
        styles: names of further style sheets, of parts that it shares with others.
        script: the module, if it lies elsewhere.
    """

    figure: ClassVar[str]
    title: ClassVar[str]
    caption: ClassVar[str]
    description: ClassVar[str]
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

    @traitlets.default("_esm")
    def _default_esm(self) -> str:
        name = self._module_name()
        script = self.script or JS / "figures" / name / f"{name}.js"
        return bundle(script, f"render{name.capitalize()}")

    @traitlets.default("_css")
    def _default_css(self) -> str:
        names = ("live", *self.styles, self._module_name())
        paths = [CSS / f"{name}.css" for name in names]
        css = "\n".join(p.read_text(encoding="utf-8") for p in paths if p.exists())
        # A page may hold several kinds of figures, each with its copy of live.css: none
        # may overrule another's own sheet. `:where` leaves the rules' weight as it is.
        return css.replace(FIGURE, f'{FIGURE}:where([data-figure="{self.figure}"])')

    @traitlets.default("_frame")
    def _default_frame(self) -> dict:
        names = ("figure", "title", "caption", "description", "limits")
        return {name: getattr(self, name) for name in names}

    @traitlets.default("_weights")
    def _default_weights(self) -> dict:
        return _inline_weights(self.weights)

    def _module_name(self) -> str:
        return self.figure.replace("-", "")

    def __repr__(self) -> str:
        state = ", ".join(f"{k}={v!r}" for k, v in self.state().items())
        return f"{type(self).__name__}({state})"

    def state(self) -> dict:
        """Return the figure's own traits and their values."""
        return {name: getattr(self, name) for name in _own_traits(type(self))}

    def without_script(self) -> str:
        """Return HTML that stands below the description until a script runs: none."""
        return ""

    def _repr_html_(self) -> str:
        """Return the figure as HTML that runs without a kernel, same on every run."""
        state = {**self.state(), "_frame": self._frame, "_weights": self._weights}
        data = {"module": self._esm, "css": self._css, "state": state}
        # In a script element only "<" could end the data early.
        text = json.dumps(data, ensure_ascii=False, sort_keys=True)
        text = text.replace("<", "\\u003c")
        loader = (JS / "shell" / "loader.js").read_text(encoding="utf-8")
        return (
            f'<figure class="attnlab-live" data-figure="{html.escape(self.figure)}">\n'
            f'<p class="attnlab-title">{html.escape(self.title)}</p>\n'
            f'<p class="attnlab-status" role="status">{html.escape(self.description)} '
            f"{NO_SCRIPT}</p>\n"
            f"{self.without_script()}"
            f"<figcaption>{html.escape(self.caption)}</figcaption>\n"
            f'<script type="application/json">{text}</script>\n'
            f"<script>\n{loader}</script>\n"
            "</figure>"
        )

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict, dict]:
        result = super()._repr_mimebundle_(**kwargs)
        data, metadata = result if isinstance(result, tuple) else (result or {}, {})
        html_and_text = {"text/plain": repr(self), "text/html": self._repr_html_()}
        return {**data, **html_and_text}, metadata


def _own_traits(cls: type[LiveFigure]) -> list[str]:
    """Name the synced traits that a figure added to those of every widget."""
    added = set(cls.class_trait_names(sync=True)) - set(LiveFigure.class_trait_names())
    return sorted(name for name in added if not name.startswith("_"))


def _inline_weights(names: tuple[str, ...]) -> dict[str, str]:
    """Return the named weights as base64; ValueError if they are too many bytes."""
    total = sum(len(read_bytes(name)) for name in names)
    if total > INLINE_LIMIT:
        raise ValueError(
            f"{', '.join(names)} are {total} bytes; a page may hold {INLINE_LIMIT} "
            "that nobody asked for: let the figure ask for some of them later"
        )
    return {name: read_base64(name) for name in names}


def _answer(figure: LiveFigure, message: dict, buffers: list) -> None:
    """Send the weights that a figure's JavaScript asks for."""
    name: Any = message.get("weights")
    try:
        figure.send({"weights": name}, [read_bytes(name)])
    except (TypeError, ValueError) as error:
        figure.send({"weights": name, "error": str(error)})
