"""Translate the sentences of a file.

    python -m attnlab.sentences.translate captions.txt               # English to German
    python -m attnlab.sentences.translate captions.txt --output german.txt
    cat captions.txt | python -m attnlab.sentences.translate -

A line of the file is a sentence, and so is a line of what comes out, in the same order.
The translator that comes with the package learned captions of photographs (Multi30k),
in lower case and cut into words; captions as people write them are brought into that
form first, and what comes out is in it. `--model` names another one, as
`python -m attnlab.sentences` writes them.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tqdm import tqdm

from attnlab.commands import INTERRUPTED, Help, integer, user_errors
from attnlab.data.text import UNK
from attnlab.device import use_threads
from attnlab.files import check_writable, write_atomically
from attnlab.sentences.recipes import MAX_BEAM, TASKS
from attnlab.sentences.translator import Translator, load_translator

# `python -m attnlab.experiments.multi30k --no-last-norm --seed 1` made it; here it is
# saved with bits=8: 3.6 MB, BLEU 40.6 on the test set where 16 bits give 40.5.
MODEL = Path(__file__).parent / "multi30k.safetensors"

MAX_CHARACTERS = 1_000  # characters of a line; captions have some 60
BATCH_SIZE = 50  # lines, whose translations appear together
MAX_UNKNOWN_SHARE = 0.2  # share of a line's pieces; English captions have none


def translate_text(
    translator: Translator, text: str, *, width: int = 5, length_penalty: float = 1.0
) -> str:
    """Translate a text line by line.

    Args:
        translator: whose `metadata` name the task that it learned.
        text: a sentence a line.
        width, length_penalty: as for `Translator.translate`.

    Returns:
        As many lines; those of empty lines are empty.

    Raises:
        ValueError: a task that is not in `recipes.TASKS`, a line that is too long, or
            settings that do not fit.
    """
    lines = prepare(translator, text)
    decoding = {"width": width, "length_penalty": length_penalty}
    return "".join(translate_lines(translator, lines, **decoding))


def prepare(translator: Translator, text: str) -> list[str]:
    """Return the sentences of a text, one a line, as the translator's task has them.

    Raises:
        ValueError: as for `translate_text`.
    """
    task = translator.metadata.get("task")
    if task not in TASKS:
        raise ValueError(
            f"the translator's task {task!r} is none of {', '.join(TASKS)}"
        )
    # Not by `splitlines`, which also ends lines at signs that end none in a file.
    lines = text.removesuffix("\n").split("\n") if text else []
    for number, line in enumerate(lines, start=1):
        if len(line) > MAX_CHARACTERS:
            raise ValueError(
                f"line {number} has {len(line):,} characters, but a line is one "
                f"sentence, of {MAX_CHARACTERS:,} at most"
            )
    return [TASKS[task].prepare(line) for line in lines]


def translate_lines(
    translator: Translator, lines: Sequence[str], **decoding: Any
) -> Iterator[str]:
    """Yield the translation of each line as soon as its batch is done, in order."""
    for start in range(0, len(lines), BATCH_SIZE):
        batch = lines[start : start + BATCH_SIZE]
        answers = iter(translator.translate([*filter(None, batch)], **decoding))
        for line in batch:
            yield f"{next(answers) if line else ''}\n"


def unknown_share(translator: Translator, line: str) -> float:
    """Return the share of a sentence's pieces that the translator has never seen."""
    ids = translator.src_tokenizer.encode(line)
    return ids.count(UNK) / len(ids) if ids else 0.0


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit status."""
    args = make_parser().parse_args(arguments)
    with (
        user_errors("what was translated is printed"),
        use_threads(1),
    ):  # several are slower with so small a model
        if args.output:
            check_output(args.output, args.file)
        translator = load_translator(args.model)
        lines = prepare(translator, _read(args.file))
        _warn_of_unknown(translator, lines)
        decoding = {"width": args.beam, "length_penalty": args.length_penalty}
        answers = translate_lines(translator, lines, **decoding)
        hidden = args.quiet or (not args.output and sys.stdout.isatty())
        shown = tqdm(answers, total=len(lines), unit="line", disable=hidden)
        if args.output:
            _write(args.output, shown, len(lines))
        else:
            for answer in shown:
                sys.stdout.buffer.write(answer.encode())
                sys.stdout.buffer.flush()
    return 0


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command's options."""
    parser = argparse.ArgumentParser(
        prog="python -m attnlab.sentences.translate",
        description="Translate the sentences of a file, one a line.",
        formatter_class=Help,
    )
    add = parser.add_argument
    add("file", help="in UTF-8; - for standard input")
    add("--output", type=Path, help="file; default: standard output")
    add("--model", type=Path, default=MODEL, help="a trained translator")
    add("--beam", type=integer(1, MAX_BEAM), default=5, help="places in the beam")
    add("--length-penalty", type=float, default=1.0, help="1: about the mean token")
    add("--quiet", action="store_true", help="show no progress bar")
    return parser


def check_output(output: Path, file: str) -> None:
    """Raise ValueError or OSError, before any work, if the output cannot go there."""
    if file != "-" and output.exists() and output.samefile(file):
        raise ValueError(f"the output would replace its own input, {file}")
    check_writable(output)


def _read(file: str) -> str:
    contents = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    try:
        text = contents.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{file} is no text in UTF-8: {error}") from error
    return text.replace("\r\n", "\n")


def _warn_of_unknown(translator: Translator, lines: list[str]) -> None:
    """Say on stderr which lines can hardly be in the language that it learned."""
    odd = [
        number
        for number, line in enumerate(lines, start=1)
        if unknown_share(translator, line) > MAX_UNKNOWN_SHARE
    ]
    if odd:
        print(
            f"warning: {len(odd):,} of {len(lines):,} lines, the first of them line "
            f"{odd[0]}, have many pieces that this translator never saw: what it "
            "makes of them is invented",
            file=sys.stderr,
        )


def _write(path: Path, answers: Iterable[str], total: int) -> None:
    """Write all answers to the file; after Ctrl-C those that there are."""
    done: list[str] = []
    try:
        for answer in answers:
            done.append(answer)
    except KeyboardInterrupt:
        write_atomically(path, "".join(done).encode())
        print(
            f"\nStopped by Ctrl-C: the first {len(done):,} of {total:,} lines are in "
            f"{path}.",
            file=sys.stderr,
        )
        raise SystemExit(INTERRUPTED) from None
    write_atomically(path, "".join(done).encode())


if __name__ == "__main__":
    sys.exit(main())
