"""The Transformer: as torch's, masks at every layer, one by one as in a batch."""

import pytest
import torch
from torch import nn

from attnlab.attention import causal_mask, masked_softmax
from attnlab.data import BOS, PAD
from attnlab.positions import POSITIONS, AlibiPositions, rotate, sinusoidal
from attnlab.recurrent import count_parameters
from attnlab.transformer import Transformer
from tests.small_transformer import (
    DOUBLE,
    HEADS,
    LAYERS,
    SRC_VOCAB,
    TGT_VOCAB,
    WIDTH,
    make_ids,
    make_transformer,
    randomise_constants,
)


def make_torch(norm_first=False, dropout=0.0, **options) -> nn.Transformer:
    torch.manual_seed(1)
    sizes = WIDTH, HEADS, LAYERS, LAYERS, 32, dropout
    options |= {"batch_first": True, "norm_first": norm_first, "dtype": DOUBLE}
    return randomise_constants(nn.Transformer(*sizes, **options))


def torch_logits(ours, theirs, src, tgt) -> torch.Tensor:
    """What ours should say, by torch's layers between our embeddings and read-out."""
    n = tgt.shape[1]
    states = theirs(
        ours._embed(ours.src_embedding, src, 0),
        ours._embed(ours.tgt_embedding, tgt, 0),
        tgt_mask=~causal_mask(n),
        src_key_padding_mask=src == PAD,
        tgt_key_padding_mask=tgt == PAD,
        memory_key_padding_mask=src == PAD,
    )
    return ours.output_layer(states)


# As torch's -------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
@pytest.mark.parametrize("norm_first", [False, True])
class TestAsTorch:
    def test_transformer_logits_and_gradients_equal_torch(self, norm_first):
        theirs = make_torch(norm_first)
        ours = Transformer.from_torch(theirs, SRC_VOCAB, TGT_VOCAB)
        src, tgt = make_ids()
        logits, wanted = ours(src, tgt), torch_logits(ours, theirs, src, tgt)
        torch.testing.assert_close(logits, wanted, rtol=0, atol=1e-10)

        up = torch.randn_like(logits)
        embeddings = ours.src_embedding.weight, ours.tgt_embedding.weight
        grads, wanted_grads = (
            torch.autograd.grad(of, embeddings, up, retain_graph=True)
            for of in (logits, wanted)
        )
        torch.testing.assert_close(grads, wanted_grads, rtol=0, atol=1e-10)

        logits.backward(up)
        wanted.backward(up)
        for mine, its in zip(
            (*ours.encoder.layers, *ours.decoder.layers),
            (*theirs.encoder.layers, *theirs.decoder.layers),
            strict=True,
        ):
            own = mine.self_attention
            projections = own.query_layer, own.key_layer, own.value_layer
            grad = torch.cat([layer.weight.grad for layer in projections])
            torch.testing.assert_close(grad, its.self_attn.in_proj_weight.grad)
            inner, norm = mine.feed_forward.inner, mine.self_attention_norm
            torch.testing.assert_close(inner.weight.grad, its.linear1.weight.grad)
            torch.testing.assert_close(norm.weight.grad, its.norm1.weight.grad)

    def test_transformer_keeps_settings(self, norm_first):
        theirs = make_torch(norm_first, dropout=0.3, layer_norm_eps=1e-3).half().eval()
        ours = Transformer.from_torch(
            theirs, SRC_VOCAB, TGT_VOCAB, positions="none", pad=2
        )
        assert not ours.training and ours.pad == 2 and ours.positions is None
        assert {parameter.dtype for parameter in ours.parameters()} == {torch.half}
        layer = ours.decoder.layers[1]
        assert layer.norm_first == norm_first
        assert layer.dropout.p == layer.feed_forward.dropout.p == ours.dropout.p == 0.3
        assert layer.cross_attention.dropout == 0.3
        assert layer.feed_forward_norm.eps == ours.encoder.norm.eps == 1e-3
        with torch.no_grad():
            layer.self_attention.query_layer.weight.zero_()
        its = theirs.decoder.layers[1].self_attn
        assert its.in_proj_weight.all()  # a copy, not a share


# Masks ------------------------------------------------------------------------------


