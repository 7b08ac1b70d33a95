"""What is each head of a translator for? (claims C51 and C55)

The Transformer of chapter 7's live training on numerals, from five seeds. For each
head: where it looks; how sharp its map is; for heads that look across, how often the
map shows the known counterpart of a word (the alignment error rate) and how much
weight it has; how many numerals are still right when the head falls silent, and which
kinds of words break. What is left when two heads of a kind fall silent at once, or all
of them. And whether it matters what is put in a head's place: nothing, its mean output,
or what it found for some other word.

    python -m attnlab.experiments.jobs --seeds 5
    ATTNLAB_DATA=… python -m attnlab.experiments.jobs --translator model.safetensors

The second asks the same of a translator of real sentences, of which no alignment is
known: the loss and chrF on test sentences without each head.
"""

from collections.abc import Callable, Sequence
from itertools import combinations, product
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from attnlab.attention import MultiHeadAttention
from attnlab.commands import user_errors
from attnlab.data import (
    PAD,
    Batch,
    NumberPairs,
    alignment,
    alignment_error_rate,
    collate,
    split_numbers,
)
from attnlab.data.grammar import say
from attnlab.data.text import TextPairs
from attnlab.experiments.scores import mass_on_links
from attnlab.experiments.silence import ABLATIONS, heads_ablated, record_head_outputs
from attnlab.experiments.study import Study, command_line
from attnlab.sentences.recipes import load_tatoeba
from attnlab.sentences.scoring import score
from attnlab.sentences.translator import Translator, load_translator
from attnlab.training import mean_loss, set_seed, train
from attnlab.transformer import MAPS, Transformer

SHAPE: dict[str, Any] = {
    "d_model": 64,
    "num_heads": 4,
    "num_layers": 2,
    "d_ff": 128,
    "dropout": 0.0,
}
TRAIN_NUMBERS, TEST_NUMBERS, DIGITS = 10_000, 1_200, (1, 6)
LARGE = 10_000  # numbers from here on are judged: five and six digits
MAX_JUDGED = 300
WORDS = ("digit", "power", "und", "end")  # the kinds of tokens of a German numeral
SENTENCES = 300  # of the test set


def train_translator(
    seed: int, steps: int = 600, train_numbers: int = TRAIN_NUMBERS
) -> tuple[Transformer, list[int]]:
    """Train the translator; return it with numbers that it has not seen."""
    numbers, held_out = split_numbers(train_numbers, TEST_NUMBERS, DIGITS, seed)
    pairs = NumberPairs(numbers)
    set_seed(seed)
    model = Transformer(len(pairs.src_vocab), len(pairs.tgt_vocab), **SHAPE)
    train(
        model,
        pairs,
        steps=steps,
        lr=3e-3,
        warmup=0.1,
        betas=(0.9, 0.98),
        seed=seed,
        progress=False,
        device="cpu",
    )
    return model, held_out


def share_right(model: Transformer, batch: Batch) -> float:
    """Return the share of pairs whose greedy translation is right in every token.

    Greedy search is right if and only if every token is the most probable one after
    the true tokens before it, so that one parallel pass tells.
    """
    targets = batch.tgt[:, 1:]
    with torch.no_grad():
        said = model(batch.src, batch.tgt[:, :-1]).argmax(-1)  # (batch, length)
    right = (said == targets) | (targets == PAD)
    return right.all(dim=1).float().mean().item()


def measure_ablated(
    model: Transformer,
    kind: str,
    silent: Sequence[tuple[int, int]],
    measure: Callable[[], object],
) -> object:
    """Measure while these heads of one kind, (layer, head) each, are silent."""
    mask = torch.ones(model.num_layers, model.num_heads, dtype=torch.bool)
    for layer, head in silent:
        mask[layer, head] = False
    with model.head_mask(**{kind: mask}):
        return measure()


