"""LiveFigure from Python's side: a widget whose HTML needs no kernel."""

import html
import json
import re
import subprocess
import sys

import pytest
from IPython.core.formatters import DisplayFormatter

from attnlab.live import Train

NASTY = '</script><script>alert("1")</script> & <b>bold</b> \u2028 <!--'


def data_in(text):
    (data,) = re.findall(r'<script type="application/json">(.*?)</script>', text)
    return json.loads(data)


def test_the_html_holds_state_and_words_without_javascript(make):
    figure = make()
    figure.number = 42
    state = data_in(figure._repr_html_())
    assert (state["number"], state["name"]) == (42, "en-de-dot")
    assert "unseen" not in state
    text = re.sub(r"<script.*?</script>", "", figure._repr_html_(), flags=re.DOTALL)
    assert '<figure class="attnlab-live" data-figure="toy">' in text
    status = re.search(r'<p [^>]*role="status">(.*?)</p>', text)[1]
    assert status.startswith("One would see a number.")
    assert "in the book's page" in status
    assert "<figcaption>A caption.</figcaption>" in text


def test_no_text_can_break_out_of_its_place(make):
    class Nasty(make):
        title = caption = description = NASTY

    text = Nasty(name=NASTY)._repr_html_()
    assert text.count("<script") == text.count("</script") == 3
    assert "<b>" not in text
    assert "<!--" not in text
    assert f"<figcaption>{html.escape(NASTY)}</figcaption>" in text
    assert data_in(text)["name"] == NASTY


def test_it_displays_as_text_html_and_widget(make):
    figure = make()
    data, _ = DisplayFormatter().format(figure)
    assert data["text/plain"] == repr(figure)
    assert data["text/html"] == figure._repr_html_()
    view = data["application/vnd.jupyter.widget-view+json"]
    assert view["model_id"] == figure.model_id


def test_what_the_page_sends_reaches_observers(make):
    figure, seen = make(), []
    figure.observe(lambda change: seen.append((change.old, change.new)), "number")
    update = {"method": "update", "state": {"number": 9}, "buffer_paths": []}
    figure._handle_msg({"content": {"data": update}, "buffers": []})
    assert figure.number == 9
    assert seen == [(5, 9)]


def test_the_widgets_state_holds_what_the_page_needs(make):
    state = make(number=3).get_state()
    assert state["number"] == 3
    assert "function mountView" in state["_esm"]
    assert state["_frame"] == {
        "figure": "toy",
        "title": "A title",
        "caption": "A caption.",
        "description": "One would see a number.",
        "limits": {},
    }


def ask(figure, content):
    """What a figure's Python answers to a message from its JavaScript."""
    sent = []
    figure.send = lambda content, buffers=None: sent.append((content, buffers))
    message = {"method": "custom", "content": content}
    figure._handle_msg({"content": {"data": message}, "buffers": []})
    return sent


@pytest.mark.parametrize("name", ["nobody", "../base", None])
def test_it_answers_a_wrong_name_with_an_error(make, name):
    ((answer, buffers),) = ask(make(), {"weights": name})
    assert buffers is None
    assert repr(name) in answer["error"]


def test_an_unknown_argument_is_named(make):
    with pytest.raises(TypeError, match="Toy has no trait nummer; it has name, number"):
        make(nummer=3)


@pytest.mark.parametrize(
    ("code", "heavy"),
    [
        ("import attnlab.live", "anywidget torch matplotlib"),
        ("from attnlab.live import LiveFigure", "torch matplotlib"),
        (
            "from attnlab.live import *",
            "matplotlib tokenizers sacrebleu "
            "attnlab.training attnlab.experiments attnlab.sentences",
        ),
    ],
)
def test_importing_figures_loads_nothing_heavy(code, heavy):
    code += "; import sys; print(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert not set(heavy.split()) & set(loaded.split())


def test_an_unknown_name_is_an_attribute_error():
    import attnlab.live

    with pytest.raises(AttributeError, match="Heroine"):
        attnlab.live.Heroine  # noqa: B018
    assert {"Hero", "load_weights"} <= set(dir(attnlab.live))


def test_the_kernel_hands_out_the_program_of_the_training():
    ((said, (program,)),) = ask(Train(), {"weights": "train-worker"})
    assert said == {"weights": "train-worker"}
    assert b"learn/worker.js" in program
