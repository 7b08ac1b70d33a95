"""The side of a bench that shows runs beside stored ones, and saves them."""

import base64
import json
from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path
from typing import Any

import ipywidgets as widgets

from attnlab.bench.page import failure_html, figure_svg, status_html
from attnlab.bench.pictures import (
    Curve,
    Measure,
    draw_curves,
    draw_losses,
    draw_runs,
    measures_as_text,
)
from attnlab.bench.stored import Groups, Stored
from attnlab.figures.table import Table
from attnlab.files import write_atomically


class Results(widgets.VBox):
    """Which runs there are, what came out, and buttons to remove and save them.

    Args:
        name: of the study.
        stored: its stored runs.
        measures, curve: as for `Bench`.
        at_first: the setting whose stored runs stand there before the first run.
    """

    def __init__(
        self,
        name: str,
        stored: Stored,
        measures: Mapping[str, Measure],
        curve: Curve | None,
        at_first: dict,
    ) -> None:
        self.name, self.stored, self.at_first = name, stored, at_first
        self.measures, self.curve = dict(measures), curve
        if "parameters" in stored.groups[0][1][0]["figures"]:
            self.measures["parameters"] = lambda setting, found: found["parameters"]
        self.runs: list[dict] = []
        self._file: Path | None = None
        self.bar = widgets.FloatProgress(
            min=0.0, max=1.0, layout={"width": "auto", "visibility": "hidden"}
        )
        self.status = widgets.HTML(status_html("Choose settings, then press Train."))
        self.chosen = widgets.SelectMultiple(
            description="Drawn runs",
            style={"description_width": "6rem"},
            layout={"width": "auto"},
        )
        self.chosen.observe(self._draw, "value")
        self.picture, self.saved = widgets.HTML(), widgets.HTML()
        self.remove = make_button("Remove these runs", self._press_remove)
        self.keep = make_button("Save all as JSON", self._press_save)
        self.download = widgets.HTML()
        self._foot = widgets.HBox(
            [self.remove, self.keep, self.download], layout={"flex_flow": "row wrap"}
        )
        above = [self.bar, self.status, self.chosen, self.picture]
        super().__init__(
            [*above, self._foot, self.saved],
            layout={"flex": "2 1 24rem", "min_width": "0"},
        )
        self.offer()

    def add(self, run: dict) -> None:
        """Put up one more run."""
        self.runs.append(run)
        self.offer()

    def offer(self) -> None:
        """List all runs, and draw them."""
        self.chosen.unobserve(self._draw, "value")
        self.chosen.options = [(self._name(run), run["number"]) for run in self.runs]
        self.chosen.value = tuple(run["number"] for run in self.runs)
        self.chosen.rows = min(max(len(self.runs), 3), 6)
        self.chosen.observe(self._draw, "value")
        for widget in (self.chosen, self._foot):
            widget.layout.display = "" if self.runs else "none"
        encoded = base64.b64encode(self._as_json()).decode()
        self.download.value = (
            f'<a download="{self.name}-runs.json" '
            f'href="data:application/json;base64,{encoded}">Download</a>'
        )
        self._draw()

    def _press_remove(self, pressed: object = None) -> None:
        chosen = self.chosen.value
        self.runs[:] = [run for run in self.runs if run["number"] not in chosen]
        self.offer()

    # Comparing -------------------------------------------------------------------

    def _draw(self, change: object = None) -> None:
        """Show the chosen runs beside the stored ones: pictures, words, table."""
        try:
            self.picture.value = self._comparison()
        except Exception as error:
            self.picture.value = failure_html(error)

    def _comparison(self) -> str:
        shown = [run for run in self.runs if run["number"] in self.chosen.value]
        nearest = [self.stored.nearest(run["setting"]) for run in shown]
        alike: dict[str, list[dict]] = {}
        for run in shown:
            alike.setdefault(self.stored.describe(run["setting"]), []).append(run)
        lines = [self._describe_runs(runs) for runs in alike.values()]
        beside = list({id(runs): (setting, runs) for setting, runs in nearest}.values())
        if not shown:
            beside = [self.stored.nearest(self.at_first)]
            lines = ["The stored runs are drawn alone until you have one of your own."]
        rows = [
            [_title(run), *measures_as_text(self.measures, run["setting"], [run])]
            for run in shown
        ]
        for setting, runs in beside:
            name = f"{self.stored.describe(setting)}, {len(runs)} seeds"
            rows.append([name, *measures_as_text(self.measures, setting, runs)])
        table = Table(["", *self.measures], rows)
        alt = "Drawn: " + "; ".join(
            ", ".join(row) for row in [table.header, *table.rows]
        )
        pictures = figure_svg(self._figure(shown, nearest, beside), alt)
        if trained := [run for run in shown if run["losses"]]:
            last = ", ".join(f"{r['number']}: {r['losses'][-1]:.3f}" for r in trained)
            pictures += figure_svg(
                draw_losses(trained), f"Losses; at last, of run {last}"
            )
        words = "".join(f"<p>{escape(line)}</p>" for line in lines)
        return f'{pictures}{words}<div class="bench-table">{table._repr_html_()}</div>'

    def _figure(self, shown: list[dict], nearest: Groups, beside: Groups) -> Any:
        if self.curve is not None:
            return draw_curves(shown, beside, self.stored, self.curve)
        label, measure = next(iter(self.measures.items()))
        return draw_runs(shown, nearest, self.stored, label, measure)

    def stored_table(self) -> Table:
        """Return the measures of all that is stored."""
        rows = [
            [
                self.stored.distinguish(setting),
                *measures_as_text(self.measures, setting, runs),
            ]
            for setting, runs in self.stored.groups
        ]
        return Table(["", *self.measures], rows)

    def _name(self, run: dict) -> str:
        setting = self.stored.describe(run["setting"])
        return f"{_title(run)}, seed {run['seed']}: {setting}"

    def _describe_runs(self, runs: list[dict]) -> str:
        """Say what runs of one setting are, and in what the stored one differs."""
        setting = runs[0]["setting"]
        stored, _ = self.stored.nearest(setting)
        apart = self.stored.differences(setting, stored)
        words = f"differs in {', '.join(apart)}" if apart else "has the same setting"
        names = [f"{_title(run)}, seed {run['seed']}" for run in runs]
        unfinished = " but was trained to its end, as a stopped run was not"
        return (
            f"{'; '.join(names)}: "
            f"{self.stored.describe(setting)}. Stored beside it: "
            f"{self.stored.describe(stored)}, which {words}"
            f"{unfinished * any(run['stopped'] for run in runs)}."
        )

    # Saving ----------------------------------------------------------------------

    def _as_json(self) -> bytes:
        contents = {"study": self.name, "runs": self.runs}
        return json.dumps(contents, ensure_ascii=False, indent=1).encode()

    def _press_save(self, pressed: object = None) -> None:
        """Write all runs, as `{"study": …, "runs": [run, …]}`, beside the notebook."""
        try:
            if self._file is None:  # nobody's older file is overwritten
                names = (f"{self.name}-runs{n}.json" for n in ["", *range(2, 10_000)])
                self._file = next(p for p in map(Path, names) if not p.exists())
            write_atomically(self._file, self._as_json())
            runs = "1 run" if len(self.runs) == 1 else f"{len(self.runs)} runs"
            self.saved.value = status_html(f"Saved {runs} to {self._file.resolve()}")
        except OSError as error:
            self.saved.value = status_html(str(error), wrong=True)


def make_button(label: str, on_click: Callable, **look: str) -> widgets.Button:
    """Return a button that is as wide as its label."""
    made = widgets.Button(description=label, layout={"width": "auto"}, **look)
    made.on_click(on_click)
    return made


def _title(run: dict) -> str:
    stopped = f" (stopped after {run['steps']} of {run['total']} steps)"
    return f"Run {run['number']}" + stopped * run["stopped"]
