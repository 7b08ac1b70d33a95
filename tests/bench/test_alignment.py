"""Chapter 2's bench: the study's variants as score and decoder."""

from attnlab.bench import AlignmentBench
from attnlab.bench.alignment import DECODERS
from attnlab.experiments.scores import train_variant
from attnlab.recurrent import count_parameters


def test_it_begins_with_a_stored_setting_and_a_seed_of_its_own():
    bench = AlignmentBench()
    setting = bench.setting()
    stored, runs = bench.stored.nearest(setting)
    assert setting == {**stored, "seed": setting["seed"]}
    assert setting["seed"] not in {run["seed"] for run in runs}


def test_what_a_stored_setting_leaves_unsaid_are_the_study_s_defaults():
    defaults = train_variant.__kwdefaults__
    for setting, _ in AlignmentBench().stored.groups:
        assert setting["d_model"] == defaults["d_model"]
        assert setting["longest"] == defaults["longest"]
        assert setting["epochs"] == defaults["epochs"]
    assert AlignmentBench().examples({}) == defaults["train_numbers"]


def test_the_network_is_as_large_as_the_stored_one():
    bench = AlignmentBench()
    assert len({setting["decoder"] for setting, _ in bench.stored.groups}) == 3
    for setting, runs in bench.stored.groups:
        model, _ = bench.untrained(setting)
        assert count_parameters(model) == runs[0]["figures"]["parameters"]


def test_every_score_goes_with_every_decoder():
    bench = AlignmentBench()
    (scores,) = [field.options for field in bench.fields if field.name == "score"]
    for score in scores:
        for decoder in DECODERS:
            bench.set(score=score, decoder=decoder, d_model=8)
            assert count_parameters(bench.untrained(bench.setting())[0]) > 0


def test_the_learning_rate_is_that_of_the_nearest_variant(monkeypatch):
    bench, seen = AlignmentBench(), {}
    monkeypatch.setattr("attnlab.bench.alignment.measure_scores", seen.update)
    bench.set(score="general", decoder="Luong, fed", d_model=16)
    bench.measure(bench.setting(), print)
    assert seen["lr"] == 3e-3 and seen["input_feeding"] and seen["d_model"] == 16
    bench.set(decoder="Luong")
    bench.measure(bench.setting(), print)
    assert seen["lr"] == 1e-2