def reach(model, embedding, src, tgt) -> torch.Tensor:
    """(L_t, n), bool: does the logit at t depend on the embedding at j? (batch of 1)"""

    def logits(shift: torch.Tensor) -> torch.Tensor:
        with embedding.register_forward_hook(lambda *call: call[-1] + shift):
            return model(src, tgt)

    n = (src if embedding is model.src_embedding else tgt).shape[1]
    nowhere = torch.zeros(1, n, WIDTH, dtype=DOUBLE)
    jacobian = torch.autograd.functional.jacobian(logits, nowhere)
    return jacobian[0, :, :, 0].abs().amax((1, 3)) > 0


@pytest.mark.parametrize("positions", POSITIONS)
def test_transformer_logits_depend_only_on_past_and_source(positions):
    model = make_transformer(positions=positions)
    src = torch.tensor([[4, 5, PAD, 6, PAD]])
    tgt = torch.tensor([[BOS, 5, PAD, 6]])
    to_target = reach(model, model.tgt_embedding, src, tgt)
    wanted = torch.ones(4, 4, dtype=torch.bool).tril()
    wanted[3, 2] = False  # padding is seen by itself alone, through the residual
    assert torch.equal(to_target, wanted)
    to_source = reach(model, model.src_embedding, src, tgt)
    assert torch.equal(to_source, (src != PAD).expand(4, 5))


@pytest.mark.parametrize("positions", POSITIONS)
def test_transformer_attention_equals_used_weights(positions):
    model = make_transformer(positions=positions)
    src, tgt = make_ids()
    maps = model.attention(src, tgt)
    assert {name: tuple(of.shape) for name, of in maps.items()} == {
        "encoder": (LAYERS, 4, HEADS, 6, 6),
        "decoder": (LAYERS, 4, HEADS, 5, 5),
        "cross": (LAYERS, 4, HEADS, 5, 6),
    }
    real_src, real_tgt = (src != PAD)[:, None, None], (tgt != PAD)[:, None, None]
    masks = {
        "encoder": real_src.expand(4, HEADS, 6, 6),
        "decoder": (real_tgt & causal_mask(5)).expand(4, HEADS, 5, 5),
        "cross": real_src.expand(4, HEADS, 5, 6),
    }
    for name, weights in maps.items():
        for layer in weights:
            assert (layer[~masks[name]] == 0).all()
            assert (layer[masks[name]] > 0).all()
            torch.testing.assert_close(layer.sum(-1), torch.ones_like(layer[..., 0]))


