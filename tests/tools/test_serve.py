"""The local server: what it sends."""

import gzip
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from tools.serve import main, serving


@pytest.fixture
def html_folder(tmp_path):
    """A folder that looks like a built book."""
    folder = tmp_path / "html"
    folder.mkdir()
    (folder / "index.html").write_text("<p>Buch ☃", encoding="utf-8")
    (folder / "picture.png").write_bytes(bytes(range(256)))
    return folder


def test_serve_compresses_text_and_refreshes(html_folder):
    with serving(html_folder) as address:
        asked = Request(address, headers={"Accept-Encoding": "gzip"})
        assert gzip.decompress(urlopen(asked).read()).decode() == "<p>Buch ☃"
        assert urlopen(address).read().decode() == "<p>Buch ☃"
        assert urlopen(address + "/picture.png").read() == bytes(range(256))
        (html_folder / "index.html").write_text("<p>Book")
        assert gzip.decompress(urlopen(asked).read()) == b"<p>Book"


@pytest.mark.parametrize(
    "path", ["/none.html", "/../serve.py", "/%2e%2e/serve.py", "/%00", "/" + 9000 * "a"]
)
def test_serve_path_outside_book_is_404(html_folder, path):
    (html_folder.parent / "serve.py").write_text("outside")
    with serving(html_folder) as address, pytest.raises(HTTPError, match="404"):
        urlopen(address + path)


def test_serve_names_bad_port_or_missing_book(html_folder, monkeypatch, usage_error):
    with serving(html_folder) as address:
        busy = address.rpartition(":")[2]
        for folder, port, said in (
            (html_folder, busy, f"port {busy} cannot be used"),
            (html_folder, "99999", "at most"),
            (html_folder.parent, "0", "build it first"),
        ):
            words = ["serve", "--html", str(folder), "--port", port]
            monkeypatch.setattr("sys.argv", words)
            assert said in usage_error(main)
