"""Several processes: the shares of a batch, and `torchrun` itself."""

import json
import os
import runpy
import signal
import subprocess
import sys
import textwrap
import time

import pytest
import torch

from attnlab.data import NumberPairs, batches
from attnlab.recurrent import Seq2Seq
from attnlab.training import cross_entropy_loss, set_seed, train
from attnlab.training.distributed import Processes, is_first, join_processes

pytestmark = pytest.mark.slow

PAIRS = NumberPairs([1, 20, 345, 6789, 12, 400])
CPU_ENVIRONMENT = torch.device("cpu")

# What every process runs: `python train_it.py FOLDER JSON`. It takes several trainings,
# by name, since to start two processes takes longer than to train.
SCRIPT = """
    import json, os, sys, time
    from pathlib import Path
    import torch
    from attnlab.data import NumberPairs
    from attnlab.training import cross_entropy_loss, set_seed, train
    from attnlab.transformer import Transformer

    torch.set_num_threads(1)
    rank = os.environ.get("RANK", "0")
    pairs = NumberPairs(list(range(100, 160)))
    sizes = len(pairs.src_vocab), len(pairs.tgt_vocab)
    for name, options in json.loads(sys.argv[2]).items():
        folder = Path(sys.argv[1], name)
        dropout, pause = options.pop("dropout", 0.0), options.pop("pause", 0.0)
        place = folder / rank if options.pop("apart", False) else folder
        place.mkdir(parents=True, exist_ok=True)
        set_seed(int(rank))  # processes must agree on weights, however they were drawn
        model = Transformer(*sizes, 16, 2, 1, 16, dropout, tie_embeddings=True)

        def loss(model, batch):
            (folder / f"running-{rank}").touch()
            time.sleep(pause)
            return cross_entropy_loss(model, batch)

        history = train(
            model, pairs, loss=loss, checkpoint=place / "model.pt",
            progress=False, **({"device": "cpu"} | options),
        )
        result = {
            "loss": history.loss,
            "accuracy": history.accuracy,
            "interrupted": history.interrupted,
            "weights": sum(p.sum().item() for p in model.parameters()),
        }
        (folder / f"result-{rank}.json").write_text(json.dumps(result))
"""
PLAIN_SETTINGS = {"epochs": 3, "max_tokens": 120, "lr": 0.01}
DROPOUT_SETTINGS = {"steps": 6, "batch_size": 16, "dropout": 0.3, "checkpoint_every": 2}


LAUNCHER = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]


@pytest.fixture(scope="module")
def training_script(tmp_path_factory):
    path = tmp_path_factory.mktemp("trainings") / "train_it.py"
    path.write_text(textwrap.dedent(SCRIPT))
    return path


@pytest.fixture(scope="module")
def run_processes(training_script):
    """What two processes came to, without dropout and with it."""
    run_in_two(training_script, plain=PLAIN_SETTINGS, dropout=DROPOUT_SETTINGS)
    return {name: read_result(training_script, name) for name in ("plain", "dropout")}


def start_process(script, **trainings):
    """Start the script in two processes."""
    return subprocess.Popen(
        [sys.executable, *LAUNCHER, script, script.parent, json.dumps(trainings)],
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        stderr=subprocess.PIPE,
        text=True,
    )


def run_in_two(script, **trainings):
    """Run the script in two processes."""
    process = start_process(script, **trainings)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors


def run_in_one(script, **training):
    """What a single process came to: this one, without torchrun."""
    with pytest.MonkeyPatch.context() as patched:
        for name in ("WORLD_SIZE", "RANK", "LOCAL_RANK"):
            patched.delenv(name, raising=False)
        arguments = [str(script), str(script.parent), json.dumps(training)]
        patched.setattr(sys, "argv", arguments)
        runpy.run_path(str(script), run_name="__main__")
    return read_result(script, *training)[0]


def read_result(script, name):
    """What is written down of a training, in the order of the processes' ranks."""
    paths = sorted((script.parent / name).glob("result-*.json"))
    return [json.loads(path.read_text()) for path in paths]


# Shares


