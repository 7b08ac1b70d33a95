"""The chapters as notebooks. That they keep the rules is in `tools/test_authoring.py`.

That they print what they store is nbval's to say, in the same run; what it sees is
tested in `test_comparison.py`.
"""

import re
import subprocess
import sys

import nbformat
import pytest

from tests.book.parsed import markdown_of
from tools.authoring import page_of
from tools.claims_table import BEGIN, claims_table

pytestmark = pytest.mark.book

# Of a lecture, which takes half an hour: words of prose, lines of open code, numbered
# equations, cells whose code is behind a tab, and plots, tables and figures shown.
LIMITS = {"words": 3_000, "open lines": 90, "equations": 6, "tabs": 12, "shown": 12}
MAX_EVIDENCE_WORDS = 5_000
LONG_EVIDENCE = {"02_evidence": 5_300}  # twice as many claims as other chapters have
# Of a lab, which takes an hour and a half at the keyboard.
MAX_OF_LAB = {"words": 1_800, "tabs": 10, "tasks": 7}
MIN_LAB_TASKS = 4


def count_contents(path):
    """What a reader has to get through, by the names of `LIMITS`."""
    cells = nbformat.read(path, as_version=4).cells
    code = [cell for cell in cells if cell.cell_type == "code"]
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    symbols = r"```.*?```|\$\$.*?\$\$|\$[^$]*\$|`[^`]*`|\]\([^)]*\)"
    prose = re.sub(symbols, " ", text, flags=re.DOTALL)
    kinds = [set(o.get("data", {})) for cell in code for o in cell.outputs]
    opened = [cell for cell in code if not cell.metadata.get("tags")]
    return {
        "words": len(re.findall(r"\w+", prose)),
        "open lines": sum(len(cell.source.splitlines()) for cell in opened),
        "equations": text.count("\\tag{"),
        "tabs": sum("hide-input" in cell.metadata.get("tags", []) for cell in code),
        "shown": sum(bool(kind & {"image/svg+xml", "text/html"}) for kind in kinds),
        "cards": sum("\nclaim(" in cell.source for cell in code),
        "tasks": len(re.findall(r"^## Task \d+ · ", text, re.MULTILINE)),
        "forecasts": sum("\nForecast(" in cell.source for cell in code),
    }


def test_lecture_word_count_fits_half_an_hour(lecture):
    found = count_contents(lecture)
    assert {name: found[name] for name in LIMITS if found[name] > LIMITS[name]} == {}
    assert found["cards"] == 0 and found["forecasts"] in (2, 3)


def test_evidence_page_word_count_is_bounded(evidence):
    most = LONG_EVIDENCE.get(evidence.stem, MAX_EVIDENCE_WORDS)
    assert 500 < count_contents(evidence)["words"] <= most


def test_evidence_page_opens_with_verdicts_of_its_claims(evidence):
    notebook = nbformat.read(evidence, as_version=4)
    opening = notebook.cells[0].source
    assert BEGIN in opening and claims_table(notebook) in opening


def test_lab_word_count_fits_ninety_minutes(lab):
    found = count_contents(lab)
    most = MAX_OF_LAB
    assert {name: found[name] for name in most if found[name] > most[name]} == {}
    assert found["tasks"] >= MIN_LAB_TASKS and found["cards"] == 0


def test_lab_tasks_are_numbered_in_order(lab):
    text = lab.read_text(encoding="utf-8")
    numbers = [int(one) for one in re.findall(r"## Task (\d+) · ", text)]
    assert numbers == list(range(1, len(numbers) + 1))


def test_lecture_and_its_pages_link_to_each_other(root, chapter):
    if page_of(chapter) == "lecture":
        return
    pages = root.glob(f"book/{chapter.stem[:2]}_*.ipynb")
    (lecture,) = (page for page in pages if page_of(page) == "lecture")
    for page, other in ((lecture, chapter), (chapter, lecture)):
        assert f"]({other.name}" in page.read_text(encoding="utf-8")


def code_by_part(page):
    """{heading: its code, after that of the set-up}, for each part of a page."""
    parts = {"": []}
    for cell in nbformat.read(page, as_version=4).cells:
        if cell.cell_type == "code":
            parts[list(parts)[-1]].append(cell.source)
        else:
            headings = re.findall(r"^## (.+)", cell.source, re.MULTILINE)
            parts |= {heading: [] for heading in headings}
    start = parts.pop("")
    return {name: "\n".join([*start, *cells]) for name, cells in parts.items()}


def test_chapter_part_uses_no_name_of_another_part(chapter, tmp_path):
    """No part, nor the last, which shows that it would be seen, lacks a name."""
    if page_of(chapter) == "lecture":
        return
    parts = code_by_part(chapter)
    assert len(parts) > 3
    for number, code in enumerate([*parts.values(), "print(from_another_part)"]):
        (tmp_path / f"{number}.py").write_text(code, encoding="utf-8")
    options = ["--isolated", "--select=F821", "--output-format=concise", "--no-cache"]
    command = [sys.executable, "-m", "ruff", "check", *options, str(tmp_path)]
    said = subprocess.run(command, capture_output=True, text=True).stdout
    found = [line for line in said.splitlines() if ".py:" in line]
    assert len(found) == 1 and "from_another_part" in found[0], found


def test_references_list_every_cited_source(root, chapter):
    references = (root / "book" / "references.md").read_text(encoding="utf-8")
    cited = r"https://(?:arxiv\.org|doi\.org)/[^)\s]+"
    links = set(re.findall(cited, markdown_of(chapter)))
    assert links or page_of(chapter) == "lab", "a chapter without a source"
    assert [link for link in sorted(links) if link not in references] == []
