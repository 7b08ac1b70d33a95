import http.client
import tempfile
from pathlib import Path
from urllib.parse import quote

from fuzzing import ODD_TEXT, REFUSED, attempt, fuzz
from hypothesis import given
from hypothesis import strategies as st

from tools.serve import serving

PATHS = st.one_of(
    ODD_TEXT.map(lambda text: quote(text[:99])),
    st.sampled_from(["", "../secret", "%2e%2e/secret", "..%2fsecret", "%00", "a/b/"]),
    st.sampled_from(["index.html?x=1#y", "//secret", "../../../../etc/passwd"]),
)


@fuzz(serving, share=0.3)
@given(st.lists(PATHS, min_size=1, max_size=5))
def test_nothing_but_the_book_is_served(paths):
    with tempfile.TemporaryDirectory() as folder:
        html = Path(folder, "html")
        html.mkdir()
        Path(folder, "secret").write_text("secret")

        def serve():
            with serving(html):
                raise AssertionError("there was nothing to serve")

        assert attempt(serve) is REFUSED
        (html / "index.html").write_text("book")
        with serving(html) as address:
            host = address.removeprefix("http://")
            for path in paths:
                connection = http.client.HTTPConnection(host, timeout=60)
                connection.request("GET", f"/{path}")
                answer = connection.getresponse()
                assert answer.status in (200, 301, 400, 404, 414)
                if answer.status == 200:
                    assert answer.read() == b"book"
                connection.close()
