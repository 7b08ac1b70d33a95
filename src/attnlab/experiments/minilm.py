"""A model that others trained, asked what the book asks of its own.

all-MiniLM-L6-v2 (`attnlab.pretrained`) and English sentences of Tatoeba. Two that have
one and the same Chinese translation are paraphrases; a model is right about a sentence
if, of all that begin such a pair, or end one, its paraphrase is the most like it. A
seed draws the pairs. The questions (`QUESTIONS`):

- rulers: how often words alone, embeddings alone or random weights are right;
- alone: each head silent, by zero and by mean;
- layers: all heads of a layer silent, of several, or of all;
- orders: heads silenced eight by eight, in three orders.

What goes on inside is asked by `minilm_inside`.

    ATTNLAB_DATA=… python -m attnlab.experiments.minilm --seed 0

Where the model's files are not found they are downloaded; see `attnlab.pretrained`.
"""

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from itertools import chain
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnlab.checks import check_choice
from attnlab.data.corpora import tatoeba
from attnlab.experiments.study import Study, command_line
from attnlab.pretrained import SentenceEncoder
from attnlab.store import grid

PAIRS, LARGE_SAMPLE = 200, 600  # pairs judged; among many it is harder to find one
SMALL_SAMPLE = 100  # where every head falls silent
POOL, CHOSEN_BY = 100, 24  # sentences for the means; to choose an order by
HEADS_PER_ROUND = 8  # heads that fall silent in a round of `orders`
Heads = Iterable[tuple[int, int]]  # (layer, head), counted from 0


@cache
def paraphrases() -> list[tuple[str, str]]:
    """Return pairs of English sentences with the same Chinese translation."""
    english = defaultdict(list)
    for pair in tatoeba():
        english[pair.chinese].append(pair.english)
    different = [list(dict.fromkeys(them)) for them in english.values()]
    return [(them[0], them[1]) for them in different if len(them) > 1]


def draw_sentences(seed: int, pairs: int | None = None) -> tuple[list[str], list[str]]:
    """Return the sentences of `PAIRS` pairs, two by two, and others to learn from."""
    pairs = PAIRS if pairs is None else pairs
    drawn = random.Random(seed).sample(paraphrases(), pairs + POOL)
    judged, pool = drawn[:pairs], drawn[pairs:]
    return [text for pair in judged for text in pair], [first for first, _ in pool]


def share_found(vectors: Tensor) -> float:
    """Return how often a sentence's nearest other sentence is its pair.

    Args:
        vectors: of length 1, those of a pair one after the other, (2 · pairs, d).
    """
    alike = vectors[0::2] @ vectors[1::2].T  # (pairs, pairs)
    own = torch.arange(len(alike))
    both = [(alike.argmax(dim) == own).float().mean() for dim in (0, 1)]
    return round(torch.stack(both).mean().item(), 4)


def mean_cosine(these: Tensor, those: Tensor) -> float:
    """How like each row is its counterpart in the mean, both (n, d) of length 1."""
    return round((these * those).sum(-1).mean().item(), 5)


# Running parts of the model -----------------------------------------------------------


class Batch:
    """Sentences in groups of one length, and what each layer makes of them.

    Without padding there is no mask; with what a layer gets at hand, a change in a
    later one costs only what comes after.

    Args:
        model: which reads.
        rows: each sentence's token ids.
    """

    def __init__(self, model: SentenceEncoder, rows: Sequence[Sequence[int]]) -> None:
        by_length = defaultdict(list)
        for number, row in enumerate(rows):
            by_length[len(row)].append(number)
        self.model = model
        self.layers: Any = model.encoder.layers
        self.numbers = list(by_length.values())
        self.tokens = [torch.tensor([rows[i] for i in them]) for them in self.numbers]
        self.states = [[self._embed(tokens) for tokens in self.tokens]]
        self.refresh()

    def refresh(self) -> None:
        """Compute anew what each layer gets: `states[layer]`, (B, n, d) a group."""
        self.states = self.states[:1]
        for layer in self.layers:
            self.states.append([layer(x)[0] for x in self.states[-1]])

    def vectors(self, start: int = 0) -> Tensor:
        """Return a vector for each sentence, (n, d), computed from layer `start` on."""
        last = self.states[start]
        for layer in self.layers[start:]:
            last = [layer(x)[0] for x in last]
        return self.pooled(last)

    def pooled(self, states: list[Tensor]) -> Tensor:
        """Return the mean of each sentence's tokens, at length 1: (n, d), in order."""
        means = torch.cat([F.normalize(x.mean(1), dim=-1) for x in states])
        return means[torch.tensor([*chain(*self.numbers)]).argsort()]

    def weights(self) -> Iterator[tuple[Tensor, list[Tensor]]]:
        """Yield each group's tokens (B, n), and by layer its weights (B, h, n, n)."""
        for number, tokens in enumerate(self.tokens):
            yield (
                tokens,
                [
                    layer(states[number], need_weights=True)[1]
                    for layer, states in zip(self.layers, self.states, strict=False)
                ],
            )

    def _embed(self, tokens: Tensor) -> Tensor:
        model = self.model
        return model.norm(model.positions(model.embedding(tokens)))


