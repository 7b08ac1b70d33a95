"""JupyterLab in a browser: a bench by keyboard, and what a saved notebook shows.

And what a reader meets who presses ■ in a training, or begins in a notebook's middle.
"""

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

OPTIONS = (
    "--no-browser",
    "--allow-root",
    "--port-retries=0",
    "--IdentityProvider.token=",
    "--ServerApp.disable_check_xsrf=True",
)
ROOT = Path(__file__).parents[2]
PATIENCE = 60_000  # milliseconds
CELL = """\
from attnlab.bench import BottleneckBench

bench = BottleneckBench()
bench.set(d_model=8, longest=4, epochs=1, train_numbers=320)
bench"""
FIGURE = """\
from attnlab.live import Alignment

Alignment()"""
TRAINING = (
    """\
import torch

from attnlab import claim
from attnlab.data import NumberPairs
from attnlab.recurrent import Seq2Seq
from attnlab.training import train

pairs = NumberPairs([1, 2, 3])
model = Seq2Seq(len(pairs.src_vocab), len(pairs.tgt_vocab), 4)
before = [weights.detach().clone() for weights in model.parameters()]""",
    """train(model, pairs, steps=1_000_000, warmup=0, device="cpu");""",
    """claim("C20", holds=True, evidence="all")""",
    """print("learned:", not all(map(torch.equal, before, model.parameters())))""",
)
STOPPED = re.compile(
    r"^Stopped after [1-9]\d* of 1000000 steps\. The model keeps what it has learned"
)
NAMES = ("# @title Sizes of both vocabularies\nsizes = (3, 4)", "print(sum(sizes))")
MISSING = (
    "name 'sizes' is not defined. The cell “Sizes of both vocabularies” under “The "
    "first part” makes it. Run that cell first; or all cells above this one: in "
    "JupyterLab by Run, Run All Above Selected Cell;"
)
QUIET = {"fetchNews": "false", "checkForUpdates": False}


def settings(folder: Path) -> Path:
    """Settings of JupyterLab under which nothing pops up over the notebook."""
    path = folder / "@jupyterlab/apputils-extension/notification.jupyterlab-settings"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(QUIET), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def jupyterlab(tmp_path_factory):
    """The address of a JupyterLab, set as by `make lab`, with three notebooks."""
    tmp_path = tmp_path_factory.mktemp("jupyterlab")
    room = tmp_path / "room"
    room.mkdir()
    write(room / "bench.ipynb", CELL, FIGURE)
    write(room / "training.ipynb", *TRAINING)
    write(room / "names.ipynb", *NAMES)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own = {"JUPYTER_CONFIG_DIR": tmp_path / "config", "HOME": tmp_path}
    own["JUPYTER_PATH"], option = lab_settings()
    own["JUPYTERLAB_SETTINGS_DIR"] = settings(tmp_path / "settings")
    server = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "jupyterlab",
            *OPTIONS,
            option,
            f"--port={port}",
        ],
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
        try:
            server.wait(30)
        except subprocess.TimeoutExpired:  # it hangs if a kernel was just starting
            server.kill()


def write(path: Path, *cells: str) -> None:
    """Write a notebook of these cells under one heading."""
    heading = nbformat.v4.new_markdown_cell("## The first part")
    code = [nbformat.v4.new_code_cell(cell) for cell in cells]
    notebook = nbformat.v4.new_notebook(cells=[heading, *code])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(notebook, path)


def lab_settings() -> tuple[str, str]:
    """JUPYTER_PATH and the option that `make lab` hands to JupyterLab."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    path, option = (
        re.search(pattern, makefile)[1].replace("$(CURDIR)", str(ROOT))
        for pattern in (r'JUPYTER_PATH="(.+?)\$\$', r'jupyter-lab .*"(--LabApp[^"]+)"')
    )
    return path, option


def wait_for(address: str, server: subprocess.Popen) -> None:
    for _ in range(300):
        assert server.poll() is None, "JupyterLab has ended"
        try:
            urllib.request.urlopen(address)
            return
        except OSError:
            time.sleep(0.2)
    raise TimeoutError(f"no answer from {address}")


def open_notebook(page, address, name):
    """Open one notebook alone and wait for its kernel; return its cells of code."""
    page.set_default_timeout(PATIENCE)
    page.goto(f"{address}/lab/tree/{name}?reset")
    # Run before its kernel is there, a cell would open a dialog to choose one. The
    # status bar says so no sooner; the notebook's own sign is idle without a kernel.
    said = page.locator("#jp-main-statusbar").get_by_text("Python 3 (ipykernel) | Idle")
    expect(said).to_be_visible(timeout=PATIENCE)
    return page.locator(".jp-Notebook .jp-CodeCell")


def choose(page, menu, item):
    """Press an item of one of JupyterLab's menus."""
    page.locator(".lm-MenuBar-item").get_by_text(menu, exact=True).click()
    page.locator(".lm-Menu-item").get_by_text(item, exact=True).click()


