"""Measure what each layer costs on this machine.

    python -m attnlab.complexity                 # a small grid, under 90 seconds
    python -m attnlab.complexity --full          # everything, most of an hour
    python -m attnlab.complexity --threads 2 --folder results --name mine

The results are printed and stored as JSON with the machine, threads and versions. The
same command again measures only what is missing.
"""

import argparse
import os
import sys
from pathlib import Path

from attnlab.commands import integer, user_errors
from attnlab.complexity.grid import (
    NAME,
    full_grid,
    measure_grid,
    print_results,
    small_grid,
)
from attnlab.device import use_threads


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit status, 130 after Ctrl-C."""
    parser = argparse.ArgumentParser(
        prog="python -m attnlab.complexity",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--full", action="store_true", help="the large grid")
    parser.add_argument("--threads", type=integer(1), default=1, help="(default: 1)")
    parser.add_argument("--name", default=NAME, help="of the file, without .json")
    parser.add_argument("--folder", default=".", help="where the file lies")
    parser.add_argument("--redo", action="store_true", help="measure again")
    parser.add_argument("--quiet", action="store_true", help="no bar, no table")
    args = parser.parse_args(arguments)
    if hasattr(os, "getloadavg") and os.getloadavg()[0] > 0.5 and not args.quiet:
        load = os.getloadavg()[0]
        print(f"The machine is busy (load {load:.1f}): times will be too long.")
    settings = (full_grid if args.full else small_grid)(args.threads)
    with (
        user_errors(),
        use_threads(args.threads),
    ):  # stored as the machine's, too
        results = measure_grid(
            settings,
            name=args.name,
            folder=args.folder,
            redo=args.redo,
            progress=not args.quiet,
        )
    if not args.quiet:
        print_results(results)
        print(f"\nIn {Path(args.folder, args.name)}.json")
    return 130 if results["interrupted"] else 0


if __name__ == "__main__":
    sys.exit(main())
