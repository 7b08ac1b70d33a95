"""What the fuzz tests share: odd inputs, and whether a call answers or refuses."""

import pkgutil
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import numpy as np
import torch
import traitlets
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from torch import Tensor

import attnlab
import tools
from attnlab import exercises
from attnlab.exercises import checking

# Where errors are raised on purpose; traitlets names the trait that it refuses.
OWN_PACKAGES = [Path(module.__file__).parent for module in (attnlab, tools, traitlets)]


def exercise_numbers() -> list[str]:
    """The numbers of all exercises of the package."""
    for module in pkgutil.iter_modules(exercises.__path__, "attnlab.exercises."):
        import_module(module.name)
    ours = exercises.__name__  # tests register some of their own
    every = checking._exercises.items()
    return sorted(n for n, one in every if one.solution.__module__.startswith(ours))


def num_examples(share: float = 1.0) -> settings:
    """As many examples as the profile says, or that share of them for what is slow.

    The gate tries the same ones every time, so that it fails for a change in the code
    and for nothing else; `make fuzz` looks for new ones.
    """
    thorough = settings.get_current_profile_name() == "thorough"
    return settings(
        max_examples=max(3, round(share * (1000 if thorough else 20))),
        database=None,
        phases=[Phase.explicit, Phase.generate, Phase.shrink],
        report_multiple_bugs=thorough,
        suppress_health_check=list(HealthCheck),
    )


# An answer or a clear error ---------------------------------------------------------


class Rejected(str):
    """What `attempt` returns for a call that was refused: what the error says."""


def attempt(
    call: Callable,
    *args: object,
    errors: tuple[type[Exception], ...] = (TypeError, ValueError),
    **kwargs: object,
) -> object:
    """Return what a call returns, or `Rejected` if it raises a clear error.

    An error is clear if it is of the documented kind, raised on purpose by a line of
    the package that says why; one that comes from inside torch, or from an operation on
    what nobody looked at, is not. No tensor among the arguments may change.
    """
    tensors = [x for x in (*args, *kwargs.values()) if isinstance(x, Tensor)]
    versions = [x._version for x in tensors]
    try:
        return call(*args, **kwargs)
    except errors as error:
        if isinstance(error, OSError) and error.filename:
            return Rejected(error)  # the system names the file and what is wrong
        last = traceback.extract_tb(error.__traceback__)[-1]
        ours = any(Path(last.filename).is_relative_to(f) for f in OWN_PACKAGES)
        on_purpose = ours and last.line.startswith("raise")
        if not on_purpose or len(str(error).split()) < 2:
            raise AssertionError(
                f"not a clear error: {type(error).__name__}: {error}"
            ) from error
        return Rejected(error)
    finally:
        assert [x._version for x in tensors] == versions, "an argument was changed"


def assert_close(ours: Tensor, wanted: Tensor, *, digits_of: torch.dtype) -> None:
    """Equal in shape, and in value as far as the type of number can tell."""
    tolerance = {2: 3e-2, 4: 1e-4, 8: 1e-9}[digits_of.itemsize]
    torch.testing.assert_close(
        ours.double(), wanted.double(), atol=tolerance, rtol=tolerance
    )


# Odd inputs -------------------------------------------------------------------------

SEEDS = st.integers(0, 2**32 - 1)
SHAPES = st.lists(st.sampled_from([0, 1, 2, 3, 5]), max_size=4).map(tuple)
FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
DTYPES = (*FLOATS, torch.int64, torch.int32, torch.uint8, torch.bool, torch.complex64)
ODD_NUMBERS = st.one_of(
    st.sampled_from([-1, 0, 1.0, 2.5, True, None, "3", 1j, np.int64(2), np.float32(2)]),
    st.sampled_from([float("nan"), float("inf"), float("-inf"), -0.0, 1e300, 5e-324]),
    st.floats(),
    # Sizes of a million would be granted, and fill the memory.
    st.sampled_from([-(2**63), 2**63, 10**30]),
)
ODD_TEXT = st.one_of(
    st.text(),
    st.sampled_from(["", " ", "\0", "a\0b", "\n", "🙂👩‍👧", "مرحبا", "\u202eabc"]),
    st.sampled_from(["e\u0301", "'\"<>&", "</script>", "../../etc", "%s %d {}"]),
    st.sampled_from(["\u2028", "²", "٣", "$\\x$", "None", "nan", "1e400", "-0"]),
    st.sampled_from(["<eos>", "<pad> a", "<unk>"]),
    st.integers(1, 4).map(lambda power: "ab " * 10**power),
)
ODD_THINGS = st.one_of(
    ODD_NUMBERS, ODD_TEXT, st.just([]), st.just({}), st.just(()), st.just(object())
)


@st.composite
def tensors(
    draw: st.DrawFn,
    shape: tuple[int, ...] | None = None,
    dtype: torch.dtype | None = None,
    *,
    most: float = 1e30,
) -> Tensor:
    """A tensor of any kind: tiny, equal, huge (but finite) or ordinary numbers."""
    shape = draw(SHAPES) if shape is None else shape
    dtype = draw(st.sampled_from(DTYPES)) if dtype is None else dtype
    generator = torch.Generator().manual_seed(draw(SEEDS))
    x = torch.randn(shape, generator=generator, dtype=torch.float64)
    if not (dtype.is_floating_point or dtype.is_complex):
        return (3 * x).round().to(dtype)
    spread = draw(st.sampled_from([1.0, 1.0, 0.0, 1e-40, 1e4, 1e30]))
    largest = torch.finfo(dtype).max
    return (x * min(spread, most)).clamp(-largest, largest).to(dtype)


@st.composite
def nearly_shape(draw: st.DrawFn, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape, or now and then another one that is nearly it."""
    shape = list(shape)
    for bend in draw(st.lists(st.integers(0, 3), max_size=1)):
        place = draw(st.integers(0, max(0, len(shape) - 1)))
        if bend == 0 and shape:
            shape.pop(place)
        elif bend == 1:
            shape.insert(place, draw(st.integers(0, 2)))
        elif shape:
            shape[place] = draw(st.sampled_from([0, 1, 2, 7]))
    return tuple(shape)


@st.composite
def masks(draw: st.DrawFn, shape: tuple[int, ...]) -> Tensor | None:
    """None, or a mask: of chance, all True, all False, of a bent shape or type."""
    kind = draw(st.sampled_from(["none", "chance", "chance", "all", "nothing", "odd"]))
    if kind == "none":
        return None
    if kind == "odd":
        dtype = draw(st.sampled_from([torch.bool, torch.float32, torch.int64]))
        return draw(tensors(draw(nearly_shape(shape)), dtype))
    # What broadcasts to the shape: some dimensions 1, some missing.
    ones = draw(st.lists(st.booleans(), min_size=len(shape), max_size=len(shape)))
    small = [1 if one else size for one, size in zip(ones, shape, strict=True)]
    small = small[draw(st.integers(0, len(small))) :]
    generator = torch.Generator().manual_seed(draw(SEEDS))
    share = {"chance": 0.5, "all": 1.0, "nothing": 0.0}[kind]
    return torch.rand(small, generator=generator) < share
