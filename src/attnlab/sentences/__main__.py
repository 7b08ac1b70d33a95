"""Train a Transformer that translates real sentences, from the shell.

    python -m attnlab.sentences tatoeba                    # English to Chinese
    python -m attnlab.sentences multi30k                   # English to German captions
    torchrun --nproc-per-node 8 -m attnlab.sentences multi30k --precision bfloat16

Everything goes into one folder, `checkpoints/tatoeba-0` unless told otherwise: the
checkpoint, from which the same command goes on, the last weights of single epochs, the
translator made of their mean, its translations of the test set, and their scores with
all that led to them, as `result.json`.
"""

import argparse
import sys
from dataclasses import asdict
from pathlib import Path

from attnlab.attention import GAINS
from attnlab.commands import INTERRUPTED, Help, integer, user_errors
from attnlab.positions import POSITIONS
from attnlab.sentences.recipes import (
    MAX_BEAM,
    SETTINGS,
    TASKS,
    TIED_EMBEDDINGS,
    Recipe,
    run,
)
from attnlab.training.distributed import is_first
from attnlab.training.settings import add_settings


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    name, *arguments = arguments or ["--help"]
    if name not in TASKS:
        print(f"usage: python -m attnlab.sentences {{{','.join(TASKS)}}} [options]")
        return 0 if name in ("-h", "--help") else 2
    recipe = Recipe(**vars(make_parser(name).parse_args(arguments)))
    with user_errors(f"what was finished is in {recipe.home}"):
        result = run(recipe)
    if result is None:
        return INTERRUPTED
    if is_first():
        print(f"parameters  {result['parameters']:,}")
        for split in ("valid", "test"):
            for metric, value in result["scores"][split].items():
                interval = value.get("interval")
                sure = f" ± {interval:.2f}" if interval else ""
                print(f"{split:<5}  {metric:<4}  {value['score']:.2f}{sure}")
        print(f"written to {recipe.home}")
    return 0


def make_parser(name: str) -> argparse.ArgumentParser:
    """Return the parser of the options, with the task's own defaults."""
    parser = argparse.ArgumentParser(
        prog=f"python -m attnlab.sentences {name}",
        description="Train a Transformer that translates sentences, score it, and "
        "store it with all that led to it.",
        formatter_class=Help,
    )
    add = parser.add_argument_group("data").add_argument
    add(
        "--train",
        type=integer(1),
        help="how many pairs to learn from; default: all",
    )
    add(
        "--test",
        type=integer(1),
        help="how many to score, of each set; default: all",
    )
    add(
        "--vocab",
        type=integer(1),
        help="subwords of the tokenizer that is learned",
    )
    add = parser.add_argument_group("model").add_argument
    add("--d-model", type=integer(1), help="width of the states")
    add("--heads", type=integer(1), help="heads of every attention")
    add(
        "--layers",
        type=integer(1),
        help="of the encoder, and as many of the decoder",
    )
    add("--d-ff", type=integer(1), help="width inside feed-forward layers")
    add("--dropout", type=float, help="of embeddings and sublayers")
    add(
        "--inner-dropout",
        type=float,
        help="of attention weights and inside feed-forward layers",
    )
    add("--norm-first", action="store_true", help="LayerNorm before each sublayer")
    add("--no-last-norm", action="store_true", help="none after the last layer")
    add("--init", choices=GAINS, help="how W_Q, W_K and W_V are drawn")
    add("--positions", choices=POSITIONS)
    add(
        "--tie",
        choices=TIED_EMBEDDINGS,
        help="which embeddings are the output layer's weights",
    )
    group = parser.add_argument_group("training")
    add_settings(group, *SETTINGS)
    add = group.add_argument
    add("--label-smoothing", type=float, help="share spread over all")
    add("--average", type=integer(1), help="last epochs whose weights are averaged")
    add("--folder", type=Path, help="default: checkpoints/TASK-SEED")
    add("--no-resume", action="store_true", help="start anew, overwrite the checkpoint")
    add("--device", help="cpu, cuda, mps; default: the best one present")
    add("--quiet", action="store_true", help="show no progress bar")
    add = parser.add_argument_group("scoring").add_argument
    add("--beam", type=integer(1, MAX_BEAM), help="places in the beam")
    add("--length-penalty", type=float, help="1: about the mean token")
    parser.set_defaults(**asdict(TASKS[name].options))
    return parser


if __name__ == "__main__":
    sys.exit(main())
