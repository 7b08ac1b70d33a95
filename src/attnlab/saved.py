"""Trained models as files: the one format of stored weights.

A file is one of safetensors. It holds a model's tensors and, in its header, a JSON text
that says what they are: the `kind` of model, the `config` it is built from, and what
else there is to say: vocabularies or tokenizers, languages, the seed and the command
that made it, and how well it does. `save` writes one and `load` reads it. The figures'
JavaScript reads the same files. Both compute in float32 with the weights as they are
stored, so that they agree.

Weights are rounded to float16; those of the figure's translator, which are many, to 8
bits (see `to_eight_bits`).
"""

import base64
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attnlab.files import write_atomically

if TYPE_CHECKING:  # torch loads when weights are wanted as tensors, not before
    from torch import Tensor, nn

KINDS = ("DecoderOnly", "Seq2Seq", "Tagger", "Transformer")
BITS = (8, 16, 32)

# The models of the live figures, and which of them translates sentences or writes them.
FOLDER = Path(__file__).parent / "live" / "weights"
TRANSLATOR = "translator-en-zh"
WRITER = "writer-en"


def names() -> list[str]:
    """Return the names of the figures' models, in alphabetical order."""
    return sorted(path.stem for path in FOLDER.glob("*.safetensors"))


def path_of(name: str) -> Path:
    """Return the file of a figure's model.

    Raises:
        TypeError: the name is no string.
        ValueError: there is no model of this name.
    """
    if not isinstance(name, str):
        raise TypeError(f"the name of a model is a string, not {name!r}")
    if name not in names():
        raise ValueError(
            f"there are no weights named {name!r}; there are: {', '.join(names())}"
        )
    return FOLDER / f"{name}.safetensors"


def read_bytes(name: str) -> bytes:
    """Return the file of a figure's model; ValueError if there is none."""
    return path_of(name).read_bytes()


def read_base64(name: str) -> str:
    """Return the file of a figure's model as base64 text."""
    return base64.b64encode(read_bytes(name)).decode("ascii")


def load_weights(name: str) -> "tuple[Any, dict]":
    """Return a figure's model and what its file says about it, as `load` does.

    Raises:
        TypeError, ValueError: there is no model of this name.
    """
    return load(path_of(name))


def save(
    path: str | os.PathLike, model: "nn.Module", metadata: dict, *, bits: int = 16
) -> None:
    """Write a model's tensors, rounded, and what there is to say about it.

    Args:
        path: the file.
        model: what to write, of one of the `KINDS`. Of weights that are tied the file
            has one.
        metadata: for the header; its `config` is what `build_model` takes.
        bits: 16 is float16, 32 float32, 8 is as `to_eight_bits` has it.

    Raises:
        ValueError: there are no models of this kind, or weights of so many bits.
        OSError: the file cannot be written; an old one is as it was.
    """
    from safetensors.torch import save as to_bytes

    from attnlab.checks import check_choice

    kind = type(model).__name__
    check_choice("the kind of model", kind, KINDS)
    header = json.dumps(metadata | {"kind": kind}, ensure_ascii=False, sort_keys=True)
    contents = to_bytes(rounded(model, bits), {"attnlab": header})
    write_atomically(Path(path), contents)


def load(path: str | os.PathLike) -> "tuple[Any, dict]":
    """Return the model that `save` wrote, in eval mode on the CPU, and its metadata.

    The model is float32; its weights are those of the file, which are rounded.

    Raises:
        ValueError: there is no such file, or it is broken or something else.
    """
    from safetensors import SafetensorError, safe_open

    broken_json = ValueError, LookupError, TypeError, AttributeError
    try:
        with safe_open(path, framework="pt") as file:
            metadata = json.loads(file.metadata()["attnlab"])
            state = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
        model = build_model(metadata.pop("kind"), metadata["config"])
    except (OSError, SafetensorError, RuntimeError, *broken_json) as error:
        raise ValueError(f"{path} is no model that was saved: {error}") from error
    try:
        load_rounded(model, state)
    except (RuntimeError, LookupError) as error:
        raise ValueError(f"{path} does not fit its own configuration") from error
    return model.eval(), metadata


