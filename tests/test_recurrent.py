import itertools
import math

import pytest
import torch

from attnlab.recurrent import Seq2Seq
from attnlab.scores import SCORES, AdditiveScore, DotScore, GeneralScore, make_score

pytestmark = pytest.mark.slow

SRC_VOCAB, TGT_VOCAB, D_MODEL, L_S, L_T = 9, 11, 8, 5, 7
PAD, BOS = 0, 1

CELLS = ["rnn", "gru", "lstm"]
STYLES = ["luong", "bahdanau"]
WINDOWS = [None, "local-m", "local-p"]

# Models as (score name, options): every bottleneck; with attention, every score in
# every window, every cell in both directions, and every way through the decoder.
BOTTLENECKS = [
    (None, {"cell": cell, "context": context, "bidirectional": both})
    for cell, context, both in itertools.product(
        CELLS, ("both", "state", "input"), (False, True)
    )
]
ATTENTIVE = [
    (
        score,
        {
            "cell": cell,
            "style": style,
            "window": window,
            "input_feeding": feeding,
            "bidirectional": both,
        },
    )
    for score, cell, style, window, feeding, both in itertools.product(
        SCORES, CELLS, STYLES, WINDOWS, (False, True), (False, True)
    )
    if (cell == "gru" and not (feeding or both))
    or (score == "general" and (window is None or (cell == "gru" and both)))
]
# One cell and score for each way through the decoder.
PATHS = [
    (score, {**options, "hard": hard})
    for score, options in ATTENTIVE
    for hard in (False, True)
    if score == "general" and options["cell"] == "gru" and options["bidirectional"]
]
HARD = [(score, options) for score, options in PATHS if options["hard"]]
GLOBAL = [(score, options) for score, options in PATHS if options["window"] is None]


def case_name(value):
    if isinstance(value, dict):
        return "-".join(f"{k}={v}" for k, v in value.items() if v not in (None, False))
    return str(value)


def make(score, options, seed=0):
    torch.manual_seed(seed)
    score = make_score(score, D_MODEL, L_S) if score else None
    return Seq2Seq(SRC_VOCAB, TGT_VOCAB, D_MODEL, score=score, **options).double()


def make_pair():
    """Sentences of 5, 3, 1 and no real tokens."""
    torch.manual_seed(1)
    src = torch.randint(3, SRC_VOCAB, (4, L_S))
    for row, length in enumerate((5, 3, 1, 0)):
        src[row, length:] = PAD
    tgt = torch.randint(3, TGT_VOCAB, (4, L_T))
    tgt[:, 0] = BOS
    return src, tgt


# What holds for every model ---------------------------------------------------------


@pytest.mark.parametrize(
    ("score", "options"), BOTTLENECKS + ATTENTIVE + HARD, ids=case_name
)
def test_seq2seq_steps_equal_parallel_pass(score, options):
    model, (src, tgt) = make(score, options).eval(), make_pair()
    stepwise = []
    with torch.no_grad():
        logits, state = model(src, tgt), model.start(src)
        for tokens in tgt.unbind(1):
            step, state = model.step(tokens, state)
            stepwise.append(step)
    assert logits.shape == (4, L_T, TGT_VOCAB)
    assert logits.isfinite().all()  # the sentence of padding alone included
    torch.testing.assert_close(torch.stack(stepwise, 1), logits, atol=1e-10, rtol=0)


@pytest.mark.parametrize(("score", "options"), BOTTLENECKS + PATHS, ids=case_name)
def test_padding_does_not_change_output(score, options):
    model, (src, tgt) = make(score, options).eval(), make_pair()
    with torch.no_grad():
        together = model(src, tgt)
        for row, length in enumerate((5, 3, 1)):
            alone = model(src[[row], :length], tgt[[row]])
            torch.testing.assert_close(together[[row]], alone, atol=1e-10, rtol=0)


@pytest.mark.parametrize(("score", "options"), BOTTLENECKS + ATTENTIVE, ids=case_name)
def test_seq2seq_gradient_reaches_every_parameter(score, options):
    model, (src, tgt) = make(score, options), make_pair()
    model(src, tgt).square().sum().backward()
    for parameter, value in model.named_parameters():
        assert value.grad is not None, parameter
        assert value.grad.isfinite().all(), parameter
        assert value.grad.abs().sum() > 1e-9, parameter  # rounding leaves 1e-16


