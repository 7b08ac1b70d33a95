"""What several modules check at the door."""

import math
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from numbers import Real

import torch
from torch import Tensor, nn


def is_traced() -> bool:
    """Say whether torch is recording a graph: sizes may be symbols, no value is there.

    True under `torch.compile`, `torch.export` (and so in the ONNX exporter) and
    `torch.jit.trace`.
    """
    return torch.compiler.is_compiling() or torch.jit.is_tracing()


@contextmanager
def sentences_extra() -> Iterator[None]:
    """Import in here what only real sentences need.

    Raises:
        ModuleNotFoundError: one is not installed; the error says how to get it.
    """
    try:
        yield
    except ModuleNotFoundError as e:
        raise ModuleNotFoundError(
            f"{e.name} is not installed: pip install 'attnlab[sentences]'", name=e.name
        ) from None


def check_integer(name: str, number: int, least: int) -> None:
    """Raise TypeError unless it is an integer, ValueError if it is below `least`.

    A size in a graph that torch records is a symbol, of which nothing is known yet.
    """
    if not isinstance(number, int) or isinstance(number, bool):
        if isinstance(number, torch.SymInt) or torch.jit.is_tracing():
            return
        raise TypeError(f"{name} must be an integer, got {number!r}")
    if number < least:
        raise ValueError(f"{name} must be at least {least}, got {number}")
    if number > sys.maxsize:
        raise ValueError(f"{name} must be at most {sys.maxsize}, got {number}")


def check_sizes(**sizes: int) -> None:
    """Raise unless all are integers of at least 1, as `check_integer`."""
    for name, size in sizes.items():
        check_integer(name, size, 1)


def check_heads(num_heads: int, d_model: int) -> None:
    """Raise unless they are sizes, and ValueError if heads do not divide d_model."""
    check_sizes(d_model=d_model, num_heads=num_heads)
    if d_model % num_heads:
        raise ValueError(f"{num_heads} heads cannot share d_model={d_model} evenly")


def check_groups(num_groups: int, num_heads: int) -> None:
    """Raise unless it is a size, and ValueError if groups do not divide the heads."""
    check_sizes(num_groups=num_groups)
    if num_heads % num_groups:
        raise ValueError(f"{num_heads} heads cannot share {num_groups} groups evenly")


def check_number(name: str, number: float, *, above: float = -math.inf) -> None:
    """Raise TypeError unless it is a number, ValueError unless finite and `above`."""
    if not isinstance(number, Real) or isinstance(number, bool):
        raise TypeError(f"{name} must be a number, got {number!r}")
    if above != -math.inf and not number > above:
        raise ValueError(f"{name} must be above {above:g}, got {number}")
    if not -math.inf < number < math.inf:  # NaN is not, either
        raise ValueError(f"{name} must be finite, got {number}")


def check_dropout(p: float) -> None:
    """Raise TypeError unless it is a number, ValueError unless it lies in [0, 1)."""
    if not isinstance(p, Real) or isinstance(p, bool):
        raise TypeError(f"dropout must be a number in [0, 1), got {p!r}")
    if not 0 <= p < 1:
        raise ValueError(f"dropout must lie in [0, 1), got {p}")


def check_floating(name: str, x: Tensor) -> None:
    """Raise TypeError unless it is a tensor of floating point, of any shape."""
    if not isinstance(x, Tensor) or not x.is_floating_point():
        got = x.dtype if isinstance(x, Tensor) else type(x).__name__
        raise TypeError(f"{name} must be a floating point tensor, got {got}")


def check_same_dtype(**tensors: Tensor) -> None:
    """Raise TypeError unless all are tensors of one floating point type."""
    for name, x in tensors.items():
        check_floating(name, x)
    if len({x.dtype for x in tensors.values()}) > 1:
        dtypes = ", ".join(f"{name} {x.dtype}" for name, x in tensors.items())
        raise TypeError(f"the inputs must share one dtype, got {dtypes}")


def check_choice(name: str, value: object, choices: Iterable[object]) -> None:
    """Raise ValueError unless the value is one of the choices."""
    if value not in choices:
        wanted = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name} must be one of {wanted}, got {value!r}")


def check_all(condition: Tensor, message: str) -> None:
    """Raise ValueError unless it, of any shape, is True everywhere.

    On a CPU the error comes at once. A GPU goes on, and its stream fails when it comes
    to the assertion. In a graph that torch records there is nothing to look at.
    """
    if not has_values(condition):
        return
    try:
        torch._assert_async(condition.all(), message)
    except RuntimeError:
        raise ValueError(message) from None


def is_transformed(x: Tensor) -> bool:
    """Say whether `torch.func` stands in between: `vmap`, `grad` and the like."""
    return torch._C._functorch.is_functorch_wrapped_tensor(x)


