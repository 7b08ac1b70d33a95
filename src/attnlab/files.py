"""Files that are whole or not there."""

import os
from pathlib import Path


def write_atomically(path: Path, contents: bytes) -> None:
    """Replace a file's contents so that it is always whole: the old or the new.

    Raises:
        OSError: the disk is full or the folder closed; the old file is untouched.
    """
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with open(unfinished, "wb") as file:
            file.write(contents)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    except OSError as e:
        what = f"cannot write {path}, which is as it was: {e.strerror or e}"
        raise OSError(e.errno, what) from e
    finally:
        unfinished.unlink(missing_ok=True)


def check_writable(path: Path) -> None:
    """Raise OSError if no file could be written there, before long work is in vain."""
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder: expected the name of a file")
    trial = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        trial.touch()
        trial.unlink()
    except OSError as e:
        raise OSError(e.errno, f"cannot write {path}: {e.strerror or e}") from e
