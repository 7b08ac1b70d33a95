import math

import torch
from hypothesis import given
from hypothesis import strategies as st
from oldfuzzing import (
    ODD_NUMBERS,
    ODD_TEXT,
    REFUSED,
    are_ids,
    attempt,
    fuzz,
    ids,
    sizes,
    tensors,
)

from attnlab.data import Batch
from attnlab.positions import POSITIONS
from attnlab.tagger import ENCODERS, Tagger
from attnlab.training import tagging_accuracy, tagging_loss

VOCAB, CLASSES = 6, 4
torch.manual_seed(0)
MODELS = [
    Tagger(VOCAB, CLASSES, 4, encoder=encoder, num_heads=2, d_ff=3, causal=causal)
    for encoder in ENCODERS
    for causal in (False, True)
]


@fuzz(Tagger)
@given(
    wide=st.tuples(sizes(1, 5), sizes(1, 4), sizes(2, 8)),
    numbers=st.fixed_dictionaries(
        {},
        optional={
            "num_layers": sizes(1, 2),
            "num_heads": sizes(1, 3),
            "d_head": st.one_of(st.none(), sizes(1, 4)),
            "max_length": sizes(3, 5),
            "d_ff": st.one_of(st.none(), sizes(1, 4)),
            "kernel_size": sizes(1, 5),
            "pad": sizes(0, 3),
            "dropout": st.one_of(st.just(0.1), ODD_NUMBERS),
        },
    ),
    encoder=st.one_of(st.sampled_from(ENCODERS), ODD_TEXT),
    positions=st.one_of(st.sampled_from(POSITIONS), ODD_TEXT),
    causal=st.booleans(),
)
def test_taggers_are_built_or_refused(wide, numbers, encoder, positions, causal):
    model = attempt(
        Tagger, *wide, encoder=encoder, positions=positions, causal=causal, **numbers
    )
    if model is not REFUSED:
        logits = model.eval()(torch.zeros(2, 3, dtype=torch.long))
        assert logits.shape == (2, 3, wide[1]) and logits.isfinite().all()


@fuzz(Tagger)
@given(data=st.data(), model=st.sampled_from(MODELS))
def test_padding_makes_no_difference(data, model):
    tokens = data.draw(ids(VOCAB))
    head_mask = data.draw(st.one_of(st.none(), tensors((1, 2), torch.bool), tensors()))
    model.eval()
    logits = attempt(model, tokens, head_mask)
    weights = attempt(model.attention, tokens)
    if logits is REFUSED:
        assert not are_ids(tokens, VOCAB) or head_mask is not None
        return
    assert logits.shape == (*tokens.shape, CLASSES) and logits.isfinite().all()
    if weights is not REFUSED:
        assert weights.isfinite().all()
    real = tokens != 0
    longer = torch.cat([tokens, torch.zeros_like(tokens)], 1)
    again = model(longer, head_mask)[:, : tokens.shape[1]]
    assert (again - logits)[real].abs().max() < 1e-5 if real.any() else True


@fuzz(tagging_loss, tagging_accuracy)
@given(data=st.data(), model=st.sampled_from(MODELS))
def test_losses_are_numbers(data, model):
    src = data.draw(ids(VOCAB))
    same = src if src.is_complex() else src.clamp(max=CLASSES - 1)
    tgt = data.draw(st.one_of(ids(CLASSES), st.just(same)))
    found = attempt(tagging_loss, model.eval(), Batch(src, tgt))
    if found is not REFUSED:
        loss, accuracy = found
        assert loss.isfinite() and 0 <= accuracy <= 1
    if src.dim() != 2 or src.shape != tgt.shape or not are_ids(src, VOCAB):
        return
    pairs = list(zip(src.tolist(), tgt.tolist(), strict=True))
    size = data.draw(sizes(1, 3))
    model.train()
    shares = attempt(tagging_accuracy, model, pairs, batch_size=size)
    assert model.training
    if shares is not REFUSED:
        assert all(0 <= share <= 1 and not math.isnan(share) for share in shares)
