"""What a model that others trained makes of a change in its heads or its weights.

all-MiniLM-L6-v2 (`attnlab.pretrained`) on the pairs of sentences of `minilm`. The
questions (`QUESTIONS`):

- strangers: each head in turn says what it found in another sentence as long;
- pairs: two heads of a layer silent, each saying its mean;
- bits: all matrices rounded to few bits a number.

    ATTNLAB_DATA=… python -m attnlab.experiments.minilm_changes --seed 0

Where the model's files are not found they are downloaded; see `attnlab.pretrained`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import combinations

import torch
from torch import Tensor

from attnlab.experiments.minilm import (
    LARGE_SAMPLE,
    PAIRS,
    SMALL_SAMPLE,
    ask,
    batch_of,
    draw_sentences,
    heads_ablated,
    heads_replaced,
    main,
    mean_cosine,
    mean_outputs,
    share_found,
)
from attnlab.experiments.study import Study
from attnlab.pretrained import SentenceEncoder
from attnlab.store import grid

BITS = (8, 6, 5, 4, 3)


def measure_swapped_outputs(model: SentenceEncoder, seed: int) -> dict:
    """Give each head its output in another sentence: what is found, how similar.

    The other one is half a group of equally long sentences away. A sentence that has no
    equal in length keeps its own; `alone` is the share of those.
    """
    batch = batch_of(model, draw_sentences(seed, SMALL_SAMPLE)[0])
    whole = batch.vectors()
    alone = sum(len(them) == 1 for them in batch.numbers) / len(whole)

    def swap_sentences(found: Tensor, _layer: int) -> Tensor:
        return found.roll(len(found) // 2, 0)

    answer: dict[str, list] = {"found": [], "like": []}
    for layer in range(len(batch.layers)):
        found, like = [], []
        for head in range(batch.layers[layer].self_attention.num_heads):
            with heads_replaced(model, [(layer, head)], swap_sentences):
                vectors = batch.vectors(layer)
            found.append(share_found(vectors))
            like.append(mean_cosine(vectors, whole))
        answer["found"].append(found)
        answer["like"].append(like)
    return {**answer, "alone": round(alone, 4)}


def measure_head_pairs(model: SentenceEncoder, seed: int) -> dict:
    """Ablate every two heads of a layer by mean, and either alone.

    Returns:
        "found", the lowest and highest share; by layer "one", the likeness with one
        head silent, and "two", [first, second, likeness].
    """
    sentences, pool = draw_sentences(seed, SMALL_SAMPLE)
    batch, means = batch_of(model, sentences), mean_outputs(batch_of(model, pool))
    whole, found = batch.vectors(), []
    answer: dict[str, list] = {"one": [], "two": []}
    for layer in range(len(batch.layers)):
        like: dict[tuple[int, ...], float] = {}
        heads = range(means.shape[1])
        for chosen in [(head,) for head in heads] + [*combinations(heads, 2)]:
            with heads_ablated(model, [(layer, head) for head in chosen], means):
                vectors = batch.vectors(layer)
            like[chosen] = mean_cosine(vectors, whole)
            found.append(share_found(vectors))
        answer["one"].append([like[head,] for head in heads])
        answer["two"].append([[*pair, x] for pair, x in like.items() if len(pair) == 2])
    return {**answer, "found": [min(found), max(found)]}


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


QUESTIONS = {
    "strangers": measure_swapped_outputs,
    "pairs": measure_head_pairs,
    "bits": measure_rounding,
}
measure = partial(ask, QUESTIONS)
STUDY = Study("minilm_changes", measure, grid(question=list(QUESTIONS)), threads=1)


if __name__ == "__main__":
    main(STUDY, QUESTIONS)
