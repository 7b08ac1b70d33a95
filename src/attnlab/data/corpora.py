"""Real sentence pairs: English and German captions, English and Chinese sentences.

| loader      | what                        | pairs  | licence                      |
| ----------- | --------------------------- | ------ | ---------------------------- |
| `multi30k`  | image captions, en and de   | 31,014 | for research; see the source |
| `tatoeba`   | everyday sentences, en, zh  | 28,635 | CC BY 2.0 FR, by their authors |

Multi30k: https://github.com/multi30k/dataset (Elliott et al. 2016). Tatoeba:
https://tatoeba.org, as pairs from https://www.manythings.org/anki; each pair carries
the names of those who wrote it.

The first call downloads a file, checks it and keeps it in the user's cache folder.
`ATTNLAB_DATA` names a folder that is read instead of any download; it holds
`multi30k/train.lc.norm.tok.en.gz` and so on, and `tatoeba-cmn-eng/cmn.txt.gz`.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import zipfile
import zlib
from pathlib import Path
from typing import NamedTuple

from attnlab.checks import sentences_extra

_MULTI30K = (
    "https://raw.githubusercontent.com/multi30k/dataset/"
    "7bee46bc74186b4b6254603143610f730d40bf66/data/task1/tok"
)
_TATOEBA = "https://www.manythings.org/anki/cmn-eng.zip"
# Sentences that no collection of this kind falls below; the public one still grows.
_TATOEBA_MIN_PAIRS = 20_000

# By split: the file's name, its lines, and SHA-256 of the unpacked English and German.
_SPLITS = {
    "train": (
        "train",
        29_000,
        {
            "en": "08925f8e0572bcd5a006702fc5fe20e2d77c6917d4eebd576fc20de6693c2119",
            "de": "cb5a23529b65ec2061f1dc446192a9c37382b63cc75f81a0be59d34894b3a505",
        },
    ),
    "valid": (
        "val",
        1_014,
        {
            "en": "46573ce391ae227f1c72f873392436a20ef18e0a6d518098cfbd70b77c8572ec",
            "de": "97232bd273eceb7207f689527386a97e4be2616b18ada47576bdaf96c8ae1f00",
        },
    ),
    "test": (
        "test_2016_flickr",
        1_000,
        {
            "en": "5b7f32627cf99eced828311b955dae9800bb52bc8b91cf8b6526829e605b29d2",
            "de": "c6a33d39d48f9f510de147651316cd9d918e09ad0219df734a2f16b6baccacc4",
        },
    ),
}


class Sentence(NamedTuple):
    """A sentence in two languages, and whom it is by."""

    english: str
    chinese: str
    attribution: str


def multi30k(split: str) -> list[tuple[str, str]]:
    """Return English and German captions, lower-cased and cut into words by spaces.

    Args:
        split: "train" (29,000 pairs), "valid" (1,014) or "test" (1,000, the test set
            of 2016 on Flickr).

    Raises:
        ValueError: an unknown split, or a file that is not the one published.
        FileNotFoundError: `ATTNLAB_DATA` is set and the file is not there.
        ConnectionError: it could not be downloaded.
    """
    if split not in _SPLITS:
        raise ValueError(f"split {split!r} is none of {', '.join(_SPLITS)}")
    name, lines, hashes = _SPLITS[split]
    sides = []
    for language, sha256 in hashes.items():
        file = f"{name}.lc.norm.tok.{language}"
        local = _local_file(f"multi30k/{file}.gz")
        url = f"{_MULTI30K}/{file}"
        path = local or download(url, sha256)
        contents = _unpack(path, url)
        if hashlib.sha256(contents).hexdigest() != sha256:
            raise _broken_file_error(path, "it is not the file that was published", url)
        sentences = contents.decode("utf-8").splitlines()
        if len(sentences) != lines:
            why = f"it has {len(sentences)} lines instead of {lines}"
            raise _broken_file_error(path, why, url)
        sides.append(sentences)
    return list(zip(*sides, strict=True))


def tatoeba() -> list[Sentence]:
    """Return English sentences with Chinese translations, both as they were written.

    Simplified and traditional script are mixed; `attnlab.data.text` unifies them.
    The public collection grows: the scores in the book are for 28,635 pairs.

    Raises:
        ValueError: the file is truncated or holds something else.
        FileNotFoundError: `ATTNLAB_DATA` is set and the file is not there.
        ConnectionError: it could not be downloaded.
    """
    path = _local_file("tatoeba-cmn-eng/cmn.txt.gz") or download(_TATOEBA, None)
    try:
        lines = _unpack(path, _TATOEBA).decode("utf-8").splitlines()
    except UnicodeDecodeError as e:
        raise _broken_file_error(path, "it is no text in UTF-8", _TATOEBA) from e
    sentences = []
    for number, line in enumerate(lines, start=1):
        columns = line.split("\t")
        if len(columns) != 3 or not all(columns) or "CC-BY" not in columns[2]:
            why = f"line {number} is not English, Chinese and attribution"
            raise _broken_file_error(path, why, _TATOEBA)
        sentences.append(Sentence(*columns))
    if len(sentences) < _TATOEBA_MIN_PAIRS:
        raise _broken_file_error(path, f"it has only {len(sentences)} lines", _TATOEBA)
    return sentences


def _local_file(name: str) -> Path | None:
    """Return the file in the folder that `ATTNLAB_DATA` names, None if unset."""
    folder = os.environ.get("ATTNLAB_DATA")
    if not folder:
        return None
    path = Path(folder) / name
    if not path.is_file():
        raise FileNotFoundError(
            f"ATTNLAB_DATA is {folder}, but {name} is not there: "
            "put it there, or unset ATTNLAB_DATA to download it"
        )
    return path


def cache() -> Path:
    """Return the user's cache folder, which holds what was downloaded."""
    with sentences_extra():
        import pooch

    return Path(pooch.os_cache("attnlab"))