def ablate_each(model: Transformer, measure: Callable[[], object]) -> dict[str, list]:
    """Measure without each head: for each kind of attention `[layer][head]`."""

    def without(kind: str, layer: int, head: int) -> object:
        return measure_ablated(model, kind, [(layer, head)], measure)

    layers, heads = range(model.num_layers), range(model.num_heads)
    return {
        kind: [[without(kind, layer, head) for head in heads] for layer in layers]
        for kind in MAPS
    }


def ablate_pairs(model: Transformer, measure: Callable[[], object]) -> dict[str, list]:
    """Measure without each two heads of a kind.

    Returns:
        For each kind of attention a row a pair: both heads, (layer, head) each, and
        what was measured.
    """
    heads = list(product(range(model.num_layers), range(model.num_heads)))
    return {
        kind: [
            [*pair, measure_ablated(model, kind, pair, measure)]
            for pair in combinations(heads, 2)
        ]
        for kind in MAPS
    }


def ablate_kinds(
    model: Transformer, measure: Callable[[], object]
) -> dict[str, object]:
    """Measure without any head of each kind of attention."""
    nobody = torch.zeros(model.num_layers, model.num_heads, dtype=torch.bool)
    metrics = {}
    for kind in MAPS:
        with model.head_mask(**{kind: nobody}):
            metrics[kind] = measure()
    return metrics


def kinds_of_words(number: int) -> list[str]:
    """Return what each token of a German numeral names: see `WORDS`; at last "end"."""
    kinds = []
    for _, meaning in say(number, "de"):
        names = {name for name, _ in meaning}
        kinds.append("digit" if "digit" in names else "power" if names else "und")
    return [*kinds, "end"]


def wrong_words(
    model: Transformer, batch: Batch, kinds: list[list[str]]
) -> dict[str, float]:
    """The share of the words of each kind that are wrong after the true ones before.

    Args:
        model: the translator.
        batch: pairs.
        kinds: of every token of every target, EOS included; see `kinds_of_words`.
    """
    targets = batch.tgt[:, 1:]
    with torch.no_grad():
        said = model(batch.src, batch.tgt[:, :-1]).argmax(-1)  # (batch, length)
    wrong: dict[str, list[bool]] = {word: [] for word in WORDS}
    for row, its_kinds in zip((said != targets).tolist(), kinds, strict=True):
        for is_wrong, kind in zip(row, its_kinds, strict=False):  # padding is left out
            wrong[kind].append(is_wrong)
    return {kind: round(sum(them) / len(them), 4) for kind, them in wrong.items()}


def sharpness(weights: Tensor, asks: Tensor) -> list[list[float]]:
    """Return the mean largest weight of each head, over the queries that are words.

    Args:
        weights: (layers, B, h, L_q, L_k).
        asks: (B, L_q), True for words.
    """
    largest = weights.amax(dim=-1).transpose(2, 3)  # (layers, B, L_q, h)
    return largest[:, asks].mean(dim=1).tolist()


def looks(weights: Tensor, asks: Tensor) -> dict[str, list[list[float]]]:
    """Where each head of a self-attention looks, the mean over the queries asking.

    Args:
        weights: (layers, B, h, n, n).
        asks: (B, n), True for words.

    Returns:
        The weight on the token "before", on the query "itself", on the token "after",
        and on the "first" of all, `[layer][head]` each.
    """
    n = weights.shape[-1]
    distance = torch.arange(n) - torch.arange(n)[:, None]  # (n, n), key − query
    places = {
        "before": distance == -1,
        "itself": distance == 0,
        "after": distance == 1,
        "first": (torch.arange(n) == 0).expand(n, n),
    }
    return {
        name: (weights * at).sum(-1).transpose(2, 3)[:, asks].mean(dim=1).tolist()
        for name, at in places.items()
    }


def most_affected_kind(wrong: dict[str, float]) -> tuple[str, float]:
    """Return which kind of words goes wrong most often, and how much that stands out.

    Args:
        wrong: the share of each kind's words that are wrong, see `wrong_words`.

    Returns:
        The kind, and its share divided by the sum of all shares: 1 if it alone breaks,
        1/4 if four kinds break alike.

    Raises:
        ValueError: nothing is wrong.
    """
    if not any(wrong.values()):
        raise ValueError("no word is wrong: there is nothing to compare")
    kind = max(wrong, key=wrong.__getitem__)
    return kind, wrong[kind] / sum(wrong.values())


