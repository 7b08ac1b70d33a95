"""The trained models of the live figures, as files.

A file holds the tensors of a `Seq2Seq`, a `Tagger` or a `Transformer` and, in its
header, a JSON text that says what they are: the model's configuration, its vocabularies
or tokenizers and languages, the seed and the command that made it, and how well it
does. The figures' JavaScript reads the same files. Both compute in float32 with the
rounded weights, so that they agree.

Weights are rounded to float16; those of the translator, which are many, to 8 bits (see
`to_eight_bits`).
"""

import base64
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # torch loads when weights are wanted as tensors, not before
    from torch import Tensor, nn

    from attnlab.sentences.translator import Translator

FOLDER = Path(__file__).parent / "live" / "weights"
TRANSLATOR = "translator-en-zh"


def names() -> list[str]:
    """Return the names of all trained models, in alphabetical order."""
    return sorted(path.stem for path in FOLDER.glob("*.safetensors"))


def path_of(name: str) -> Path:
    """Return the file of a trained model in `live/weights`.

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
    """Return the file of a trained model; ValueError if there is none."""
    return path_of(name).read_bytes()


def read_base64(name: str) -> str:
    """Return the file of a trained model as base64 text."""
    return base64.b64encode(read_bytes(name)).decode("ascii")


def load_weights(name: str) -> "tuple[Any, dict]":
    """Return a trained model, in eval mode, and what its file says about it.

    The model is float32; its weights are those of the file, which are rounded.

    Raises:
        ValueError: there is no model of this name.
    """
    return load_file(path_of(name))


def load_file(path: Path) -> "tuple[Any, dict]":
    """Return the model in a file that `save_weights` wrote, and its metadata.

    Raises:
        ValueError: there is no such file, or it is broken or something else.
    """
    from safetensors import SafetensorError, safe_open

    broken_json = ValueError, KeyError, TypeError, AttributeError
    try:
        with safe_open(path, framework="pt") as file:
            metadata = json.loads(file.metadata()["attnlab"])
            state = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
        model = build_model(metadata["config"])
        load_rounded(model, state)
    except (OSError, SafetensorError, RuntimeError, *broken_json) as error:
        raise ValueError(f"{path} is no model that was saved: {error}") from error
    return model.eval(), metadata


def load_translator(name: str = TRANSLATOR) -> "Translator":
    """Return a stored Transformer with its tokenizers: `translate(["Good morning."])`.

    Raises:
        ValueError: there is no model of this name, or it has no tokenizers.
    """
    from attnlab.sentences.translator import Translator, make_tokenizer

    model, metadata = load_weights(name)
    sides = "src_tokenizer", "tgt_tokenizer"
    if not metadata.keys() >= set(sides):
        raise ValueError(f"{name} is no translator of sentences: it has no tokenizers")
    source, target = (make_tokenizer(metadata.pop(side)) for side in sides)
    return Translator(model, source, target, metadata)


def save_weights(
    path: Path,
    model: "nn.Module",
    metadata: dict,
    *,
    bits: int = 16,
) -> None:
    """Write a model's tensors, rounded, and what there is to say about it.

    Args:
        path: the file.
        model: what to write. Of weights that are tied the file has one.
        metadata: for the header; its `config` is what `build_model` takes.
        bits: 16 is float16, 8 is as `to_eight_bits` has it.
    """
    from safetensors.torch import save_file

    text = json.dumps(metadata, ensure_ascii=False, sort_keys=True)
    save_file(rounded(model, bits), path, {"attnlab": text})


def rounded(model: "nn.Module", bits: int) -> "dict[str, Tensor]":
    """Return the tensors of a model's file, which `load_rounded` takes."""
    state, seen = {}, set()
    for name, tensor in model.state_dict().items():
        if tensor.data_ptr() in seen:
            continue
        seen.add(tensor.data_ptr())
        if bits == 8 and tensor.dim() == 2:
            state[name], state[f"{name}.scale"] = to_eight_bits(tensor)
        else:
            state[name] = tensor.half().contiguous()
    return state


def load_rounded(model: "nn.Module", state: "dict[str, Tensor]") -> None:
    """Give a model the weights of a file, in float32; RuntimeError if they misfit."""
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


def build_model(config: dict) -> "nn.Module":
    """Return a new model as a file's configuration describes it.

    Args:
        config: the arguments of `Tagger`, which have an `encoder`, of `Transformer`,
            which have layers but no `encoder`, or of `Seq2Seq`. The latter's `score` is
            None or a dict of the score's name (`SCORES`) and arguments.
    """
    from attnlab.recurrent import Seq2Seq
    from attnlab.scores import SCORES
    from attnlab.tagger import Tagger
    from attnlab.transformer import Transformer

    if "encoder" in config:
        return Tagger(**config)
    if "score" not in config:
        return Transformer(**config)
    arguments = dict(config)
    if score := arguments.pop("score"):
        score = dict(score)
        score = SCORES[score.pop("name")](**score)
    return Seq2Seq(score=score or None, **arguments)
