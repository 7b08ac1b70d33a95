import pytest
import torch
from IPython.core.formatters import DisplayFormatter

from attnlab import show_source
from attnlab.claims import Claim, claim
from attnlab.exercises import checking


@pytest.fixture
def shown_source(monkeypatch):
    """What a notebook stores for `show_source(object)`, by MIME type."""

    def show_and_collect(object):
        displayed = []
        monkeypatch.setattr("IPython.display.display", displayed.append)
        assert show_source(object) is None
        (output,) = displayed
        data, _ = DisplayFormatter().format(output)
        return data

    return show_and_collect


def test_show_source_has_markdown_and_text(shown_source):
    data = shown_source(claim)
    text = data["text/plain"]
    assert text.startswith("# attnlab/claims.py\ndef claim(\n    id: str,")
    assert text.endswith("display(_Card(lines))")
    assert data["text/markdown"] == f"```python\n{text}\n```"
    assert "class Claim(NamedTuple):" in shown_source(Claim)["text/plain"]
    assert "def exercise(" in shown_source(checking)["text/plain"]


def test_show_source_dedents_method(shown_source):
    text = shown_source(torch.nn.Linear.forward)["text/plain"]
    assert text.split("\n")[1].startswith("def forward(self")


def test_show_source_prints_outside_notebook(capsys):
    show_source(claim)
    assert capsys.readouterr().out.startswith("# attnlab/claims.py\ndef claim(")


def function_with_fence():
    return "```"


def test_show_source_escapes_code_fence(shown_source):
    assert shown_source(function_with_fence)["text/markdown"].startswith("````python\n")
    assert shown_source(function_with_fence)["text/markdown"].endswith("\n````")


@pytest.mark.parametrize("thing", [3, "claim", None, len, int, torch.zeros(2), ...])
def test_show_source_rejects_object_without_source(thing):
    with pytest.raises(
        TypeError, match="show_source wants a function, class or module"
    ):
        show_source(thing)
