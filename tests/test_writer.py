"""What writes captions: its file, its text, and the commands that train and write."""

import signal

import pytest
import torch

from attnlab.data.text import Subwords
from attnlab.decoder_only import DecoderOnly
from attnlab.sentences import writer
from attnlab.sentences.writer import MODEL, Writer, load_writer, main

CAPTIONS = [
    "a man in a hat is riding a horse .",
    "two dogs are running in the snow .",
    "a woman is holding a child &apos;s hand .",
    "a man and a woman are sitting on a bench .",
    "a dog , a boy , is jumping over a fence .",
] * 4
TINY = ["--vocab", "60", "--d-model", "8", "--num-heads", "2", "--num-groups", "1"]
TINY += ["--num-layers", "1", "--d-ff", "8", "--max-tokens", "60", "--epochs", "2"]
TINY += ["--device", "cpu", "--quiet"]


def make_writer():
    tokenizer = Subwords.train(CAPTIONS, 60, punctuation=False)
    config = {"vocab_size": len(tokenizer), "d_model": 8, "num_heads": 2}
    config |= {"num_groups": 1, "num_layers": 1, "d_ff": 8}
    torch.manual_seed(0)
    return Writer(DecoderOnly(**config).eval(), tokenizer, {"config": config})


@pytest.fixture
def corpus(monkeypatch):
    """A handful of captions in place of Multi30k's."""
    pairs = [(caption, "") for caption in CAPTIONS]
    monkeypatch.setattr(writer, "multi30k", lambda split: pairs)


# Text in, text out --------------------------------------------------------------------


def test_write_begins_with_given_text():
    made = make_writer()
    found = made.write("A man, in a hat", 5, seed=1, max_len=6)
    assert len(found) == 5
    assert all(caption.startswith("a man , in a hat") for caption in found)
    assert len(set(found)) > 1
    assert made.write("A man, in a hat", 5, seed=1, max_len=6) == found
    assert made.write("A man, in a hat", 5, seed=2, max_len=6) != found


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_writer_save_and_load_round_trip(bits, tmp_path):
    made, path = make_writer(), tmp_path / "writer.safetensors"
    made.save(path, bits=bits)
    again = load_writer(path)
    assert again.metadata["config"] == made.metadata["config"]
    assert again.tokenizer.tokens == made.tokenizer.tokens
    ids = torch.tensor([made.read("a man")])
    gap = (again.model(ids) - made.model(ids)).abs().max().item()
    assert gap < {8: 0.3, 16: 0.01, 32: 1e-6}[bits]


def test_load_writer_rejects_other_kind(tmp_path):
    path = tmp_path / "writer.safetensors"
    with pytest.raises(ValueError, match="is no writer that was saved"):
        load_writer(path)
    path.write_bytes(b"\x08\0\0\0\0\0\0\0{}      ")
    with pytest.raises(ValueError, match="is no writer that was saved"):
        load_writer(path)


# The commands -------------------------------------------------------------------------


def test_writer_command_trains_then_writes(corpus, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["train", *TINY]) == 0
    path = tmp_path / "checkpoints" / "writer-0" / "writer.safetensors"
    said = capsys.readouterr().out
    assert "valid  perplexity per word" in said and str(path.name) in said
    metadata = load_writer(path).metadata
    assert metadata["epochs"] == 2 and metadata["seed"] == 0
    assert metadata["command"] and metadata["machine"] and metadata["versions"]
    assert main(["a dog", "--model", str(path), "--count", "3", "--max-len", "5"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3 and all(line.startswith("a dog") for line in lines)


def test_writer_command_ctrl_c_keeps_model(corpus, tmp_path, capsys, monkeypatch):
    folder, steps = tmp_path / "run", []
    loss = writer.next_token_loss

    def next_token_loss(model, batch):
        if model.training:
            steps.append(1)
            if len(steps) == 3:
                signal.raise_signal(signal.SIGINT)
        return loss(model, batch)

    monkeypatch.setattr(writer, "next_token_loss", next_token_loss)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # may be ignored
    options = ["train", *TINY, "--folder", str(folder)]
    assert main(options) == 130
    assert "Stopped by Ctrl-C after 3 of" in capsys.readouterr().err
    assert load_writer(folder / "writer.safetensors").metadata["steps"] == 3
    assert main(options) == 0  # the same command goes on
    total = load_writer(folder / "writer.safetensors").metadata["steps"]
    assert len(steps) == total > 3
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["a man", "--temperature", "-1"], "temperature must not be negative"),
        (["a man", "--seed", "x"], "expected a whole number"),
        (["a man", "--count", "0"], "must be at least 1"),
        (["a man", "--model", "none.safetensors"], "is no writer that was saved"),
        (["a man 漢字"], "never seen the signs of '漢字'"),
        (["a " * 61], "61 tokens, 60 are the most"),
        (["train", "--num-heads", "3"], "3 heads cannot share"),
        (["train", "--vocab", "4"], "must be at least 5"),
        (["train", "--device", "abacus"], "unknown device"),
    ],
)
def test_writer_command_rejects_bad_input(
    options, said, corpus, tmp_path, monkeypatch, usage_error
):
    monkeypatch.chdir(tmp_path)
    if options[0] != "train" and "--model" not in options:
        make_writer().save("tiny.safetensors")
        options = [*options, "--model", "tiny.safetensors"]
    assert said in usage_error(main, options)


# What comes with the package ----------------------------------------------------------


def test_packaged_writer_is_small_and_writes_captions():
    assert MODEL.stat().st_size <= 1_000_000
    made = load_writer()
    found = made.write("a man", 20, seed=0, temperature=0.8, top_p=0.9)
    assert all(caption.startswith("a man") for caption in found)
    ended = [caption for caption in found if caption.endswith(".")]
    assert len(ended) >= 15  # a caption ends, and nearly always by a full stop
