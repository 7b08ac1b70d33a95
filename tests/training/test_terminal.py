"""A notebook's ■: it ends Run All, keeps what was learned, and withholds verdicts."""

import os

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

pytestmark = pytest.mark.slow


@pytest.mark.weekly
@pytest.mark.skipif(os.name == "nt", reason="no SIGINT to a single process")
def test_notebook_interrupt_ends_run_all_without_verdict():
    cells = """\
import os, signal
from attnlab import claim
from attnlab.training import cross_entropy_loss, train
from attnlab.data import NumberPairs
from attnlab.recurrent import Seq2Seq
pairs = NumberPairs([1, 2, 3])
model = Seq2Seq(len(pairs.src_vocab), len(pairs.tgt_vocab), 4)
asked = []
def loss(model, batch):
    asked.append(1)
    if len(asked) == 3:
        os.kill(os.getpid(), signal.SIGINT)
    return cross_entropy_loss(model, batch)
---
history = train(model, pairs, steps=9, loss=loss, progress=False, device="cpu")
---
claim("C20", holds=False, evidence="nothing")
---
history = train(model, pairs, steps=2, loss=loss, progress=False, device="cpu")
claim("C20", holds=True, evidence="all")"""
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(cell) for cell in cells.split("---\n")]
    )
    client = NotebookClient(notebook, kernel_name="python3", timeout=120)
    with client.setup_kernel():
        with pytest.raises(CellExecutionError):  # what ends Run All
            for index, cell in enumerate(notebook.cells):
                client.execute_cell(cell, index)
        assert index == 1
        for later in (2, 3):
            client.execute_cell(notebook.cells[later], later)
    (stopped,) = notebook.cells[1].outputs
    assert stopped.ename == "Stopped"
    assert stopped.traceback == [stopped.evalue]
    assert "Stopped after 3 of 9 steps. The model keeps" in stopped.evalue
    (withheld,) = notebook.cells[2].outputs
    assert withheld.text == "C20: no verdict on a model whose training was stopped\n"
    (verdict,) = notebook.cells[3].outputs
    assert verdict.data["text/plain"] == "C20 holds: all"
