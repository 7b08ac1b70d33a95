"""The bench of a lab: set, train, watch, stop, compare, save."""

import json
import time
from collections.abc import Mapping, Sequence
from html import escape
from statistics import fmean
from typing import Any

import ipywidgets as widgets

from attnlab import store
from attnlab.bench.fields import ChoiceField, Field, read_seeds, text_box
from attnlab.bench.job import Job, JobStopped, running_job
from attnlab.bench.page import duration_text, failure_html, status_html, style_sheet
from attnlab.bench.pictures import Curve, Measure
from attnlab.bench.results import Results, make_button
from attnlab.bench.stored import Stored
from attnlab.device import use_threads
from attnlab.experiments.study import Study, means_of_tens
from attnlab.figures.style import use_style

MAX_SECONDS = 30 * 60  # what would take longer is refused
TRIAL_SECONDS = 5.0  # seconds of training after which that is judged
FIRST_SEED = "5"  # none of those stored: the first run is one more of them
RUN_ADVICE = (
    "This bench trains networks: open the lab in Jupyter or Colab, and run this cell."
)


class Bench(widgets.Box):
    """Widgets to train a study's networks with, beside the study's stored runs.

    Args:
        study: its `measure` is called with the fields' keyword arguments, a `seed`, the
            learning rate of the nearest stored setting if the study has `rates`, and a
            function as `progress`, which it hands on to `attnlab.training.train`.
        heading: what stands above.
        fields: what the reader sets. At first they have the values of a stored setting.
        measures: what is read off a run, by name: `measure(setting, figures)`. The
            first is drawn. Parameters, where they are counted, come with them.
        curve: drawn in its place.
        watched: whether the study's function takes `progress`. Without it, Stop keeps
            nothing.

    Attributes:
        stored: the study's stored runs, by setting.
        runs: what has been trained here, oldest first: `number`, `setting`, `seed`,
            `figures` as in the stored results; `losses`, the mean of every ten
            steps; `steps` of `total`, and whether it was `stopped`.
    """

    # Older ipywidgets display themselves through this method, without any HTML.
    _ipython_display_ = None

    def __init__(
        self,
        study: Study,
        heading: str,
        fields: Sequence[Field],
        measures: Mapping[str, Measure],
        curve: Curve | None = None,
        *,
        watched: bool = True,
    ) -> None:
        use_style()
        self.study, self.heading, self.fields = study, heading, list(fields)
        self.watched = watched
        self.stored = Stored(study, self.fields, self.of_stored)
        self._count = 0  # of runs, the removed ones too
        self._inputs = {field.label: field.widget() for field in self.fields}
        self._first = {label: box.value for label, box in self._inputs.items()}
        self._seeds = text_box("Seeds (5, or 5-9)", FIRST_SEED)
        self.results = Results(
            study.name, self.stored, measures, curve, self._setting_at_first()
        )
        self.runs = self.results.runs
        super().__init__(
            [widgets.HTML(style_sheet()), self._settings_column(), self.results],
            layout={"display": "flex", "flex_flow": "row wrap", "width": "auto"},
        )
        self.add_class("attnlab-bench")

    def of_stored(self, stored: dict) -> dict:
        """Return a stored setting in the terms of the fields; as it is, if not told."""
        return stored

    # Settings --------------------------------------------------------------------

    def setting(self) -> dict[str, Any]:
        """Return what is set now, without the seeds.

        Raises:
            ValueError: with a line for everything that is no setting.
        """
        found: dict[str, Any] = {}
        wrong = []
        for field in self.fields:
            try:
                found |= field.read(self._inputs[field.label].value)
            except ValueError as error:
                wrong.append(str(error))
        if wrong:
            raise ValueError("\n".join(wrong))
        return found

    def set(self, **values: object) -> None:
        """Fill in fields by the names of their arguments: `bench.set(epochs=3)`.

        Raises:
            ValueError: there is no such field, or no such choice.
        """
        for name, value in values.items():
            if name == "seeds":
                self._seeds.value = str(value)
                continue
            field = next((one for one in self.fields if name in one.names), None)
            if field is None:
                names = sorted({"seeds"}.union(*(one.names for one in self.fields)))
                raise ValueError(f"no field {name!r}; there are {', '.join(names)}")
            chosen = (
                field.describe({name: value})
                if isinstance(field, ChoiceField)
                else value
            )
            self._inputs[field.label].value = str(chosen)

    def _setting_at_first(self) -> dict:
        parts = (field.read(self._first[field.label]) for field in self.fields)
        return {name: value for part in parts for name, value in part.items()}

    def _press_reset(self, pressed: object = None) -> None:
        for label, value in self._first.items():
            self._inputs[label].value = value
        self._seeds.value = FIRST_SEED
        self._problem.value = ""

    # What the reader sees --------------------------------------------------------

    def _settings_column(self) -> widgets.VBox:
        self._problem = widgets.HTML()
        self._train = make_button("Train", self._press_train, button_style="primary")
        self._stop = make_button("Stop", self._press_stop)
        self._reset = make_button("Reset", self._press_reset)
        heading = widgets.HTML(f"<h3>{escape(self.heading)}</h3>")
        buttons = widgets.HBox([self._train, self._stop, self._reset])
        parts = [heading, *self._inputs.values(), self._seeds, buttons, self._problem]
        return widgets.VBox(
            parts, layout={"flex": "1 1 18rem", "min_width": "0", "max_width": "28rem"}
        )

    # Training --------------------------------------------------------------------

    def _press_train(self, pressed: object = None) -> None:
        try:
            setting, seeds = self.setting(), read_seeds(self._seeds.value)
        except ValueError as error:
            self._problem.value = status_html(str(error), wrong=True)
            return
        self._problem.value = ""
        job = Job(
            lambda job: self._work(setting, seeds, job),
            lambda job: self._follow(job, len(seeds)),
            self._report_end,
        )
        if not job.start():
            words = "A training is under way in this notebook. Stop ends it."
            self._problem.value = status_html(words, wrong=True)

    def _press_stop(self, pressed: object = None) -> None:
        job = running_job()
        if job is None:
            self._problem.value = status_html("Nothing is being trained.")
            return
        self.results.status.value = status_html("Stopping …")
        job.stop()

    def _work(self, setting: dict, seeds: list[int], job: Job) -> None:
        """Train and measure with one seed after another; in a thread."""
        self.results.bar.value, self.results.bar.layout.visibility = 0.0, "visible"
        for number, seed in enumerate(seeds, start=1):
            if job.asked:
                return
            job.begin()
            of_all = f" (seed {seed}, {number} of {len(seeds)})" * (len(seeds) > 1)
            self.results.status.value = status_html(
                f"Preparing what it learns from{of_all} …"
            )
            clock = time.perf_counter()
            with use_threads(1):  # several are slower with networks so small
                figures = self._measure(setting, seed, job)
            self._count += 1
            figures = json.loads(json.dumps(figures))  # as a file would hold them
            seconds = round(time.perf_counter() - clock, 2)
            run = store.record(setting, seed, figures, seconds)
            run |= {"number": self._count, "losses": means_of_tens(job.losses)}
            run |= {"steps": job.steps, "total": job.total, "stopped": job.stopped}
            self.results.add(run)

    def _measure(self, setting: dict, seed: int, job: Job) -> dict:
        """Return what the study's function measures; ValueError for what it refuses."""
        options: dict[str, Any] = {**setting, "seed": seed}
        if self.study.rates:
            options["lr"] = self.stored.nearest(setting)[1][0]["setting"]["lr"]
        if self.watched:
            options["progress"] = job.follow
        return self.study.measure(**options)

    def _follow(self, job: Job, trainings: int) -> None:
        """Show how far the training is; end it if it would take too long."""
        self.results.bar.value = job.steps / job.total
        words = (
            f"Step {job.steps:,} of {job.total:,}, loss {fmean(job.losses[-50:]):.3f}"
        )
        if job.stopped or job.steps == job.total:
            words += ". Measuring what it has learned …"
        elif job.steps > 1:
            words += f", {duration_text(job.seconds_left)} left"
            seconds = trainings * (job.seconds + job.seconds_left)
            if job.seconds > TRIAL_SECONDS and seconds > MAX_SECONDS:
                raise ValueError(
                    f"This would take about {duration_text(seconds)} on this machine; "
                    f"the bench trains for {duration_text(MAX_SECONDS)} at most. Try "
                    "fewer epochs, examples or seeds, or a narrower network."
                )
        self.results.status.value = status_html(words)

    def _report_end(self, error: Exception | None) -> None:
        """Say how it went: in a thread, and whatever has happened."""
        self.results.bar.layout.visibility = "hidden"
        if error is None and self.runs:
            run = self.runs[-1]
            how = "stopped early and measured" if run["stopped"] else "done"
            words = (
                f"Run {run['number']} is {how}, after {duration_text(run['seconds'])}."
            )
            self.results.status.value = status_html(words)
        elif error is None or isinstance(error, JobStopped):
            self.results.status.value = status_html(
                "Stopped before the first step: nothing was trained."
            )
        elif isinstance(error, ValueError):  # the study's words on what it cannot do
            self.results.status.value = status_html("Nothing was trained.")
            self._problem.value = status_html(f"{error}", wrong=True)
        else:
            self.results.status.value = failure_html(error)

    # Without a kernel ------------------------------------------------------------

    def __repr__(self) -> str:
        return f"{self.heading}\n{self.results.stored_table()!r}\n{self._footnote()}"

    def _footnote(self) -> str:
        alike, seeds = self.stored.common_settings(), len(self.stored.groups[0][1])
        alike = f"; in all of them: {alike}" if alike else ""
        return f"{seeds} seeds each{alike}. {RUN_ADVICE}"

    def _repr_html_(self) -> str:
        """Return what stands in a page without Python: the stored runs."""
        heading = f"<p><strong>{escape(self.heading)}</strong></p>"
        # The table stands by itself, as `show_table` has it: the page styles it so.
        table = self.results.stored_table()._repr_html_()
        return f"{heading}{table}<p>{escape(self._footnote())}</p>"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict:
        """Give a notebook the widgets, and a page without Python the stored runs."""
        view = {"version_major": 2, "version_minor": 0, "model_id": self.model_id}
        return {
            "application/vnd.jupyter.widget-view+json": view,
            "text/html": self._repr_html_(),
            "text/plain": repr(self),
        }
