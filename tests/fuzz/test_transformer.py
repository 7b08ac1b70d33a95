import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from oldfuzzing import (
    ODD_NUMBERS,
    ODD_TEXT,
    REFUSED,
    are_ids,
    assert_close,
    attempt,
    bent,
    fuzz,
    ids,
    is_size,
    masks,
    sizes,
    tensors,
)
from torch import nn

from attnlab.cache import Cache, LayerCache, Memory
from attnlab.layers import (
    Decoder,
    DecoderLayer,
    Encoder,
    EncoderLayer,
    FeedForward,
)
from attnlab.positions import POSITIONS
from attnlab.stepping import DecoderStep, can_step
from attnlab.transformer import DecoderState, Transformer
from attnlab.twins import copy_weights, load_layer, transformer_from_torch

VOCAB = 7


def small(**options) -> Transformer:
    torch.manual_seed(0)
    sizes = {"d_model": 8, "num_heads": 2, "num_layers": 2, "d_ff": 8}
    return Transformer(VOCAB, VOCAB, **{**sizes, **options}).eval()


MODELS = [
    small(positions=kind, norm_first=kind == "rotary", max_length=8)
    for kind in POSITIONS
]


@fuzz(Transformer, share=0.5)
@given(
    vocab=sizes(1, 5),
    d_model=sizes(2, 8),
    heads=sizes(1, 3),
    layers=sizes(1, 2),
    d_ff=sizes(1, 4),
    dropout=st.one_of(st.just(0.1), ODD_NUMBERS),
    positions=st.one_of(st.sampled_from(POSITIONS), ODD_TEXT),
    tie=st.one_of(st.sampled_from([False, True, "all"]), ODD_NUMBERS),
    pad=st.one_of(st.just(0), sizes(0, 6)),
    init=st.one_of(st.sampled_from(["joint", "separate"]), ODD_TEXT),
)
def test_models_are_built_or_refused(
    vocab, d_model, heads, layers, d_ff, dropout, positions, tie, pad, init
):
    model = attempt(
        Transformer,
        *(vocab, vocab, d_model, heads, layers, d_ff, dropout),
        positions=positions,
        tie_embeddings=tie,
        pad=pad,
        init=init,
        max_length=4,
    )
    if model is not REFUSED:
        logits = model.eval()(torch.zeros(1, 2).long(), torch.zeros(1, 3).long())
        assert logits.shape == (1, 3, vocab) and logits.isfinite().all()


@fuzz(Transformer)
@given(data=st.data(), model=st.sampled_from(MODELS))
def test_logits_or_a_clear_error_for_any_ids(data, model):
    src, tgt = data.draw(ids(VOCAB)), data.draw(ids(VOCAB))
    logits = attempt(model, src, tgt)
    fits = are_ids(src, VOCAB) and are_ids(tgt, VOCAB) and len(src) == len(tgt)
    assert (logits is not REFUSED) == fits
    maps = attempt(model.attention, src, tgt)
    assert (maps is not REFUSED) == fits
    if fits:
        assert logits.shape == (*tgt.shape, VOCAB) and logits.isfinite().all()
        for weights in maps.values():
            sums = weights.sum(-1)
            assert ((sums - 1).abs() < 1e-5).logical_or(sums == 0).all()
        assert not maps["decoder"].triu(1).any()
        assert not maps["cross"][..., 0, :].masked_select(src[:, None] == 0).any()


@fuzz(Transformer, DecoderState, DecoderStep, can_step, Cache, LayerCache, Memory)
@given(data=st.data(), model=st.sampled_from(MODELS))
def test_steps_are_the_whole(data, model):
    src = data.draw(ids(VOCAB))
    if not are_ids(src, VOCAB):
        return
    tgt = data.draw(st.lists(st.integers(0, VOCAB - 1), min_size=1, max_size=5))
    tgt = torch.tensor([tgt] * len(src))
    with torch.no_grad():
        whole = model(src, tgt)
        state = model.start(src)
        assert can_step(model.decoder) and isinstance(state.cache.step, DecoderStep)
        assert all(layer.target is None for layer in state.cache.layers)
        for t in range(tgt.shape[1]):
            logits, state = model.step(tgt[:, t], state)
            assert_close(logits, whole[:, t], digits_of=logits.dtype)
        kept = [layer.target for layer in state.cache.layers]
        assert all(isinstance(one, Memory) and one.used == t + 1 for one in kept)
        order = torch.randperm(len(src))
        again, _ = model.step(tgt[order, -1], model.reorder(state, order))
        plain, _ = model.step(tgt[:, -1], state)
        assert_close(again, plain[order], digits_of=logits.dtype)
        cache = model.make_cache()
        cut = data.draw(st.integers(1, tgt.shape[1]))
        memory, mask = model.encode(src), model.src_mask(src)
        parts = [part for part in (tgt[:, :cut], tgt[:, cut:]) if part.numel()]
        found = [model.decode(part, memory, mask, cache) for part in parts]
        assert_close(torch.cat(found, 1), whole, digits_of=logits.dtype)


