"""Functions that compute, on odd inputs: one row says what a function takes, good and
bad. It answers with finite numbers, or refuses in words.

Only `make test-all` and `make fuzz` run these rows: other tests hold what is right of
ordinary inputs, and tests of the data and of training refuse what is odd.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import pytest
import torch
from fuzzing import (
    DTYPES,
    FLOATS,
    ODD_NUMBERS,
    ODD_TEXT,
    Refused,
    assert_close,
    attempt,
    bent,
    examples,
    ids,
    is_size,
    masks,
    sizes,
    tensors,
)
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional as F

from attnlab import (
    hopfield,
    positions,
    recurrent,
    recurrent_attention,
    scores,
)
from attnlab.attention import (
    MultiHeadAttention,
    head_mask,
    masked_softmax,
    scaled_dot_product_attention,
)
from attnlab.decoder_only import GroupedSelfAttention
from attnlab.decoding import beam_search, greedy, greedy_padded, greedy_prefix
from attnlab.grouped import GroupedQueryAttention
from attnlab.layers import Decoder, DecoderLayer, Encoder, EncoderLayer, FeedForward
from attnlab.sampling import next_probabilities
from attnlab.tagger import ENCODERS, Tagger
from attnlab.transformer import Transformer


def is_finite(found: object, *arguments: object) -> bool:
    """Are all numbers finite that it returned?"""
    if isinstance(found, Tensor):
        return bool(found.isfinite().all())
    if isinstance(found, dict):
        return is_finite([*found.values()])
    if isinstance(found, tuple | list):
        return all(map(is_finite, found))
    return not isinstance(found, float) or math.isfinite(found)


def is_half_or_finite(found: object, *arguments: object) -> bool:
    """Half precision soon reaches its largest number, 65504."""
    halves = [x for x in arguments if isinstance(x, Tensor) and x.dtype.itemsize == 2]
    return bool(halves) or is_finite(found)


class Row(NamedTuple):
    """A function under odd inputs.

    Attributes:
        call: the function.
        takes: strategies of its arguments, or one of all of them.
        right: says of an answer, given the arguments as well, whether it is right.
        share: of the examples, less than 1 for what is slow.
    """

    call: Callable
    takes: tuple[st.SearchStrategy, ...] | st.SearchStrategy
    right: Callable[..., object] = is_finite
    share: float = 1.0


def any_of(*good: object) -> st.SearchStrategy:
    """One of these, or odd text in its place."""
    return st.sampled_from(good) | ODD_TEXT


def maybe(strategy: st.SearchStrategy) -> st.SearchStrategy:
    return st.none() | strategy


PROBABILITY = st.just(0.1) | st.floats(0, 0.99) | ODD_NUMBERS


# Attention --------------------------------------------------------------------------


@st.composite
def attention_inputs(draw: st.DrawFn) -> tuple:
    """Query, key and value that fit together, but for one bend now and then."""
    leading = draw(st.sampled_from([(), (2,), (2, 3), (1, 2, 2)]))
    n_query, n_key, d, d_value = (draw(st.integers(1, 4)) for _ in range(4))
    dtype = draw(st.sampled_from(DTYPES if draw(st.integers(0, 9)) == 0 else FLOATS))
    shapes = [(*leading, n_query, d), (*leading, n_key, d), (*leading, n_key, d_value)]
    odd = draw(st.integers(0, 5))
    if odd < 3:
        shapes[odd] = draw(bent(shapes[odd]))
    query, key, value = [draw(tensors(shape, dtype, most=10.0)) for shape in shapes]
    shape = (*query.shape[:-1], *key.shape[-2:-1])
    mask = draw(masks(shape))
    scale = draw(st.sampled_from([None, 0.0, 1.0, -0.5]))
    bias = draw(maybe(tensors(shape, query.dtype, most=1.0)))
    return query, key, value, mask, scale, bias, draw(st.booleans())


def attend(query, key, value, mask, scale, bias, need_weights):
    """The output, after a pass back that must leave finite gradients."""
    leaves = [x.clone() for x in (query, key, value)]
    if query.is_floating_point():
        leaves = [x.requires_grad_() for x in leaves]
    options = {"scale": scale, "need_weights": need_weights, "score_bias": bias}
    output, _ = scaled_dot_product_attention(*leaves, mask, **options)
    output.sum().backward()
    return output.detach(), [x.grad for x in leaves]


def is_torchs(found, query, key, value, mask, scale, bias, need_weights) -> bool:
    """As torch has it in double precision, but 0 where nothing may be seen."""
    if query.dtype.itemsize > 2:  # a score of 500 in half precision is off by 1
        added = torch.zeros(()).double() if bias is None else bias.double()
        if mask is not None:
            added = added.masked_fill(~mask, -torch.inf)
        three = (query.double(), key.double(), value.double())
        wanted = F.scaled_dot_product_attention(*three, attn_mask=added, scale=scale)
        assert_close(found[0], wanted.nan_to_num(0.0), digits_of=query.dtype)
    return is_finite(found)


def has_sums_of_one(found: Tensor, x: Tensor, mask: Tensor | None) -> bool:
    seen = x.new_ones((), dtype=torch.bool) if mask is None else mask
    seen = seen.expand(x.shape).any(-1)
    assert_close(found.double().sum(-1), seen, digits_of=x.dtype)
    return True


@st.composite
def inputs_of_heads(draw: st.DrawFn) -> tuple:
    batch, n_query, n_key = (draw(st.integers(1, 3)) for _ in range(3))
    dtype = draw(st.sampled_from([torch.float32] * 6 + list(DTYPES)))
    query = draw(tensors(draw(bent((batch, n_query, 4))), dtype, most=1.0))
    key = draw(tensors(draw(bent((batch, n_key, 4))), dtype, most=1.0))
    value = draw(maybe(tensors((batch, n_key, 4), dtype, most=1.0)))
    speaking = draw(maybe(tensors((1, 2), torch.bool) | tensors()))
    return query, key, value, draw(masks((batch, n_query, n_key))), speaking


HEADS = MultiHeadAttention(4, 2).eval()


def attend_by_heads(query, key, value, mask, speaking):
    heads = HEADS.to(query.dtype if query.is_floating_point() else torch.float32)
    try:
        with head_mask([heads], speaking):
            return heads(query, key, value, mask, True)
    finally:
        assert heads.head_mask is None


def use_groups(kind, d_model, num_heads, groups):
    x = torch.randn(2, 3, d_model if is_size(d_model) else 1)
    return kind(d_model, num_heads, groups)(x)[0]


ATTENTION = {
    "masked_softmax": Row(
        masked_softmax,
        tensors().flatmap(lambda x: st.tuples(st.just(x), masks(tuple(x.shape)))),
        has_sums_of_one,
    ),
    "scaled_dot_product_attention": Row(attend, attention_inputs(), is_torchs),
    "dropout of weights": Row(
        lambda x, p: scaled_dot_product_attention(x, x, x, dropout_p=p)[0],
        (tensors((2, 3, 4), torch.float32, most=1.0), PROBABILITY),
    ),
    "heads": Row(attend_by_heads, inputs_of_heads()),
    "groups": Row(
        use_groups,
        (
            st.sampled_from([GroupedQueryAttention, GroupedSelfAttention]),
            *(sizes(1, 8), sizes(1, 4), sizes(1, 4)),
        ),
    ),
    "next_probabilities": Row(
        next_probabilities,
        (
            tensors(),
            st.floats(0, 3) | ODD_NUMBERS,
            maybe(st.integers(-1, 9)) | ODD_NUMBERS,
            st.floats(0, 1) | ODD_NUMBERS,
        ),
        lambda found, *given: has_sums_of_one(found, found, None),
    ),
}


# Positions and scores ---------------------------------------------------------------

BASES = st.just(10_000.0) | st.floats(0.1, 1e6) | ODD_NUMBERS
D = sizes(2, 8)


@st.composite
def placed(draw: st.DrawFn) -> tuple:
    d = draw(D)
    shape = draw(bent((2, draw(st.integers(1, 5)), d if is_size(d) else 2)))
    kind = draw(any_of(*positions.POSITIONS))
    x = draw(tensors(shape, most=1e4))
    return kind, d, draw(sizes(1, 6)), x, draw(st.just(0) | sizes(0, 4))


def add_positions(kind, d, max_length, x, start):
    if kind == "rotary":
        module = positions.RotaryPositions(d)
    else:
        module = positions.added_positions(kind, d, max_length)
    return torch.zeros(()) if module is None else module(x, start)


KINDS = (
    scores.DotScore, scores.ScaledDotScore, scores.CosineScore, scores.GeneralScore,
    scores.AdditiveScore, scores.LocationScore,
)  # fmt: skip
OWN_SIZES = {scores.GeneralScore: 2, scores.AdditiveScore: 3, scores.LocationScore: 2}


@st.composite
def compared(draw: st.DrawFn) -> tuple:
    """A kind of score, its sizes, and a query and a key of about these widths."""
    kind = draw(st.sampled_from(KINDS))
    own = [draw(sizes(1, 4)) for _ in range(OWN_SIZES.get(kind, 0))]
    widths = [size if is_size(size) else 1 for size in [*own, 2, 2][:2]]
    if kind not in (scores.GeneralScore, scores.AdditiveScore):
        widths[1] = widths[0]
    dtype = draw(st.sampled_from([torch.float64] * 4 + [torch.int64, *FLOATS]))
    query, key = (
        draw(tensors(draw(bent((2, draw(st.integers(1, 3)), d))), dtype, most=1e4))
        for d in widths
    )
    return kind, own, query, key


def compare(kind, own, query, key):
    rule = kind(*own).to(query.dtype if query.is_floating_point() else torch.float64)
    return rule(query, key)


POSITIONS_AND_SCORES = {
    "frequencies": Row(positions.frequencies, (D, BASES)),
    "sinusoidal": Row(positions.sinusoidal, (sizes(1, 12), D, BASES)),
    "added_positions": Row(add_positions, placed()),
    "AlibiPositions": Row(
        lambda heads, n, m, start: positions.AlibiPositions(heads)(n, m, start=start),
        (sizes(1, 8), sizes(1, 6), maybe(sizes(1, 6)), sizes(0, 4)),
    ),
    "scores": Row(compare, compared(), is_half_or_finite),
}


# Models -----------------------------------------------------------------------------

VOCAB = 6


def small_transformer(kind: str) -> Transformer:
    options = {"positions": kind, "norm_first": kind == "rotary", "max_length": 8}
    return Transformer(VOCAB, VOCAB, 8, 2, 2, 8, **options).eval()


torch.manual_seed(0)
TRANSFORMERS = [small_transformer(kind) for kind in positions.POSITIONS]
SEARCHED = [
    TRANSFORMERS[0],
    recurrent.Seq2Seq(VOCAB, VOCAB, 4, score=scores.DotScore(), dropout=0.5),
    recurrent.Seq2Seq(VOCAB, VOCAB, 4),
]
TAGGERS = [
    Tagger(VOCAB, 4, 4, encoder=encoder, num_heads=2, d_ff=3, causal=causal).eval()
    for encoder in ENCODERS
    for causal in (False, True)
]
TOKENS = ids(VOCAB)
ZEROS = torch.zeros(2, 3, dtype=torch.long)
TRANSFORMER_OPTIONS = st.fixed_dictionaries(
    {
        "src_vocab": sizes(1, 5),
        "tgt_vocab": sizes(1, 5),
        "d_model": sizes(2, 8),
        "num_heads": sizes(1, 3),
        "num_layers": sizes(1, 2),
        "d_ff": sizes(1, 4),
        "dropout": PROBABILITY,
        "positions": any_of(*positions.POSITIONS),
        "tie_embeddings": st.sampled_from([False, True, "all"]) | ODD_NUMBERS,
        "pad": st.just(0) | sizes(0, 6),
        "init": any_of("joint", "separate"),
        "max_length": st.just(4),
    }
)
TAGGER_OPTIONS = st.fixed_dictionaries(
    {"vocab_size": sizes(1, 5), "num_classes": sizes(1, 4), "d_model": sizes(2, 8)},
    optional={
        "encoder": any_of(*ENCODERS),
        "positions": any_of(*positions.POSITIONS),
        "causal": st.booleans(),
        "num_layers": sizes(1, 2),
        "num_heads": sizes(1, 3),
        "d_head": maybe(sizes(1, 4)),
        "max_length": sizes(3, 5),
        "d_ff": maybe(sizes(1, 4)),
        "kernel_size": sizes(1, 5),
        "pad": sizes(0, 3),
        "dropout": PROBABILITY,
    },
)
SEQ2SEQ_OPTIONS = st.fixed_dictionaries(
    {"src_vocab": sizes(1, 8), "tgt_vocab": sizes(1, 8), "d_model": sizes(1, 4)},
    optional={
        "cell": any_of(*recurrent.CELLS),
        "bidirectional": st.booleans(),
        "style": any_of(*recurrent.STYLES),
        "input_feeding": st.booleans(),
        "context": any_of(*recurrent.CONTEXTS),
        "window": maybe(any_of(*recurrent.WINDOWS)),
        "radius": sizes(1, 3),
        "hard": st.booleans(),
        "pad": sizes(0, 4),
        "dropout": PROBABILITY,
    },
)


def run_seq2seq(options, name, src, tgt):
    rule = None if name == "none" else scores.make_score(name, options["d_model"], 4)
    return recurrent.Seq2Seq(**options, score=rule).eval()(src, tgt)


def run_layer(layer, x, memory, mask):
    arguments = [x] if isinstance(layer, FeedForward) else [x, mask]
    if isinstance(layer, DecoderLayer | Decoder):
        arguments.insert(1, memory)
    found = layer(*arguments)
    return found if isinstance(layer, FeedForward) else found[0]


def choose(x: Tensor, sample: bool):
    """Of weights, where there can be any; elsewhere of what comes."""
    weights = x
    if x.is_floating_point() and x.dim() == 3:
        weights = x.float().softmax(-1)
        weights[..., :1, :] = 0.0
    return recurrent_attention.choose(weights, sample=sample)


def search(*given: object) -> list[list[float]]:
    """The scores of what a beam has found."""
    return [[one.score for one in found] for found in beam_search(*given)]


MODELS = {
    "Transformer": Row(
        lambda options: Transformer(**options).eval()(ZEROS, ZEROS),
        (TRANSFORMER_OPTIONS,),
        share=0.5,
    ),
    "Transformer of any ids": Row(
        lambda model, src, tgt: model(src, tgt),
        (st.sampled_from(TRANSFORMERS), TOKENS, TOKENS),
    ),
    "layers": Row(
        run_layer,
        (
            st.sampled_from(
                [
                    FeedForward(4, 3),
                    EncoderLayer(4, 2, 3).eval(),
                    Encoder([EncoderLayer(4, 2, 3)], 4).eval(),
                    DecoderLayer(4, 2, 3).eval(),
                    Decoder([DecoderLayer(4, 2, 3)], 4).eval(),
                ]
            ),
            *[
                bent(shape).flatmap(lambda one: tensors(one, torch.float32, most=1e4))
                for shape in ((2, 3, 4), (2, 2, 4))
            ],
            masks((2, 3, 3)),
        ),
    ),
    "Tagger": Row(lambda options: Tagger(**options).eval()(ZEROS), (TAGGER_OPTIONS,)),
    "Tagger of any ids": Row(
        lambda model, *given: model(*given),
        (
            st.sampled_from(TAGGERS),
            TOKENS,
            maybe(tensors((1, 2), torch.bool) | tensors()),
        ),
    ),
    "Seq2Seq": Row(
        run_seq2seq,
        (SEQ2SEQ_OPTIONS, st.sampled_from(["none", *scores.SCORES]), TOKENS, TOKENS),
    ),
    "choose": Row(choose, (tensors(most=1e4), st.booleans())),
    "greedy": Row(
        lambda way, src, max_len: way(TRANSFORMERS[0], src, max_len),
        (st.sampled_from([greedy, greedy_prefix, greedy_padded]), TOKENS, sizes(1, 6)),
    ),
    "beam_search": Row(
        search,
        (
            *(st.sampled_from(SEARCHED), TOKENS, sizes(1, 5), sizes(1, 4)),
            st.floats(-2, 2) | ODD_NUMBERS,
        ),
    ),
}


# Memories ---------------------------------------------------------------------------


@st.composite
def spins(draw: st.DrawFn, shape: tuple[int, ...]) -> Tensor:
    """Spins, or now and then something else."""
    x = draw(tensors(draw(bent(shape))))
    if x.is_floating_point() and draw(st.integers(0, 5)):
        return torch.where(x < 0, -1.0, 1.0).to(x)
    return x


def settle(patterns, states, sweeps):
    weights = hopfield.hebbian_weights(patterns)
    return hopfield.settle(states, weights, sweeps=sweeps)


@st.composite
def states_and_patterns(draw: st.DrawFn) -> tuple:
    patterns = draw(tensors(draw(bent((3, 2))), most=10.0))
    state = draw(tensors(draw(bent((2, 2))), patterns.dtype, most=10.0))
    if draw(st.integers(0, 5)) == 0:
        state = state.to(draw(st.sampled_from([torch.float64, torch.int64])))
    return state, patterns, draw(st.floats(1e-3, 1e3) | ODD_NUMBERS)


MEMORIES = {
    "settle": Row(settle, (spins((3, 4)), spins((2, 4)), sizes(1, 20))),
    "update": Row(hopfield.update, states_and_patterns(), is_half_or_finite),
    "retrieve": Row(
        lambda given, steps, tolerance: hopfield.retrieve(
            *given, steps=steps, tolerance=tolerance
        ),
        (states_and_patterns(), sizes(1, 9), st.just(1e-6) | ODD_NUMBERS),
        lambda found, given, *rest: is_half_or_finite(found, *given),
    ),
}


# All of them ------------------------------------------------------------------------

ROWS = {
    **ATTENTION,
    **POSITIONS_AND_SCORES,
    **MODELS,
    **MEMORIES,
}


@pytest.mark.weekly
@pytest.mark.parametrize("name", ROWS)
def test_it_answers_or_the_error_is_clear(name):
    row = ROWS[name]
    takes = st.tuples(*row.takes) if isinstance(row.takes, tuple) else row.takes

    @examples(row.share)
    @given(takes)
    def holds(arguments):
        found = attempt(row.call, *arguments)
        assert isinstance(found, Refused) or row.right(found, *arguments)

    holds()