@pytest.mark.parametrize("positions", ["alibi", "rotary"])
def test_rotary_and_alibi_act_only_in_self_attention(positions):
    model = make_transformer(positions=positions)
    attentions = [layer.self_attention for layer in model.encoder.layers]
    for layer in model.decoder.layers:
        attentions += [layer.self_attention, layer.cross_attention]
    query, key = torch.randn(2, HEADS, 1, WIDTH // HEADS, dtype=DOUBLE)
    with torch.no_grad():  # every word asks and answers alike
        for attention in attentions:
            for layer, one in (
                (attention.query_layer, query),
                (attention.key_layer, key),
            ):
                layer.weight.zero_()
                layer.bias.copy_(one.flatten())

    def scores(n):
        if positions == "alibi":
            return AlibiPositions(HEADS)(n).double()
        table = sinusoidal(n, WIDTH // HEADS, dtype=DOUBLE)
        turned = [rotate(one.expand(-1, n, -1), table) for one in (query, key)]
        return turned[0] @ turned[1].mT / (WIDTH // HEADS) ** 0.5

    maps = model.attention(torch.full((1, 6), 4), torch.full((1, 5), 4))
    wanted = {
        "encoder": scores(6).softmax(-1),
        "decoder": masked_softmax(scores(5), causal_mask(5)),
        "cross": torch.full((HEADS, 5, 6), 1 / 6, dtype=DOUBLE),
    }
    for name, weights in maps.items():
        torch.testing.assert_close(weights, wanted[name].expand_as(weights))


@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("train", [False, True])
def test_transformer_source_of_only_padding_is_finite(positions, train):
    model = make_transformer(positions=positions).train(train)
    src, tgt = make_ids()
    src[1], tgt[2] = PAD, PAD
    logits = model(src, tgt)
    assert logits.isfinite().all()
    logits.square().sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in model.parameters())
    assert all(of.isfinite().all() for of in model.attention(src, tgt).values())
    others = [0, 3]
    torch.testing.assert_close(logits[others], model(src[others], tgt[others]))


# Step by step -----------------------------------------------------------------------


@pytest.mark.parametrize("positions", POSITIONS)
def test_transformer_cache_accepts_several_tokens(positions):
    model = make_transformer(positions=positions)
    src, tgt = make_ids()
    memory, src_mask, cache = model.encode(src), model.src_mask(src), model.make_cache()
    parts = [model.decode(p, memory, src_mask, cache) for p in tgt.split([2, 2, 1], 1)]
    assert cache.length == 5
    torch.testing.assert_close(torch.cat(parts, 1), model(src, tgt))


@pytest.mark.parametrize("grad", [False, True])
def test_transformer_steps_from_one_state_are_independent(grad):
    model = make_transformer()
    src, tgt = make_ids()
    with torch.set_grad_enabled(grad):
        before = model.start(src)
        _, state = model.step(tgt[:, 0], before)
        one, after_one = model.step(tgt[:, 1], state)
        _, after_other = model.step(tgt[:, 2], state)
        model.step(tgt[:, 2], after_other)
        further, _ = model.step(tgt[:, 2], after_one)
        again, _ = model.step(tgt[:, 1], state)
    assert torch.equal(one, again)
    torch.testing.assert_close(further, model(src, tgt[:, :3])[:, 2])
    assert before.cache.length == 0 and state.cache.length == 1


# The rest of the model --------------------------------------------------------------


def test_transformer_tied_embeddings_share_weights():
    plain = Transformer(TGT_VOCAB, TGT_VOCAB, WIDTH, HEADS, LAYERS, 32)
    tied = Transformer(
        TGT_VOCAB, TGT_VOCAB, WIDTH, HEADS, LAYERS, 32, tie_embeddings=True
    )
    joint = Transformer(
        TGT_VOCAB, TGT_VOCAB, WIDTH, HEADS, LAYERS, 32, tie_embeddings="all"
    )
    assert tied.output_layer.weight is tied.tgt_embedding.weight
    assert tied.src_embedding.weight is not tied.tgt_embedding.weight
    assert joint.output_layer.weight is joint.src_embedding.weight
    assert (
        count_parameters(plain) - count_parameters(tied)
        == count_parameters(tied) - count_parameters(joint)
        == TGT_VOCAB * WIDTH
    )
    tied(*make_ids()).sum().backward()
    assert (tied.tgt_embedding.weight.grad != 0).any(1).all()


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
def test_transformer_defaults_are_paper_base_model():
    with torch.device("meta"):  # only to count
        model, theirs = Transformer(SRC_VOCAB, TGT_VOCAB), nn.Transformer()
    own = (model.src_embedding, model.tgt_embedding, model.output_layer)
    assert count_parameters(model) - sum(
        map(count_parameters, own)
    ) == count_parameters(theirs)
    layer = model.decoder.layers[0]
    assert layer.self_attention.num_heads == theirs.nhead
    assert model.dropout.p == layer.dropout.p == theirs.decoder.layers[0].dropout.p
    assert not layer.norm_first and model.pad == PAD
    assert model.output_layer.weight is not model.tgt_embedding.weight


@pytest.mark.parametrize("norm_first", [False, True])
def test_transformer_without_final_norm_returns_last_layer(norm_first):
    normed = make_transformer(norm_first=norm_first)
    bare = make_transformer(norm_first=norm_first, last_norm=False)
    last = ("encoder.norm.", "decoder.norm.")
    state = {k: v for k, v in normed.state_dict().items() if not k.startswith(last)}
    bare.load_state_dict(state)
    src, _ = make_ids()
    memory = bare.encode(src)
    torch.testing.assert_close(normed.encoder.norm(memory), normed.encode(src))
    assert not torch.allclose(memory, normed.encode(src))


def test_transformer_dropout_is_where_torch_has_it():
    model = make_transformer(dropout=0.25)
    shares = [
        [getattr(module, "p", None), getattr(module, "dropout", None)]
        for module in model.modules()
    ]
    assert sum(0.25 in both for both in shares) == 1 + LAYERS * (3 + 4)
    src, tgt = make_ids()
    assert torch.equal(model(src, tgt), make_transformer(dropout=0.0)(src, tgt))
    silent = make_transformer(positions="none").train()
    silent.dropout.p = 1 - 1e-6  # on the embeddings: no word is heard
    torch.testing.assert_close(silent.encode(src), silent.encode(src.flip(1)))


def test_transformer_head_mask_removes_heads():
    model = make_transformer()
    src, tgt = make_ids()
    plain = model(src, tgt)
    for kind in ("encoder", "decoder", "cross"):
        mask = torch.ones(LAYERS, HEADS, dtype=torch.bool)
        with model.head_mask(**{kind: mask}):
            torch.testing.assert_close(model(src, tgt), plain)
        mask[1, 2] = False
        with pytest.raises(KeyError), model.head_mask(**{kind: mask}):
            with model.head_mask():  # all speak, until its end
                torch.testing.assert_close(model(src, tgt), plain)
            silenced = model(src, tgt)
            raise KeyError  # afterwards all speak nonetheless
        assert not torch.allclose(silenced, plain)
        changed = make_transformer()
        layer = (changed.encoder if kind == "encoder" else changed.decoder).layers[1]
        heads = layer.cross_attention if kind == "cross" else layer.self_attention
        with torch.no_grad():  # what head 2 says goes nowhere
            heads.output_layer.weight[:, 2 * WIDTH // HEADS : 3 * WIDTH // HEADS] = 0.0
        torch.testing.assert_close(silenced, changed(src, tgt))
    assert torch.equal(model(src, tgt), plain)


@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, DOUBLE])
def test_transformer_runs_in_every_dtype(positions, dtype):
    model = make_transformer(positions=positions, dropout=0.1).to(dtype).train()
    src, tgt = make_ids()
    logits = model(src, tgt)
    assert logits.dtype == dtype
    logits.float().square().mean().backward()
    assert all(parameter.grad.isfinite().all() for parameter in model.parameters())
    exact = make_transformer(positions=positions)(src, tgt)
    tolerance = {torch.bfloat16: 0.6, torch.float32: 1e-4, DOUBLE: 1e-10}[dtype]
    found = model.eval()(src, tgt).double()
    torch.testing.assert_close(found, exact, rtol=0, atol=tolerance)


# Bad input --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"d_model": 10}, ValueError, "4 heads cannot share d_model=10"),
        ({"num_layers": 0}, ValueError, "num_layers must be at least 1"),
        ({"num_heads": 2.0}, TypeError, "num_heads must be an integer"),
        ({"d_ff": 0}, ValueError, "d_ff must be at least 1"),
        ({"src_vocab": 0}, ValueError, "src_vocab must be at least 1"),
        ({"tgt_vocab": "5"}, TypeError, "tgt_vocab must be an integer"),
        ({"dropout": 1.0}, ValueError, "dropout must lie in"),
        ({"positions": "absolute"}, ValueError, "'rotary'.*got 'absolute'"),
        ({"tie_embeddings": "src"}, ValueError, "tie_embeddings must be one of"),
        ({"tie_embeddings": "all"}, ValueError, "one vocabulary, got sizes 11 and 13"),
        ({"pad": 11}, ValueError, "pad must be a token of both"),
        ({"d_model": 5, "num_heads": 1}, ValueError, "odd"),
        ({"d_model": 12, "positions": "rotary"}, ValueError, "odd"),
    ],
)
def test_transformer_rejects_bad_settings(options, error, words):
    settings = {
        "src_vocab": SRC_VOCAB,
        "tgt_vocab": TGT_VOCAB,
        "d_model": WIDTH,
        "num_heads": HEADS,
    }
    with pytest.raises(error, match=words):
        Transformer(**{**settings, "num_layers": 1, "d_ff": 8, **options})


