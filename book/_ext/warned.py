"""Sphinx extension: a build that ended in warnings is not taken up by the next one.

Sphinx reads a page again only when it has changed, and warns only of what it reads. So
a second build would pass over what failed the first.
"""

from pathlib import Path

from sphinx.application import ENV_PICKLE_FILENAME, Sphinx


def reset_warnings(app: Sphinx, exception: Exception | None) -> None:
    """Drop what Sphinx remembers of all pages if a warning has failed the build.

    After an exception Sphinx does the same by itself.
    """
    if app.keep_going and app._warncount:
        Path(app.doctreedir, ENV_PICKLE_FILENAME).unlink(missing_ok=True)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", reset_warnings, priority=999)  # others warn there too
    return {"parallel_read_safe": True, "parallel_write_safe": True}
