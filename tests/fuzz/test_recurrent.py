import torch
from fuzzing import (
    ODD_NUMBERS,
    ODD_TEXT,
    REFUSED,
    are_ids,
    assert_close,
    attempt,
    fuzz,
    ids,
    is_size,
    sizes,
    tensors,
)
from hypothesis import given
from hypothesis import strategies as st

from attnlab.recurrent import Seq2Seq, count_parameters
from attnlab.recurrent_attention import (
    WINDOWS,
    Attention,
    AttentionOutput,
    MonotonicWindow,
    PredictiveWindow,
    choose,
    make_window,
)
from attnlab.recurrent_layers import (
    CELLS,
    CONTEXTS,
    STYLES,
    AttentiveDecoder,
    AttentiveState,
    BahdanauDecoder,
    BottleneckDecoder,
    BottleneckState,
    Decoded,
    Encoded,
    Encoder,
    LuongDecoder,
    RecurrentDecoder,
    run_rnn,
)
from attnlab.scores import (
    AdditiveScore,
    CosineScore,
    DotScore,
    GeneralScore,
    LocationScore,
    ScaledDotScore,
)

VOCAB = 6
SCORES = {
    "none": lambda d: None,
    "dot": lambda d: DotScore(),
    "scaled": lambda d: ScaledDotScore(),
    "cosine": lambda d: CosineScore(),
    "general": lambda d: GeneralScore(d, d),
    "additive": lambda d: AdditiveScore(d, d, 3),
    "location": lambda d: LocationScore(d, 4),
}
EVERYTHING = (
    Attention, AttentiveDecoder, AttentiveState, BahdanauDecoder, BottleneckDecoder,
    BottleneckState, Decoded, Encoded, Encoder, AttentionOutput, LuongDecoder,
    MonotonicWindow, PredictiveWindow, RecurrentDecoder, Seq2Seq, count_parameters,
    make_window, run_rnn,
)  # fmt: skip


@fuzz(*EVERYTHING)
@given(
    data=st.data(),
    score=st.sampled_from(list(SCORES)),
    options=st.fixed_dictionaries(
        {"cell": st.sampled_from(list(CELLS))},
        optional={
            "bidirectional": st.booleans(),
            "style": st.sampled_from(list(STYLES)),
            "input_feeding": st.booleans(),
            "context": st.sampled_from(CONTEXTS),
            "window": st.sampled_from([None, *WINDOWS]),
            "radius": st.integers(1, 3),
            "hard": st.booleans(),
        },
    ),
)
def test_any_model_predicts_and_steps_alike(data, score, options):
    torch.manual_seed(0)
    model = attempt(Seq2Seq, VOCAB, VOCAB, 4, score=SCORES[score](4), **options)
    if model is REFUSED:
        return
    assert count_parameters(model) > 0
    model.eval()
    src, tgt = data.draw(ids(VOCAB)), data.draw(ids(VOCAB))
    logits = attempt(model, src, tgt)
    weights = attempt(model.attention, src, tgt)
    if logits is REFUSED:
        fits = are_ids(src, VOCAB) and are_ids(tgt, VOCAB) and len(src) == len(tgt)
        left = ((src[:, 1:] != 0) & (src[:, :-1] == 0)).any() if fits else False
        assert not fits or left or score == "location"
        return
    assert logits.shape == (*tgt.shape, VOCAB) and logits.isfinite().all()
    if weights is not REFUSED:
        assert weights.isfinite().all() and (weights.sum(-1) < 1 + 1e-5).all()
        assert not weights.masked_select(src[:, None] == 0).any()
    with torch.no_grad():
        state = model.start(src)
        for t in range(tgt.shape[1]):
            step, state = model.step(tgt[:, t], state)
            assert_close(step, logits[:, t], digits_of=logits.dtype)
        state = model.reorder(state, torch.arange(len(src)))
    sampled = attempt(model.forward_sampled, src, tgt)
    assert (sampled is not REFUSED) == bool(options.get("hard"))
    if sampled is not REFUSED:
        assert all(x.isfinite().all() for x in sampled)


@fuzz(Seq2Seq, MonotonicWindow, PredictiveWindow)
@given(
    vocab=sizes(1, 4),
    d_model=sizes(1, 4),
    radius=sizes(1, 3),
    pad=st.one_of(st.just(0), sizes(0, 4)),
    dropout=st.one_of(st.just(0.1), ODD_NUMBERS),
    text=ODD_TEXT,
    where=st.sampled_from(["cell", "style", "context", "window", "none", "none"]),
)
def test_models_are_built_or_refused(vocab, d_model, radius, pad, dropout, text, where):
    options = {} if where == "none" else {where: text}
    model = attempt(
        Seq2Seq,
        *(vocab, vocab, d_model),
        score=DotScore(),
        radius=radius,
        pad=pad,
        dropout=dropout,
        **options,
    )
    if model is not REFUSED:
        assert all(map(is_size, (vocab, d_model, radius))) and where == "none"
        zeros = torch.zeros(1, 2, dtype=torch.long)
        assert model.eval()(zeros, zeros).isfinite().all()


@fuzz(choose)
@given(x=tensors(most=1e4), sample=st.booleans())
def test_one_position_is_chosen_of_each_row_that_has_any(x, sample):
    if not x.is_floating_point() or x.dim() < 1 or x.shape[-1] == 0:
        assert attempt(choose, x, sample=sample) is REFUSED
        return
    weights = x.float().softmax(-1)
    if weights.dim() > 1:
        weights[..., :1, :] = 0.0
    found = attempt(choose, weights, sample=sample)
    if found is REFUSED:
        assert weights.dim() != 3 or weights.numel() == 0
        return
    choice, log_prob, entropy = found
    assert torch.equal(choice.sum(-1) == 1, weights.sum(-1) > 0)
    assert log_prob.isfinite().all() and (log_prob <= 0).all()
    assert entropy.isfinite().all() and (entropy >= 0).all()
