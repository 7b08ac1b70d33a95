"""The figure of chapter 6: which layer costs least, at which sizes, and on what?"""

import json
from pathlib import Path
from statistics import median
from typing import Any, ClassVar

import traitlets

from attnlab import store
from attnlab.checks import check_choice, check_integer, check_number
from attnlab.complexity.grid import PHASES
from attnlab.complexity.layers import LAYERS, LayerType
from attnlab.complexity.roofline import fit_roofline
from attnlab.live.base import LiveFigure, Stop
from attnlab.live.page import INLINE_LIMIT
from attnlab.live.traits import OneOf, Whole

# What the curves may show. Bytes have no formula: they are measured or unknown.
FORMULAS = ("flops", "parameters", "sequential_operations", "path_length")
QUANTITIES = ("flops", "seconds", "megabytes", *FORMULAS[1:])
SIZES = {"n": (8, 65_536), "d": (8, 4096), "k": (1, 1023), "r": (1, 65_536)}
SHOWN = ("attention", "gru_fused")
NO_MACHINE = ""
STORED = "complexity.*.json"  # in the results of the experiments
MIN_CELLS = 4  # measured cells, for the three constants of a model of time


class Cost(LiveFigure):
    """What each type of layer costs, predicted by its formula and measured.

    Traits:
        n, d, k, r: length 8 … 65536, width 8 … 4096, kernel 1 … 1023, radius
            1 … 65536.
        layers: which types are shown, names in `attnlab.complexity.LAYERS`.
        quantity: "flops", "seconds", "megabytes", "parameters",
            "sequential_operations" or "path_length".
        x: which size runs along the axis, "n", "d", "k" or "r".
        causal: kernels and windows look back only; otherwise k must be odd.
        machine: whose measurements are shown, a name in `machines`, or "" for none.
        phase: "forward", "training" or "generation": what was measured.
        machines: `compact` measurements, those that the package has if left out.

    Dilated convolutions are stacked as deep as it takes to link n positions causally.
    Additive attention has d hidden units.
    """

    figure: ClassVar[str] = "cost"
    title: ClassVar[str] = "Which layer costs least?"
    caption: ClassVar[str] = (
        "What two layers cost along one size, and where they cross."
    )
    description: ClassVar[str] = (
        "Curves of what self-attention and a GRU cost against the length of the "
        "sequence, where they cross, and a table with the cost of each at the chosen "
        "sizes."
    )

    tour: ClassVar[tuple[Stop, ...]] = (
        Stop(
            "The longer a sequence, the more a layer costs. Self-attention starts "
            "below the GRU but rises faster: with n², not with n.",
            {},
            ".cost-line",
        ),
        Stop(
            "They cross at n = 768, which is three times the width, d = 256. Shorter "
            "sequences take fewer FLOPs with self-attention.",
            {},
            ".cost-ring, .cost-crosstext",
        ),
        Stop(
            "Double the width to 512, and the crossing moves with it, to n = 1,536.",
            {"d": 512},
            ".cost-ring, .cost-crosstext",
        ),
        Stop(
            "Back at d = 256, a fit to measured seconds lets them cross only at about "
            "2,200 words. FLOPs are not all that takes time.",
            {"quantity": "seconds"},
            ".cost-ring, .cost-crosstext",
        ),
        Stop(
            "What the GRU pays for as well is its steps in a row: one for each word, "
            "while self-attention needs a single one.",
            {"quantity": "sequential_operations"},
            ".cost-line",
        ),
        Stop(
            "Now compare other layers, along other sizes. With its projections, is "
            "multi-head attention still the cheaper one at n = d?",
            {},
            ".cost-controls, .cost-sizes",
        ),
    )
    limits: ClassVar[dict] = SIZES

    n = Whole(512, min=SIZES["n"][0], max=SIZES["n"][1]).tag(sync=True)
    d = Whole(256, min=SIZES["d"][0], max=SIZES["d"][1]).tag(sync=True)
    k = Whole(3, min=SIZES["k"][0], max=SIZES["k"][1]).tag(sync=True)
    r = Whole(32, min=SIZES["r"][0], max=SIZES["r"][1]).tag(sync=True)
    layers = traitlets.List(traitlets.Unicode(), list(SHOWN)).tag(sync=True)
    quantity = OneOf(QUANTITIES, "flops").tag(sync=True)
    x = OneOf(tuple(SIZES), "n").tag(sync=True)
    causal = traitlets.Bool(False).tag(sync=True)
    machine = traitlets.Unicode().tag(sync=True)
    phase = OneOf(PHASES, "forward").tag(sync=True)
    machines = traitlets.List(traitlets.Dict()).tag(sync=True)

    def __init__(self, results: dict | None = None, **traits: object) -> None:
        """Show stored measurements, and `results` beside them.

        Args:
            results: the reader's own, as `attnlab.complexity.measure_grid` returns
                them. They come first, marked "(yours)".
            traits: see the class.

        Raises:
            ValueError: `results` are of another form, or too many for a page.
            traitlets.TraitError: a trait cannot have that value.
        """
        if results is not None:
            own = [
                {**machine, "name": f"{machine['name']} (yours)"}
                for machine in compact(results)
            ]
            stored: Any = traits.get("machines")
            traits["machines"] = own + (stored_machines() if stored is None else stored)
        super().__init__(**traits)

    def costs(self) -> dict[str, dict[str, int | None]]:
        """Return what the formulas say of each shown layer at the chosen sizes.

        `costs()["gru_fused"]["flops"]`. A path that no number of layers completes has
        the length None, as has what such a stack of dilated convolutions would cost.
        """
        return {
            name: {what: self._cost(LAYERS[name], what) for what in FORMULAS}
            for name in self.layers
        }

    def _cost(self, layer: LayerType, quantity: str) -> int | None:
        sizes = {"kernel_size": self.k, "radius": self.r}
        options = {key: sizes[key] for key in layer.options if key in sizes}
        if quantity == "sequential_operations":
            return layer.sequential_operations(self.n)
        try:
            if quantity == "path_length":
                return layer.path_length(self.n, causal=self.causal, **options)
            if layer.name == "dilated":
                options["num_layers"] = layer.layers_needed(
                    self.n, causal=True, **options
                )
        except ValueError:  # no stack links the ends
            return None
        if quantity == "parameters":
            return layer.parameters(self.d, causal=self.causal, **options)
        return layer.flops(self.n, self.d, causal=self.causal, **options)

    def __repr__(self) -> str:
        state = self.state()
        state["machines"] = [machine["name"] for machine in self.machines]
        traits = ", ".join(f"{name}={value!r}" for name, value in state.items())
        return f"Cost({traits})"

    @traitlets.default("_frame")
    def _default_frame(self) -> dict:
        names = {
            layer.name: {"label": layer.label, "formula": layer.formula}
            for layer in LAYERS.values()
        }
        return {**super()._default_frame(), "layers": names}

    @traitlets.default("machines")
    def _default_machines(self) -> list[dict]:
        return stored_machines()

    @traitlets.default("machine")
    def _default_machine(self) -> str:
        return self.machines[0]["name"] if self.machines else NO_MACHINE

    @traitlets.validate("k")
    def _check_k(self, proposal: dict) -> int:
        k = proposal["value"]
        if k % 2 == 0 and not self.causal:
            raise traitlets.TraitError(
                f"a centred kernel must be odd to have a centre, got k={k}; with "
                "causal=True it may be even"
            )
        return k

    @traitlets.validate("layers")
    def _check_layers(self, proposal: dict) -> list[str]:
        names = proposal["value"]
        unknown = [name for name in names if name not in LAYERS]
        if unknown:
            raise traitlets.TraitError(
                f"layers are names out of {', '.join(LAYERS)}; got {unknown[0]!r}"
            )
        return list(dict.fromkeys(names))

    @traitlets.validate("machine")
    def _check_machine(self, proposal: dict) -> str:
        names = [machine["name"] for machine in self.machines]
        if proposal["value"] not in [NO_MACHINE, *names]:
            raise traitlets.TraitError(
                f"machine is '' or one of {names}; got {proposal['value']!r}"
            )
        return proposal["value"]

    @traitlets.validate("machines")
    def _check_machines(self, proposal: dict) -> list[dict]:
        machines = proposal["value"]
        for machine in machines:
            if set(machine) != {"name", "points", "models"} or not all(
                isinstance(machine[part], dict) for part in ("points", "models")
            ):
                raise traitlets.TraitError(
                    "a machine is {'name': …, 'points': …, 'models': …} as `compact` "
                    f"makes it, got {sorted(machine)}"
                )
        size = len(json.dumps(machines))
        if size > INLINE_LIMIT:
            raise traitlets.TraitError(
                f"these measurements are {size} bytes; a page may hold {INLINE_LIMIT}: "
                "pass fewer as machines=compact(results)"
            )
        return machines

    @traitlets.observe("causal")
    def _centre_the_kernel(self, change: dict) -> None:
        if not self.causal and self.k % 2 == 0:
            self.k -= 1

    @traitlets.observe("machines")
    def _reset_missing_machine(self, change: dict) -> None:
        names = [machine["name"] for machine in self.machines]
        if self.machine not in names:
            self.machine = names[0] if names else NO_MACHINE


