"""attnlab: the package under the book *Attention, Measured*."""

from importlib import import_module

# Bound at once: loading the module later would put the module in the function's place.
from attnlab.device import device

# Where each name of `from attnlab import …` lives. They load when asked for, so that
# `import attnlab` itself pulls in neither torch nor anything that draws.
_HOMES = {
    "check": "attnlab.exercises.checking",
    "claim": "attnlab.claims",
    "show_source": "attnlab.source",
}

__all__ = ["check", "claim", "device", "show_source"]


def __getattr__(name: str) -> object:
    """Import `name` on first use (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module 'attnlab' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
