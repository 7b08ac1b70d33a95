"""Verdicts are read back from stored notebooks."""

import nbformat
import pytest

from attnlab.ledger import stored_verdicts


def write_chapter(folder, name, *printed):
    cells = [nbformat.v4.new_markdown_cell("C01 holds: not printed, only written")]
    for text in printed:
        cell = nbformat.v4.new_code_cell("claim(…)")
        cell.outputs = [nbformat.v4.new_output("stream", name="stdout", text=text)]
        cells.append(cell)
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbformat.write(notebook, folder / name)


def test_verdicts_come_in_the_chapters_order(tmp_path):
    write_chapter(tmp_path, "02_b.ipynb", "C06 is refuted: no\n")
    write_chapter(
        tmp_path, "01_a.ipynb", "hello\nC01 holds: yes\nC02 holds when x: y\n"
    )
    write_chapter(tmp_path, "draft.ipynb", "C09 holds: not a chapter\n")
    verdicts = stored_verdicts(tmp_path)
    assert [v.id for v in verdicts] == ["C01", "C02", "C06"]
    assert [v.kind for v in verdicts] == ["holds", "when", "refuted"]
    assert verdicts[1].condition == "x"


def test_a_claim_counts_once(tmp_path):
    write_chapter(tmp_path, "01_a.ipynb", "C01 holds: yes\n", "C01 is refuted: no\n")
    (verdict,) = stored_verdicts(tmp_path)
    assert verdict.kind == "holds"


def test_a_folder_without_chapters_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=tmp_path.name):
        stored_verdicts(tmp_path)
