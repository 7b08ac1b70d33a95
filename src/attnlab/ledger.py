"""The verdicts that stand in the chapters' stored outputs."""

import json
from collections.abc import Iterator
from pathlib import Path

from attnlab.report import Verdict, parse_verdict


def stored_verdicts(folder: str | Path = ".") -> list[Verdict]:
    """Return every verdict that a chapter in the folder has printed, in their order.

    A chapter is a notebook whose name begins with two digits, such as
    `02_alignment.ipynb`. The first verdict on a claim counts.

    Raises:
        FileNotFoundError: there is no chapter in the folder.
        ValueError: one of them is no notebook.
    """
    chapters = sorted(Path(folder).glob("[0-9][0-9]_*.ipynb"))
    if not chapters:
        raise FileNotFoundError(f"no chapter in {str(folder)!r}")
    found: dict[str, Verdict] = {}
    for chapter in chapters:
        for line in _printed_lines(chapter):
            verdict = parse_verdict(line)
            if verdict is not None:
                found.setdefault(verdict.id, verdict)
    return list(found.values())


def _printed_lines(notebook: Path) -> Iterator[str]:
    try:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        texts = [
            "".join(output["text"])
            for cell in cells
            for output in cell.get("outputs", [])
            if output.get("name") == "stdout"
        ]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{notebook} is no notebook: {error!r}") from error
    for text in texts:
        yield from text.splitlines()
