"""What all commands share: their help, numbers within bounds, and how they end."""

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

USAGE_ERROR, INTERRUPTED = 2, 130  # exit statuses, as argparse and shells have them
USER_ERRORS = (ValueError, OSError, FloatingPointError, ModuleNotFoundError)


class Help(argparse.ArgumentDefaultsHelpFormatter):
    """Help that says an option's default, where there is one."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        if action.default is None or action.default is False:
            return action.help
        return super()._get_help_string(action)


def integer(least: int, most: int = sys.maxsize) -> Callable[[str], int]:
    """Return the type of an option that is a whole number within these bounds.

    For other text it raises argparse.ArgumentTypeError.
    """

    def read(typed: str) -> int:
        try:
            number = int(typed)
        except ValueError:
            wanted = f"expected a whole number, got {typed[:40]!r}"
            raise argparse.ArgumentTypeError(wanted) from None
        if number < least:
            raise argparse.ArgumentTypeError(f"must be at least {least}, got {number}")
        if number > most:
            raise argparse.ArgumentTypeError(f"must be at most {most}, got {number}")
        return number

    return read


@contextmanager
def user_errors(
    kept: str = "nothing was kept", wrong: tuple[type[Exception], ...] = USER_ERRORS
) -> Iterator[None]:
    """End the command with a sentence, when it is stopped or was asked for wrong.

    Args:
        kept: said after Ctrl-C.
        wrong: the errors that are the user's, or their machine's: no traceback.

    Raises:
        SystemExit: with status 130 after Ctrl-C; 2 after one of these errors; 0 if
            nobody reads the output any more.
    """
    try:
        yield
        sys.stdout.flush()
    except KeyboardInterrupt:
        print(f"\nStopped by Ctrl-C: {kept}.", file=sys.stderr)
        raise SystemExit(INTERRUPTED) from None
    except BrokenPipeError:  # as after `| head`; Python would complain once more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None
    except wrong as error:
        print(f"error: {_message_of(error)}", file=sys.stderr)
        raise SystemExit(USAGE_ERROR) from None


def _message_of(error: Exception) -> str:
    """Return what an error says, without the number that the system gives it."""
    if isinstance(error, OSError) and error.strerror:
        return (
            f"{error.strerror}: {error.filename}" if error.filename else error.strerror
        )
    return str(error)
