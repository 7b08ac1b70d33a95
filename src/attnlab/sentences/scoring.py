"""Translations held against those of people, with sacrebleu's BLEU and chrF."""

from collections.abc import Sequence
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
            scores[name]["interval"] = _interval(
                metric, hypotheses, references, resamples
            )
    return scores


def _interval(
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


def score_by_length(
    hypotheses: Sequence[str],
    references: Sequence[str],
    lengths: Sequence[int],
    bounds: Sequence[int],
    *,
    tokenize: str,
) -> list[dict]:
    """Score the sentences of each range of lengths by itself.

    Args:
        hypotheses, references, tokenize: as for `score`.
        lengths: of each sentence, in whatever unit.
        bounds: the longest length of each range; a last range holds what is longer.

    Returns:
        For each range that has sentences its `shortest` and `longest` length, how many
        `sentences`, and the scores, without intervals.

    Raises:
        TypeError: a length or bound that is no integer.
        ValueError: as for `score`, and not as many lengths as translations.
    """
    for number in (*lengths, *bounds):
        check_integer("a length", number, 0)
    if not len(lengths) == len(hypotheses) == len(references) or not lengths:
        raise ValueError(
            f"{len(lengths)} lengths and {len(hypotheses)} translations for "
            f"{len(references)} references"
        )
    found, lowest = [], -1
    for highest in [*bounds, max(lengths)]:
        its = [i for i, n in enumerate(lengths) if lowest < n <= highest]
        if its:
            scores = score(
                [hypotheses[i] for i in its],
                [references[i] for i in its],
                tokenize=tokenize,
                resamples=0,
            )
            found.append(
                {
                    "shortest": min(lengths[i] for i in its),
                    "longest": max(lengths[i] for i in its),
                    "sentences": len(its),
                    **{name: value["score"] for name, value in scores.items()},
                }
            )
        lowest = max(lowest, highest)
    return found
