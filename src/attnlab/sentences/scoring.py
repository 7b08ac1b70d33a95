"""Translations held against those of people, with sacrebleu's BLEU and chrF."""

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING

from attnlab.checks import check_choice, check_integer, sentences_extra

if TYPE_CHECKING:  # sacrebleu loads when something is to be scored
    from sacrebleu.metrics import BLEU, CHRF

TOKENIZERS = ("none", "13a", "zh", "char", "intl")  # of sacrebleu, no model needed
RESAMPLES = 1000  # of the test set, for the confidence of a score


def score(
    hypotheses: Sequence[str],
    references: Sequence[str],
    *,
    tokenize: str,
    resamples: int = RESAMPLES,
) -> dict:
    """Hold translations against references, one each.

    Args:
        hypotheses: the translations.
        references: what people wrote.
        tokenize: how BLEU cuts text into words: sacrebleu's "none" for text that was
            cut before, "zh" for Chinese, character by character, "13a" …
        resamples: of the sentences, for the interval (Koehn 2004); 0 for none.

    Returns:
        "bleu" (Papineni et al. 2002) and "chrf" (Popović 2015), 0 to 100, each with
        `score`, `signature` and, where resamples tell, the half-width `interval` of
        95% confidence.

    Raises:
        TypeError: the resamples are no integer.
        ValueError: not as many of the one as of the other, or none; an unknown way to
            cut text, or less than 0 resamples.
    """
    check_choice("tokenize", tokenize, TOKENIZERS)
    check_integer("resamples", resamples, 0)
    with sentences_extra():
        from sacrebleu.metrics import BLEU, CHRF

    if len(hypotheses) != len(references) or not references:
        raise ValueError(
            f"{len(hypotheses)} translations for {len(references)} references"
        )
    # `force`: that a text looks cut into words is meant so.
    metrics: dict[str, BLEU | CHRF] = {
        "bleu": BLEU(tokenize=tokenize, force=True),
        "chrf": CHRF(),
    }
    scores: dict[str, dict] = {}
    for name, metric in metrics.items():
        result = metric.corpus_score(list(hypotheses), [list(references)])
        scores[name] = {
            "score": round(float(result.score), 2),
            "signature": str(metric.get_signature()),
        }
        if resamples and result.score:
            scores[name]["interval"] = _bootstrap_interval(
                metric, hypotheses, references, resamples
            )
    return scores


def _bootstrap_interval(
    metric: "BLEU | CHRF",
    hypotheses: Sequence[str],
    references: Sequence[str],
    resamples: int,
) -> float | None:
    try:
        result = metric.corpus_score(
            list(hypotheses), [list(references)], n_bootstrap=resamples
        )
    except TypeError:  # sacrebleu fails where some resamples score 0 and some do not
        return None
    return round(float(result._ci), 2)


def score_difference(
    hypotheses: Sequence[str],
    others: Sequence[str],
    references: Sequence[str],
    *,
    tokenize: str,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> dict:
    """How much more BLEU one way to translate has than another, sentence by sentence.

    Both ways have the same sentences, of which some are hard for either; two intervals
    side by side count that twice. So each resample draws the same sentences for both
    (Koehn 2004, section 3).

    Args:
        hypotheses, others: the translations of the two ways.
        references, tokenize: as for `score`.
        resamples: how often the sentences are drawn anew.
        seed: draws them.

    Returns:
        `difference`, hypotheses less others; `low` and `high`, between which 95 in 100
        resampled differences lie.

    Raises:
        TypeError: the resamples are no integer.
        ValueError: as for `score`, or less than 1 resample.
    """
    check_integer("resamples", resamples, 1)
    check_choice("tokenize", tokenize, TOKENIZERS)
    if not len(hypotheses) == len(others) == len(references) or not references:
        raise ValueError(
            f"{len(hypotheses)} and {len(others)} translations for "
            f"{len(references)} references"
        )
    ways = [_bleu_counts(way, references, tokenize) for way in (hypotheses, others)]
    rng, drawn = Random(seed), []
    for _ in range(resamples):
        rows = rng.choices(range(len(references)), k=len(references))
        one, other = (_bleu([way[row] for row in rows]) for way in ways)
        drawn.append(one - other)
    drawn.sort()
    return {
        "difference": round(_bleu(ways[0]) - _bleu(ways[1]), 2),
        "low": round(drawn[int(0.025 * resamples)], 2),
        "high": round(drawn[int(0.975 * resamples)], 2),
    }


def _bleu_counts(
    hypotheses: Sequence[str], references: Sequence[str], tokenize: str
) -> list[list[int]]:
    """What BLEU adds up, a row a sentence: 4 matches, 4 possible ones, 2 lengths."""
    with sentences_extra():
        from sacrebleu.metrics import BLEU

    metric, rows = BLEU(tokenize=tokenize, force=True), []
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        found = metric.corpus_score([hypothesis], [[reference]])
        rows.append([*found.counts, *found.totals, found.sys_len, found.ref_len])
    return rows


def _bleu(rows: list[list[int]]) -> float:
    """Return the BLEU of all these sentences together."""
    with sentences_extra():
        from sacrebleu.metrics import BLEU

    *ngrams, sys_len, ref_len = map(sum, zip(*rows, strict=True))
    found = BLEU.compute_bleu(ngrams[:4], ngrams[4:], sys_len, ref_len, "exp")
    return float(found.score)
