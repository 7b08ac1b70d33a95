"""A bench in a real kernel, driven by the messages that a notebook would send."""

import time

import pytest
from jupyter_client.manager import start_new_kernel

from attnlab.bench.base import TO_RUN

VIEW = "application/vnd.jupyter.widget-view+json"
MAKE = """
from attnlab.bench import BottleneckBench
bench = BottleneckBench()
bench.set(d_model=8, longest=4, epochs=1, train_numbers=320)
bench
"""

pytestmark = pytest.mark.slow


class Notebook:
    """The front end's side of a kernel: comms opened, values of widgets, presses."""

    def __init__(self, client):
        self.client = client
        self.state = {}
        self.shown = []
        self.errors = []

    def take(self, message):
        content = message["content"]
        if message["msg_type"] == "comm_open":
            self.state[content["comm_id"]] = content["data"].get("state", {})
        elif message["msg_type"] == "comm_msg":
            state = content["data"].get("state", {})
            self.state.setdefault(content["comm_id"], {}).update(state)
        elif message["msg_type"] in ("execute_result", "display_data"):
            self.shown.append(content["data"])
        elif message["msg_type"] == "error":
            self.errors.append(content)

    def run(self, code):
        self.client.execute_interactive(code, timeout=90, output_hook=self.take)
        assert self.errors == []

    def press(self, label):
        (comm,) = (
            id
            for id, state in self.state.items()
            if state.get("_model_name") == "ButtonModel"
            and state["description"].startswith(label)
        )
        data = {"method": "custom", "content": {"event": "click"}}
        content = {"comm_id": comm, "data": data}
        session = self.client.session
        self.client.shell_channel.send(session.msg("comm_msg", content))

    def wait_for(self, words, seconds=60):
        """Take messages until some widget says so."""
        end = time.monotonic() + seconds
        while not any(words in str(s.get("value")) for s in self.state.values()):
            assert time.monotonic() < end, f"no widget says {words!r}"
            self.take(self.client.get_iopub_msg(timeout=seconds))


@pytest.fixture(scope="module")
def notebook(tmp_path_factory):
    folder = tmp_path_factory.mktemp("notebook")
    manager, client = start_new_kernel(cwd=str(folder))
    found = Notebook(client)
    found.folder = folder
    found.run(MAKE)
    yield found
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def test_the_cell_gives_widgets_and_what_a_page_without_python_shows(notebook):
    data = notebook.shown[0]
    assert data[VIEW]["model_id"] in notebook.state
    assert TO_RUN in data["text/plain"] and TO_RUN in data["text/html"]
    assert "0x" not in data["text/plain"] and data[VIEW]["model_id"] not in str(
        [data["text/html"], data["text/plain"]]
    )


def test_trained_while_the_notebook_stays_alive_stopped_compared_and_saved(notebook):
    notebook.press("Train")
    notebook.wait_for("Run 1 is done")
    notebook.run("bench.set(epochs=100, train_numbers=3_000)")
    notebook.press("Train")
    notebook.wait_for("Step ")
    began = time.monotonic()
    notebook.run("assert 1 + 1 == 2")  # the kernel is not busy
    assert time.monotonic() - began < 20
    notebook.press("Train")
    notebook.wait_for("is under way")
    notebook.press("Stop")
    notebook.wait_for("Run 2 is stopped early and measured")
    notebook.press("Save")
    notebook.wait_for("Saved 2 runs to ")
    notebook.run(
        "import json\n"
        "saved = json.load(open('bottleneck-runs.json', encoding='utf-8'))\n"
        "assert [run['stopped'] for run in saved['runs']] == [False, True]"
    )
    assert (notebook.folder / "bottleneck-runs.json").exists()


def test_bad_settings_are_answered(notebook):
    notebook.run("bench.set(d_model='wide')")
    notebook.press("Train")
    notebook.wait_for("“wide” is none")