def batch_of(model: SentenceEncoder, sentences: Sequence[str]) -> Batch:
    """Return the sentences, ready to be run."""
    return Batch(model, [one.ids for one in model.tokenizer.encode_batch([*sentences])])


def mean_outputs(batch: Batch) -> Tensor:
    """Return what each head finds, the mean over all tokens: (layers, h, d_head)."""
    means = []
    for number, layer in enumerate(batch.layers):
        attention = layer.self_attention
        found: list[Tensor] = []

        def keep(
            _module: nn.Module, inputs: tuple[Tensor], found: list = found
        ) -> None:
            found.append(inputs[0].flatten(0, 1))  # (B · n, h · d_head)

        hook = attention.output_layer.register_forward_pre_hook(keep)
        for x in batch.states[number]:
            layer(x)
        hook.remove()
        means.append(torch.cat(found).mean(0).unflatten(0, (attention.num_heads, -1)))
    return torch.stack(means)


@contextmanager
def heads_ablated(
    model: SentenceEncoder, heads: Heads, means: Tensor | None = None
) -> Iterator[None]:
    """Within it, these heads say nothing; or, with `means`, what they say on average.

    Args:
        model: whose.
        heads: (layer, head) each.
        means: (layers, h, d_head), from `mean_outputs`.
    """
    layers: Any = model.encoder.layers
    by_layer = defaultdict(list)
    for layer, head in heads:
        by_layer[layer].append(head)
    hooks = []
    for number, chosen in by_layer.items():
        attention = layers[number].self_attention
        instead = torch.zeros(1) if means is None else means[number, chosen]

        def replace(
            _module: nn.Module,
            inputs: tuple[Tensor],
            chosen: list[int] = chosen,
            h: int = attention.num_heads,
            instead: Tensor = instead,
        ) -> tuple[Tensor]:
            said = inputs[0].unflatten(-1, (h, -1)).clone()  # (B, n, h, d_head)
            said[:, :, chosen] = instead
            return (said.flatten(2),)

        hooks.append(attention.output_layer.register_forward_pre_hook(replace))
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


# The questions ------------------------------------------------------------------------


def measure_similarity_rulers(model: SentenceEncoder, seed: int) -> dict:
    """Return how often paraphrases are found, by what is the model and what is not.

    Among few and many pairs each. Without heads all of them are silent.
    """
    found = {}
    torch.manual_seed(seed)
    random_one = SentenceEncoder(model.tokenizer).eval()
    every = [(layer, head) for layer in range(6) for head in range(12)]
    for pairs in (PAIRS, LARGE_SAMPLE):
        sentences, _ = draw_sentences(seed, pairs)
        batch = batch_of(model, sentences)
        with heads_ablated(model, every):
            silent = share_found(batch.vectors())
        found[f"{pairs}"] = {
            "model": share_found(batch.pooled(batch.states[-1])),
            "common words": share_found(_words(model, sentences)),
            "embeddings": share_found(batch.pooled(batch.states[0])),
            "without heads": silent,
            "random weights": share_found(batch_of(random_one, sentences).vectors()),
        }
    return found


def _words(model: SentenceEncoder, sentences: list[str]) -> Tensor:
    """Return which tokens occur in a sentence: a row of length 1 each."""
    rows = [one.ids for one in model.tokenizer.encode_batch(sentences)]
    number = {token: i for i, token in enumerate(sorted({*chain(*rows)}))}
    occurs = torch.zeros(len(rows), len(number))
    for row, ids in zip(occurs, rows, strict=True):
        row[[number[token] for token in ids]] = 1.0
    return F.normalize(occurs, dim=-1)


def measure_heads_alone(model: SentenceEncoder, seed: int) -> dict:
    """Ablate each head alone: what is found, and how similar the vectors stay."""
    sentences, pool = draw_sentences(seed, SMALL_SAMPLE)
    batch, means = batch_of(model, sentences), mean_outputs(batch_of(model, pool))
    whole = batch.vectors()
    found: dict[str, Any] = {"whole": share_found(whole)}
    for way, instead in (("zero", None), ("mean", means)):
        found[way] = {"found": [], "like": []}
        for layer in range(len(batch.layers)):
            rows: tuple[list, list] = ([], [])
            for head in range(means.shape[1]):
                with heads_ablated(model, [(layer, head)], instead):
                    vectors = batch.vectors(layer)
                rows[0].append(share_found(vectors))
                rows[1].append(round((vectors * whole).sum(-1).mean().item(), 5))
            found[way]["found"].append(rows[0])
            found[way]["like"].append(rows[1])
    return found


