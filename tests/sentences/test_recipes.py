"""`python -m attnlab.sentences multi30k` and `… tatoeba`, small."""

import json
import shlex
import signal
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from attnlab.data import EOS
from attnlab.sentences import recipes
from attnlab.sentences.__main__ import main, make_parser
from attnlab.sentences.recipes import TASKS, Recipe, make_model
from attnlab.sentences.translator import load_translator
from tests.small_translator import TINY, load_toy, use_toy_task

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def toy_task(monkeypatch):
    use_toy_task(monkeypatch, "multi30k")


def test_recipe_command_trains_scores_and_stores_settings(tmp_path, capsys):
    folder = tmp_path / "run"
    assert main(["multi30k", *TINY, "--test", "2", "--folder", str(folder)]) == 0
    shown = capsys.readouterr().out
    result = json.loads((folder / "result.json").read_text())
    assert f"{result['parameters']:,}" in shown
    assert f"{result['scores']['test']['bleu']['score']:.2f}" in shown
    wanted = "command seed versions machine date seconds config decoding"
    assert result.keys() >= {*wanted.split(), "scores", "epochs", "averaged"}
    assert result["averaged"] == 2
    assert result["epochs"][-1]["step"] == 8
    assert result["epochs"][-1]["valid"] < result["epochs"][0]["valid"]
    # What is scored is what is stored: the mean of the last two epochs.
    translator = load_translator(folder / "model.safetensors")
    sources = [source for source, _ in load_toy()["test"][:2]]
    answers = translator.translate(sources, width=2)
    assert (folder / "test.txt").read_text() == "".join(f"{one}\n" for one in answers)
    one, other = (
        torch.load(path, weights_only=True)["encoder.norm.weight"]
        for path in folder.glob("checkpoint.epoch*.pt")
    )
    mean = (one + other) / 2
    stored = translator.model.encoder.norm.weight
    torch.testing.assert_close(stored, mean.half().float())


def test_recipe_command_resumed_gives_equal_result(tmp_path, monkeypatch):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    main(["multi30k", *TINY, "--folder", str(whole)])
    original, calls = recipes.cross_entropy_loss, []

    def interrupted_training(*args, **options):
        calls.append(1)
        if len(calls) == 6:
            signal.raise_signal(signal.SIGINT)
        return original(*args, **options)

    interrupted_training.__name__ = original.__name__
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # may be ignored
    with monkeypatch.context() as patched:
        patched.setattr(recipes, "cross_entropy_loss", interrupted_training)
        assert main(["multi30k", *TINY, "--folder", str(parts)]) == 130
    signal.signal(signal.SIGINT, before)
    assert not (parts / "result.json").exists()
    assert main(["multi30k", *TINY, "--folder", str(parts)]) == 0
    one, other = (json.loads((f / "result.json").read_text()) for f in (whole, parts))
    assert one["epochs"] == other["epochs"]
    assert one["scores"] == other["scores"]


def test_recipe_only_first_process_writes(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("RANK", "1")  # as torchrun does
    assert main(["multi30k", *TINY, "--folder", str(tmp_path)]) == 0
    assert capsys.readouterr().out == ""
    names = {path.name for path in tmp_path.iterdir()}
    assert not names & {"result.json", "model.safetensors", "test.txt", "valid.txt"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--heads 3", "3 heads cannot share d_model=8"),
        ("--max-tokens 2", "more than max_tokens=2"),
        ("--precision float8", "invalid choice: 'float8'"),
    ],
)
def test_command_bad_options_exit_with_status_2(
    tmp_path, options, message, usage_error
):
    words = ["multi30k", *TINY, "--folder", str(tmp_path), *options.split()]
    assert message in usage_error(main, words)


def test_multi30k_has_the_published_shape_and_settings():
    recipe = TASKS["multi30k"].options
    model, config = make_model(recipe, recipe.vocab, recipe.vocab)
    assert config | {"src_vocab": 10_000, "d_model": 128, "num_heads": 4} == config
    assert config | {"num_layers": 4, "d_ff": 256, "dropout": 0.3} == config
    assert sum(p.numel() for p in model.parameters()) <= 2.62e6
    assert model.src_embedding.weight is model.output_layer.weight
    assert (recipe.lr, recipe.label_smoothing, recipe.average) == (0.005, 0.1, 10)
    assert (recipe.max_tokens, recipe.beam) == (4096, 5)
    assert recipe.steps * recipe.warmup == 2000


@pytest.mark.parametrize("task", TASKS)
def test_recipe_command_defaults_are_the_book_recipe(task):
    recipe = Recipe(**vars(make_parser(task).parse_args([])))
    assert recipe == TASKS[task].options
    assert recipe.command() == f"python -m attnlab.sentences {task}"
    assert recipe.home == Path("checkpoints", f"{task}-0")


def test_recipe_command_round_trips():
    changes = {"seed": 3, "norm_first": True, "lr": 1e-3, "folder": Path("a b")}
    recipe = replace(TASKS["tatoeba"].options, **changes)
    words = shlex.split(recipe.command())
    assert words[:4] == ["python", "-m", "attnlab.sentences", "tatoeba"]
    assert Recipe(**vars(make_parser("tatoeba").parse_args(words[4:]))) == recipe


def test_tatoeba_tokenizers_drop_rare_characters():
    texts = [("the cat sat", "猫坐了"), ("the cat ran", "猫跑了")]
    source, target = recipes.subwords_and_characters(texts, 30)
    assert set(target.tokens[4:]) == {"猫", "了"}
    assert source.decode([*source.encode("the cat"), EOS]) == "the cat"