def attention_maps(model: Transformer, batch: Batch) -> tuple[dict[str, Tensor], dict]:
    """Return every head's map, and which queries are words, by kind of attention.

    Maps are (layers, B, h, L_q, L_k); the queries (B, L_q), bool.
    """
    inputs = batch.tgt[:, :-1]
    with torch.no_grad():
        maps = model.attention(batch.src, inputs)
    asks = dict.fromkeys(MAPS, inputs != PAD) | {"encoder": batch.src != PAD}
    return maps, asks


def describe(model: Transformer, batch: Batch) -> dict:
    """What the maps of all heads look like, by kind: `sharpness`, and `looks`."""
    maps, asks = attention_maps(model, batch)
    own = ("encoder", "decoder")
    return {
        "sharpness": {kind: sharpness(maps[kind], asks[kind]) for kind in MAPS},
        "looks": {kind: looks(maps[kind], asks[kind]) for kind in own},
    }


def large_numbers(held_out: list[int]) -> list[int]:
    """Return the held-out numbers that are used for evaluation."""
    return [number for number in held_out if number >= LARGE][:MAX_JUDGED]


def measure_pairs(*, seed: int, **options: int) -> dict:
    """Train one translator of numerals and silence its heads two by two.

    Returns:
        `exact`: the share right with all heads; `removed`: without each, as for
        `measure_jobs`; `pairs`: without two of them, see `ablate_pairs`.
    """
    model, held_out = train_translator(seed, **options)
    batch = collate(NumberPairs(large_numbers(held_out)))

    def share_exact() -> float:
        return share_right(model, batch)

    return {
        "exact": share_exact(),
        "removed": ablate_each(model, share_exact),
        "pairs": ablate_pairs(model, share_exact),
    }


def measure_jobs(*, seed: int, **options: int) -> dict:
    """Train one translator of numerals and ask each of its heads.

    Returns:
        `exact`: the share right with all heads; `removed`: without each head, by kind
        `[layer][head]`; `without`: without all heads of a kind; `loss` and
        `removed_loss`, of the next words, alike; `wrong` and `broken`, the shares of
        `wrong_words`, alike; `aer` and `mass` (mean weight on a word's counterpart) of
        the heads that look across, `[layer][head]`; `mean_aer`, of their mean, by
        layer; and see `describe`.
    """
    model, held_out = train_translator(seed, **options)
    numbers = large_numbers(held_out)
    pairs = NumberPairs(numbers)
    batch = collate(pairs)
    kinds = [kinds_of_words(number) for number in numbers]
    links = [alignment(number) for number in numbers]
    cross = attention_maps(model, batch)[0]["cross"]  # (layers, B, h, L_t, L_s)

    def share_exact() -> float:
        return share_right(model, batch)

    def loss() -> float:
        return round(mean_loss(model, pairs), 5)

    def wrong() -> dict[str, float]:
        return wrong_words(model, batch, kinds)

    return {
        "exact": share_exact(),
        "loss": loss(),
        "wrong": wrong(),
        "removed": ablate_each(model, share_exact),
        "removed_loss": ablate_each(model, loss),
        "broken": ablate_each(model, wrong),
        "without": ablate_kinds(model, share_exact),
        "aer": [
            [alignment_error_rate(head, numbers) for head in layer.unbind(dim=1)]
            for layer in cross
        ],
        "mass": [
            [mass_on_links(head, links) for head in layer.unbind(dim=1)]
            for layer in cross
        ],
        "mean_aer": [
            alignment_error_rate(layer.mean(dim=1), numbers) for layer in cross
        ],
        **describe(model, batch),
    }