def stored_machines() -> list[dict]:
    """Return the measurements that the package has, `compact`."""
    names = sorted(path.stem for path in Path(store.RESULTS).glob(STORED))
    return [
        machine
        for name in names
        for machine in compact(store.load(name, folder=store.RESULTS))
    ]


def compact(results: dict) -> list[dict]:
    """Shorten what `attnlab.complexity.measure_grid` stored to what the figure shows.

    Returns:
        For each machine and number of threads `{"name": …, "points": …, "models": …}`.
        `points[layer][phase]` are lists [n, d, k or r (else 0), median, low, high,
        megabytes]: microseconds to three figures, with quartiles, None where memory ran
        out, and None for megabytes that are unknown. `models[layer][phase]` is what the
        times follow, see `_model_of_time`. Cells whose other options are not those of
        the figure are left out.

    Raises:
        ValueError: the results are of another form.
    """
    if not isinstance(results, dict) or not isinstance(results.get("runs"), list):
        raise ValueError(
            "results must be as `measure_grid` returns them, {'name': …, 'runs': […]}"
        )
    machines: dict[str, dict] = {}
    timed: dict[tuple, list[dict]] = {}  # by machine, layer and phase
    for run in results["runs"]:
        try:
            layer, row = LAYERS[run["setting"]["layer"]], _as_row(run)
            phase, name = run["setting"]["phase"], _machine_name(run)
            check_choice("phase", phase, PHASES)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise ValueError(f"a run is not as `measure` makes it: {run!r}") from error
        if not _as_in_the_figure(layer, run["setting"]):
            continue
        fresh: dict = {"name": name, "points": {}, "models": {}}
        machine = machines.setdefault(name, fresh)
        machine["points"].setdefault(layer.name, {}).setdefault(phase, []).append(row)
        if run["figures"]["seconds"]:
            timed.setdefault((name, layer.name, phase), []).append(
                _as_point(layer, run)
            )
    for (name, layer_name, phase), points in timed.items():
        models = machines[name]["models"].setdefault(layer_name, {})
        models[phase] = _model_of_time(points)
    return list(machines.values())


