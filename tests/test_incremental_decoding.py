"""The short way through a decoder: as the layers go, or not at all."""

from itertools import product

import pytest
import torch

from attnlab.data import BOS
from attnlab.positions import POSITIONS
from attnlab.transformer import Transformer
from tests.small_transformer import HEADS, WIDTH, make_ids, make_transformer

BATCH_ORDER = torch.tensor([2, 0, 0, 3])
# Every kind of layer in double precision; lower ones differ by their digits alone.
TOLERANCE = {torch.float64: 1e-10, torch.float32: 1e-5, torch.bfloat16: 0.2}
LAYER_KINDS = [
    *product(POSITIONS, [False, True], [False, True], [torch.float64]),
    *product(POSITIONS, [True], [True], [torch.float32, torch.bfloat16]),
]


def logits_by_steps(
    model: Transformer, *, short: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    """Logits (4, 5, vocab) of padded targets, step by step, and after a reordering."""
    (src, tgt), logits = make_ids(), []
    with torch.no_grad():
        state = model.start(src, incremental=short)
        assert (state.decoder is not None) == short
        for tokens in tgt.unbind(1):  # padding too
            found, state = model.step(tokens, state)
            logits.append(found)
        again, _ = model.step(tgt[BATCH_ORDER, -1], model.reorder(state, BATCH_ORDER))
    return torch.stack(logits, 1), again


def logits_in_parallel(model: Transformer) -> tuple[torch.Tensor, torch.Tensor]:
    """The same by the model's own pass over the whole target."""
    src, tgt = make_ids()
    longer = torch.cat([tgt, tgt[:, -1:]], 1)[BATCH_ORDER]
    with torch.no_grad():
        return model(src, tgt), model(src[BATCH_ORDER], longer)[:, -1]


@pytest.mark.parametrize(("positions", "norm_first", "last_norm", "dtype"), LAYER_KINDS)
def test_incremental_steps_equal_parallel_pass(positions, norm_first, last_norm, dtype):
    options = {"norm_first": norm_first, "last_norm": last_norm}
    model = make_transformer(positions=positions, **options).to(dtype)
    wanted = logits_in_parallel(model)
    for short in (False, True):
        found = logits_by_steps(model, short=short)
        assert found[0].dtype == dtype
        torch.testing.assert_close(found, wanted, rtol=0, atol=TOLERANCE[dtype])


@pytest.mark.parametrize(
    "options",
    [{"activation": "gelu"}, {"attention_scale": 3.0}, {"residual": False}],
    ids=str,
)
def test_incremental_steps_with_layer_options_equal_parallel_pass(options):
    model, (src, tgt) = make_transformer(**options), make_ids()
    with torch.no_grad():
        wanted = model(src, tgt[:, :1])[:, 0]
        assert (make_transformer()(src, tgt[:, :1])[:, 0] - wanted).abs().max() > 0.01
        found, _ = model.step(tgt[:, 0], model.start(src))
    torch.testing.assert_close(found, wanted)


@pytest.mark.parametrize("kind", ["decoder", "cross"])
def test_incremental_head_mask_equals_parallel_pass(kind):
    model = make_transformer()
    mask = torch.tensor([[True, False, True, True], [False, True, True, False]])
    loud, _ = logits_by_steps(model, short=True)
    with model.head_mask(**{kind: mask}):
        found, _ = logits_by_steps(model, short=True)
        wanted, _ = logits_by_steps(model, short=False)
    torch.testing.assert_close(found, wanted, rtol=0, atol=1e-10)
    assert (found - loud).abs().max() > 0.01


def register_hook(layer):
    layer.feed_forward_norm.register_forward_hook(lambda *call: -call[-1])


def replace_module(layer):
    layer.feed_forward = torch.nn.Tanh()


def replace_method(layer):
    layer._after = lambda x, change, norm: norm(change)


@pytest.mark.parametrize("put", [register_hook, replace_module, replace_method])
def test_incremental_steps_use_hooks_and_replaced_modules(put):
    model, (src, tgt) = make_transformer(), make_ids()
    with torch.no_grad():
        before = model(src, tgt[:, :1])[:, 0]
        put(model.decoder.layers[0])
        wanted = model(src, tgt[:, :1])[:, 0]
        found, _ = model.step(tgt[:, 0], model.start(src))
    torch.testing.assert_close(found, wanted)
    assert (before - wanted).abs().max() > 0.01


def test_incremental_steps_pass_gradients():
    model, (src, tgt) = make_transformer(), make_ids()
    with torch.no_grad():
        state = model.start(src)
    logits, _ = model.step(tgt[:, 0], state)  # started without gradients, and now with
    assert logits.requires_grad
    model.zero_grad()
    wanted = torch.autograd.grad(model(src, tgt).sum(), model.tgt_embedding.weight)
    state, total = model.start(src), 0.0
    for tokens in tgt.unbind(1):
        logits, state = model.step(tokens, state)
        total = total + logits.sum()
    found = torch.autograd.grad(total, model.tgt_embedding.weight)
    torch.testing.assert_close(found, wanted)


def test_incremental_no_grad_step_keeps_earlier_graph():
    model, (src, tgt) = make_transformer(), make_ids()
    logits, state = model.step(tgt[:, 0], model.start(src))
    with torch.no_grad():
        model.step(tgt[:, 1], state)
    weight = model.tgt_embedding.weight
    (found,) = torch.autograd.grad(logits.sum(), weight)
    (wanted,) = torch.autograd.grad(model(src, tgt)[:, 0].sum(), weight)
    torch.testing.assert_close(found, wanted)


def test_incremental_steps_in_training_mode_drop_out():
    model = make_transformer(dropout=0.5)
    src, tgt = make_ids()
    with torch.no_grad():
        state = model.start(src)
        model.train()
        one, other = (model.step(tgt[:, 0], state)[0] for _ in range(2))
    assert not torch.allclose(one, other)  # something else is dropped


def test_incremental_cache_growth_equals_parallel_pass():
    model = make_transformer()
    tgt = torch.full((1, 150), 5)
    tgt[0, 0] = BOS
    src = torch.tensor([[3, 4]])
    with torch.no_grad():
        wanted, state = model(src, tgt), model.start(src)
        for t, tokens in enumerate(tgt.unbind(1)):
            logits, state = model.step(tokens, state)
            torch.testing.assert_close(logits, wanted[:, t])
    memory = state.cache.layers[0].self_kv
    assert memory.keys.shape == (1, HEADS, 256, WIDTH // HEADS)