def download(url: str, sha256: str | None, folder: str = ".") -> Path:
    """Fetch a file into a folder of the cache, once; a broken download is not kept.

    Raises:
        ValueError: what came is not the file of this SHA-256.
        ConnectionError: it could not be downloaded.
    """
    with sentences_extra():  # not needed by readers who bring their own files
        import pooch
        import requests

    # The server refuses programs that do not say who they are.
    downloader = pooch.HTTPDownloader(
        headers={"User-Agent": "attnlab (a book's exercises)"}, timeout=60
    )
    known_hash = None if sha256 is None else f"sha256:{sha256}"
    try:
        path = pooch.retrieve(
            url,
            known_hash,
            fname=url.rsplit("/", 1)[-1],
            path=cache() / folder,
            downloader=downloader,
        )
    except requests.RequestException as e:
        raise ConnectionError(
            f"{url} could not be downloaded ({type(e).__name__}): try again, or fetch "
            "it by hand and set ATTNLAB_DATA, see attnlab.data.corpora"
        ) from None  # the library's own trace is pages long
    except ValueError as e:  # the hash
        raise ValueError(
            f"what came from {url} is not the file that was published, and was "
            "thrown away: try again"
        ) from e
    return Path(path)


def _unpack(path: Path, url: str) -> bytes:
    """Return a file's contents, unpacked by what its name says.

    `url` is where the file comes from, for the complaint if it is broken.
    """
    try:
        if path.suffix == ".gz":
            return gzip.decompress(path.read_bytes())
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                return archive.read("cmn.txt")
    except (OSError, EOFError, KeyError, zlib.error, zipfile.BadZipFile) as e:
        raise _broken_file_error(path, f"it cannot be unpacked ({e})", url) from e
    return path.read_bytes()


def _broken_file_error(path: Path, why: str, url: str) -> ValueError:
    """Say what is wrong with a file, and what to do: nothing fetches a reader's own."""
    advice = "Remove it and try again"
    if os.environ.get("ATTNLAB_DATA"):
        advice = (
            f"It lies in your ATTNLAB_DATA: put {path.stem} from {url} in its place, "
            "compressed by gzip, or unset ATTNLAB_DATA to download it"
        )
    return ValueError(f"{path} is broken: {why}. {advice}")
