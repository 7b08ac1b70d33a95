"""The trained models of the live figures, as files.

A file holds the tensors of a `Seq2Seq` or a `Tagger` in float16 and, in its header, a
JSON text that says what they are: the model's configuration, its vocabularies and
languages, the seed and the command that made it, and the exact match by number of
digits. The
figures' JavaScript reads the same files. Both compute in float32 with the rounded
weights, so that they agree.
"""

import base64
import json
from pathlib import Path

FOLDER = Path(__file__).parent / "weights"

# The classes of `attnlab.scores`, by the names that files and figures use.
SCORES = {
    "dot": "DotScore",
    "scaled_dot": "ScaledDotScore",
    "general": "GeneralScore",
    "additive": "AdditiveScore",
    "cosine": "CosineScore",
    "location": "LocationScore",
}


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


def load_weights(name: str) -> "tuple[Seq2Seq | Tagger, dict]":  # noqa: F821
    """Return a trained model, in eval mode, and what its file says about it.

    The model is float32; its weights are those of the file, rounded to float16.

    Raises:
        ValueError: there is no model of this name.
    """
    return load_file(path_of(name))


def load_file(path: Path) -> "tuple[Seq2Seq | Tagger, dict]":  # noqa: F821
    """Return the model in a file that `save_weights` wrote, and its metadata."""
    from safetensors import safe_open

    with safe_open(path, framework="pt") as file:
        metadata = json.loads(file.metadata()["attnlab"])
        state = {key: file.get_tensor(key).float() for key in file.keys()}  # noqa: SIM118
    model = build_model(metadata["config"])
    model.load_state_dict(state)
    return model.eval(), metadata


def save_weights(path: Path, model: "nn.Module", metadata: dict) -> None:  # noqa: F821
    """Write a model's tensors in float16, and what there is to say about it."""
    from safetensors.torch import save_file

    state = {
        key: value.half().contiguous() for key, value in model.state_dict().items()
    }
    text = json.dumps(metadata, ensure_ascii=False, sort_keys=True)
    save_file(state, path, {"attnlab": text})


def build_model(config: dict) -> "Seq2Seq | Tagger":  # noqa: F821
    """Return a new model as a file's configuration describes it.

    Args:
        config: the arguments of `Tagger`, which have an `encoder`, or of `Seq2Seq`;
            the latter's `score` is None or a dict of the score's name (`SCORES`) and
            arguments.
    """
    from attnlab import scores
    from attnlab.recurrent import Seq2Seq
    from attnlab.tagger import Tagger

    if "encoder" in config:
        return Tagger(**config)
    arguments = dict(config)
    if score := arguments.pop("score"):
        score = dict(score)
        score = getattr(scores, SCORES[score.pop("name")])(**score)
    return Seq2Seq(score=score or None, **arguments)
