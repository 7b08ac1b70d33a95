"""What goes on inside a model that others trained.

all-MiniLM-L6-v2 (`attnlab.pretrained`) on the pairs of sentences of `minilm`. The
questions (`QUESTIONS`):

- order: the words shuffled, the positions taken away, two words exchanged;
- sinks: what weight rests on the two separators, and what becomes of it without them;
- moved: where it rests when separators and positions are moved;
- doubles: which head looks for the earlier double of a word, in lists of words;
- scores: how large they are, and what other temperatures than √d do;
- alike: how alike a sentence's tokens are, layer by layer, with and without residual;
- subspaces: how much two heads of a layer read the same.

    ATTNLAB_DATA=… python -m attnlab.experiments.minilm_inside --seed 0

Where the model's files are not found they are downloaded; see `attnlab.pretrained`.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import combinations, product
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnlab.experiments.heads import subspace_overlap
from attnlab.experiments.minilm import (
    Batch,
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

SWAPPED = [  # two words exchanged: another meaning, the same words
    ("the dog bit the man", "the man bit the dog"),
    ("Mary loves John", "John loves Mary"),
    ("the cat chased the mouse", "the mouse chased the cat"),
    ("he moved from London to Paris", "he moved from Paris to London"),
    ("the teacher asked the student", "the student asked the teacher"),
    ("the king feared the general", "the general feared the king"),
    ("work to live", "live to work"),
    ("the bank sued the client", "the client sued the bank"),
]
TEMPERATURES = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 32**0.5)  # of 1/√d; the last: no root
NEAR = 64  # positions whose products are taken
SHIFT = 5  # by so many places positions are moved
LISTS, WORDS = 100, 6  # of words; each list has so many words twice
SHARES = torch.tensor([0.05, 0.5, 0.95])  # of the pairs of heads


def measure_word_order(model: SentenceEncoder, seed: int) -> dict:
    """What the order of words is worth, and what becomes of it without positions."""
    sentences, _ = draw_sentences(seed)
    rows = [one.ids for one in model.tokenizer.encode_batch(sentences)]
    mixed = [[row[0], *_shuffled(row[1:-1], seed), row[-1]] for row in rows]
    swapped = [text for pair in SWAPPED for text in pair]

    def accuracy_with() -> dict:
        plain, shuffled = Batch(model, rows).vectors(), Batch(model, mixed).vectors()
        pairs = model.encode(swapped)
        one_mixed = torch.stack([plain[0::2], shuffled[1::2]], 1).flatten(0, 1)
        return {
            "found": share_found(plain),
            "found, one shuffled": share_found(one_mixed),
            "like its shuffled self": mean_cosine(plain, shuffled),
            "like its paraphrase": mean_cosine(plain[0::2], plain[1::2]),
            "like another": mean_cosine(plain[0::2], plain[0::2].roll(1, 0)),
            "like, two words exchanged": mean_cosine(pairs[0::2], pairs[1::2]),
        }

    found = {"as published": accuracy_with()}
    table: Any = model.positions.table
    published = table.data.clone()
    table.data = published.mean(0).expand_as(published).clone()
    found["no positions"] = accuracy_with()
    table.data = published
    rows_of = F.normalize(published[:NEAR] - published[:NEAR].mean(0), dim=-1)
    products = rows_of @ rows_of.T  # (NEAR, NEAR)
    found["products"] = {
        "by distance": [
            round(products.diagonal(k).mean().item(), 3) for k in range(NEAR)
        ]
    }
    return found


def _shuffled(row: list[int], seed: int) -> list[int]:
    return random.Random(seed).sample(row, len(row))


def measure_attention_sinks(model: SentenceEncoder, seed: int) -> dict:
    """Return what rests on the first and last token, which stand for no word."""
    sentences, _ = draw_sentences(seed)
    rows = [one.ids for one in model.tokenizer.encode_batch(sentences)]
    rows = [row for pair in _pairs_of_words(rows) for row in pair]
    batch, bare = Batch(model, rows), Batch(model, [row[1:-1] for row in rows])
    whole = batch.vectors()
    found = {
        "with": _weight_on_separators(batch, slice(1, -1)),
        "without": _weight_on_separators(bare, slice(None)),
        "found": share_found(whole),
        "found without": share_found(bare.vectors()),
        "like without": mean_cosine(bare.vectors(), whole),
    }
    for name, places in {"separators": [0, -1], "first word": [1]}.items():
        with _values_zeroed(model, places):
            vectors = batch.vectors()
        found[f"no value from {name}"] = {
            "found": share_found(vectors),
            "like": mean_cosine(vectors, whole),
        }
    return found


def _pairs_of_words(rows: list[list[int]]) -> Iterator[tuple[list[int], list[int]]]:
    """The pairs of which both have at least two tokens between the separators."""
    for one, other in zip(rows[0::2], rows[1::2], strict=True):
        if min(len(one), len(other)) > 3:
            yield one, other


def _weight_on_separators(batch: Batch, asks: slice) -> dict:
    """The weight on the first and the last token, `[layer][head]`, and even shares."""
    ends: list[Tensor] = []
    even: list[Tensor] = []
    for tokens, weights in batch.weights():
        maps = torch.stack(weights)[..., asks, :]  # (layers, B, h, asking, n)
        both = torch.stack([maps[..., 0], maps[..., -1]])
        ends.append(both.transpose(3, 4).flatten(2, 3))  # (2, layers, B · asking, h)
        even.append(torch.full(ends[-1].shape[2:3], 1 / tokens.shape[1]))
    first, last = torch.cat(ends, 2).mean(2)  # (layers, h) each
    return {
        "first": _rounded(first),
        "last": _rounded(last),
        "even": round(torch.cat(even).mean().item(), 4),
    }


def measure_moved_sinks(model: SentenceEncoder, seed: int) -> dict:
    """Return the weight on the first and last token, with either thing special moved.

    The first token is [CLS], and has the vector of the first position. The mean over
    all layers but the first, beside an even share.
    """
    sentences, _ = draw_sentences(seed)
    rows = [one.ids for one in model.tokenizer.encode_batch(sentences)]
    rows = [row for row in rows if len(row) > 3]
    bare = [row[1:-1] for row in rows]
    exchanged = [[row[-1], *row[1:-1], row[0]] for row in rows]
    found = {}
    for name, them, shift in (
        ("as published", rows, 0),
        ("exchanged", exchanged, 0),
        ("bare words", bare, 0),
        ("shifted", rows, SHIFT),
        ("bare words, shifted", bare, SHIFT),
    ):
        table: Any = model.positions.table
        published = table.data
        table.data = published.roll(-shift, 0)
        batch = Batch(model, them)
        table.data = published
        asks = slice(None) if them is bare else slice(1, -1)
        shares = _weight_on_separators(batch, asks)
        found[name] = {"even": shares["even"]} | {
            end: round(torch.tensor(shares[end][1:]).mean().item(), 4)
            for end in ("first", "last")
        }
    return found


def measure_repeated_words(model: SentenceEncoder, seed: int) -> dict:
    """Return how much of its weight a word puts on its earlier double, by head.

    The lists are of words drawn at random, all of them twice, in two orders. `other` is
    the mean weight on one of the other words of the first half, `after` that on what
    came after the double, for which an induction head would look.
    """
    rng = random.Random(seed)
    vocabulary = model.tokenizer.get_vocab()
    words = sorted(w for w in vocabulary if w.isascii() and w.isalpha() and len(w) > 2)
    rows, places = [], []
    for _ in range(LISTS):
        drawn = rng.sample(words, WORDS)
        order = rng.sample(range(WORDS), WORDS)
        ids = [vocabulary[word] for word in drawn]
        rows.append([*ids, *(ids[i] for i in order)])
        places.append(order)
    ends = model.tokenizer.encode("").ids  # the two separators
    batch = Batch(model, [[ends[0], *row, ends[-1]] for row in rows])
    ((_, weights),) = batch.weights()
    maps = torch.stack(weights)[..., WORDS + 1 : -1, :]  # (layers, B, h, WORDS, n)
    at = torch.tensor(places)[:, None, :, None].expand(*maps.shape[:-1], 1) + 1
    double, after = (maps.gather(-1, at + k)[..., 0] for k in (0, 1))
    other = (maps[..., 1 : WORDS + 1].sum(-1) - double) / (WORDS - 1)
    kinds = {"double": double, "after": after, "other": other}
    return {name: _rounded(share.mean((1, 3))) for name, share in kinds.items()}


@contextmanager
def _values_zeroed(model: SentenceEncoder, places: list[int]) -> Iterator[None]:
    """Within it, nothing is fetched from these places: their values are 0."""

    def zero_values(_module: nn.Module, _inputs: tuple, values: Tensor) -> Tensor:
        values = values.clone()  # (B, n, d)
        values[:, places] = 0.0
        return values

    layers: Any = model.encoder.layers
    hooks = [
        layer.self_attention.value_layer.register_forward_hook(zero_values)
        for layer in layers
    ]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def measure_score_spread(model: SentenceEncoder, seed: int) -> dict:
    """How far scores spread, trained and not, and what another temperature does."""
    sentences, _ = draw_sentences(seed)
    torch.manual_seed(seed)
    both = {"trained": model, "random weights": SentenceEncoder(model.tokenizer).eval()}
    return {name: _score_spread(it, sentences) for name, it in both.items()}


def _score_spread(model: SentenceEncoder, sentences: list[str]) -> dict:
    batch = batch_of(model, sentences)
    whole, spread = batch.vectors(), []
    for layer, states in zip(batch.layers, batch.states, strict=False):
        attention = layer.self_attention
        off: list[Tensor] = []
        for x in states:
            q, k = (
                each(x).unflatten(-1, (attention.num_heads, -1)).transpose(1, 2)
                for each in (attention.query_layer, attention.key_layer)
            )
            scores = q @ k.mT  # (B, h, n, n), before they are divided
            off.append(
                (scores - scores.mean(-1, keepdim=True)).transpose(0, 1).flatten(1)
            )
        spread.append(torch.cat(off, 1).std(1))  # (h,)
    found: dict[str, Any] = {"spread": _rounded(torch.stack(spread)), "times": {}}
    for times in TEMPERATURES:
        _multiply_queries(model, times)
        warmer = batch_of(model, sentences)
        vectors = warmer.pooled(warmer.states[-1])
        found["times"][f"{times:.4g}"] = {
            "found": share_found(vectors),
            "like": mean_cosine(vectors, whole),
            "largest": _largest(warmer),
        }
        _multiply_queries(model, None)
    return found


def _largest(batch: Batch) -> float:
    """Return the mean largest weight of a row, over all heads and layers."""
    rows = [torch.stack(maps).amax(-1).flatten() for _, maps in batch.weights()]
    return round(torch.cat(rows).mean().item(), 4)


def _multiply_queries(model: SentenceEncoder, times: float | None) -> None:
    """Multiply the scores of all heads; None puts back what was before."""
    layers: Any = model.encoder.layers
    for layer in layers:
        projection = layer.self_attention.query_layer
        projection._forward_hooks.clear()
        if times is not None:
            projection.register_forward_hook(lambda _m, _i, out: out * times)


def measure_token_similarity(model: SentenceEncoder, seed: int) -> dict:
    """How alike the tokens of a sentence are after each layer, and what is found."""
    sentences, _ = draw_sentences(seed)
    torch.manual_seed(seed)
    both = {"trained": model, "random weights": SentenceEncoder(model.tokenizer).eval()}
    found = {}
    for (name, it), attention, inner in product(
        both.items(), (True, False), (True, False)
    ):
        kept = {(True, True): "both", (True, False): "attention's"} | {
            (False, True): "the feed-forward's",
            (False, False): "none",
        }
        batch = batch_of(it, sentences)
        last, curve = batch.states[0], [_mean_token_cosine(batch.states[0])]
        for layer in batch.layers:
            last = [_without_residual(layer, x, attention, inner) for x in last]
            curve.append(_mean_token_cosine(last))
        found[f"{name}, residuals: {kept[attention, inner]}"] = {
            "alike": curve,
            "found": share_found(batch.pooled(last)),
        }
    return found


def _without_residual(layer: Any, x: Tensor, attention: bool, inner: bool) -> Tensor:
    """Return a post-norm layer with the ways past its sublayers, or without them."""
    change = layer.self_attention(x)[0]
    x = layer.self_attention_norm(x + change if attention else change)
    change = layer.feed_forward(x)
    return layer.feed_forward_norm(x + change if inner else change)


def _mean_token_cosine(states: list[Tensor]) -> float:
    """Return the mean cosine of two different tokens of a sentence."""
    found = []
    for x in states:
        rows = F.normalize(x, dim=-1)
        n = x.shape[1]
        of_sentence = ((rows @ rows.mT).sum((1, 2)) - n) / (n * (n - 1))
        found.append(of_sentence)
    return round(torch.cat(found).mean().item(), 4)


def measure_subspaces(model: SentenceEncoder, seed: int) -> dict:
    """Return how much two heads of a layer read the same; see `subspace_overlap`.

    As published, and with what each head reads turned by a rotation of its own: that
    leaves how strongly it reads, and makes which directions these are an accident.

    Returns:
        For both, and query, key and value, of each layer three numbers: what one pair
        of heads in twenty lies below, half of them, and all but one in twenty.
    """
    torch.manual_seed(seed)
    found: dict[str, dict] = {"as published": {}, "turned": {}}
    for part in ("query", "key", "value"):
        rows: dict[str, list] = {name: [] for name in found}
        layers: Any = model.encoder.layers
        for layer in layers:
            attention = layer.self_attention
            weight = getattr(attention, f"{part}_layer").weight.detach()
            heads = weight.unflatten(0, (attention.num_heads, -1))  # (h, d_head, d)
            rotations, _ = torch.linalg.qr(torch.randn(len(heads), *weight.shape))
            rows["as published"].append(_overlaps(heads))
            rows["turned"].append(_overlaps(heads @ rotations))
        for name, of_layers in rows.items():
            found[name][part] = _rounded(torch.stack(of_layers))
    return found


def _overlaps(heads: Tensor) -> Tensor:
    """Three quantiles, `SHARES`, of the overlap between any two of (h, d_head, d)."""
    pairs = combinations(heads, 2)
    return torch.tensor([subspace_overlap(*pair) for pair in pairs]).quantile(SHARES)


def _rounded(values: Tensor) -> list:
    return [[round(value, 4) for value in row] for row in values.tolist()]


QUESTIONS = {
    "order": measure_word_order,
    "sinks": measure_attention_sinks,
    "moved": measure_moved_sinks,
    "doubles": measure_repeated_words,
    "scores": measure_score_spread,
    "alike": measure_token_similarity,
    "subspaces": measure_subspaces,
}


measure = partial(ask, QUESTIONS)
STUDY = Study("minilm_inside", measure, grid(question=list(QUESTIONS)), threads=1)


if __name__ == "__main__":
    main(STUDY, QUESTIONS)
