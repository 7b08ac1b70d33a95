"""What the fuzz tests share: the list of what they cover, odd inputs, and one question:
is this an answer, or else a clear error?
"""

import functools
import importlib
import inspect
import pkgutil
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import torch
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from torch import Tensor

import attnlab
import tools

PACKAGE = Path(attnlab.__file__).parent
TOOLS = Path(tools.__file__).parent
EXAMPLES = {"quick": 20, "thorough": 1000}  # of a test, by hypothesis's profile
SECONDS = 120  # for one example, on a busy machine: beyond that it hangs

# How many examples each function and class has had in this run, by its full name.
TRIED: Counter[str] = Counter()

SCRIPTS = "a command that takes minutes or hours; its parts are fuzzed"
QUESTION = "a question of the book, asked with the settings beside it; tested small"

# What is not fuzzed, and why: a function, or a module and all in it.
LEFT_OUT = {
    "attnlab.checks.sentences_extra": "takes nothing",
    "attnlab.complexity.grid.measure_grid": SCRIPTS,
    "attnlab.sentences.recipes.evaluate": SCRIPTS,
    "attnlab.sentences.recipes.measure": SCRIPTS,
    "attnlab.sentences.recipes.run": SCRIPTS,
    **{
        f"attnlab.experiments.{path.stem}": QUESTION
        for path in sorted((PACKAGE / "experiments").glob("[a-z]*.py"))
        if path.stem != "study"
    },
}


# The list ---------------------------------------------------------------------------


def fuzz(*covered: Callable, share: float = 1.0) -> Callable[[Callable], Callable]:
    """Mark a hypothesis test as one of these functions and classes, and count.

    Args:
        covered: what the test calls.
        share: of the profile's number of examples, less than 1 for what is slow.

    A quick run tries the same examples every time, so that it fails for a change in
    the code and for nothing else; a thorough one looks for new ones.
    """

    def mark(test: Callable) -> Callable:
        profile = settings.get_current_profile_name()
        quick = profile not in EXAMPLES or profile == "quick"
        names = [name_of(one) for one in covered]
        inner = test.hypothesis.inner_test

        @functools.wraps(inner)
        def counted(*args: object, **kwargs: object) -> None:
            TRIED.update(names)
            with _no_hang():
                inner(*args, **kwargs)

        test.hypothesis.inner_test = counted
        test.fuzzes = names
        most = EXAMPLES["quick" if quick else profile]
        return settings(
            max_examples=max(3, round(share * most)),
            deadline=None,
            derandomize=quick,
            database=None,
            phases=[Phase.explicit, Phase.generate, Phase.shrink],
            report_multiple_bugs=not quick,
            suppress_health_check=list(HealthCheck),
        )(test)

    return mark


def name_of(one: object) -> str:
    """The full name of a function or class."""
    return f"{one.__module__}.{one.__qualname__}"


def public_names() -> Iterator[str]:
    """Every public function and class of the package, by its full name."""
    for module in pkgutil.walk_packages(attnlab.__path__, "attnlab."):
        if module.name.endswith("__main__"):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            kind = inspect.isfunction(value) or inspect.isclass(value)
            kind = kind or hasattr(value, "__wrapped__")  # behind a cache
            own = getattr(value, "__module__", None) == module.name
            if kind and own and not name.startswith("_"):
                yield f"{module.name}.{name}"


class Hang(Exception):
    """An example took too long."""


@contextmanager
def _no_hang() -> Iterator[None]:
    if not hasattr(signal, "setitimer"):  # Windows
        yield
        return

    def ring(signum: int, frame: object) -> None:
        raise Hang(f"no end after {SECONDS} seconds")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# An answer or a clear error ---------------------------------------------------------


class _Refused:
    """What `attempt` returns for a call that was refused."""

    def __bool__(self) -> bool:
        return False


REFUSED = _Refused()


def attempt(
    call: Callable,
    *args: object,
    errors: tuple[type[Exception], ...] = (TypeError, ValueError),
    **kwargs: object,
) -> object:
    """Return what a call returns, or `REFUSED` if it raises a clear error.

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
            return REFUSED  # the system names the file, and what is wrong with it
        last = traceback.extract_tb(error.__traceback__)[-1]
        ours = any(Path(last.filename).is_relative_to(f) for f in (PACKAGE, TOOLS))
        on_purpose = ours and last.line.startswith("raise")
        if not on_purpose or len(str(error).split()) < 2:
            raise AssertionError(
                f"not a clear error: {type(error).__name__}: {error}"
            ) from error
        return REFUSED
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
WIDTHS = st.sampled_from([0, 1, 2, 3, 4, 8])
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


def sizes(least: int, most: int) -> st.SearchStrategy:
    """Mostly sizes that fit, sometimes anything that may stand in a size's place."""
    good = st.integers(least, most)
    return st.one_of(good, good, good, st.integers(-2, most), ODD_NUMBERS)


def is_size(number: object, least: int = 1) -> bool:
    """Is it what the package takes for a size?"""
    return type(number) is int and least <= number <= sys.maxsize


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
def bent(draw: st.DrawFn, shape: tuple[int, ...]) -> tuple[int, ...]:
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
        return draw(tensors(draw(bent(shape)), dtype))
    # What broadcasts to the shape: some dimensions 1, some missing.
    ones = draw(st.lists(st.booleans(), min_size=len(shape), max_size=len(shape)))
    small = [1 if one else size for one, size in zip(ones, shape, strict=True)]
    small = small[draw(st.integers(0, len(small))) :]
    generator = torch.Generator().manual_seed(draw(SEEDS))
    share = {"chance": 0.5, "all": 1.0, "nothing": 0.0}[kind]
    return torch.rand(small, generator=generator) < share


@st.composite
def ids(draw: st.DrawFn, vocab: int, batch: int | None = None) -> Tensor:
    """Token ids (batch, length) padded on the right; now and then something else."""
    batch = draw(st.integers(1, 3)) if batch is None else batch
    length = draw(st.integers(1, 5))
    rows = []
    for _ in range(batch):
        real = draw(st.integers(0, length))
        row = draw(st.lists(st.integers(1, vocab - 1), min_size=real, max_size=real))
        rows.append(row + [0] * (length - real))
    x = torch.tensor(rows).reshape(batch, length)
    odd = draw(st.integers(0, 11))
    if odd == 0:
        return x.to(draw(st.sampled_from(DTYPES)))
    if odd == 1:
        x[0, 0] = draw(st.sampled_from([-1, vocab, 2**40]))
    if odd == 2:
        return draw(tensors(draw(SHAPES), torch.int64))
    return x


def are_ids(x: Tensor, vocab: int) -> bool:
    """Are they token ids as a model takes them?"""
    return (
        x.dtype in (torch.int64, torch.int32)
        and x.dim() == 2
        and x.numel() > 0
        and bool(((x >= 0) & (x < vocab)).all())
    )