GOOD_IDS = torch.ones(2, 3, dtype=torch.long)


@pytest.mark.parametrize(
    ("src", "tgt", "error", "words"),
    [
        (GOOD_IDS.float(), GOOD_IDS, TypeError, "src must be a tensor"),
        (GOOD_IDS, [[1]], TypeError, "tgt must be a tensor"),
        (GOOD_IDS, GOOD_IDS[:, :0], ValueError, "tgt must be"),
        (GOOD_IDS, GOOD_IDS[:1], ValueError, "batch: 2 and 1"),
        (torch.tensor([[SRC_VOCAB]]), torch.tensor([[1]]), ValueError, "src holds ids"),
        (torch.tensor([[1]]), torch.tensor([[-1]]), ValueError, "tgt holds ids"),
    ],
)
def test_transformer_rejects_bad_ids(src, tgt, error, words):
    model = make_transformer()
    with pytest.raises(error, match=words):
        model(src, tgt)
    with pytest.raises(error, match=words):
        model.attention(src, tgt)


def test_head_mask_rejects_other_shapes():
    model = make_transformer()
    one_layer = torch.ones(HEADS, dtype=torch.bool)
    for kind in ("encoder", "decoder", "cross"):
        with (
            pytest.raises(ValueError, match=rf"{kind} must be \(2, 4\)"),
            model.head_mask(**{kind: one_layer}),
        ):
            pass
