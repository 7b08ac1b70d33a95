import ast
import importlib
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import attnlab

FIRST_LINES = re.compile(r"code-block:: python\n\n((?:   .*\n|\n)+)")


@pytest.mark.parametrize(
    ("statement", "heavy"),
    [
        ("import attnlab", "torch numpy matplotlib anywidget IPython yaml"),
        (
            "from attnlab import check, claim, show_source",
            "torch matplotlib anywidget ipywidgets",
        ),
        (
            "import attnlab.transformer, attnlab.recurrent, attnlab.decoding",
            "opencc sacrebleu tokenizers matplotlib IPython",
        ),
        ("import attnlab.live", "anywidget torch matplotlib"),
        ("from attnlab.live import LiveFigure", "torch matplotlib"),
        (
            "from attnlab.live import *",
            "matplotlib tokenizers sacrebleu "
            "attnlab.training attnlab.experiments attnlab.sentences",
        ),
    ],
)
def test_import_attnlab_loads_no_torch(statement, heavy):
    code = f"{statement}; import sys; print(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert not set(heavy.split()) & set(loaded.split())


def test_public_names_resolve_to_their_modules():
    for name, home in attnlab._HOMES.items():
        assert getattr(attnlab, name) is getattr(importlib.import_module(home), name)
    assert set(attnlab.__all__) <= set(dir(attnlab))


def test_type_checking_imports_equal_public_names():
    tree = ast.parse(Path(attnlab.__file__).read_text(encoding="utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    seen = {name.asname: line.module for line in block.body for name in line.names}
    assert seen == attnlab._HOMES


def test_reference_first_example_translates(root, capsys):
    page = (root / "book" / "reference" / "index.rst").read_text(encoding="utf-8")
    example = textwrap.dedent(FIRST_LINES.search(page)[1])
    assert len(example.strip().splitlines()) <= 20
    names = {}
    exec(example.replace("steps=100", "steps=100, progress=False"), names)
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "['eine', 'schwarze', 'Katze']"
    maps = names["model"].attention(names["src"], names["read"])["cross"]
    assert maps.shape == (1, 1, 2, 4, 4)
