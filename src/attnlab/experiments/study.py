"""What the experiments' commands share: their options."""

import argparse


def command_line(description: str, *, seeds: int = 5) -> argparse.ArgumentParser:
    """Return the options that every experiment has: `--seeds`, `--redo`, `--quiet`.

    `args.seeds` comes out as a list: `--seeds 5` asks for five, 0 to 4; `--seeds 3 4`
    for those two; `--seed 3` for that one.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "--seeds",
        nargs="+",
        type=int,
        action=_Seeds,
        default=list(range(seeds)),
        metavar="N",
        help=f"how many seeds, or which ones if several are named (default: {seeds})",
    )
    parser.add_argument(
        "--seed",
        nargs=1,
        type=int,
        action=_Seeds,
        dest="seeds",
        metavar="N",
        help="only this seed",
    )
    parser.add_argument(
        "--redo", action="store_true", help="run again what is stored already"
    )
    parser.add_argument("--quiet", action="store_true", help="show no progress bar")
    return parser


class _Seeds(argparse.Action):
    """After `--seeds` one number is how many, several are the seeds themselves."""

    def __call__(self, parser, namespace, values, option=None):
        how_many = self.nargs == "+" and len(values) == 1
        seeds = list(range(values[0])) if how_many else values
        if not seeds or min(seeds) < 0:
            parser.error(f"argument {option}: expected seeds, got {values}")
        setattr(namespace, self.dest, seeds)