def _as_point(layer: LayerType, run: dict) -> dict:
    """A timed cell as `fit_roofline` takes it, with the FLOPs that the figure has."""
    setting, seconds = run["setting"], run["figures"]["seconds"]["median"]
    check_number("a time", seconds, above=0)
    options = {key: setting.get(key, value) for key, value in layer.options.items()}
    generating = setting["phase"] == "generation"  # others were timed both ways
    flops = layer.flops(setting["n"], setting["d"], generating=generating, **options)
    return {**setting, "seconds": seconds, "flops": flops}


def _model_of_time(points: list[dict]) -> list[float | None]:
    """Seconds a step, FLOPs a second and bytes a second: those of a `Roofline`.

    Where too few cells were measured, a rate alone: no seconds a step, and None for
    bytes, which take no time then.
    """
    if len(points) >= MIN_CELLS:
        return [float(f"{constant:.4g}") for constant in fit_roofline(points)]
    return [0.0, median(point["flops"] / point["seconds"] for point in points), None]


def _as_row(run: dict) -> list[float | None]:
    setting, figures = run["setting"], run["figures"]
    options = LAYERS[setting["layer"]].options
    reach = next((key for key in ("kernel_size", "radius") if key in options), None)
    option = setting.get(reach, options[reach]) if reach else 0
    for name, size in (("n", setting["n"]), ("d", setting["d"]), ("reach", option)):
        check_integer(name, size, 0)
    times = figures["seconds"] or {}  # none if memory ran out
    return [
        setting["n"],
        setting["d"],
        option,
        *(_three_figures(times.get(key), 1e6) for key in ("median", "low", "high")),
        _three_figures(figures["megabytes"]),
    ]


def _as_in_the_figure(layer: LayerType, setting: dict) -> bool:
    if setting.get("batch", 1) != 1:
        return False
    if layer.name == "dilated":
        kernel = setting.get("kernel_size", layer.options["kernel_size"])
        needed = layer.layers_needed(setting["n"], causal=True, kernel_size=kernel)
        return setting.get("num_layers", layer.options["num_layers"]) == needed
    return all(
        setting.get(key, default) == default
        for key, default in layer.options.items()
        if key not in ("kernel_size", "radius")
    )


def _machine_name(run: dict) -> str:
    machine, threads = run["machine"], run["setting"].get("threads", 1)
    if "gpu" in machine:
        return machine["gpu"]
    return f"{machine['cpu']}, {threads} thread{'s' if threads > 1 else ''}"


def _three_figures(number: float | None, unit: float = 1) -> float | int | None:
    if number is None:
        return None
    check_number("a figure", number)
    rounded = float(f"{number * unit:.3g}")
    return int(rounded) if rounded >= 100 else rounded
