"""What a bench draws: the reader's runs beside stored ones.

A run of the reader's keeps its colour and its marker, whatever is drawn beside it.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attnlab.bench.stored import Groups, Stored
from attnlab.figures.palette import CYCLE, MARKERS, NEUTRAL
from attnlab.figures.seeds import plot_seeds, spread

COLOURS = [colour for colour in CYCLE if colour != NEUTRAL]

# What is read off a run: `measure(setting, figures)`.
Measure = Callable[[dict, dict], float]


class Curve(NamedTuple):
    """What a study measures along something, such as the length of a number.

    Attributes:
        xlabel, ylabel: of the axes.
        points: `points(setting, figures)` is the values by place.
        trained: `trained(setting)` is the last place that was trained; what lies
            beyond is dotted.
    """

    xlabel: str
    ylabel: str
    points: Callable[[dict, dict], dict[float, float]]
    trained: Callable[[dict], float]


def style_of_run(run: dict) -> dict[str, Any]:
    """Colour and marker of a run of the reader's, by its number."""
    place = run["number"] - 1
    return {
        "color": COLOURS[place % len(COLOURS)],
        "marker": MARKERS[1 + place % (len(MARKERS) - 1)],
    }


def measures_as_text(
    measures: Mapping[str, Measure], setting: dict, runs: list[dict]
) -> list:
    """Each measure of the runs of one setting, as text: "97 (95–99)", or "97"."""
    texts = []
    for measure in measures.values():
        values = [measure(setting, run["figures"]) for run in runs]
        alike = f"{min(values):.0f}" == f"{max(values):.0f}"
        texts.append(f"{values[0]:,.0f}" if alike else spread(values))
    return texts


def draw_runs(
    runs: list[dict], nearest: Groups, stored: Stored, label: str, measure: Measure
) -> Figure:
    """Draw a measure of all stored seeds, a row a setting, and of the reader's runs.

    Args:
        runs: the reader's.
        nearest: of each of them the nearest stored setting, in whose row it stands.
        stored: all that is.
        label, measure: what is drawn.
    """
    figure = Figure(figsize=(6.4, 1.2 + 0.25 * len(stored.groups)))
    axes = figure.subplots()
    for place, (setting, its_runs) in enumerate(stored.groups):
        values = [measure(setting, run["figures"]) for run in its_runs]
        axes.plot(values, [place] * len(values), "o", color=NEUTRAL, alpha=0.6)
    rows = [setting for setting, _ in stored.groups]
    for run, (setting, _) in zip(runs, nearest, strict=True):
        place, value = rows.index(setting), measure(run["setting"], run["figures"])
        axes.plot([value], [place], ms=10, **style_of_run(run))
        axes.annotate(str(run["number"]), (value, place), (7, 3), fontweight="bold",
                      textcoords="offset points")  # fmt: skip
    axes.set_yticks(range(len(rows)), [stored.distinguish(setting) for setting in rows])
    axes.invert_yaxis()
    axes.set(xlabel=f"{label}; grey: stored")
    return figure


def draw_curves(
    runs: list[dict], beside: Groups, stored: Stored, curve: Curve
) -> Figure:
    """Draw the curves of the reader's runs, and of the nearest stored ones in grey."""
    figure = Figure(figsize=(6.4, 3.6))
    axes = figure.subplots()
    for number, (setting, its_runs) in enumerate(beside):
        label = "stored" + f", {stored.distinguish(setting)}" * (len(beside) > 1)
        dashes = ("-", "--", "-.", ":")[number % 4]
        look = {"color": NEUTRAL, "marker": "o", "ls": dashes, "label": label}
        _draw_curve(axes, curve, setting, its_runs, look)
    for run in runs:
        look = {"label": f"run {run['number']}", **style_of_run(run)}
        _draw_curve(axes, curve, run["setting"], [run], look)
    axes.set(xlabel=curve.xlabel, ylabel=curve.ylabel)
    figure.legend(loc="outside upper left", ncols=2)
    return figure


def draw_losses(runs: list[dict]) -> Figure:
    """Draw the loss of the reader's runs over their trainings."""
    figure = Figure(figsize=(6.4, 2.6))
    axes = figure.subplots()
    for run in runs:
        steps = range(0, 10 * len(run["losses"]), 10)
        look = {"label": f"run {run['number']}", **style_of_run(run), "marker": ""}
        axes.plot(steps, run["losses"], **look)
    axes.set(xlabel="step", ylabel="loss")
    figure.legend(loc="outside upper left", ncols=4)
    return figure


def _draw_curve(
    axes: Axes, curve: Curve, setting: dict, runs: list[dict], look: dict[str, Any]
) -> None:
    """Draw the seeds of one setting, dotted beyond what was trained."""
    seeds = [curve.points(setting, run["figures"]) for run in runs]
    places = sorted(seeds[0])
    within = [x for x in places if x <= curve.trained(setting)]
    plot_seeds(axes, within, [[seed[x] for x in within] for seed in seeds], **look)
    beyond = places[len(within) - 1 :]
    means = [sum(seed[x] for seed in seeds) / len(seeds) for x in beyond]
    axes.plot(beyond, means, ":", color=look["color"], lw=1.5)
