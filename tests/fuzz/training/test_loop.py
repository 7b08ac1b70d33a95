import contextlib
import io
import math
from functools import partial
from pathlib import Path

import torch
from hypothesis import given
from hypothesis import strategies as st
from oldfuzzing import (
    ODD_NUMBERS,
    ODD_TEXT,
    REFUSED,
    attempt,
    fuzz,
    ids,
    is_size,
    sizes,
)
from torch.nn import functional as F

from attnlab.data import Batch, NumberPairs
from attnlab.recurrent import Seq2Seq
from attnlab.scores import DotScore
from attnlab.training import (
    SCHEDULES,
    History,
    cross_entropy_loss,
    exact_match,
    exact_match_by_length,
    exact_matches,
    learning_rate,
    mean_loss,
    reinforce_loss,
    set_seed,
    train,
)
from attnlab.training.evaluation import require_pairs
from attnlab.training.settings import Plan, Settings, make_plan
from attnlab.training.terminal import (
    Interrupt,
    progress_bar,
    say_stopped,
    show_means,
)

VOCAB = 6
torch.manual_seed(0)
MODEL = Seq2Seq(VOCAB, VOCAB, 4, score=DotScore(), hard=True)
PAIRS = [([3, 4, 2], [1, 3, 2]), ([5, 2], [1, 4, 5, 2]), ([4, 2], [1, 2])]


@fuzz(cross_entropy_loss, reinforce_loss)
@given(
    data=st.data(),
    smoothing=st.one_of(st.just(0.0), st.floats(0, 1), ODD_NUMBERS),
    weight=st.one_of(st.just(0.01), ODD_NUMBERS),
)
def test_losses_are_numbers_and_torchs(data, smoothing, weight):
    MODEL.eval()
    batch = Batch(data.draw(ids(VOCAB)), data.draw(ids(VOCAB)))
    found = attempt(cross_entropy_loss, MODEL, batch, label_smoothing=smoothing)
    if found is not REFUSED:
        loss, accuracy = found
        assert loss.isfinite() and 0 <= accuracy <= 1
        logits = MODEL(batch.src, batch.tgt[:, :-1]).transpose(1, 2).double()
        targets = batch.tgt[:, 1:].long()
        wanted = F.cross_entropy(
            logits, targets, ignore_index=0, label_smoothing=float(smoothing)
        )
        assert math.isclose(loss.item(), wanted.item(), rel_tol=1e-4, abs_tol=1e-4)
    found = attempt(reinforce_loss, MODEL, batch, entropy_weight=weight)
    if found is not REFUSED:
        assert found[0].isfinite() and 0 <= found[1] <= 1
        assert MODEL.baseline == 0


@fuzz(learning_rate)
@given(
    step=sizes(0, 50),
    total=sizes(1, 50),
    peak=st.one_of(st.floats(1e-6, 1), ODD_NUMBERS),
    warmup=sizes(0, 20),
    schedule=st.one_of(st.sampled_from(SCHEDULES), ODD_TEXT),
)
def test_rates_lie_between_zero_and_the_peak(step, total, peak, warmup, schedule):
    rate = attempt(
        learning_rate, step, total, peak=peak, warmup=warmup, schedule=schedule
    )
    if rate is REFUSED:
        fits = is_size(step, 0) and is_size(total) and is_size(warmup, 0)
        fits = fits and schedule in SCHEDULES and step <= total
        assert not fits or type(peak) is not float or not 0 < peak < math.inf
    else:
        assert 0 <= rate <= peak * (1 + 1e-9)


@fuzz(set_seed)
@given(seed=sizes(0, 2**32 - 1))
def test_a_seed_fixes_what_comes(seed):
    if attempt(set_seed, seed) is not REFUSED:
        first = torch.rand(3)
        set_seed(seed)
        assert torch.equal(torch.rand(3), first)


@fuzz(
    train, History, Settings, Plan, make_plan, Interrupt, progress_bar, show_means,
    share=0.5,
)  # fmt: skip
@given(
    epochs=st.one_of(st.none(), st.integers(-1, 2), st.sampled_from([1.0, True, "1"])),
    steps=st.one_of(st.none(), st.integers(-1, 2), st.sampled_from([1.0, True, "1"])),
    odd=st.sampled_from(
        ["batch_size", "max_tokens", "accumulate", "lr", "warmup", "weight_decay",
         "clip", "seed", "checkpoint_every", "keep", "none", "none"]
    ),
    number=ODD_NUMBERS,
    text=ODD_TEXT,
    choice=st.sampled_from(["schedule", "precision", "device", "none", "none"]),
)  # fmt: skip
def test_training_learns_or_leaves_the_model_alone(
    epochs, steps, odd, number, text, choice
):
    options = {"none": None} | {odd: number} | {choice: text}
    options.pop("none")
    model = Seq2Seq(VOCAB, VOCAB, 4)
    before = {name: x.clone() for name, x in model.state_dict().items()}
    history = attempt(
        partial(train, progress=False),
        model,
        PAIRS,
        epochs=epochs,
        steps=steps,
        errors=(TypeError, ValueError, FloatingPointError),
        **{"device": "cpu", "batch_size": 2, **options},
    )
    if history is REFUSED:
        after = model.state_dict()
        same = all(torch.equal(x, after[name]) for name, x in before.items())
        assert same or odd in ("lr", "weight_decay")  # at the second step, perhaps
    else:
        assert all(map(math.isfinite, history.loss)) and len(history.loss) > 0
        weights = model.state_dict().values()
        assert all(x.isfinite().all() for x in weights) or odd in ("lr", "weight_decay")
        assert not model.training


@fuzz(exact_matches, exact_match, exact_match_by_length, mean_loss, require_pairs)
@given(
    size=sizes(1, 4),
    count=st.integers(0, 3),
    numbers=st.lists(st.integers(0, 99), max_size=3),
)
def test_measures_are_shares(size, count, numbers):
    model, pairs = MODEL.train(), PAIRS[:count]
    right = attempt(exact_matches, model, pairs, batch_size=size)
    share = attempt(exact_match, model, pairs, batch_size=size)
    loss = attempt(mean_loss, model, pairs, max_tokens=size)
    assert model.training and (right is REFUSED) == (share is REFUSED)
    if right is not REFUSED:
        assert share == sum(right) / len(right) and len(right) == count > 0
    if loss is not REFUSED:
        assert 0 < loss < math.inf
    if numbers and is_size(size):
        data = NumberPairs(numbers)
        reader = Seq2Seq(len(data.src_vocab), len(data.tgt_vocab), 4)
        found = attempt(exact_match_by_length, reader, data, batch_size=size)
        assert set(found) == set(data.lengths)


@fuzz(say_stopped)
@given(done=st.integers(0, 9), path=st.one_of(st.none(), ODD_TEXT.map(Path)))
def test_where_a_training_stopped_is_said(done, path):
    with contextlib.redirect_stderr(io.StringIO()) as said:
        say_stopped(done, 9, path)
    assert f"after {done} of 9 steps" in said.getvalue()
    assert ("nothing was saved" if path is None else str(path)) in said.getvalue()
