"""A bench in JupyterLab, in a real browser: by keyboard, beside what it draws."""

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import expect

pytest.importorskip("jupyterlab")
pytestmark = pytest.mark.slow

OPTIONS = (
    "--no-browser",
    "--allow-root",
    "--port-retries=0",
    "--IdentityProvider.token=",
)
PATIENCE = 60_000  # milliseconds
CELL = """\
from attnlab.bench import BottleneckBench

bench = BottleneckBench()
bench.set(d_model=8, longest=4, epochs=1, train_numbers=320)
bench"""
QUIET = {"fetchNews": "false", "checkForUpdates": False}


def settings(folder: Path) -> Path:
    """Settings of JupyterLab under which nothing pops up over the notebook."""
    path = folder / "@jupyterlab/apputils-extension/notification.jupyterlab-settings"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(QUIET), encoding="utf-8")
    return folder


@pytest.fixture
def jupyterlab(tmp_path):
    """The address of a JupyterLab with one notebook, `bench.ipynb`."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    room = tmp_path / "room"
    room.mkdir()
    nbformat.write(notebook, room / "bench.ipynb")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own = {"JUPYTER_CONFIG_DIR": tmp_path / "config", "HOME": tmp_path}
    own["JUPYTERLAB_SETTINGS_DIR"] = settings(tmp_path / "settings")
    server = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", *OPTIONS, f"--port={port}"],
        cwd=room,
        env={**os.environ, **{name: str(value) for name, value in own.items()}},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        wait_for(address + "/api", server)
        yield address
    finally:
        server.terminate()
        server.wait(30)


def wait_for(address: str, server: subprocess.Popen) -> None:
    for _ in range(300):
        assert server.poll() is None, "JupyterLab has ended"
        try:
            urllib.request.urlopen(address)
            return
        except OSError:
            time.sleep(0.2)
    raise TimeoutError(f"no answer from {address}")


def open_bench(page, address):
    """Open the notebook and run its cell; return what stands below it."""
    page.goto(f"{address}/lab/tree/bench.ipynb")
    cell = page.locator(".jp-Notebook .jp-CodeCell").first
    prompt = cell.locator(".jp-InputPrompt")
    for _ in range(30):  # the notebook takes keys once it is ready
        cell.locator(".jp-InputArea-editor").click()
        page.keyboard.press("Shift+Enter")
        page.wait_for_timeout(1_500)
        if re.search(r"[*\d]", prompt.inner_text()):
            break
    bench = page.locator(".attnlab-bench")
    bench.locator("svg").wait_for()
    return bench


def test_set_train_and_look_by_keyboard(browser, jupyterlab, tmp_path):
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.set_default_timeout(PATIENCE)
    bench = open_bench(page, jupyterlab)
    epochs = bench.get_by_label("Epochs (1–100)")
    epochs.focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("0")
    for _ in "ab":  # past the seed, to Train
        page.keyboard.press("Tab")
    expect(bench.get_by_role("button", name="Train")).to_be_focused()
    page.keyboard.press("Enter")
    said = bench.get_by_role("status")
    wrong = said.filter(has_text="Epochs is a whole number from 1 to 100, not 0")
    expect(wrong).to_be_visible(timeout=PATIENCE)
    epochs.fill("1")
    bench.get_by_role("button", name="Train").press("Enter")
    done = said.filter(has_text="Run 1 is done")
    expect(done).to_be_visible(timeout=PATIENCE)
    row = bench.locator("tbody th").first
    expect(row).to_have_text("Run 1")
    # Settings and result stand side by side, on a narrow screen one below the other.
    left, right = (bench.locator(":scope > .widget-vbox").nth(n) for n in (0, 1))
    assert left.bounding_box()["y"] == right.bounding_box()["y"]
    shot = tmp_path / "bench.png"
    bench.screenshot(path=shot)
    assert shot.stat().st_size > 10_000
    page.set_viewport_size({"width": 500, "height": 800})
    page.wait_for_function(
        "([a, b]) => a.getBoundingClientRect().bottom <= b.getBoundingClientRect().top",
        arg=[left.element_handle(), right.element_handle()],
    )
    page.close()
