"""Sphinx extension: pages are executed side by side, as many as there are processors.

MyST-NB executes each page when it reads it, one after the other. It finds them in the
cache if jupyter-cache has executed them before.
"""

import logging as std_logging
import os
from pathlib import Path

import nbformat
from jupyter_cache import get_cache
from jupyter_cache.executors import load_executor
from myst_nb.core.read import is_myst_markdown_notebook, myst_nb_reader_plugin
from nbformat import NotebookNode
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
READERS = {".ipynb": "nbformat", ".md": "myst_nb_md"}  # jupyter-cache's names


def notebook(path: Path) -> NotebookNode | None:
    """Read a page that has cells; None if it has none."""
    if path.suffix == ".ipynb":
        return nbformat.read(path, as_version=4)
    if is_myst_markdown_notebook(path.read_text("utf-8")):
        return myst_nb_reader_plugin(str(path))
    return None


def execute(app: Sphinx, env: BuildEnvironment, pages: list[str]) -> None:
    """Execute what is to be read and not in the cache.

    A page whose cell fails is left to MyST-NB, which says so.
    """
    if env.mystnb_config.execution_mode != "cache":
        return
    cache = get_cache(env.mystnb_config.execution_cache_path)
    paths = [Path(env.doc2path(page)) for page in pages]
    records = [
        cache.add_nb_to_project(
            str(path), read_data={"type": "plugin", "name": READERS[path.suffix]}
        ).pk
        for path in paths
        if notebook(path) is not None
    ]
    waiting = len(cache.list_unexecuted(filter_pks=records))
    if waiting < 2:
        return
    LOGGER.info("executing %s pages on %s processors", waiting, os.cpu_count())
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # each has one processor
    quiet = std_logging.getLogger(__name__)
    for logger in (quiet, std_logging.getLogger("traitlets")):
        logger.setLevel(std_logging.CRITICAL)
    load_executor("local-parallel", cache, quiet).run_and_cache(
        filter_pks=records, timeout=app.config.nb_execution_timeout
    )


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("env-before-read-docs", execute)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
