"""What a model that others trained makes of weights that are rounded to few bits.

all-MiniLM-L6-v2 (`attnlab.pretrained`) on the pairs of sentences of `minilm`.

    ATTNLAB_DATA=… python -m attnlab.experiments.minilm_changes --seed 0

Where the model's files are not found they are downloaded; see `attnlab.pretrained`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import torch

from attnlab.experiments.minilm import (
    LARGE_SAMPLE,
    PAIRS,
    ask,
    batch_of,
    draw_sentences,
    main,
    mean_cosine,
    share_found,
)
from attnlab.experiments.study import Study
from attnlab.pretrained import SentenceEncoder
from attnlab.store import grid

BITS = (8, 6, 5, 4, 3)


def measure_rounding(model: SentenceEncoder, seed: int) -> dict:
    """All matrices rounded: megabytes, what is found, and how like the vectors stay."""
    sentences = {
        pairs: draw_sentences(seed, pairs)[0] for pairs in (PAIRS, LARGE_SAMPLE)
    }
    whole = {n: batch_of(model, texts).vectors() for n, texts in sentences.items()}
    answer = {
        "32": _megabytes(model, 32) | {str(n): share_found(whole[n]) for n in whole}
    }
    answer["32"]["like"] = 1.0
    for bits in BITS:
        with weights_rounded(model, bits):
            vectors = {n: batch_of(model, t).vectors() for n, t in sentences.items()}
        found = {str(n): share_found(vectors[n]) for n in vectors}
        like = mean_cosine(vectors[PAIRS], whole[PAIRS])
        answer[f"{bits}"] = {**_megabytes(model, bits), **found, "like": like}
    return answer


@contextmanager
def weights_rounded(model: SentenceEncoder, bits: int) -> Iterator[None]:
    """Within it, each row of each matrix has 2^bits − 1 evenly spaced values.

    They lie between minus and plus the row's largest size. It is the plainest rounding
    there is: computed is with 32 bits as before, stored could be so many.
    """
    matrices = [p for p in model.parameters() if p.dim() == 2]
    published = [matrix.data for matrix in matrices]
    for matrix in matrices:
        step = matrix.data.abs().amax(1, keepdim=True) / (2 ** (bits - 1) - 1)
        step = step.clamp_min(torch.finfo(step.dtype).tiny)
        matrix.data = (matrix.data / step).round() * step
    try:
        yield
    finally:
        for matrix, data in zip(matrices, published, strict=True):
            matrix.data = data


def _megabytes(model: SentenceEncoder, bits: int) -> dict[str, float]:
    """Megabytes of all parameters, with a step of 32 bits for each rounded row."""
    size = 0.0
    for parameter in model.parameters():
        small = bits < 32 and parameter.dim() == 2
        size += parameter.numel() * (bits if small else 32) / 8
        size += 4 * len(parameter) if small else 0
    return {"megabytes": round(size / 1e6, 1)}


QUESTIONS = {"bits": measure_rounding}
measure = partial(ask, QUESTIONS)
STUDY = Study("minilm_changes", measure, grid(question=list(QUESTIONS)), threads=1)


if __name__ == "__main__":
    main(STUDY, QUESTIONS)