def sharpness(batch: Batch) -> Tensor:
    """Return the mean largest weight in a head's rows (Voita et al. 2019), (layers, h).

    What rests on the first and the last token is left out.
    """
    largest = []
    for _, weights in batch.weights():
        maps = torch.stack(weights)[..., 1:-1, 1:-1]  # (layers, B, h, n - 2, n - 2)
        largest.append(maps.amax(-1).transpose(2, 3).flatten(1, 2))
    return torch.cat(largest, 1).mean(1)


def measure_layers_ablated(model: SentenceEncoder, seed: int) -> dict:
    """No head of a layer, of the layers up to it, from it on, or of none."""
    sentences, pool = draw_sentences(seed, SMALL_SAMPLE)
    batch, means = batch_of(model, sentences), mean_outputs(batch_of(model, pool))
    whole, count = batch.vectors(), len(batch.layers)
    sets = {f"{i + 1}": [i] for i in range(count)}
    sets |= {f"1 to {i + 1}": [*range(i + 1)] for i in range(1, count)}
    sets |= {f"{i + 1} to {count}": [*range(i, count)] for i in range(1, count - 1)}
    found: dict[str, Any] = {"whole": share_found(whole)}
    for way, instead in (("zero", None), ("mean", means)):
        found[way] = {}
        for name, layers in sets.items():
            heads = [(i, head) for i in layers for head in range(means.shape[1])]
            with heads_ablated(model, heads, instead):
                vectors = batch.vectors(layers[0])
            like = (vectors * whole).sum(-1).mean().item()
            found[way][name] = [share_found(vectors), round(like, 4)]
    return found


def measure_ablation_orders(model: SentenceEncoder, seed: int) -> dict:
    """Heads silenced by mean, eight a round: what is found after each, in three orders.

    What costs least is asked again in each round, by how like the vectors of other
    sentences stay.
    """
    sentences, pool = draw_sentences(seed, SMALL_SAMPLE)
    judged, few = batch_of(model, sentences), batch_of(model, pool[:CHOSEN_BY])
    means = mean_outputs(batch_of(model, pool))
    whole, sharp = few.vectors(), sharpness(few)
    every = [(layer, head) for layer, head in torch.ones_like(sharp).nonzero().tolist()]

    def cost(silent: list, pair: tuple[int, int]) -> float:
        with heads_ablated(model, [*silent, pair], means):
            return -(few.vectors(pair[0]) * whole).sum().item()

    def order_by_cost() -> list[tuple[int, int]]:
        silent: list[tuple[int, int]] = []
        while len(silent) < len(every):
            with heads_ablated(model, silent, means):
                few.refresh()
            left = [pair for pair in every if pair not in silent]
            costs = {pair: cost(silent, pair) for pair in left}
            silent += sorted(left, key=costs.__getitem__)[:HEADS_PER_ROUND]
        return silent

    orders = {
        "costs least": order_by_cost(),
        "most blurred": sorted(every, key=lambda pair: sharp[pair].item()),
        "random": random.Random(seed).sample(every, len(every)),
    }
    found = {}
    for name, order in orders.items():
        curve = []
        for silent in range(0, len(order) + 1, HEADS_PER_ROUND):
            with heads_ablated(model, order[:silent], means):
                curve.append(share_found(judged.vectors()))
        found[name] = {"curve": curve, "order": order}
    return found


QUESTIONS = {
    "rulers": measure_similarity_rulers,
    "alone": measure_heads_alone,
    "layers": measure_layers_ablated,
    "orders": measure_ablation_orders,
}


def ask(questions: dict[str, Callable[..., dict]], *, seed: int, question: str) -> dict:
    """Ask the published model one of the questions about one draw of pairs.

    Raises:
        ValueError: another question.
        ConnectionError: the model's files are not here, and could not be downloaded.
    """
    check_choice("question", question, questions)
    with torch.no_grad():
        return questions[question](SentenceEncoder.load(), seed)


measure = partial(ask, QUESTIONS)
STUDY = Study("minilm", measure, grid(question=list(QUESTIONS)), threads=1)


def main(study: Study, questions: Iterable[str]) -> None:
    """Ask what the command line names, all questions if it names none."""
    parser = command_line(__doc__, seeds=1)
    parser.add_argument("--questions", nargs="+", choices=questions, metavar="Q")
    args = parser.parse_args()
    study.run(args, args.questions and grid(question=args.questions))


if __name__ == "__main__":
    main(STUDY, QUESTIONS)
