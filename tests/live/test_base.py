"""LiveFigure from Python's side: a widget whose HTML needs no kernel."""

import html
import json
import re

import pytest
from IPython.core.formatters import DisplayFormatter

from attnlab.live import Train

HOSTILE_TEXT = '</script><script>alert("1")</script> & <b>bold</b> \u2028 <!--'


def embedded_data(text):
    (data,) = re.findall(r'<script type="application/json">(.*?)</script>', text)
    return json.loads(data)


def test_live_figure_html_escapes_text(make):
    class HostileFigure(make):
        title = caption = description = HOSTILE_TEXT

    text = HostileFigure(name=HOSTILE_TEXT)._repr_html_()
    assert text.count("<script") == text.count("</script") == 3
    assert "<b>" not in text
    assert "<!--" not in text
    assert f"<figcaption>{html.escape(HOSTILE_TEXT)}</figcaption>" in text
    state = embedded_data(text)
    assert state["name"] == HOSTILE_TEXT and "unseen" not in state


def test_live_figure_mimebundle_has_text_html_and_widget(make):
    figure = make()
    data, _ = DisplayFormatter().format(figure)
    assert data["text/plain"] == repr(figure)
    assert data["text/html"] == figure._repr_html_()
    view = data["application/vnd.jupyter.widget-view+json"]
    assert view["model_id"] == figure.model_id


def test_live_figure_page_changes_reach_observers(make):
    figure, seen = make(), []
    figure.observe(lambda change: seen.append((change.old, change.new)), "number")
    update = {"method": "update", "state": {"number": 9}, "buffer_paths": []}
    figure._handle_msg({"content": {"data": update}, "buffers": []})
    assert figure.number == 9
    assert seen == [(5, 9)]


def test_live_figure_widget_state_is_complete(make):
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


def send_message(figure, content):
    """What a figure's Python answers to a message from its JavaScript."""
    sent = []
    figure.send = lambda content, buffers=None: sent.append((content, buffers))
    message = {"method": "custom", "content": content}
    figure._handle_msg({"content": {"data": message}, "buffers": []})
    return sent


@pytest.mark.parametrize("name", ["nobody", "../base", None])
def test_live_figure_answers_unknown_weights_with_error(make, name):
    ((answer, buffers),) = send_message(make(), {"weights": name})
    assert buffers is None
    assert repr(name) in answer["error"]


def test_live_figure_rejects_unknown_argument(make):
    with pytest.raises(TypeError, match="Toy has no trait nummer; it has name, number"):
        make(nummer=3)


def test_attnlab_live_unknown_name_raises_attribute_error():
    import attnlab.live

    with pytest.raises(AttributeError, match="Heroine"):
        attnlab.live.Heroine  # noqa: B018
    assert {"Hero", "load_weights"} <= set(dir(attnlab.live))


def test_live_figure_kernel_sends_training_program():
    ((said, (program,)),) = send_message(Train(), {"weights": "train-worker"})
    assert said == {"weights": "train-worker"}
    assert b"learn/worker.js" in program