def run_cell(page, cell):
    cell.locator(".jp-InputArea-editor").click()
    page.keyboard.press("Shift+Enter")


def output(cell):
    return cell.locator(".jp-OutputArea-output")


def open_bench(page, address):
    """Open the notebook and run its cell; return what stands below it."""
    run_cell(page, open_notebook(page, address, "bench.ipynb").first)
    bench = page.locator(".attnlab-bench")
    bench.locator("svg").wait_for()
    return bench


def test_set_train_and_look_by_keyboard(browser, jupyterlab, tmp_path):
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
    # Nothing but wide tables and traces scrolls sideways.
    assert not bench.evaluate(
        "bench => [...bench.querySelectorAll('.widget-box, .widget-html')]"
        ".some(el => el.scrollWidth > el.clientWidth"
        " && getComputedStyle(el).overflowX !== 'visible')"
    )
    shot = tmp_path / "bench.png"
    bench.screenshot(path=shot)
    assert shot.stat().st_size > 10_000
    page.set_viewport_size({"width": 500, "height": 800})
    page.wait_for_function(
        "([a, b]) => a.getBoundingClientRect().bottom <= b.getBoundingClientRect().top",
        arg=[left.element_handle(), right.element_handle()],
    )
    page.close()


def test_a_saved_notebook_shows_its_figures_when_it_is_opened_again(
    browser, jupyterlab
):
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
    page.set_default_timeout(PATIENCE)
    page.goto(f"{jupyterlab}/lab/tree/bench.ipynb?reset")
    page.locator('[data-figure="alignment"] .attnlab-body > *').first.wait_for()
    page.locator(".attnlab-bench svg").first.wait_for()
    assert page.get_by_text("Error displaying widget").count() == 0
    page.close()


def test_stop_in_a_training_ends_run_all_and_withholds_the_verdict(browser, jupyterlab):
    page = browser.new_page()
    cells = open_notebook(page, jupyterlab, "training.ipynb")
    training, verdict, learned = (cells.nth(n) for n in (1, 2, 3))
    choose(page, "Run", "Run All Cells")
    steps = training.get_by_text(re.compile(r"[1-9]\d*/1000000 "))
    expect(steps).to_be_visible(timeout=PATIENCE)
    page.get_by_role("button", name="Interrupt the kernel").click()
    expect(output(training).last).to_contain_text(STOPPED, timeout=PATIENCE)
    for later in (verdict, learned):
        prompt = later.locator(".jp-InputPrompt")
        expect(prompt).to_have_text("[ ]:", timeout=PATIENCE)
        expect(output(later)).to_have_count(0)
    run_cell(page, verdict)
    withheld = "C20: no verdict on a model whose training was stopped"
    expect(output(verdict)).to_have_text(withheld, timeout=PATIENCE)
    run_cell(page, learned)
    expect(output(learned)).to_have_text("learned: True", timeout=PATIENCE)
    page.close()


def test_in_a_fresh_kernel_a_missing_name_is_answered_with_what_to_run(
    browser, jupyterlab
):
    page = browser.new_page()
    asking = open_notebook(page, jupyterlab, "names.ipynb").nth(1)
    choose(page, "Run", "Run All Cells")
    expect(output(asking)).to_have_text("7", timeout=PATIENCE)
    choose(page, "Kernel", "Restart Kernel and Clear Outputs of All Cells…")
    page.get_by_role("button", name="Confirm Kernel Restart").click()
    expect(output(asking)).to_have_count(0, timeout=PATIENCE)  # the new kernel is there
    run_cell(page, asking)
    expect(output(asking)).to_contain_text(MISSING, timeout=PATIENCE)
    asking.locator(".jp-InputArea-editor").click()
    choose(page, "Run", "Run All Above Selected Cell")  # as the answer says
    run_cell(page, asking)
    expect(output(asking)).to_have_text("7", timeout=PATIENCE)
    page.close()
