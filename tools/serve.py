"""Serve the built book on this machine, as a public host would.

    python -m tools.serve                     # after `make book`; or: make serve
    python -m tools.serve --port 8080

Text goes compressed.
"""

import argparse
import gzip
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any

from attnlab.commands import integer, user_errors
from tools.authoring import ROOT

TEXT = (".html", ".css", ".js", ".json", ".svg")


@cache
def _compressed(file: Path, changed: float) -> bytes:
    return gzip.compress(file.read_bytes())


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # one connection for many files

    def do_GET(self) -> None:
        """Answer with a file of the book."""
        file = Path(self.translate_path(self.path))
        takes_gzip = "gzip" in self.headers.get("Accept-Encoding", "")
        try:
            if file.is_dir():
                file = file / "index.html"
            compress = takes_gzip and file.suffix in TEXT
            changed = file.stat().st_mtime
            body = _compressed(file, changed) if compress else file.read_bytes()
        except (OSError, ValueError):  # not there, closed, or no name of a file
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(file))
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Last-Modified", self.date_time_string(changed))
        if compress:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        """Keep requests out of the output."""


class _Server(ThreadingHTTPServer):
    request_queue_size = 64  # a browser asks for many files at once

    def handle_error(self, *arguments: Any) -> None:
        """Say nothing of a reader who left before the whole page had come."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(*arguments)


@contextmanager
def serving(html: Path, port: int = 0) -> Iterator[str]:
    """Serve the folder of the built book; yields its address, such as
    `http://127.0.0.1:8000`. Port 0 is any that is free.

    Raises:
        ValueError: there is no built book in the folder.
        OSError: the port is taken, or this user may not use it.
    """
    if not (html / "index.html").is_file():
        raise ValueError(f"there is no book in {html}: build it first")
    try:
        server = _Server(("127.0.0.1", port), partial(_Handler, directory=html))
    except OSError as error:
        what = f"port {port} cannot be used ({error.strerror}): name another by --port"
        raise OSError(error.errno, what) from error
    with server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--html", type=Path, default=ROOT / "_build/html")
    parser.add_argument("--port", type=integer(0, 65_535), default=8000, help="0: any")
    options = parser.parse_args()
    with (
        user_errors("no book here any more"),
        serving(options.html, options.port) as at,
    ):
        print(f"The book is at {at} until you press Ctrl-C.", flush=True)
        while True:
            sleep(3600)


if __name__ == "__main__":
    main()
