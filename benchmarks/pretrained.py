"""A published sentence model on the book's layers, beside its authors' own library.

    .venv/bin/pip install sentence-transformers==6.2.0
    python -m benchmarks.pretrained MODEL

MODEL is a folder or a name that `SentenceTransformer` takes, such as all-MiniLM-L6-v2.
Read are 200 English sentences of Tatoeba, 32 at once and one by one, on one thread, by
contenders that take turns: the authors' library; the book's model; the same with its
weights at hand, for which the fused kernel cannot be used; and matrix products of as
many operations as the model's own, a limit that no program of this kind passes.

The figures are written with machine and versions to `benchmarks.pretrained.json` in
`_build/measured`; `make store NAME=benchmarks.pretrained` has chapter 10 print them.
"""

import argparse
from functools import partial

from torch.utils.flop_counter import FlopCounterMode

from attnlab import store
from attnlab.complexity.measuring import measure_in_turn
from attnlab.device import use_threads
from attnlab.experiments.minilm import draw_sentences
from attnlab.pretrained import SentenceEncoder
from benchmarks.transformer import print_table, square_products
from tools.authoring import MEASURED, ROOT

NAME = "benchmarks.pretrained"
SENTENCES, ROUNDS = 200, 11


CASES = {"batches": 32, "one by one": 1}  # sentences at once


def measure(seed: int, case: str, rounds: int, *, model: str) -> dict:
    """Return every contender's seconds and ratio, by name; see `measure_in_turn`."""
    from sentence_transformers import SentenceTransformer  # no part of the book

    theirs, ours = SentenceTransformer(model, device="cpu"), SentenceEncoder.load()
    sentences, at_once = draw_sentences(seed, SENTENCES // 2)[0], CASES[case]
    quiet = {"batch_size": at_once, "show_progress_bar": False}

    def keep_weights() -> None:
        by_length = sorted(sentences, key=len)
        for start in range(0, len(by_length), at_once):
            ours.attention(by_length[start : start + at_once])

    calls = {
        "sentence-transformers": lambda: theirs.encode(sentences, **quiet),
        "attnlab.pretrained": lambda: ours.encode(sentences, at_once),
        "attnlab.pretrained, weights kept": keep_weights,
    }
    with FlopCounterMode(display=False) as counter:
        calls["attnlab.pretrained"]()
    calls["matrix products"] = square_products(counter.get_total_flops())
    return measure_in_turn(calls, rounds)


def main() -> None:
    """Measure, write and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", help="what `SentenceTransformer` takes")
    parser.add_argument("--folder", default=ROOT / MEASURED, help="where to write")
    args = parser.parse_args()
    settings = [{"case": case, "rounds": ROUNDS} for case in CASES]
    with use_threads(1):
        results = store.run(
            NAME,
            partial(measure, model=args.model),
            settings,
            seeds=[0],
            redo=True,
            folder=args.folder,
        )
    print_table(results)


if __name__ == "__main__":
    main()