# The encoder ------------------------------------------------------------------------


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("both", [False, True])
def test_encoder_equals_torch_layer_on_each_sentence(cell, both):
    model, (src, _) = make(None, {"cell": cell, "bidirectional": both}), make_pair()
    encoded = model.encode(src)
    for row, length in enumerate((5, 3, 1)):
        embedded = model.encoder.embedding(src[[row], :length])
        outputs, last = model.encoder.rnn(embedded)
        torch.testing.assert_close(encoded.memory[[row], :length], outputs)
        assert (encoded.memory[row, length:] == 0).all()
        assert encoded.mask[row, 0].tolist() == [i < length for i in range(L_S)]
        # Where each direction ends: forward at the last token, backward at the first.
        ends = [outputs[0, -1]]
        if both:
            ends = [outputs[0, -1, : D_MODEL // 2], outputs[0, 0, D_MODEL // 2 :]]
        torch.testing.assert_close(encoded.hidden[row], torch.cat(ends))
        if cell == "lstm":
            torch.testing.assert_close(encoded.cell[row], last[1].flatten())
        else:
            assert encoded.cell is None


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("context", ["both", "state", "input"])
def test_bottleneck_decoder_context_enters_where_configured(context, cell):
    model, (src, tgt) = make(None, {"context": context, "cell": cell}), make_pair()
    decoder, encoded = model.decoder, model.encode(src)
    c = encoded.hidden
    inputs = decoder.embedding(tgt)
    if context != "state":
        inputs = torch.cat([inputs, c[:, None].expand_as(inputs)], -1)
    first = (c, encoded.cell) if cell == "lstm" else (c,)
    if context == "input":
        first = tuple(torch.zeros_like(x) for x in first)
    first = tuple(x[None] for x in first)
    states, _ = decoder.rnn(inputs, first if cell == "lstm" else first[0])
    torch.testing.assert_close(model(src, tgt), decoder.readout(states))


# The attentive decoders, written out -------------------------------------------------


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("feeding", [False, True])
def test_decoder_equals_published_equations(style, feeding):
    options = {"style": style, "input_feeding": feeding, "cell": "rnn"}
    model, (src, tgt) = make("general", options), make_pair()
    src, tgt = src[:1], tgt[:1]
    decoder, memory = model.decoder, model.encode(src).memory[0]
    rnn, w = decoder.rnn, decoder.attention.score.linear.weight

    def attend_to_memory(query):
        return (memory @ (w @ query)).softmax(0) @ memory

    def tanh_cell(x, state):
        return torch.tanh(
            rnn.weight_ih_l0 @ x
            + rnn.bias_ih_l0
            + rnn.weight_hh_l0 @ state
            + rnn.bias_hh_l0
        )

    state, feed, wanted = model.encode(src).hidden[0], torch.zeros(D_MODEL).double(), []
    for x in decoder.embedding(tgt[0]):
        fed = [feed] if feeding else []
        if style == "luong":
            state = tanh_cell(torch.cat([x, *fed]), state)
            context = attend_to_memory(state)
        else:
            context = attend_to_memory(state)
            state = tanh_cell(torch.cat([x, context, *fed]), state)
        feed = torch.tanh(decoder.combine.weight @ torch.cat([context, state]))
        wanted.append(decoder.readout(feed))
    torch.testing.assert_close(model(src, tgt)[0], torch.stack(wanted))


# Dropout and padding ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("score", "options"),
    [
        (None, {}),
        ("dot", {}),
        ("dot", {"style": "bahdanau"}),
        ("dot", {"input_feeding": True}),
    ],
    ids=case_name,
)
def test_seq2seq_dropout_is_on_embeddings_and_before_readout(score, options):
    model, (src, tgt) = make(score, {**options, "dropout": 1 - 1e-9}), make_pair()
    states = []
    model.decoder.rnn.register_forward_hook(lambda *call: states.append(call[2][0]))
    bias = model.decoder.readout.bias  # all that is left when everything is dropped
    for tokens in (tgt, torch.full_like(tgt, BOS)):
        logits = model.train()(src, tokens)
        step, _ = model.step(tokens[:, 0], model.start(src))
        torch.testing.assert_close(logits, bias.expand_as(logits))
        torch.testing.assert_close(step, bias.expand_as(step))
        src = src.where(src == PAD, 3)
    half = len(states) // 2
    torch.testing.assert_close(states[half:], states[:half])  # no word was heard


@pytest.mark.parametrize("score", [None, "dot"])
def test_seq2seq_accepts_any_padding_id(score):
    model, (src, tgt) = make(score, {"pad": SRC_VOCAB - 1}).eval(), make_pair()
    src = src[:3].where(src[:3] != PAD, SRC_VOCAB - 1)
    src[0] = torch.arange(L_S)  # 0 is a word like any other
    together = model(src, tgt[:3])
    for row, length in enumerate((5, 3, 1)):
        alone = model(src[[row], :length], tgt[[row]])
        torch.testing.assert_close(together[[row]], alone)
    assert (model.encoder.embedding.weight[SRC_VOCAB - 1] == 0).all()  # and not trained


@pytest.mark.parametrize("style", STYLES)
def test_decoder_starts_from_last_encoder_state(style):
    model, (src, _) = make("dot", {"style": style, "cell": "lstm"}), make_pair()
    encoded, state = model.encode(src), model.start(src)
    torch.testing.assert_close((state.hidden, state.cell), encoded[2:])


# Attention --------------------------------------------------------------------------


@pytest.mark.parametrize(("score", "options"), GLOBAL, ids=case_name)
@pytest.mark.parametrize("train", [False, True])
def test_seq2seq_weights_sum_to_one_and_are_zero_at_padding(score, options, train):
    model, (src, tgt) = make(score, options).train(train), make_pair()
    weights = model.attention(src, tgt)
    real = (src != PAD)[:, None].expand_as(weights)
    assert weights.shape == (4, L_T, L_S)
    assert (weights >= 0).all()
    assert (weights[~real] == 0).all()
    torch.testing.assert_close(weights[:3].sum(-1), torch.ones(3, L_T).double())
    assert (weights[3] == 0).all()
    if options["hard"]:
        assert set(weights.unique().tolist()) == {0.0, 1.0}


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("radius", [1, 2])
def test_monotonic_window_masks_outside(style, radius):
    options = {"window": "local-m", "radius": radius, "style": style}
    model, (src, tgt) = make("general", options), make_pair()
    weights = model.attention(src, tgt)
    for row, length in enumerate((5, 3, 1, 0)):
        for t, s in itertools.product(range(L_T), range(L_S)):
            seen = s < length and abs(s - t) <= radius
            assert (weights[row, t, s] > 0) == seen
        for t in range(L_T):
            wanted = 1 if length and t - radius < length else 0
            assert weights[row, t].sum().item() == pytest.approx(wanted)


def test_predictive_window_equals_luong_equations_9_and_10():
    radius = 2
    model, (src, tgt) = (
        make("general", {"window": "local-p", "radius": radius}),
        make_pair(),
    )
    weights = model.attention(src, tgt)
    decoder, encoded = model.decoder, model.encode(src)
    states, _ = decoder.rnn(decoder.embedding(tgt), encoded.hidden[None])
    scores = decoder.attention.score(states, encoded.memory)
    window = decoder.attention.window
    for row, length in enumerate((5, 3, 1)):
        for t in range(L_T):
            inner = torch.tanh(window.hidden.weight @ states[row, t])
            centre = length * torch.sigmoid(window.out.weight[0] @ inner).item()
            inside = [s for s in range(length) if abs(s - centre) <= radius]
            aligned = scores[row, t, inside].softmax(0).tolist()
            wanted = [0.0] * L_S
            for s, weight in zip(inside, aligned, strict=True):
                gaussian = math.exp(-((s - centre) ** 2) / (2 * (radius / 2) ** 2))
                wanted[s] = weight * gaussian
            assert weights[row, t].tolist() == pytest.approx(wanted)
            assert 0 < weights[row, t].sum() <= 1
    assert (weights[3] == 0).all()


# Hard attention ---------------------------------------------------------------------


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("feeding", [False, True])
def test_hard_attention_samples_only_in_training(style, feeding):
    options = {"hard": True, "style": style, "input_feeding": feeding}
    model, (src, tgt) = make("dot", options), make_pair()
    maps = [model.train().attention(src, tgt) for _ in range(5)]
    assert any(not torch.equal(maps[0], other) for other in maps[1:])
    logits, log_prob, entropy = model.eval().forward_sampled(src, tgt)
    assert torch.equal(logits, model(src, tgt))
    assert log_prob.shape == entropy.shape == (4, L_T)
    assert (entropy[:2] > 0).all()
    assert (log_prob[3] == 0).all() and (entropy[3] == 0).all()


def test_forward_sampled_log_probs_equal_soft_weights():
    soft, (src, tgt) = make("dot", {}), make_pair()
    hard = make("dot", {"hard": True})
    hard.load_state_dict(soft.state_dict(), strict=False)
    torch.manual_seed(5)
    choice = hard.attention(src, tgt)
    torch.manual_seed(5)
    _, log_prob, _ = hard.forward_sampled(src, tgt)
    wanted = (choice * soft.attention(src, tgt)).sum(-1)
    torch.testing.assert_close(log_prob[:3].exp(), wanted[:3])


def test_seq2seq_without_score_rejects_attention_and_sampling():
    src, tgt = make_pair()
    for model in (make(None, {}), make("dot", {})):
        with pytest.raises(ValueError, match="hard=True"):
            model.forward_sampled(src, tgt)
    with pytest.raises(ValueError, match="no attention"):
        make(None, {}).attention(src, tgt)


# Bad input --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"cell": "tanh"}, ValueError, "cell must be one of 'rnn'.*'tanh'"),
        ({"style": "vaswani"}, ValueError, "style must be one of.*'vaswani'"),
        ({"window": "local"}, ValueError, "window must be one of.*'local'"),
        ({"context": "all"}, ValueError, "context must be one of.*'all'"),
        ({"context": "state"}, ValueError, "without score"),
        ({"radius": 0}, ValueError, "radius must be at least 1, got 0"),
        ({"d_model": 7, "bidirectional": True}, ValueError, "even d_model, got 7"),
        ({"pad": 9}, ValueError, "pad must be a source token, got 9"),
        ({"score": DotScore}, TypeError, "score must be a Score"),
        ({"score": GeneralScore(4, D_MODEL)}, ValueError, "query width 4, got 8"),
        ({"score": AdditiveScore(D_MODEL, 4, 4)}, ValueError, "key width 4, got 8"),
        ({"score": None, "style": "bahdanau"}, ValueError, "give a score"),
        ({"score": None, "input_feeding": True}, ValueError, "give a score"),
        ({"score": None, "window": "local-m"}, ValueError, "give a score"),
        ({"score": None, "hard": True}, ValueError, "give a score"),
    ],
)  # fmt: skip
def test_seq2seq_rejects_bad_settings(options, error, words):
    arguments = {
        "src_vocab": SRC_VOCAB,
        "tgt_vocab": TGT_VOCAB,
        "d_model": D_MODEL,
        "score": DotScore(),
    }
    with pytest.raises(error, match=words):
        Seq2Seq(**{**arguments, **options})


IDS = torch.tensor([[3, 4, 2], [5, 2, 0]])


@pytest.mark.parametrize(
    ("src", "tgt", "error", "words"),
    [
        (IDS.float(), IDS, TypeError, "src.*integer ids.*float32"),
        (IDS, IDS.tolist(), TypeError, "tgt.*list"),
        (IDS[:, :0], IDS, ValueError, r"src must be.*\(2, 0\)"),
        (IDS, IDS[:1], ValueError, "differ in batch: 2 and 1"),
        (IDS + 7, IDS, ValueError, "src holds ids 7 … 12, its vocabulary 0 … 8"),
        (IDS, IDS - 1, ValueError, "tgt holds ids -1"),
        (IDS.flip(1), IDS, ValueError, "pad to the right"),
    ],
)
@pytest.mark.parametrize("score", [None, "dot"])
def test_seq2seq_rejects_bad_ids(score, src, tgt, error, words):
    with pytest.raises(error, match=words):
        make(score, {})(src, tgt)
