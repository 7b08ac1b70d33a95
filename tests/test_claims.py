import ast
import re
from pathlib import Path

import nbformat
import numpy as np
import pytest
import torch
from bs4 import BeautifulSoup

from attnlab.claims import (
    Verdict,
    _Card,
    claim,
    load_claims,
    read_verdicts,
)
from attnlab.training import terminal

ROOT = Path(__file__).parents[1]


CONDITION = "n < d"


@pytest.mark.parametrize(
    ("id", "holds", "falsified", "kind", "words"),
    [
        ("C20", True, None, "holds", "holds"),
        ("C20", np.float32(1) < 2, False, "holds", "holds"),
        ("C20", CONDITION, False, "when", "holds when n < d"),
        ("C20", CONDITION, True, "restated", "is refuted as stated, true when n < d"),
        ("C20", False, None, "refuted", "is refuted"),
        ("C20", (torch.zeros(3) > 1).all(), True, "refuted", "is refuted"),
        ("C16", True, None, "definition", "holds by definition"),
        ("C16", False, None, "refuted", "is refuted"),
    ],
)
def test_claim_follows_the_rule_for_verdicts(id, holds, falsified, kind, words, capsys):
    evidence = "ratio 1.0: 3 seeds, holds when asked: yes"
    claim(id, holds=holds, falsified=falsified, evidence=evidence)
    line = capsys.readouterr().out
    assert line == f"{id} {words}: {evidence}\n"
    condition = CONDITION if holds is CONDITION else ""
    assert read_verdicts([line]) == [Verdict(id, kind, condition, evidence)]


@pytest.mark.parametrize(
    ("holds", "falsified", "error", "words"),
    [
        (CONDITION, None, TypeError, "a condition needs falsified"),
        (CONDITION, 0.3, TypeError, "falsified must be True, False, got float"),
        (True, True, ValueError, "cannot hold where what would refute it came out"),
    ],
)
def test_claim_rejects_verdict_against_the_rule(holds, falsified, error, words):
    with pytest.raises(error, match=words):
        claim("C20", holds=holds, falsified=falsified, evidence="within 2%")


def test_claim_after_interrupted_training_is_withheld(monkeypatch, capsys):
    monkeypatch.setattr(terminal, "unfinished", {"a model"})
    claim("C20", holds=False, evidence="within 2%")
    assert capsys.readouterr().out == (
        "C20: no verdict on a model whose training was stopped\n"
    )


@pytest.mark.parametrize(
    ("name", "values", "error", "words"),
    [
        ("id", ["C99", "c20", "", 20], ValueError, r"no claim .*C01 to C\d\d"),
        (
            "holds",
            [1, 0.3, None, np.ones(3) > 0, torch.ones(1) > 0],
            TypeError,
            "holds must be True, False or a condition",
        ),
        ("holds", ["", "n < d: always"], ValueError, "condition|one line"),
        ("evidence", ["", "  ", "two\nlines"], ValueError, "evidence must be one line"),
        ("evidence", [0.98], TypeError, "evidence must be text, got float"),
        ("control", ["", "two\nlines"], ValueError, "control must be one line"),
    ],
)
def test_claim_rejects_text_that_cannot_be_parsed_back(
    name, values, error, words, capsys
):
    right = {"id": "C20", "holds": True, "evidence": "within 2%"}
    for value in values:
        with pytest.raises(error, match=words):
            claim(**right | {name: value})
    assert not capsys.readouterr().out


def test_claim_control_prints_second_line(capsys):
    claim("C20", holds=True, evidence="within 2%", control="8 where rows are equal")
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["C20 holds: within 2%", "C20 control: 8 where rows are equal"]
    (verdict,) = read_verdicts(["a line", *lines])
    assert verdict.control == "8 where rows are equal"
    assert read_verdicts(["C19 holds: x", lines[1]])[0].control == ""


def test_claim_card_html_has_all_lines_escaped():
    lines = ["C20 holds when d < 9: a < b", "C20 control: c & d"]
    page = BeautifulSoup(_Card(lines)._repr_html_(), "html.parser")
    card = page.find("section")
    assert (card["data-claim"], card["data-verdict"]) == ("C20", "when")
    claimed = load_claims()["C20"]
    for told in ("holds when d < 9", "a < b", "c & d", claimed.text):
        assert told in card.get_text()
    assert card.find("a")["href"] == claimed.source.url
    assert page.find(lang="zh").get_text() == claimed.source.title


def test_claims_file_entries_are_complete():
    claims = load_claims()
    chapters = {int(path.name[:2]) for path in ROOT.glob("book/[0-9]*.ipynb")}
    assert list(claims) == [f"C{number:02d}" for number in range(1, len(claims) + 1)]
    for entry in claims.values():
        assert entry.chapter in chapters
        assert entry.text and entry.ask and entry.refuted_by and entry.source.title
        assert re.match(r"https://|$", entry.source.url)


def test_claims_file_and_book_have_equal_ids():
    book = ROOT / "book" / "claims.yml"
    if not book.is_symlink():
        pytest.skip("this checkout holds links as files")
    assert book.resolve() == (ROOT / "src/attnlab/claims.yml").resolve()


def closing_calls():
    """What the chapters' code says to `claim`: {id: its arguments by name}."""
    cells = [
        cell.source
        for path in sorted((ROOT / "book").glob("[0-9]*.ipynb"))
        for cell in nbformat.read(path, as_version=4).cells
        if cell.cell_type == "code" and "\nclaim(" in cell.source
    ]
    nodes = [node for source in cells for node in ast.walk(ast.parse(source))]
    return {
        node.args[0].value: {one.arg: one.value for one in node.keywords}
        for node in nodes
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "claim"
    }


def kinds_in(node, kind):
    """What of a kind stands in an expression, as text."""
    return {ast.unparse(one) for one in ast.walk(node) if isinstance(one, kind)}


def test_claim_calls_use_measured_values_and_separate_controls():
    closed = closing_calls()
    assert sorted(closed) == list(load_claims())
    for id, told in closed.items():
        holds = told["holds"]
        asked = holds.test if isinstance(holds, ast.IfExp) else holds
        assert not isinstance(asked, ast.Constant) and kinds_in(asked, ast.Name), id
        assert kinds_in(told.get("falsified", asked), ast.Name), id
        # A control prints a number of its own, or none, and the verdict bounds it.
        shown, measured = (
            kinds_in(told[name], ast.FormattedValue) for name in ("control", "evidence")
        )
        bounded = not shown and len(kinds_in(holds, ast.Compare)) > 1
        assert bounded or shown - measured, id
