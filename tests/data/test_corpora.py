"""Corpora from a folder and from a server, whole, broken, foreign and missing."""

import functools
import gzip
import hashlib
import http.server
import os
import threading
import zipfile
from pathlib import Path

import pytest

from attnlab.data import corpora

needs_corpora = pytest.mark.skipif(
    not os.environ.get("ATTNLAB_DATA"),
    reason="needs the corpora: set ATTNLAB_DATA to the folder that holds them",
)
TATOEBA_LINE = "Hi.\t嗨。\tCC-BY 2.0 (France) Attribution: tatoeba.org #1 (a) & #2 (b)"


@needs_corpora
@pytest.mark.parametrize(
    ("split", "count"), [("train", 29_000), ("valid", 1_014), ("test", 1_000)]
)
def test_multi30k_has_published_sizes(split, count):
    pairs = corpora.multi30k(split)
    assert len(pairs) == count
    assert all(english and german for english, german in pairs)


@needs_corpora
def test_tatoeba_keeps_authors():
    sentences = corpora.tatoeba()
    assert len(sentences) == 28_635
    assert all("tatoeba.org #" in sentence.attribution for sentence in sentences)


@pytest.fixture
def empty_data_folder(tmp_path, monkeypatch) -> Path:
    """An ATTNLAB_DATA with nothing in it yet."""
    monkeypatch.setenv("ATTNLAB_DATA", str(tmp_path))
    (tmp_path / "multi30k").mkdir()
    (tmp_path / "tatoeba-cmn-eng").mkdir()
    return tmp_path


def test_corpus_missing_file_is_named(empty_data_folder):
    with pytest.raises(FileNotFoundError, match=r"val\.lc\.norm\.tok\.en\.gz is not"):
        corpora.multi30k("valid")
    with pytest.raises(FileNotFoundError, match=r"cmn\.txt\.gz is not there"):
        corpora.tatoeba()


@pytest.mark.parametrize(
    ("contents", "why"),
    [
        (b"", "broken"),
        (b"no gzip at all", "cannot be unpacked"),
        (gzip.compress(TATOEBA_LINE.encode() * 1000)[:100], "cannot be unpacked"),
        (gzip.compress(b"\xff\xfe\x00"), "UTF-8"),
        (gzip.compress(b"Hi.\tHallo."), "line 1 is not"),
        (gzip.compress(TATOEBA_LINE.encode()), "only 1 lines"),
    ],
    # Packed bytes hold the time, and processes must agree on the names of tests.
    ids=["empty", "not packed", "cut off", "no text", "no columns", "too few"],
)
def test_corpus_broken_or_foreign_file_is_rejected(empty_data_folder, contents, why):
    (empty_data_folder / "tatoeba-cmn-eng/cmn.txt.gz").write_bytes(contents)
    with pytest.raises(ValueError, match=why) as error:
        corpora.tatoeba()
    assert f"put cmn.txt from {corpora._TATOEBA} in its place" in str(error.value)
    assert "Remove it" not in str(error.value)  # nothing would bring it back


def test_multi30k_rejects_other_captions(empty_data_folder):
    for language in ("en", "de"):
        path = empty_data_folder / f"multi30k/val.lc.norm.tok.{language}.gz"
        path.write_bytes(gzip.compress(b"a cat\n" * 1014))
    with pytest.raises(ValueError, match="not the file that was published") as error:
        corpora.multi30k("valid")
    assert f"from {corpora._MULTI30K}/val.lc.norm.tok.en in" in str(error.value)


@pytest.fixture
def download_server(tmp_path, monkeypatch) -> Path:
    """A folder whose files can be downloaded, and an empty cache."""
    root = tmp_path / "server"
    root.mkdir()
    handler = functools.partial(_QuietHandler, directory=str(root))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        home = f"http://127.0.0.1:{running.server_port}"
        monkeypatch.delenv("ATTNLAB_DATA", raising=False)
        monkeypatch.setattr("pooch.os_cache", lambda name: tmp_path / name)
        monkeypatch.setattr(corpora, "_TATOEBA", f"{home}/cmn-eng.zip")
        monkeypatch.setattr(corpora, "_MULTI30K", home)
        yield root
        running.shutdown()


class _QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        """The tests' output is no place for a server's log."""


def test_download_retries_broken_and_keeps_complete_file(download_server, monkeypatch):
    monkeypatch.setattr(corpora, "_TATOEBA_MIN_PAIRS", 1)
    (download_server / "cmn-eng.zip").write_bytes(b"no zip at all")
    with pytest.raises(ValueError, match="Remove it and try again") as error:
        corpora.tatoeba()
    Path(str(error.value).split(" is broken")[0]).unlink()
    with zipfile.ZipFile(download_server / "cmn-eng.zip", "w") as archive:
        archive.writestr("cmn.txt", f"{TATOEBA_LINE}\n")
    assert corpora.tatoeba()[0][:2] == ("Hi.", "嗨。")
    (download_server / "cmn-eng.zip").unlink()
    assert corpora.tatoeba()[0].english == "Hi."


def test_download_discards_wrong_file(download_server, monkeypatch):
    right = b"a cat\n"
    sha256 = hashlib.sha256(right).hexdigest()
    split = ("val", 1, {"en": sha256, "de": sha256})
    monkeypatch.setitem(corpora._SPLITS, "valid", split)
    for language in ("en", "de"):
        (download_server / f"val.lc.norm.tok.{language}").write_bytes(b"a c")
    with pytest.raises(ValueError, match="thrown away: try again"):
        corpora.multi30k("valid")
    for language in ("en", "de"):
        (download_server / f"val.lc.norm.tok.{language}").write_bytes(right)
    assert corpora.multi30k("valid") == [("a cat", "a cat")]


def test_download_names_server_without_the_file(download_server):
    with pytest.raises(ConnectionError, match="could not be downloaded"):
        corpora.tatoeba()
