"""Puts a trained translator into the package, small enough for a page to load.

    python -m attnlab.sentences tatoeba                    # about an hour on one core
    python -m tools.pack checkpoints/tatoeba-0

Matrices are rounded to 8 bits (`attnlab.saved.to_eight_bits`), which halves the
file. The rounded model translates validation and test set anew, so that the scores in
its file are its own; those of the training's result stand beside them.
"""

import argparse
import json
from collections.abc import Callable
from pathlib import Path

from attnlab.saved import FOLDER
from attnlab.sentences.recipes import TASKS, Task, measure
from attnlab.sentences.translator import load_translator

BITS = 8
DROPPED_METADATA = (
    "epochs",
)  # the loss curve of the training: a page has no use for it


def pack_translator(trained: Path, folder: Path = FOLDER) -> Path:
    """Write the translator of a training into a folder of weights; return its path.

    Args:
        trained: the folder that `python -m attnlab.sentences` filled.
        folder: where `translator-en-zh.safetensors`, or of which languages it is, goes.

    Raises:
        ValueError: the training has not come to its end.
    """
    files = trained / "model.safetensors", trained / "result.json"
    for file in files:
        if not file.is_file():
            raise ValueError(f"there is no {file}: has the training ended?")
    translator = load_translator(files[0])
    metadata = translator.metadata  # what is put in here is saved with the translator
    result = json.loads(files[1].read_text(encoding="utf-8"))
    metadata |= {
        key: value for key, value in result.items() if key not in DROPPED_METADATA
    }
    task = TASKS[metadata["task"]]
    name = "-".join(["translator", *metadata["languages"]])
    metadata |= {"name": name, "bits": BITS, "data": task.data}
    metadata |= {"scores_as_trained": result["scores"]}
    path = folder / f"{name}.safetensors"
    translator.save(path, bits=BITS)
    metadata |= measure_file(path, task)
    translator.save(path, bits=BITS)
    return path


def measure_file(path: Path, task: Task) -> dict:
    """Return what the translator in a file does with its task's sentences.

    Args:
        path: what `Translator.save` wrote.
        task: whose sentences.

    Returns:
        "scores" as in a training's result; "train_pairs", how many it learned from;
        and "longest_source", the tokens of the longest source among them.
    """
    translator = load_translator(path)
    texts = task.load()
    found, _ = measure(translator, task, texts, translator.metadata["decoding"])
    learned = [translator.src_tokenizer.encode(source) for source, _ in texts["train"]]
    found["train_pairs"] = len(learned)
    found["longest_source"] = max(map(len, learned))
    return found


def pack_by_command(module: str, what: str, pack: Callable[[Path, Path], Path]) -> Path:
    """Pack the training that the command line names; return the file.

    `pack(trained, folder)` does it. What it raises ends the command with its message.
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m {module}",
        description=f"Put a trained {what} into the package, in 8 bits.",
    )
    parser.add_argument("trained", type=Path, help="the folder of the training")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="of the weights")
    args = parser.parse_args()
    try:
        path = pack(args.trained, args.folder)
    except (ValueError, OSError) as error:
        parser.error(str(error))
    print(f"{path.name}  {path.stat().st_size / 1e6:.2f} MB")
    return path


def main() -> None:
    """Pack the training named on the command line."""
    metadata = load_translator(
        pack_by_command("tools.pack", "translator", pack_translator)
    ).metadata
    for split, scores in metadata["scores"].items():
        for metric, value in scores.items():
            before = metadata["scores_as_trained"][split][metric]["score"]
            print(f"{split:<5}  {metric:<4}  {value['score']:.2f}, was {before:.2f}")


if __name__ == "__main__":
    main()
