"""What does a wider search buy on real sentences? (chapter 8)

The stored translator writes the same test sentences by beams of several widths and
with several length penalties. Measured: BLEU and chrF, how long the translations are
beside those of people, and seconds. One run also keeps a dozen sentences at equal
distances, with both translations, to be read: chosen by that rule, not by how well
they came out.

    ATTNLAB_DATA=… python -m attnlab.experiments.searches

Without ATTNLAB_DATA the sentences are downloaded.
"""

import time
from collections.abc import Sequence
from functools import cache

from attnlab.data.corpora import tatoeba
from attnlab.data.text import simplified
from attnlab.experiments.study import Study, run_studies
from attnlab.sentences.recipes import load_tatoeba
from attnlab.sentences.scoring import score, score_difference
from attnlab.sentences.translator import Translator, load_translator

SENTENCES = 500  # every second one of the test set, which goes from short to long
EXAMPLES = 12
SETTINGS = [
    {"width": 1, "length_penalty": 0.0},
    {"width": 2, "length_penalty": 1.0},
    {"width": 5, "length_penalty": 0.0},
    {"width": 5, "length_penalty": 1.0},
    {"width": 20, "length_penalty": 0.0},
    {"width": 20, "length_penalty": 1.0},
]


@cache
def load_test() -> list[tuple[str, str]]:
    """Return the test pairs of the translator's training."""
    return load_tatoeba()["test"]


def translate_and_score(
    translator: Translator,
    pairs: list[tuple[str, str]],
    *,
    width: int,
    length_penalty: float,
) -> tuple[dict, list[str]]:
    """Translate pairs' sources; return the figures and the translations."""
    sources, references = zip(*pairs, strict=True)
    clock = time.process_time()
    answers = translator.translate(sources, width=width, length_penalty=length_penalty)
    seconds = time.process_time() - clock
    scores = score(answers, references, tokenize="zh")
    metrics = {
        name: {key: value.get(key) for key in ("score", "interval")}
        for name, value in scores.items()
    }
    length = sum(map(len, answers)) / sum(map(len, references))
    return metrics | {
        "length": round(length, 4),
        "cpu_seconds": round(seconds, 2),
    }, answers


def measure_search(
    *, seed: int, width: int, length_penalty: float, sentences: int = SENTENCES
) -> dict:
    """Search in one way; nothing is random, so that the seed plays no part.

    Returns:
        `bleu`, `chrf` (each with the half-width of its 95% interval), `length` beside
        that of the references, `cpu_seconds`; `beyond_greedy`, of beams: how much more
        BLEU than greedy search on the same sentences, see `score_difference`;
        `but_one`, see `compare_without_longest`; and for a beam of 5 with penalty 1 the
        `examples`: English, reference, translation, attribution.
    """
    test = load_test()
    pairs = test[:: len(test) // sentences]
    metrics, answers = translate_and_score(
        load_translator(), pairs, width=width, length_penalty=length_penalty
    )
    sources, references = zip(*pairs, strict=True)
    greedy = answers
    if width > 1:
        greedy = load_translator().translate(sources, width=1, length_penalty=0.0)
        metrics["beyond_greedy"] = score_difference(
            answers, greedy, references, tokenize="zh"
        )
    metrics["but_one"] = compare_without_longest(answers, greedy, references)
    if (width, length_penalty) == (5, 1.0):
        authors = {
            (one.english, simplified(one.chinese)): one.attribution for one in tatoeba()
        }
        metrics["examples"] = [
            [*pair, answer, authors[pair]]
            for pair, answer in list(zip(pairs, answers, strict=True))[
                :: len(pairs) // EXAMPLES
            ]
        ]
    return metrics


def compare_without_longest(
    answers: Sequence[str], greedy: Sequence[str], references: Sequence[str]
) -> dict:
    """Compare translations with greedy ones, without the longest of the latter.

    One that never finds its end weighs as much as many others: a resample that has it
    three times is another result than one that lacks it.

    Returns:
        `characters`, of the sentence left out: the greedy translation's and the
        person's; of the rest the `length` beside that of the references, and if these
        are not the greedy translations `beyond_greedy`, as for `measure_search`.
    """
    rows = list(zip(answers, greedy, references, strict=True))
    longest = max(rows, key=lambda row: len(row[1]) - len(row[2]))
    rows.remove(longest)
    rest, others, people = zip(*rows, strict=True)
    length = sum(map(len, rest)) / sum(map(len, people))
    found = {
        "characters": [len(longest[1]), len(longest[2])],
        "length": round(length, 4),
    }
    if rest != others:
        found["beyond_greedy"] = score_difference(rest, others, people, tokenize="zh")
    return found


STUDY = Study("searches", measure_search, SETTINGS, threads=1)


if __name__ == "__main__":
    run_studies(__doc__, STUDY, seeds=1)