def build_model(kind: str, config: dict) -> "nn.Module":
    """Return a new model as a file describes it.

    Args:
        kind: one of `KINDS`.
        config: the arguments of the class. `Seq2Seq` has as its `score` None or a dict
            of the score's name (`attnlab.scores.SCORES`) and arguments.

    Raises:
        ValueError: an unknown kind, and what the class raises.
    """
    from attnlab.checks import check_choice
    from attnlab.decoder_only import DecoderOnly
    from attnlab.recurrent import Seq2Seq
    from attnlab.scores import SCORES
    from attnlab.tagger import Tagger
    from attnlab.transformer import Transformer

    check_choice("the kind of model", kind, KINDS)
    if kind == "DecoderOnly":
        return DecoderOnly(**config)
    if kind == "Tagger":
        return Tagger(**config)
    if kind == "Transformer":
        return Transformer(**config)
    score = config.get("score")
    if score:
        arguments = {key: value for key, value in score.items() if key != "name"}
        score = SCORES[score["name"]](**arguments)
    return Seq2Seq(**config | {"score": score or None})


def rounded(model: "nn.Module", bits: int) -> "dict[str, Tensor]":
    """Return the tensors of a model's file, which `load_rounded` takes.

    With 8 bits a matrix (rows, columns) comes with a scale for each row, (rows,).

    Raises:
        ValueError: the number of bits is none of 8, 16 and 32.
    """
    from attnlab.checks import check_choice

    check_choice("bits", bits, BITS)
    state, seen = {}, set()
    for name, tensor in model.state_dict().items():
        if tensor.data_ptr() in seen:
            continue
        seen.add(tensor.data_ptr())
        tensor = tensor.cpu().contiguous()
        if bits == 8 and tensor.dim() == 2:
            state[name], state[f"{name}.scale"] = to_eight_bits(tensor)
        else:
            state[name] = tensor.float() if bits == 32 else tensor.half()
    return state


def load_rounded(model: "nn.Module", state: "dict[str, Tensor]") -> None:
    """Give a model the weights that `rounded` returns, in float32.

    Raises:
        RuntimeError: names or shapes are not the model's.
    """
    whole: dict[str, Tensor | None] = {
        name: tensor.float() * state[f"{name}.scale"][:, None]
        if f"{name}.scale" in state
        else tensor.float()
        for name, tensor in state.items()
        if not name.endswith(".scale")
    }
    # A file has weights that are tied once, `load_state_dict` wants them by each name.
    first: dict[int, str] = {}
    for name, tensor in model.state_dict().items():
        whole.setdefault(name, whole.get(first.setdefault(tensor.data_ptr(), name)))
    model.load_state_dict({k: v for k, v in whole.items() if v is not None})


def to_eight_bits(matrix: "Tensor") -> "tuple[Tensor, Tensor]":
    """Round each row of a matrix to whole multiples of 1/127 of its largest element.

    Args:
        matrix: (rows, columns).

    Returns:
        The multiples, int8, of the same shape, and each row's scale (rows,), float32.
        Multiplied they are the rounded matrix.

    Raises:
        TypeError, ValueError: no matrix of floating point numbers, or an empty one.
    """
    from attnlab.checks import check_floating

    check_floating("matrix", matrix)
    if matrix.dim() != 2 or matrix.shape[1] == 0:
        raise ValueError(f"a matrix must be (rows, columns), got {tuple(matrix.shape)}")
    matrix = matrix.float()
    scales = matrix.abs().amax(1) / 127  # (rows,)
    # A row of zeros has scale 0, by which nothing can be divided.
    multiples = matrix / scales.where(scales > 0, 1.0)[:, None]
    # (The tiniest scales are so coarse that 127 of them do not reach the largest.)
    return multiples.round().clamp(-127, 127).char(), scales