@pytest.mark.parametrize(("size", "pieces"), [(1, 1), (1, 3), (2, 1), (2, 2), (5, 2)])
def test_processes_gradients_sum_to_batch_gradient(size, pieces):
    set_seed(0)
    model = Seq2Seq(len(PAIRS.src_vocab), len(PAIRS.tgt_vocab), 8).eval()
    batch = next(batches(PAIRS, 6))
    whole, _ = cross_entropy_loss(model, batch)
    whole.backward()
    wanted = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    total, weights = 0.0, []
    for rank in range(size):
        shares = Processes(rank, size).share(batch, pieces)
        assert len(shares) == pieces
        for piece, weight in shares:
            loss, _ = cross_entropy_loss(model, piece)
            (weight * loss).backward()
            total += weight * loss.item()
            weights.append(weight)
    assert sum(weights) == pytest.approx(1)
    assert total == pytest.approx(whole.item(), rel=1e-5)
    for p, grad in zip(model.parameters(), wanted, strict=True):
        torch.testing.assert_close(p.grad, grad, rtol=1e-4, atol=1e-6)


def test_single_process_exchanges_nothing(monkeypatch):
    for name in ("WORLD_SIZE", "RANK", "LOCAL_RANK"):
        monkeypatch.delenv(name, raising=False)
    alone = join_processes(CPU_ENVIRONMENT)
    assert (alone.rank, alone.size, alone.first, is_first()) == (0, 1, True, True)
    model = torch.nn.Linear(2, 2)
    assert alone.wrap(model) is model
    assert alone.sums(1.5, True) == [1.5, True]
    assert alone.gather("x") == ["x"]
    seq2seq = Seq2Seq(len(PAIRS.src_vocab), len(PAIRS.tgt_vocab), 8)
    train(seq2seq, PAIRS, epochs=1, device="cpu", progress=False)
    assert not torch.distributed.is_initialized()


# torchrun


@pytest.mark.weekly
def test_two_processes_have_the_losses_of_one(training_script, run_processes):
    one = run_in_one(training_script, alone=PLAIN_SETTINGS)
    two, other = run_processes["plain"]
    assert two == other  # all processes have the same history and weights
    assert len(one["loss"]) >= 12
    assert one["loss"][-1] < one["loss"][0] - 0.5
    assert two["loss"] == pytest.approx(one["loss"], rel=1e-4)
    assert two["accuracy"] == pytest.approx(one["accuracy"], abs=1e-3)
    assert two["weights"] == pytest.approx(one["weights"], rel=1e-3)
    # Their checkpoint is as good for one; it is complete, nothing is left to train.
    saved = torch.load(training_script.parent / "plain" / "model.pt", weights_only=True)
    assert len(saved["random"]) == 2
    assert run_in_one(training_script, plain=PLAIN_SETTINGS) == two


@pytest.mark.weekly
def test_two_processes_resume_bit_for_bit(training_script, run_processes):
    process = start_process(training_script, stopped=DROPOUT_SETTINGS | {"pause": 0.3})
    for rank in (0, 1):  # a process that has not come to its first step would die
        wait_for_file(training_script.parent / "stopped" / f"running-{rank}", process)
    process.send_signal(signal.SIGINT)  # as Ctrl-C; torchrun passes it on
    process.communicate(timeout=300)
    stopped, whole = read_result(training_script, "stopped"), run_processes["dropout"]
    assert stopped[0]["interrupted"]
    done = len(stopped[0]["loss"])
    assert 0 < done < 6
    for one, other in zip(stopped, whole, strict=True):
        assert one["loss"] == other["loss"][:done]
    # Then a training whose checkpoint the second process cannot see: it is refused.
    seen = {"steps": 2, "batch_size": 16}
    run_in_one(training_script, apart=seen)
    place = training_script.parent / "apart"
    (place / "0").mkdir()
    (place / "model.pt").rename(place / "0" / "model.pt")
    process = start_process(
        training_script, stopped=DROPOUT_SETTINGS, apart=seen | {"apart": True}
    )
    _, errors = process.communicate(timeout=300)
    assert read_result(training_script, "stopped") == whole
    assert process.returncode != 0
    assert "would go on from steps [2, 0]" in errors


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two GPUs")
def test_two_gpus_have_the_losses_of_one(training_script):
    options = {"epochs": 1, "max_tokens": 120, "device": "cuda"}
    one = run_in_one(training_script, one_gpu=options)
    run_in_two(training_script, two_gpus=options)
    two, other = read_result(training_script, "two_gpus")
    assert two == other
    assert two["loss"] == pytest.approx(one["loss"], rel=1e-2)


def wait_for_file(path, process):
    for _ in range(1000):
        if path.exists():
            return
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.1)
    raise TimeoutError(path)