@fuzz(Transformer)
@given(data=st.data())
def test_head_masks_fit_or_are_refused(data):
    model = MODELS[0]
    kinds = st.sampled_from(["encoder", "decoder", "cross"])
    mask = data.draw(st.one_of(tensors((2, 2), torch.bool), tensors()))

    def silent():
        with model.only_heads(**{data.draw(kinds): mask}):
            return model(torch.ones(1, 2).long(), torch.ones(1, 2).long())

    found = attempt(silent)
    modules = model.modules()
    assert all(getattr(module, "speaking", None) is None for module in modules)
    assert (found is not REFUSED) == (mask.dtype == torch.bool and mask.shape == (2, 2))


@fuzz(Transformer, transformer_from_torch, load_layer, copy_weights, share=0.1)
@given(
    norm_first=st.booleans(),
    activation=st.sampled_from(["relu", "relu", "relu", "gelu"]),
    layers=st.tuples(st.integers(1, 2), st.integers(1, 2)),
    bias=st.sampled_from([True, True, True, False]),
    vocab=sizes(1, 5),
)
def test_copies_of_torchs_model_agree(norm_first, activation, layers, bias, vocab):
    theirs = nn.Transformer(
        8, 2, *layers, 8, 0.0, activation, norm_first=norm_first, bias=bias,
        batch_first=True,
    ).double().eval()  # fmt: skip
    ours = attempt(Transformer.from_torch, theirs, vocab, vocab, positions="none")
    fits = layers[0] == layers[1] and activation == "relu" and bias and is_size(vocab)
    assert (ours is not REFUSED) == fits
    if fits:
        x, y = torch.randn(2, 3, 8).double(), torch.randn(2, 4, 8).double()
        causal = torch.ones(4, 4, dtype=torch.bool).tril()
        wanted = theirs(x, y, tgt_mask=~causal)
        memory, _ = ours.encoder(x)
        found, *_ = ours.decoder(y, memory, causal)
        assert_close(found, wanted, digits_of=torch.float64)


LAYERS = [
    FeedForward(4, 3),
    EncoderLayer(4, 2, 3).eval(),
    Encoder([EncoderLayer(4, 2, 3)], 4).eval(),
    DecoderLayer(4, 2, 3).eval(),
    Decoder([DecoderLayer(4, 2, 3)], 4).eval(),
]


@fuzz(FeedForward, EncoderLayer, Encoder, DecoderLayer, Decoder)
@given(data=st.data(), layer=st.sampled_from(LAYERS))
def test_layers_keep_the_shape(data, layer):
    x = data.draw(tensors(data.draw(bent((2, 3, 4))), torch.float32, most=1e4))
    arguments = [x]
    if isinstance(layer, DecoderLayer | Decoder):
        memory = data.draw(bent((2, 2, 4)))
        arguments.append(data.draw(tensors(memory, torch.float32, most=1e4)))
    if not isinstance(layer, FeedForward):
        arguments.append(data.draw(masks((2, 3, 3))))
    found = attempt(layer, *arguments)
    if found is not REFUSED:
        output = found if isinstance(layer, FeedForward) else found[0]
        assert output.shape == x.shape and output.isfinite().all()


@fuzz(FeedForward, EncoderLayer, DecoderLayer)
@given(
    kind=st.sampled_from([FeedForward, EncoderLayer, DecoderLayer]),
    d_model=sizes(1, 4),
    heads=sizes(1, 4),
    d_ff=sizes(1, 4),
    dropout=st.one_of(st.just(0.1), ODD_NUMBERS),
)
def test_layers_are_built_or_refused(kind, d_model, heads, d_ff, dropout):
    between = () if kind is FeedForward else (heads,)
    layer = attempt(kind, d_model, *between, d_ff, dropout)
    fits = all(map(is_size, (d_model, *between, d_ff)))
    if layer is not REFUSED:
        assert fits and 0 <= dropout < 1
    elif dropout == 0.1 and fits:
        assert between and d_model % heads


@fuzz(copy_weights)
@given(st.integers(1, 4), st.integers(1, 4))
def test_weights_of_other_shapes_are_not_copied(ours, theirs):
    mine, other = nn.LayerNorm(ours), nn.LayerNorm(theirs, eps=0.5)
    if ours == theirs:
        copy_weights(mine, other)
        assert mine.eps == 0.5
    else:
        with pytest.raises(RuntimeError, match="size mismatch"):  # torch's, and clear
            copy_weights(mine, other)
        assert mine.eps != 0.5
