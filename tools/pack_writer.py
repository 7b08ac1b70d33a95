"""Puts a trained writer of captions into the package, small enough for a page to load.

    python -m attnlab.sentences.writer train          # six minutes on one core
    python -m tools.pack_writer checkpoints/writer-0

Matrices are rounded to 8 bits (`attnlab.saved.to_eight_bits`). The rounded model is
measured anew on the captions that were held out, so that the perplexities in its file
are its own; those of the training stand beside them. `writer-en.json` has what may
follow one beginning, which the figure shows before a reader asks for the weights.
"""

import json
from pathlib import Path

import torch

from attnlab.data.text import UNK
from attnlab.files import write_atomically
from attnlab.live.sampling import BARS
from attnlab.saved import FOLDER, WRITER
from attnlab.sentences.writer import (
    SPLITS,
    Writer,
    load_captions,
    load_writer,
    perplexity,
)
from attnlab.tokens import BOS, PAD
from tools.pack import pack_by_command

BITS = 8
DROPPED_METADATA = ("curve",)  # the losses of the training: a page has no use for them
PROMPT = "a man"


def pack_writer(trained: Path, folder: Path = FOLDER) -> Path:
    """Write the writer of a training into a folder of weights; return its path.

    Args:
        trained: the folder that `python -m attnlab.sentences.writer train` filled.
        folder: where `writer-en.safetensors` and `writer-en.json` go.

    Raises:
        ValueError: there is no writer.
    """
    writer = load_writer(trained / "writer.safetensors")
    metadata = {k: v for k, v in writer.metadata.items() if k not in DROPPED_METADATA}
    metadata |= {"name": WRITER, "bits": BITS}
    metadata["perplexity_as_trained"] = metadata["perplexity"]
    path = folder / f"{WRITER}.safetensors"
    Writer(writer.model, writer.tokenizer, metadata).save(path, bits=BITS)
    packed = load_writer(path)
    _, splits = load_captions(metadata["config"]["vocab_size"])
    held_out = SPLITS[1:]
    metadata["perplexity"] = {s: perplexity(packed.model, splits[s]) for s in held_out}
    Writer(writer.model, writer.tokenizer, metadata).save(path, bits=BITS)
    stored = write_continuation(packed, PROMPT)
    stored["megabytes"] = round(path.stat().st_size / 1e6, 1)
    text = json.dumps(stored, ensure_ascii=False)
    write_atomically(folder / f"{WRITER}.json", f"{text}\n".encode())
    return path


@torch.no_grad()
def write_continuation(writer: Writer, text: str) -> dict:
    """Return what the figure shows of a beginning, as its JavaScript has it.

    Returns:
        `text`, `given` and `after`, the beginning; `names` of the most probable tokens;
        `logits` of all that may be drawn, the largest first; and the `vocab_size`.
    """
    logits = writer.model(torch.tensor([writer.read(text)]))[0, -1]
    logits[[PAD, BOS, UNK]] = float("-inf")
    found, ids = logits.sort(descending=True, stable=True)
    names = [_shown(writer.tokenizer.tokens[i]) for i in ids[:BARS].tolist()]
    found = found[found.isfinite()]
    return {
        "text": text,
        "given": text,
        "after": text,
        "names": names,
        "logits": [round(x, 3) for x in found.tolist()],
        "vocab_size": len(logits),
    }


def _shown(token: str) -> str:
    if token == "<eos>":
        return "the end"
    return token[1:] if token.startswith("▁") else f"-{token}"


def main() -> None:
    """Pack the training named on the command line."""
    metadata = load_writer(
        pack_by_command("tools.pack_writer", "writer", pack_writer)
    ).metadata
    for split, value in metadata["perplexity"].items():
        before = metadata["perplexity_as_trained"][split]["per_word"]
        print(f"{split:<5}  per word {value['per_word']:.2f}, was {before:.2f}")


if __name__ == "__main__":
    main()
