"""The chapters as notebooks. That they keep the rules is in `tools/test_authoring.py`.

That they print what they store is nbval's to say, in the same run; what it sees is
tested in `test_comparison.py`.
"""

import re
import subprocess
import sys

import nbformat
import pytest
import yaml

pytestmark = pytest.mark.book

MOST_WORDS = 2_800  # of a lecture: half an hour's reading


def test_every_chapter_is_in_the_table_of_contents(root):
    toc = (root / "_toc.yml").read_text(encoding="utf-8")
    chapters = sorted((root / "book").glob("[0-9]*.ipynb"))
    assert [path.stem for path in chapters if f"book/{path.stem}\n" not in toc] == []


def test_a_lecture_is_read_in_half_an_hour(lecture):
    cells = nbformat.read(lecture, as_version=4).cells
    prose = [cell.source for cell in cells if cell.cell_type == "markdown"]
    assert 500 < sum(len(text.split()) for text in prose) <= MOST_WORDS


def test_a_lab_follows_its_lecture_and_each_leads_to_the_other(root, lecture):
    toc = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))
    chapters = {one["file"]: one for one in toc["parts"][0]["chapters"]}
    below = chapters[f"book/{lecture.stem}"]["sections"]
    lab = f"{lecture.stem[:2]}_lab"
    assert [section["file"] for section in below] == [f"book/{lab}"]
    for page, other in ((lecture.stem, lab), (lab, lecture.stem)):
        text = (root / "book" / f"{page}.ipynb").read_text(encoding="utf-8")
        assert f"]({other}.ipynb" in text


def parts_of(lab):
    """{heading: its code, after that of the set-up}, for each part of a lab."""
    parts = {"": []}
    for cell in nbformat.read(lab, as_version=4).cells:
        if cell.cell_type == "code":
            parts[list(parts)[-1]].append(cell.source)
        else:
            headings = re.findall(r"^## (.+)", cell.source, re.MULTILINE)
            parts |= {heading: [] for heading in headings}
    start = parts.pop("")
    return {name: "\n".join([*start, *cells]) for name, cells in parts.items()}


def undefined(code):
    """What a linter says of names that the code never defines."""
    command = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--isolated",
        "--select=F821",
        "-",
    ]
    return subprocess.run(command, input=code, capture_output=True, text=True).stdout


def test_each_part_of_a_lab_runs_alone_after_the_set_up(lecture):
    parts = parts_of(lecture.with_name(f"{lecture.stem[:2]}_lab.ipynb"))
    assert len(parts) > 3
    found = {name: undefined(code) for name, code in parts.items()}
    assert {k: v for k, v in found.items() if "All checks passed" not in v} == {}
    assert "F821" in undefined("print(from_another_part)")


def test_what_a_chapter_cites_is_in_the_references(root, chapter):
    references = (root / "book" / "references.md").read_text(encoding="utf-8")
    text = "\n".join(
        cell.source
        for cell in nbformat.read(chapter, as_version=4).cells
        if cell.cell_type == "markdown"
    )
    links = set(re.findall(r"https://(?:arxiv\.org|doi\.org)/[^)\s]+", text))
    assert links, "a chapter without a source"
    assert [link for link in sorted(links) if link not in references] == []
