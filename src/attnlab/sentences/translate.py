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
from pathlib import Path

from attnlab.files import write_atomically
from attnlab.sentences.recipes import TASKS
from attnlab.sentences.translator import Translator, load_translator

# `python -m attnlab.experiments.multi30k --no-last-norm --seed 1` made it; here it is
# saved with bits=8: 3.6 MB, BLEU 40.6 on the test set where 16 bits give 40.5.
MODEL = Path(__file__).parent / "multi30k.safetensors"


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
        ValueError: a task that is not in `recipes.TASKS`, or settings that do not fit.
    """
    task = translator.metadata.get("task")
    if task not in TASKS:
        raise ValueError(
            f"the translator's task {task!r} is none of {', '.join(TASKS)}"
        )
    # Not by `splitlines`, which also ends lines at signs that end none in a file.
    lines = text.removesuffix("\n").split("\n")
    sentences = [TASKS[task].prepare(line) for line in lines]
    asked = [sentence for sentence in sentences if sentence]
    answers = iter(
        translator.translate(asked, width=width, length_penalty=length_penalty)
    )
    return "".join(f"{next(answers) if one else ''}\n" for one in sentences)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m attnlab.sentences.translate",
        description="Translate the sentences of a file, one a line.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("file", help="in UTF-8; - for standard input")
    parser.add_argument("--output", type=Path, help="file; default: standard output")
    parser.add_argument(
        "--model", type=Path, default=MODEL, help="a trained translator"
    )
    parser.add_argument("--beam", type=int, default=5, help="places in the beam")
    parser.add_argument(
        "--length-penalty", type=float, default=1.0, help="1: about the mean token"
    )
    args = parser.parse_args(arguments)
    try:
        translator = load_translator(args.model)
        text = _read(args.file)
        answer = translate_text(
            translator, text, width=args.beam, length_penalty=args.length_penalty
        ).encode()
        if args.output:
            write_atomically(args.output, answer)
        else:
            sys.stdout.buffer.write(answer)
    except (ValueError, OSError) as error:
        parser.error(str(error))
    return 0


def _read(file: str) -> str:
    contents = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    try:
        text = contents.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{file} is no text in UTF-8: {error}") from error
    return text.replace("\r\n", "\n")


if __name__ == "__main__":
    sys.exit(main())
