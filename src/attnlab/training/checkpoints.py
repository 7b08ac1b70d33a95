"""Checkpoints: files from which a training goes on as if it had never stopped.

A checkpoint holds the model, the optimizer, every random state and the history, and
the settings that it belongs to. It is replaced as a whole or not at all, so that a full
disk or a killed process costs the steps since the last one and nothing more.

Beside it, as `model.epoch12.pt`, may lie the weights alone as they were after single
epochs. `average_checkpoints` takes the mean of the last of these.
"""

import io
import os
from pathlib import Path

import torch
from torch import Tensor

from attnlab.checks import check_integer
from attnlab.files import write_atomically

Random = dict[str, Tensor]  # torch's random state, by kind of device


def save_checkpoint(path: Path, contents: dict) -> None:
    """Write what `torch.save` can keep, whole or not at all.

    Raises:
        OSError: it cannot be written; a checkpoint of that name is as it was.
    """
    buffer = io.BytesIO()
    torch.save(contents, buffer)
    write_atomically(path, buffer.getvalue())


def load_checkpoint(path: Path, settings: dict) -> dict:
    """Return the contents of a checkpoint that belongs to these settings.

    Raises:
        ValueError: it is broken, no checkpoint, or belongs to another training.
    """
    saved = _load_checkpoint(path)
    its_settings = saved.get("settings")
    if not isinstance(its_settings, dict):
        raise ValueError(f"{path} {_NOT_WHOLE}")
    if its_settings != settings:
        raise ValueError(
            f"{path} belongs to another training "
            f"({_describe_differences(its_settings, settings)}): "
            "name another checkpoint, or overwrite it by resume=False (--no-resume)"
        )
    return saved


_NOT_WHOLE = (
    "is no whole checkpoint of train(): remove it, or overwrite it by resume=False "
    "(--no-resume)"
)


def _load_checkpoint(path: Path) -> dict:
    """Return what `save_checkpoint` wrote, or raise ValueError."""
    try:
        saved = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as e:  # broken bytes make the library raise almost anything
        raise ValueError(f"{path} {_NOT_WHOLE}") from e
    if not isinstance(saved, dict):
        raise ValueError(f"{path} {_NOT_WHOLE}")
    return saved


def checkpoint_path(checkpoint: str | os.PathLike) -> Path:
    """Return the path of a checkpoint, and make the folder that it is to lie in.

    Raises:
        ValueError: that is a folder itself, or no name of a file.
    """
    if "\0" in os.fspath(checkpoint):
        raise ValueError(f"a file's name holds no NUL, got {checkpoint!r}")
    path = Path(checkpoint)
    if path.is_dir():
        raise ValueError(f"checkpoint {path} is a folder: expected the name of a file")
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _describe_differences(saved: dict, wanted: dict) -> str:
    """Say which settings differ; the long ones by name only."""
    parts = []
    for name, value in wanted.items():
        if saved.get(name) == value:
            continue
        if name in ("data", "model"):
            parts.append(f"its {name} is not this {name}")
        else:
            parts.append(f"{name} was {saved.get(name)!r}, now {value!r}")
    return ", ".join(parts)


# Averages ---------------------------------------------------------------------------


def epoch_path(checkpoint: Path, epoch: int) -> Path:
    """Return where the weights after an epoch, counted from 1, lie."""
    return checkpoint.with_name(f"{checkpoint.stem}.epoch{epoch}{checkpoint.suffix}")


def average_checkpoints(
    checkpoint: str | os.PathLike, last: int = 10
) -> dict[str, Tensor]:
    """Return the mean of the weights after each of the last epochs.

    Late in a training the weights circle around a good place that no single epoch
    hits; their mean lies nearer to it (Vaswani et al. 2017, section 6.1).

    Args:
        checkpoint: of a training that was told to `keep_last_epochs`, so many or more.
        last: how many epochs.

    Returns:
        A state for `model.load_state_dict`. What is no floating point is that of the
        last epoch.

    Raises:
        TypeError: `last` is no integer.
        ValueError: there is no such checkpoint, it is broken, or not so many epochs
            were kept.
    """
    path = Path(checkpoint)
    check_integer("last", last, 1)
    if not path.is_file():
        raise ValueError(f"there is no checkpoint {path}")
    try:
        epochs = len(_load_checkpoint(path)["history"]["epochs"])
    except (KeyError, TypeError) as e:
        raise ValueError(f"{path} {_NOT_WHOLE}") from e
    paths = [epoch_path(path, epoch) for epoch in range(epochs - last + 1, epochs + 1)]
    missing = [one.name for one in paths if not one.is_file()]
    if missing:
        raise ValueError(
            f"cannot average {last} of the {epochs} epochs of {path}: "
            f"there is no {', '.join(missing)}; train with keep_last_epochs={last}"
        )
    states = [_load_checkpoint(one) for one in paths]
    try:
        return {
            name: _mean_of_states([state[name] for state in states])
            for name in states[-1]
        }
    except (KeyError, AttributeError, TypeError, RuntimeError) as e:
        raise ValueError(f"the epochs of {path} are not those of one model") from e


def _mean_of_states(values: list[Tensor]) -> Tensor:
    if not values[-1].is_floating_point():
        return values[-1]
    mean = torch.stack([value.double() for value in values]).mean(dim=0)
    return mean.to(values[-1].dtype)


# Randomness -------------------------------------------------------------------------


def random_state(where: torch.device) -> Random:
    """torch's random state: on the CPU, and on the device in use if it is another."""
    state = {"cpu": torch.get_rng_state()}
    if where.type == "cuda":
        state["cuda"] = torch.cuda.get_rng_state(where)
    if where.type == "mps":
        state["mps"] = torch.mps.get_rng_state()
    return state


def set_random_state(state: Random, where: torch.device) -> None:
    """Put torch's random state back to what `random_state` returned."""
    torch.set_rng_state(state["cpu"])
    if where.type == "cuda" and "cuda" in state:
        torch.cuda.set_rng_state(state["cuda"], where)
    if where.type == "mps" and "mps" in state:
        torch.mps.set_rng_state(state["mps"])
