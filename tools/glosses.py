"""English glosses of Chinese words, from the pairs that the translator learned of.

    python -m tools.glosses        # writes weights/glosses-en-zh.json

Most of this dictionary is counted. Characters that stand together more often than
chance has it become words (by their normalised pointwise mutual information); IBM's
model 1 (Brown et al. 1993) then says which English word goes with each. A word without
one that goes with it clearly has no gloss. The counting says little of grammar, and
makes "only" of 只 where it counts cats (一只猫, "a cat"): such words are written by
hand.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import pairwise
from math import log

from attnlab.data.corpora import tatoeba
from attnlab.data.text import simplified
from attnlab.saved import FOLDER

NAME = "glosses-en-zh"
PASSES = ((0.4, 2), (0.5, 4))  # least information that joins two, longest word
RARE = 6  # pairs or words met less often than this count for nothing
MIN_SHARE = (
    0.15  # the share of its English that is this one, times that of this that is it
)
EM_ROUNDS = 4
CHINESE = re.compile("[\u4e00-\u9fff]")
MEASURES = "只个条本张位件辆把"  # Chinese counts by them, English has no word for them
NUMERALS = {
    "一": "a",
    "两": "two",
    "三": "three",
    "四": "four",
    "这": "this",
    "那": "that",
}
BY_HAND = {
    one + measure: gloss for one, gloss in NUMERALS.items() for measure in MEASURES
} | {
    **{"有": "has", "没有": "has not", "是": "is", "不": "not", "没": "not"},
    **{"底下": "under", "下面": "under", "上面": "on", "里面": "inside"},
    **{"很": "very", "吗": "?", "一个月": "a month", "只有": "only"},
}
NO_WORD = ""  # what Chinese words come from that no English word stands for


def glosses(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the English word that goes with each Chinese word, where one does.

    Args:
        pairs: (English, simplified Chinese) sentences.
    """
    sentences = [
        ([*re.findall("[a-z']+", english.lower()), NO_WORD], list(chinese))
        for english, chinese in pairs
    ]
    words = [chinese for _, chinese in sentences]
    for least, longest in PASSES:
        words = _joined(words, least, longest)
    written = [[word for word in each if CHINESE.match(word)] for each in words]
    english = [source for source, _ in sentences]
    often = Counter(word for each in written for word in each)
    share: dict[str, dict[str, float]] = defaultdict(dict)
    for source, row in _em_step(list(zip(english, written, strict=True))).items():
        total = sum(row.values())
        for word, count in row.items():
            if source != NO_WORD:
                share[word][source] = count * count / total / often[word]
    best = {word: max(row, key=lambda one: row[one]) for word, row in share.items()}
    return {
        word: source
        for word, source in sorted(best.items())
        if often[word] >= RARE and share[word][source] >= MIN_SHARE
    }


def _joined(sentences: list[list[str]], least: float, longest: int) -> list[list[str]]:
    """Join neighbours that tell of each other, those that tell most first."""
    alone = Counter(word for each in sentences for word in each)
    together = Counter(pair for each in sentences for pair in pairwise(each))
    total = sum(alone.values())
    bound = {}
    for (one, other), count in together.items():
        text = one + other
        if count < RARE or len(text) > longest or re.search("[^\u4e00-\u9fff]", text):
            continue
        chance = alone[one] * alone[other] / total
        information = log(count / chance) / -log(count / total)
        if information > least:
            bound[one, other] = information

    def join(words: list[str]) -> list[str]:
        words = list(words)
        while near := [
            (bound[pair], i) for i, pair in enumerate(pairwise(words)) if pair in bound
        ]:
            _, i = max(near)
            words[i : i + 2] = ["".join(words[i : i + 2])]
        return words

    return [join(words) for words in sentences]


def _em_step(pairs: list[tuple[list[str], list[str]]]) -> dict[str, dict[str, float]]:
    """Return how often each source word is expected to have given each target word."""
    counts: dict[str, dict[str, float]] = {}
    chances: dict[str, dict[str, float]] = {}
    for _ in range(EM_ROUNDS):
        counts = defaultdict(lambda: defaultdict(float))
        for source, target in pairs:
            for word in target:
                shares = [chances[one][word] if chances else 1.0 for one in source]
                total = sum(shares)
                for one, part in zip(source, shares, strict=True):
                    counts[one][word] += part / total
        chances = {
            one: {word: count / total for word, count in row.items()}
            for one, row in counts.items()
            for total in [sum(row.values())]
        }
    return counts


def main() -> None:
    """Write the glosses of the figures to their file."""
    pairs = [(one.english, simplified(one.chinese)) for one in tatoeba()]
    path = FOLDER / f"{NAME}.json"
    found = dict(sorted((glosses(pairs) | BY_HAND).items()))
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    path.write_text(text + "\n", encoding="utf-8")
    print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
