"""What every type of layer can be asked: to be built, and what it must cost."""

from typing import Any

from torch import nn

from attnlab.checks import check_integer
from attnlab.complexity.modules import Stack, check_kernel

MIN_OPTION_VALUES = {
    "radius": 0,
    "num_layers": 1,
    "d_hidden": 1,
}  # of what a layer can vary


class LayerType:
    """One row: how to build the layer, and what it must cost.

    Attributes:
        name: the key in `LAYERS`.
        label: the row's heading.
        formula: `flops` written out, for one sequence.
        paper: the order that Vaswani et al. 2017 give in table 1; "" if they give none.
        options: what the layer can vary beside n and d, with the defaults: keywords of
            `build`, `flops`, `parameters` and of what counts layers, where `num_layers`
            plays no part. All of these take `causal` as well.

    What is asked of it raises TypeError for an option that it has not or a size that is
    no integer, and ValueError for a size below 1.
    """

    label: str
    formula: str
    paper: str = ""
    options: dict[str, int | None]

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"LAYERS[{self.name!r}]"

    # What a type says of itself, of sizes and options that are checked.

    def _build(self, d: int, *, causal: bool, **options: Any) -> nn.Module:
        raise NotImplementedError

    def _flops(self, n: int, d: int, *, causal: bool, **options: Any) -> int:
        raise NotImplementedError

    def _generating(self, n: int, d: int, **options: Any) -> int:
        return self._flops(n, d, causal=True, **options)

    def _parameters(self, d: int, **options: Any) -> int:
        return 0

    def _layers_needed(self, n: int, *, causal: bool, **options: Any) -> int:
        return 1

    # What is asked of all.

    def build(self, d: int, *, causal: bool = False, **options: Any) -> nn.Module:
        """Return a new layer of width d: (batch, n, d) -> (batch, n, d)."""
        return self._build(d, causal=causal, **self._checked(options, causal))

    def stack(
        self, d: int, num_layers: int, *, causal: bool = False, **options: Any
    ) -> nn.Sequential:
        """Return `num_layers` such layers one upon the other."""
        check_integer("num_layers", num_layers, 1)
        return Stack(
            *(self.build(d, causal=causal, **options) for _ in range(num_layers))
        )

    def flops(
        self,
        n: int,
        d: int,
        *,
        causal: bool = False,
        generating: bool = False,
        **options: Any,
    ) -> int:
        """FLOPs of one forward pass over a sequence of n positions.

        Generating, one position after the other, every layer is causal, and attention
        meets no key that is yet to come.
        """
        check_sizes(n, d)
        own = self._checked(options, causal or generating)
        if generating:
            return self._generating(n, d, **own)
        return self._flops(n, d, causal=causal, **own)

    def parameters(self, d: int, *, causal: bool = False, **options: Any) -> int:
        """Return how many numbers training changes, biases included."""
        check_integer("d", d, 1)
        return self._parameters(d, **self._checked(options, causal))

    def sequential_operations(self, n: int) -> int:
        """How many steps must wait for each other: 1 unless the layer is recurrent."""
        check_integer("n", n, 1)
        return 1

    def layers_needed(self, n: int, *, causal: bool = False, **options: Any) -> int:
        """Fewest stacked layers in which the first of n inputs reaches the last output.

        Raises:
            ValueError: n < 2, or no number of such layers ever links the two.
        """
        check_integer("n", n, 2)
        return self._layers_needed(n, causal=causal, **self._checked(options, causal))

    def most_layers(self, n: int, **options: Any) -> int:
        """Return how many stacked layers link n ≥ 2 positions, if any number does."""
        check_integer("n", n, 2)
        return n

    def path_length(self, n: int, *, causal: bool = False, **options: Any) -> int:
        """Steps on the way from the first of n inputs to the last output.

        One layer that reaches it takes `sequential_operations(n)` steps; where several
        are needed, each is one step.
        """
        steps = self.sequential_operations(n)
        return steps * self.layers_needed(n, causal=causal, **options)

    def _checked(self, options: dict[str, Any], causal: bool) -> dict[str, Any]:
        """Return all options, the defaults for those that are not given."""
        unknown = sorted(options.keys() - self.options.keys())
        if unknown:
            known = ", ".join(self.options) or "nothing"
            raise TypeError(f"{self!r} can vary {known}, got {', '.join(unknown)}")
        if "kernel_size" in self.options:
            check_kernel(options.get("kernel_size", 1), causal)
        for name, least in MIN_OPTION_VALUES.items():
            if options.get(name, self.options.get(name)) is not self.options.get(name):
                check_integer(name, options[name], least)
        return {**self.options, **options}


def check_sizes(n: int, d: int) -> None:
    """Raise TypeError or ValueError unless n and d are integers of at least 1."""
    check_integer("n", n, 1)
    check_integer("d", d, 1)
