"""What several modules check at the door."""

from torch import Tensor


def check_integer(name: str, number: int, least: int) -> None:
    """Raise TypeError unless it is an integer, ValueError if it is below `least`."""
    if not isinstance(number, int) or isinstance(number, bool):
        raise TypeError(f"{name} must be an integer, got {number!r}")
    if number < least:
        raise ValueError(f"{name} must be at least {least}, got {number}")


def check_floating(name: str, x: Tensor) -> None:
    """Raise TypeError unless it is a tensor of floating point numbers."""
    if not isinstance(x, Tensor) or not x.is_floating_point():
        got = x.dtype if isinstance(x, Tensor) else type(x).__name__
        raise TypeError(f"{name} must be a floating point tensor, got {got}")