def is_transforming() -> bool:
    """Say whether a transformation of `torch.func` is under way."""
    return torch._C._functorch.peek_interpreter_stack() is not None


def has_values(x: Tensor) -> bool:
    """Say whether there are numbers in it to look at, now."""
    return not (is_traced() or x.is_meta or is_transformed(x))


def check_ids(name: str, ids: Tensor) -> None:
    """Raise unless they can be token ids (batch, length): by dtype and shape alone.

    Raises:
        TypeError: not a tensor of integers.
        ValueError: a wrong rank, or nothing in it.
    """
    if not isinstance(ids, Tensor) or ids.dtype not in (torch.int32, torch.int64):
        got = ids.dtype if isinstance(ids, Tensor) else type(ids).__name__
        raise TypeError(f"{name} must be a tensor of integer ids, got {got}")
    if ids.dim() != 2 or ids.numel() == 0:
        raise ValueError(
            f"{name} must be (batch, length), neither of them 0, got {tuple(ids.shape)}"
        )


def check_vocabulary(name: str, ids: Tensor, vocab: int) -> None:
    """Raise ValueError unless all ids lie within 0 … vocab − 1, as `check_all` does.

    For an error at once hand over `ids.cpu()`, for which a GPU has to be waited.
    """
    try:
        check_all((ids >= 0) & (ids < vocab), f"{name} leaves its vocabulary")
    except ValueError:
        low, high = int(ids.min()), int(ids.max())
        raise ValueError(
            f"{name} holds ids {low} … {high}, its vocabulary 0 … {vocab - 1}"
        ) from None


def embed(name: str, ids: Tensor, embedding: nn.Embedding) -> Tensor:
    """Look ids (batch, length) up in an embedding: (batch, length, width).

    Nothing looks at the ids beforehand. On a CPU torch refuses those that an embedding
    does not have, and the error says which; on a GPU an assertion of its own fails.

    Raises:
        TypeError, ValueError: as `check_ids`; on a CPU an id outside the vocabulary.
    """
    check_ids(name, ids)
    try:
        return embedding(ids)
    except IndexError:
        check_vocabulary(name, ids, embedding.num_embeddings)
        raise


def check_mask(mask: Tensor, shape: torch.Size) -> None:
    """Raise TypeError unless bool, ValueError unless it broadcasts to this shape.

    The shape is that of the scores, (…, L_q, L_k).
    """
    if not isinstance(mask, Tensor) or mask.dtype != torch.bool:
        got = mask.dtype if isinstance(mask, Tensor) else type(mask).__name__
        raise TypeError(f"mask must be a bool tensor (True = may attend), got {got}")
    _check_broadcasts("mask", mask, shape)


def _check_broadcasts(name: str, x: Tensor, shape: torch.Size) -> None:
    try:
        x.expand(shape)
    except RuntimeError:
        raise ValueError(
            f"{name} {tuple(x.shape)} does not broadcast to scores {tuple(shape)}"
        ) from None


def check_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None = None,
    score_bias: Tensor | None = None,
) -> None:
    """Raise unless the inputs of one attention fit together.

    Shapes are those of `attnlab.attention.scaled_dot_product_attention`.

    Raises:
        TypeError: not floating point, of several dtypes, or a mask that is not bool.
        ValueError: shapes that do not fit, or an empty sequence.
    """
    inputs = {"query": query, "key": key, "value": value}
    check_same_dtype(**inputs)
    for name, x in inputs.items():
        if x.dim() < 2:
            raise ValueError(f"{name} must be (…, length, d), got {tuple(x.shape)}")
        if 0 in x.shape[-2:]:
            raise ValueError(f"{name} is empty: {tuple(x.shape)}")
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(
            "query and key must be equally wide, "
            f"got {query.shape[-1]} and {key.shape[-1]}"
        )
    if key.shape[-2] != value.shape[-2]:
        raise ValueError(
            "key and value must be equally long, "
            f"got {key.shape[-2]} and {value.shape[-2]}"
        )
    leading = query.shape[:-2]
    if not leading == key.shape[:-2] == value.shape[:-2]:
        try:
            leading = torch.broadcast_shapes(leading, key.shape[:-2])
            torch.broadcast_shapes(leading, value.shape[:-2])
        except RuntimeError:
            shapes = ", ".join(f"{name} {tuple(x.shape)}" for name, x in inputs.items())
            raise ValueError(f"leading dimensions do not broadcast: {shapes}") from None
    shape = torch.Size((*leading, query.shape[-2], key.shape[-2]))
    if mask is not None:
        check_mask(mask, shape)
    if score_bias is not None:
        check_floating("score_bias", score_bias)
        _check_broadcasts("score_bias", score_bias, shape)
