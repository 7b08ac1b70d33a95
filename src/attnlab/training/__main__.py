"""Train a translator from the shell.

    python -m attnlab.training --target fr --score dot --checkpoint checkpoints/fr.pt

runs the training loop of the book on number words and prints the accuracy by length at
the end. The same command again goes on from the checkpoint, or only evaluates if it is
complete. Real sentences, by a Transformer (see `attnlab.sentences.recipes`):

    python -m attnlab.sentences tatoeba
    python -m attnlab.sentences multi30k
"""

import argparse
import sys

from attnlab.commands import INTERRUPTED, Help, integer, user_errors
from attnlab.data import LANGUAGES, NumberPairs, split_numbers
from attnlab.device import use_threads
from attnlab.files import check_writable
from attnlab.recurrence import CELLS
from attnlab.recurrent import Seq2Seq, count_parameters
from attnlab.recurrent_attention import WINDOWS
from attnlab.recurrent_layers import CONTEXTS, DECODERS
from attnlab.scores import SCORES, make_score
from attnlab.training import (
    History,
    cross_entropy_loss,
    exact_match_by_length,
    reinforce_loss,
    set_seed,
    train,
)
from attnlab.training.checkpoints import checkpoint_path
from attnlab.training.distributed import is_first
from attnlab.training.settings import add_settings

SETTINGS = ("epochs", "batch_size", "lr", "schedule", "warmup", "clip", "seed")
MAX_WIDTH = 8192  # states; wider ones fill the memory
NO_SCORE = "none"  # the model without attention


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit status."""
    args = make_parser().parse_args(arguments)
    # Several threads are slower, up to five times, with models so small.
    with user_errors("what the checkpoint holds is kept"), use_threads(1):
        model, history, accuracy = run(args)
    if history.interrupted:
        return INTERRUPTED
    if is_first():
        print(f"parameters  {count_parameters(model):,}")
        print(f"last loss   {history.loss[-1]:.4f}" if history.loss else "not trained")
        print("digits  exact match")
        for digits, share in accuracy.items():
            print(f"{digits:>6}  {share:>10.1%}")
    return 0


def run(args: argparse.Namespace) -> tuple[Seq2Seq, History, dict[int, float]]:
    """Make the data and the model, train, and return accuracy by length with both.

    After Ctrl-C there is no accuracy: an unfinished model is not judged.

    Raises:
        OSError: the checkpoint cannot be written.
        ValueError, TypeError: as `train` and what makes the data.
    """
    if args.checkpoint is not None:
        check_writable(checkpoint_path(args.checkpoint))
    low, high = args.digits
    _print_unless_quiet(args, f"spelling {args.train + args.test:,} numbers …")
    train_numbers, test_numbers = split_numbers(
        args.train, args.test, (low, high), args.data_seed
    )
    languages = {"source": args.source, "target": args.target}
    pairs = NumberPairs(train_numbers, **languages, reverse_source=args.reverse_source)
    held_out = NumberPairs(
        test_numbers, **languages, reverse_source=args.reverse_source
    )
    set_seed(args.seed)
    model = make_model(args, pairs, max(map(len, pairs.src + held_out.src)))
    history = train(
        model,
        pairs,
        loss=reinforce_loss if args.hard else cross_entropy_loss,
        valid=held_out if args.validate else None,
        resume=not args.no_resume,
        progress=not args.quiet,
        device=args.device,
        checkpoint=args.checkpoint,
        **{name: getattr(args, name) for name in SETTINGS},
    )
    if history.interrupted:
        return model, history, {}
    _print_unless_quiet(args, f"translating {len(held_out):,} unseen numbers …")
    return model, history, exact_match_by_length(model, held_out)


def _print_unless_quiet(args: argparse.Namespace, what: str) -> None:
    if not args.quiet and is_first():
        print(what, file=sys.stderr)


def make_model(
    args: argparse.Namespace, pairs: NumberPairs, max_length: int
) -> Seq2Seq:
    """Make the model that the options describe, for sources up to `max_length`."""
    score = None
    if args.score != NO_SCORE:
        score = make_score(args.score, args.d_model, max_length)
    return Seq2Seq(
        len(pairs.src_vocab),
        len(pairs.tgt_vocab),
        args.d_model,
        cell=args.cell,
        score=score,
        bidirectional=args.bidirectional,
        style=args.style,
        input_feeding=args.input_feeding,
        context=args.context,
        window=args.window,
        radius=args.radius,
        hard=args.hard,
        dropout=args.dropout,
    )


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command's options."""
    parser = argparse.ArgumentParser(
        prog="python -m attnlab.training",
        description="Train a model that translates number words, and print its "
        "exact-match accuracy on unseen numbers, by length. Sentences: "
        "`python -m attnlab.sentences --help`.",
        formatter_class=Help,
    )
    _add_data_options(parser.add_argument_group("data"))
    _add_model_options(parser.add_argument_group("model"))
    _add_training_options(parser.add_argument_group("training"))
    return parser


def _add_data_options(group: argparse._ArgumentGroup) -> None:
    languages = ", ".join(f"{key} {name}" for key, name in LANGUAGES.items())
    for side, default in (("source", "en"), ("target", "de")):
        group.add_argument(
            f"--{side}",
            choices=LANGUAGES,
            default=default,
            metavar="LANGUAGE",
            help=f"{side} language: {languages}",
        )
    group.add_argument(
        "--digits",
        nargs=2,
        type=int,
        default=(1, 6),
        metavar=("LOW", "HIGH"),
        help="shortest and longest numbers",
    )
    group.add_argument(
        "--train", type=integer(1), default=20_000, help="numbers to learn"
    )
    group.add_argument(
        "--test", type=integer(1), default=2_000, help="unseen numbers to test"
    )
    group.add_argument(
        "--data-seed", type=integer(0), default=0, help="draws the numbers"
    )
    group.add_argument(
        "--reverse-source", action="store_true", help="feed the source backwards"
    )


def _add_model_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--d-model",
        type=integer(1, MAX_WIDTH),
        default=128,
        help="width of the states",
    )
    group.add_argument("--cell", choices=CELLS, default="gru")
    group.add_argument(
        "--score",
        choices=(NO_SCORE, *SCORES),
        default="general",
        help="none: no attention",
    )
    group.add_argument("--style", choices=DECODERS, default="luong")
    group.add_argument(
        "--bidirectional", action="store_true", help="encoder reads both ways"
    )
    group.add_argument("--input-feeding", action="store_true", help="Luong 2015, 3.3")
    group.add_argument(
        "--context",
        choices=CONTEXTS,
        default="both",
        help="without attention: how the decoder gets the encoder's last state",
    )
    group.add_argument("--window", choices=WINDOWS, help="local attention, Luong 2015")
    group.add_argument(
        "--radius", type=integer(0), default=2, help="half width of the window"
    )
    group.add_argument(
        "--hard", action="store_true", help="sample one position, learn by REINFORCE"
    )
    group.add_argument("--dropout", type=float, default=0.0, help="share dropped")


def _add_training_options(group: argparse._ArgumentGroup) -> None:
    add_settings(group, *SETTINGS)
    group.set_defaults(epochs=6)
    group.add_argument(
        "--validate", action="store_true", help="also test after every epoch"
    )
    group.add_argument("--checkpoint", metavar="FILE", help="save to and go on from it")
    group.add_argument(
        "--no-resume", action="store_true", help="start anew, overwrite the checkpoint"
    )
    group.add_argument("--device", help="cpu, cuda, mps; default: the best one present")
    group.add_argument("--quiet", action="store_true", help="show no progress bar")


if __name__ == "__main__":
    sys.exit(main())
