"""JupyterLab in a browser: a bench by keyboard, and a saved notebook opened again."""

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
pytestmark = [pytest.mark.slow, pytest.mark.weekly]

SERVER_OPTIONS = (
    "--no-browser",
    "--allow-root",
    "--port-retries=0",
    "--IdentityProvider.token=",
    "--ServerApp.disable_check_xsrf=True",
)
ROOT = Path(__file__).parents[2]
TIMEOUT_MS = 60_000  # milliseconds
BENCH_CELL = """\
from attnlab.bench import BottleneckBench

bench = BottleneckBench()
bench.set(d_model=8, longest=4, epochs=1, train_numbers=320)
bench"""
FIGURE_CELL = """\
from attnlab.live import Alignment

Alignment()"""
NO_NOTIFICATIONS = {"fetchNews": "false", "checkForUpdates": False}


def write_quiet_settings(folder: Path) -> Path:
    """Settings of JupyterLab under which nothing pops up over the notebook."""
    path = folder / "@jupyterlab/apputils-extension/notification.jupyterlab-settings"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(NO_NOTIFICATIONS), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def jupyterlab(tmp_path_factory):
    """The address of a JupyterLab, set as by `make lab`, with one notebook."""
    tmp_path = tmp_path_factory.mktemp("jupyterlab")
    room = tmp_path / "room"
    room.mkdir()
    cells = [nbformat.v4.new_code_cell(code) for code in (BENCH_CELL, FIGURE_CELL)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(notebook, room / "bench.ipynb")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own = {"JUPYTER_CONFIG_DIR": tmp_path / "config", "HOME": tmp_path}
    own["JUPYTER_PATH"], option = lab_settings()
    own["JUPYTERLAB_SETTINGS_DIR"] = write_quiet_settings(tmp_path / "settings")
    server = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", *SERVER_OPTIONS, option, f"--port={port}"],
        cwd=room,
        env={**os.environ, **{name: str(value) for name, value in own.items()}},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        wait_for_server(address + "/api", server)
        yield address
    finally:
        server.terminate()
        try:
            server.wait(30)
        except subprocess.TimeoutExpired:  # it hangs if a kernel was just starting
            server.kill()


def lab_settings() -> tuple[str, str]:
    """JUPYTER_PATH and the option that `make lab` hands to JupyterLab."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    path, option = (
        re.search(pattern, makefile)[1].replace("$(CURDIR)", str(ROOT))
        for pattern in (r'JUPYTER_PATH="(.+?)\$\$', r'jupyter-lab .*"(--LabApp[^"]+)"')
    )
    return path, option


def wait_for_server(address: str, server: subprocess.Popen) -> None:
    for _ in range(300):
        assert server.poll() is None, "JupyterLab has ended"
        try:
            urllib.request.urlopen(address)
            return
        except OSError:
            time.sleep(0.2)
    raise TimeoutError(f"no answer from {address}")


def open_bench(page, address):
    """Open the notebook and run its first cell; return what stands below it."""
    page.set_default_timeout(TIMEOUT_MS)
    page.goto(f"{address}/lab/tree/bench.ipynb?reset")
    # Run before its kernel is there, a cell would open a dialog to choose one. The
    # status bar says so no sooner; the notebook's own sign is idle without a kernel.
    said = page.locator("#jp-main-statusbar").get_by_text("Python 3 (ipykernel) | Idle")
    expect(said).to_be_visible(timeout=TIMEOUT_MS)
    cell = page.locator(".jp-Notebook .jp-CodeCell").first
    cell.locator(".jp-InputArea-editor").click()
    page.keyboard.press("Shift+Enter")
    bench = page.locator(".attnlab-bench")
    bench.locator("svg").wait_for()
    return bench


def test_bench_in_jupyterlab_trains_by_keyboard(browser, jupyterlab):
    page = browser.new_page(viewport={"width": 1280, "height": 800})
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
    expect(wrong).to_be_visible(timeout=TIMEOUT_MS)
    epochs.fill("1")
    bench.get_by_role("button", name="Train").press("Enter")
    done = said.filter(has_text="Run 1 is done")
    expect(done).to_be_visible(timeout=TIMEOUT_MS)
    row = bench.locator("tbody th").first
    expect(row).to_have_text("Run 1")
    # Settings and result stand side by side; nothing but wide tables scrolls sideways.
    left, right = (bench.locator(":scope > .widget-vbox").nth(n) for n in (0, 1))
    assert left.bounding_box()["y"] == right.bounding_box()["y"]
    assert not bench.evaluate(
        "bench => [...bench.querySelectorAll('.widget-box, .widget-html')]"
        ".some(el => el.scrollWidth > el.clientWidth"
        " && getComputedStyle(el).overflowX !== 'visible')"
    )
    page.close()


def test_reopened_notebook_shows_its_saved_figures(browser, jupyterlab):
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    open_bench(page, jupyterlab)
    page.keyboard.press("Shift+Enter")  # the next cell
    page.locator('[data-figure="alignment"] .attnlab-body > *').first.wait_for()
    with page.expect_response(
        lambda answer: answer.request.method == "PUT" and "bench.ipynb" in answer.url
    ):
        page.keyboard.press("Control+s")
    page.close()
    sessions = f"{jupyterlab}/api/sessions"
    for session in json.load(urllib.request.urlopen(sessions)):
        end = urllib.request.Request(f"{sessions}/{session['id']}", method="DELETE")
        urllib.request.urlopen(end)
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.set_default_timeout(TIMEOUT_MS)
    page.goto(f"{jupyterlab}/lab/tree/bench.ipynb?reset")
    page.locator('[data-figure="alignment"] .attnlab-body > *').first.wait_for()
    page.locator(".attnlab-bench svg").first.wait_for()
    assert page.get_by_text("Error displaying widget").count() == 0
    page.close()
