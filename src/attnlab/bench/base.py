"""The bench that all labs share: set, train, watch, stop, compare, save."""

import json
import time
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any, ClassVar

import ipywidgets as widgets
from matplotlib.figure import Figure
from torch import nn

from attnlab import store
from attnlab.bench.fields import Choice, Field, differences
from attnlab.bench.job import Job, running, seconds_a_step
from attnlab.bench.page import drawing, duration, failure, said, style_sheet
from attnlab.bench.stored import Stored
from attnlab.data import NumberPairs
from attnlab.figures.style import use_style
from attnlab.figures.table import Table
from attnlab.files import write_atomically
from attnlab.training import Progress

BATCH = 64  # pairs in a step, as `train` has it
MOST_SECONDS = 30 * 60  # what would take longer is refused
NONE = -1  # in a list of runs: none of them
TO_RUN = (
    "This bench trains networks: open the lab in Jupyter or Colab, and run this cell."
)


class TooLong(ValueError):
    """A training would take longer than a bench allows."""


class Bench(widgets.Box):
    """Widgets to train a study's networks with, beside the study's stored runs.

    A subclass names the study, its fields, and what to do with them. A *setting* is a
    dict with a value for every field.

    Attributes:
        study: the name of the stored results, see `attnlab.store.load`.
        heading: what stands above.
        fields: what the reader sets; among them `epochs` and `seed`.
        weights: how much a difference in a field counts when the nearest stored
            setting is looked for, see `attnlab.bench.stored.Stored`.
        stored: the study's stored runs, by setting.
        runs: what has been trained here, oldest first: `setting`, `seed`, `figures` as
            in the stored results; `steps` of `total`, and whether it was `stopped`.
    """

    study: ClassVar[str]
    heading: ClassVar[str]
    fields: ClassVar[tuple[Field, ...]]
    weights: ClassVar[dict[str, float]]

    # Older ipywidgets display themselves through this method, without any HTML.
    _ipython_display_ = None

    def __init__(self) -> None:
        use_style()
        self.runs: list[dict] = []
        self.stored = Stored(self.study, self.as_setting, self.weights)
        self._inputs = {field.name: field.widget() for field in self.fields}
        self._file: Path | None = None
        super().__init__(
            [widgets.HTML(style_sheet()), self._settings_side(), self._results_side()],
            layout={"display": "flex", "flex_flow": "row wrap", "width": "auto"},
        )
        self.add_class("attnlab-bench")
        self._draw()

    # What a subclass says --------------------------------------------------------

    def check(self, setting: dict) -> None:
        """Raise ValueError, in words for the reader, if values do not go together."""
        raise NotImplementedError

    def measure(self, setting: dict, progress: Progress) -> dict:
        """Train and measure as the study does; return its figures."""
        raise NotImplementedError

    def untrained(self, setting: dict) -> tuple[nn.Module, NumberPairs]:
        """Return the network and the longest of its pairs, to time a few steps."""
        raise NotImplementedError

    def examples(self, setting: dict) -> int:
        """Return how many pairs an epoch has."""
        raise NotImplementedError

    def as_setting(self, stored: dict) -> dict | None:
        """Return a stored run's setting in the bench's terms; None if it has no such.

        What it does not say is the study's default. The seed is left out.
        """
        raise NotImplementedError

    def describe(self, setting: dict) -> str:
        """Say in a few words what is trained."""
        raise NotImplementedError

    def draw(self, shown: list[dict], beside: list[tuple[dict, list[dict]]]) -> Figure:
        """Draw one or two of the reader's runs, and beside them stored ones.

        Args:
            shown: runs as in `runs`; none before the first.
            beside: settings and their stored runs, one of them or two.
        """
        raise NotImplementedError

    def row(self, name: str, runs: list[dict]) -> list[str]:
        """Return a row of the table, for seeds of one setting; see `header`."""
        raise NotImplementedError

    header: ClassVar[list[str]]

    # Settings --------------------------------------------------------------------

    def setting(self) -> dict[str, Any]:
        """Return what is set now, the seed included.

        Raises:
            ValueError: with a line for everything that is no setting.
        """
        found, wrong = {}, []
        for field in self.fields:
            try:
                found[field.name] = field.read(self._inputs[field.name].value)
            except ValueError as error:
                wrong.append(str(error))
        if wrong:
            raise ValueError("\n".join(wrong))
        self.check(found)
        return found

    def set(self, **values: object) -> None:
        """Fill in fields by name, as if typed or chosen: `bench.set(epochs=3)`.

        Raises:
            ValueError: there is no such field, or no such choice.
        """
        fields = {field.name: field for field in self.fields}
        for name, value in values.items():
            if name not in fields:
                raise ValueError(f"no field {name!r}; there are {', '.join(fields)}")
            field = fields[name]
            if isinstance(field, Choice):
                lines = [line for line, x in field.options.items() if x == value]
                if not lines:
                    raise ValueError(f"{field.label} has no choice {value!r}")
                self._inputs[name].value = lines[0]
            else:
                self._inputs[name].value = str(value)

    def estimate(self, setting: dict) -> float:
        """Return how many seconds the training will take, by trying a few steps."""
        pace = seconds_a_step(*self.untrained(setting))
        steps = -(-self.examples(setting) // BATCH) * setting["epochs"]
        return pace * steps

    # What the reader sees --------------------------------------------------------

    def _settings_side(self) -> widgets.VBox:
        self._train = widgets.Button(description="Train", button_style="primary")
        self._stop = widgets.Button(description="Stop")
        self._problem = widgets.HTML()
        self._train.on_click(self._press_train)
        self._stop.on_click(self._press_stop)
        heading = widgets.HTML(f"<h3>{escape(self.heading)}</h3>")
        buttons = widgets.HBox([self._train, self._stop])
        parts = [heading, *self._inputs.values(), buttons, self._problem]
        return widgets.VBox(
            parts, layout={"flex": "1 1 18rem", "min_width": "0", "max_width": "28rem"}
        )

    def _results_side(self) -> widgets.VBox:
        self._bar = widgets.FloatProgress(
            min=0.0, max=1.0, layout={"width": "auto", "visibility": "hidden"}
        )
        self._said = widgets.HTML(said("Choose settings, then press Train."))
        wide = {"style": {"description_width": "4rem"}, "layout": {"width": "auto"}}
        nothing = [("none yet", NONE)]
        self._first = widgets.Dropdown(options=nothing, description="Show", **wide)
        self._second = widgets.Dropdown(options=nothing, description="beside", **wide)
        for chosen in (self._first, self._second):
            chosen.observe(self._draw, "value")
        self._picture = widgets.HTML()
        self._save = widgets.Button(
            description="Save all runs as JSON", layout={"width": "auto"}
        )
        self._after_a_run = (self._first, self._second, self._save)
        for widget in self._after_a_run:
            widget.layout.display = "none"
        self._saved = widgets.HTML()
        self._save.on_click(self._press_save)
        top = [self._bar, self._said, self._first, self._second]
        foot = [self._picture, widgets.HBox([self._save]), self._saved]
        return widgets.VBox(
            [*top, *foot], layout={"flex": "2 1 24rem", "min_width": "0"}
        )

    def _draw(self, change: object = None) -> None:
        """Show the chosen runs beside the stored ones: picture, table, words."""
        try:
            self._picture.value = self._comparison()
        except Exception as error:
            self._picture.value = failure(error)

    def _comparison(self) -> str:
        chosen = dict.fromkeys((self._first.value, self._second.value))
        numbers = [number for number in chosen if number != NONE]
        shown = [{**self.runs[n], "name": f"Run {n + 1}"} for n in numbers]
        beside, rows, lines = [], [], []
        for run in shown:
            stored = self.stored.nearest(run["setting"])
            rows.append(self.row(run["name"] + " (stopped)" * run["stopped"], [run]))
            lines.append(self._about(run, stored[0]))
            if stored not in beside:
                beside.append(stored)
        if not shown:
            beside = [self.stored.nearest(self.setting_at_first())]
            lines = ["The stored runs are drawn alone until you have one of your own."]
        for setting, runs in beside:
            rows.append(self.row(f"{self.describe(setting)}, {len(runs)} seeds", runs))
        table = Table(self.header, rows)
        alt = "Drawn: " + "; ".join(", ".join(row) for row in [self.header, *rows])
        words = "".join(f"<p>{escape(line)}</p>" for line in lines)
        picture = drawing(self.draw(shown, beside), alt)
        return f'{picture}{words}<div class="bench-table">{table._repr_html_()}</div>'

    def setting_at_first(self) -> dict:
        """Return the setting that the bench has before the reader changes it."""
        return {field.name: field.read(field.widget().value) for field in self.fields}

    def _about(self, run: dict, stored: dict) -> str:
        """Say what a run is, and what it differs in from the stored one drawn."""
        setting = self.describe(run["setting"])
        early = f" Stopped after {run['steps']} of {run['total']} steps."
        apart = differences(self.fields, run["setting"], stored)
        words = f"differs in {', '.join(apart)}" if apart else "has the same setting"
        return (
            f"{run['name']}: {setting}, seed {run['seed']}."
            f"{early * run['stopped']} Stored beside it: {self.describe(stored)}, "
            f"which {words}."
        )

    # Training --------------------------------------------------------------------

    def _press_train(self, button: object = None) -> None:
        try:
            setting = self.setting()
        except ValueError as error:
            self._problem.value = said(str(error), wrong=True)
            return
        self._problem.value = ""
        job = Job(lambda job: self._work(setting, job), self._follow, self._ended)
        if not job.start():
            words = "A training is under way in this notebook. Stop ends it."
            self._problem.value = said(words, wrong=True)

    def _press_stop(self, button: object = None) -> None:
        job = running()
        if job is None:
            self._problem.value = said("Nothing is being trained.")
        else:
            job.stop()

    def _work(self, setting: dict, job: Job) -> None:
        """Train and measure; in a thread."""
        self._bar.value, self._bar.layout.visibility = 0.0, "visible"
        self._said.value = said("Preparing: how long will it take here?")
        seconds = self.estimate(setting)
        if seconds > MOST_SECONDS:
            raise TooLong(
                f"This would take about {duration(seconds)} on this machine; the bench "
                f"trains for {duration(MOST_SECONDS)} at most. Try fewer epochs or "
                "numbers, or a narrower network."
            )
        self._said.value = said(f"Spelling the numbers. About {duration(seconds)}.")
        clock = time.perf_counter()
        metrics = self.measure(setting, job.follow)
        run = {
            "setting": {name: x for name, x in setting.items() if name != "seed"},
            "seed": setting["seed"],
            "figures": json.loads(json.dumps(metrics)),  # as a file would hold them
            "steps": job.steps,
            "total": job.total,
            "stopped": job.stopped,
            "seconds": round(time.perf_counter() - clock, 2),
            "versions": store.versions(),
            "machine": store.machine(),
            "date": datetime.now(UTC).date().isoformat(),
        }
        self.runs.append(run)
        self._offer_runs()

    def _follow(self, job: Job) -> None:
        """Show how far the training is."""
        self._bar.value = job.steps / job.total
        words = f"Step {job.steps:,} of {job.total:,}, loss {job.loss:.3f}"
        if job.stopped or job.steps == job.total:
            words += ". Measuring what it has learned …"
        elif job.steps > 1:
            words += f", {duration(job.seconds_left)} left"
        self._said.value = said(words)

    def _ended(self, error: Exception | None) -> None:
        """Say how it went: in a thread, and whatever has happened."""
        self._bar.layout.visibility = "hidden"
        if error is None:
            run, number = self.runs[-1], len(self.runs)
            how = "stopped early and measured" if run["stopped"] else "done"
            words = f"Run {number} is {how}, after {duration(run['seconds'])}."
            self._said.value = said(words)
        elif isinstance(error, TooLong):
            self._said.value = said("Nothing was trained.")
            self._problem.value = said(str(error), wrong=True)
        else:
            self._said.value = failure(error)

    def _offer_runs(self) -> None:
        """Put the newest run up, beside the one that was shown before."""
        before = self._first.value
        lines = [
            (f"Run {i}: {self.describe(run['setting'])}, seed {run['seed']}", i - 1)
            for i, run in enumerate(self.runs, start=1)
        ]
        for chosen in (self._first, self._second):
            chosen.unobserve(self._draw, "value")
        self._first.options, self._first.value = lines, len(lines) - 1
        self._second.options = [("no other run", NONE), *lines]
        self._second.value = before
        for chosen in (self._first, self._second):
            chosen.observe(self._draw, "value")
        for widget in self._after_a_run:
            widget.layout.display = ""
        self._draw()

    # Saving ----------------------------------------------------------------------

    def save(self, path: str | Path) -> Path:
        """Write all runs to a file: JSON, as `json.load` reads it.

        The file holds `{"study": …, "runs": [run, …]}`, runs as in `runs`.

        Raises:
            ValueError: there is no run yet.
            OSError: the file cannot be written.
        """
        if not self.runs:
            raise ValueError("There is no run to save yet.")
        contents = {"study": self.study, "runs": self.runs}
        text = json.dumps(contents, ensure_ascii=False, indent=1)
        write_atomically(Path(path), text.encode())
        return Path(path).resolve()

    def _press_save(self, button: object = None) -> None:
        path = self._file
        try:
            if path is None:  # nobody's older file is overwritten
                names = (f"{self.study}-runs{n}.json" for n in ["", *range(2, 10_000)])
                path = next(p for p in map(Path, names) if not p.exists())
            where = self._file = self.save(path)
        except (OSError, ValueError) as error:
            self._saved.value = said(str(error), wrong=True)
            return
        runs = "1 run" if len(self.runs) == 1 else f"{len(self.runs)} runs"
        self._saved.value = said(f"Saved {runs} to {where}")

    # Without a kernel ------------------------------------------------------------

    def __repr__(self) -> str:
        return f"{self.heading}\n{self._stored_table()!r}\n{TO_RUN}"

    def _stored_table(self) -> Table:
        groups = self.stored.groups
        rows = [self.row(self.describe(setting), runs) for setting, runs in groups]
        return Table(self.header, rows)

    def _repr_html_(self) -> str:
        """Return what stands in a page without Python: the stored runs."""
        heading = f"<p><strong>{escape(self.heading)}</strong></p>"
        # The table stands by itself, as `show_table` has it: the page styles it so.
        return f"{heading}{self._stored_table()._repr_html_()}<p>{TO_RUN}</p>"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict:
        """Give a notebook the widgets, and a page without Python the stored runs."""
        view = {"version_major": 2, "version_minor": 0, "model_id": self.model_id}
        return {
            "application/vnd.jupyter.widget-view+json": view,
            "text/html": self._repr_html_(),
            "text/plain": repr(self),
        }
