import pytest
import torch
from IPython.core.formatters import DisplayFormatter

from attnlab import show_source
from attnlab.claims import Claim, claim
from attnlab.exercises import checking


@pytest.fixture
def shown(monkeypatch):
    """What a notebook stores for `show_source(object)`, by MIME type."""

    def show(object):
        displayed = []
        monkeypatch.setattr("IPython.display.display", displayed.append)
        assert show_source(object) is None
        (output,) = displayed
        data, _ = DisplayFormatter().format(output)
        return data

    return show


def test_source_is_shown_as_python_in_markdown_and_as_text(shown):
    data = shown(claim)
    text = data["text/plain"]
    assert text.startswith("# attnlab/claims.py\ndef claim(\n    id: str,")
    assert text.endswith("display(_Card(lines))")
    assert data["text/markdown"] == f"```python\n{text}\n```"
    assert "class Claim(NamedTuple):" in shown(Claim)["text/plain"]
    assert "def exercise(" in shown(checking)["text/plain"]


def test_a_method_moves_to_the_margin(shown):
    text = shown(torch.nn.Linear.forward)["text/plain"]
    assert text.split("\n")[1].startswith("def forward(self")


def test_outside_a_notebook_the_source_is_printed(capsys):
    show_source(claim)
    assert capsys.readouterr().out.startswith("# attnlab/claims.py\ndef claim(")


def fenced():
    return "```"


def test_a_fence_in_the_source_does_not_end_the_block(shown):
    assert shown(fenced)["text/markdown"].startswith("````python\n")
    assert shown(fenced)["text/markdown"].endswith("\n````")


@pytest.mark.parametrize("thing", [3, "claim", None, len, int, torch.zeros(2), ...])
def test_show_source_refuses_what_has_no_source(thing):
    with pytest.raises(
        TypeError, match="show_source wants a function, class or module"
    ):
        show_source(thing)