def measure_translator(
    translator: Translator, texts: list[tuple[str, str]], *, chinese: bool = True
) -> dict:
    """Ask each head of a translator of sentences.

    Args:
        translator: the translator.
        texts: sentences and what people made of them.
        chinese: whether BLEU takes the target character by character.

    Returns:
        `all`, `removed` (by kind `[layer][head]`) and `without` (by kind): each the
        `loss` on the texts, `bleu` and `chrf` of greedy translations; and see
        `describe`.
    """
    model = translator.model
    pairs = TextPairs(texts, translator.src_tokenizer, translator.tgt_tokenizer)
    sources, references = zip(*texts, strict=True)

    def measure() -> dict[str, float]:
        answers = translator.translate(sources, width=1, max_len=60)
        tokenize = "zh" if chinese else "none"
        scores = score(answers, references, tokenize=tokenize, resamples=0)
        return {
            "loss": round(mean_loss(model, pairs), 4),
            **{name: value["score"] for name, value in scores.items()},
        }

    return {
        "all": measure(),
        "removed": ablate_each(model, measure),
        "without": ablate_kinds(model, measure),
        **describe(model, collate(pairs)),
    }


def measure_stored(path: Path, *, sentences: int) -> dict:
    """Ask the translator at `path`, with the first test sentences of Tatoeba."""
    translator = load_translator(path)
    texts = load_tatoeba()["test"][:sentences]
    return measure_translator(translator, texts)


def measure_ablation_ways(*, seed: int, **options: int) -> dict:
    """Train one translator of numerals and silence each head in each of three ways.

    Returns:
        `exact`: the share right with all heads; by way (`silence.ABLATIONS`), by kind
        of attention, `[layer][head]`: the share right without the head.
    """
    model, held_out = train_translator(seed, **options)
    large = [number for number in held_out if number >= LARGE]
    batch, others = (
        collate(NumberPairs(numbers))
        for numbers in (large[:MAX_JUDGED], large[MAX_JUDGED : 2 * MAX_JUDGED])
    )

    def without(kind: str, attention: MultiHeadAttention, way: str) -> list[float]:
        asks = others.src if kind == "encoder" else others.tgt[:, :-1]
        found = record_head_outputs(
            attention, lambda: model(others.src, others.tgt[:, :-1])
        )
        shares = []
        for head in range(model.num_heads):
            torch.manual_seed(0)  # the same other words for every head
            with heads_ablated(attention, [head], way, found[asks != PAD]):
                shares.append(share_right(model, batch))
        return shares

    return {"exact": share_right(model, batch)} | {
        way: {
            kind: [without(kind, attention, way) for attention in layers]
            for kind, layers in attentions(model).items()
        }
        for way in ABLATIONS
    }


def attentions(model: Transformer) -> dict[str, list[MultiHeadAttention]]:
    """Return the attentions of a model by kind, layer by layer."""
    encoders: Any = model.encoder.layers
    decoders: Any = model.decoder.layers
    return {
        "encoder": [layer.self_attention for layer in encoders],
        "decoder": [layer.self_attention for layer in decoders],
        "cross": [layer.cross_attention for layer in decoders],
    }


STUDY = Study("jobs", measure_jobs, [{}], threads=1)
PAIRS = Study("jobs.pairs", measure_pairs, [{}], threads=1)
WAYS_STUDY = Study("jobs.ways", measure_ablation_ways, [{}], threads=1)


def main() -> None:
    """Train and ask, for every seed; or ask a translator that is stored."""
    parser = command_line(__doc__)
    parser.add_argument(
        "--translator", type=Path, help="of `attnlab.sentences tatoeba`"
    )
    args = parser.parse_args()
    if args.translator is None:
        STUDY.run(args)
        PAIRS.run(args)
        WAYS_STUDY.run(args)
        return

    def measure_kind(seed: int, sentences: int) -> dict:
        return measure_stored(args.translator, sentences=sentences)

    args.seeds = [0]  # nothing is random
    asked = [{"sentences": SENTENCES}]
    with user_errors():
        Study("jobs.translator", measure_kind, asked, threads=1).run(args)


if __name__ == "__main__":
    main()
