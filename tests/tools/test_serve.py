"""The local server: what it sends."""

import gzip
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from tools.serve import main, serving


@pytest.fixture
def html(tmp_path):
    """A folder that looks like a built book."""
    folder = tmp_path / "html"
    folder.mkdir()
    (folder / "index.html").write_text("<p>Buch ☃", encoding="utf-8")
    (folder / "picture.png").write_bytes(bytes(range(256)))
    return folder


def test_text_goes_compressed_where_accepted_and_anew_when_changed(html):
    with serving(html) as address:
        asked = Request(address, headers={"Accept-Encoding": "gzip"})
        assert gzip.decompress(urlopen(asked).read()).decode() == "<p>Buch ☃"
        assert urlopen(address).read().decode() == "<p>Buch ☃"
        assert urlopen(address + "/picture.png").read() == bytes(range(256))
        (html / "index.html").write_text("<p>Book")
        assert gzip.decompress(urlopen(asked).read()) == b"<p>Book"


@pytest.mark.parametrize(
    "path", ["/none.html", "/../serve.py", "/%2e%2e/serve.py", "/%00", "/" + 9000 * "a"]
)
def test_path_outside_the_book_is_not_found(html, path):
    (html.parent / "serve.py").write_text("outside")
    with serving(html) as address, pytest.raises(HTTPError, match="404"):
        urlopen(address + path)


def test_busy_or_impossible_port_and_missing_book_are_said(html, monkeypatch, capsys):
    with serving(html) as address:
        busy = address.rpartition(":")[2]
        for folder, port, said in (
            (html, busy, f"port {busy} cannot be used"),
            (html, "99999", "at most"),
            (html.parent, "0", "build it first"),
        ):
            words = ["serve", "--html", str(folder), "--port", port]
            monkeypatch.setattr("sys.argv", words)
            with pytest.raises(SystemExit) as ended:
                main()
            assert ended.value.code == 2
            assert said in capsys.readouterr().err
