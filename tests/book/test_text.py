"""What chapters and pages say of the book itself: numbers, names, order, claims."""

import re
from pathlib import Path

import nbformat
import pytest

from attnlab.claims import load_claims, read_verdicts, shown_texts
from tests.book.parsed import markdown_of
from tools.authoring import PAGES_OF_A_CHAPTER, page_of

ROOT = Path(__file__).parents[2]
CHAPTERS = sorted(ROOT.glob("book/[0-9]*.ipynb"))
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("book/*.md")), *CHAPTERS]


def prose_without_code(path):
    """A page's text without listings and code, each paragraph in one line."""
    text = re.sub(r"```.*?```|`[^`\n]+`", "", markdown_of(path), flags=re.DOTALL)
    return re.sub(r"(?<!\n)\n(?!\n)", " ", text)


def chapter_number(path):
    return int(path.stem[:2])


CHAPTER_NUMBERS = sorted({chapter_number(path) for path in CHAPTERS})


def pages_of_chapter(chapter):
    """Lecture, lab and evidence, as they follow each other in the contents."""
    pages = [path for path in CHAPTERS if chapter_number(path) == chapter]
    return sorted(pages, key=lambda path: PAGES_OF_A_CHAPTER.index(page_of(path)))


def equation_tags(path):
    return re.findall(r"\\tag\{(.+?)\}", markdown_of(path))


def test_chapter_equations_are_numbered_in_order():
    for chapter in CHAPTER_NUMBERS:
        given = [
            tag for path in pages_of_chapter(chapter) for tag in equation_tags(path)
        ]
        assert given == [f"{chapter}.{n + 1}" for n in range(len(given))]


def test_exercise_numbers_are_unique():
    for chapter in CHAPTER_NUMBERS:
        text = "\n".join(map(markdown_of, pages_of_chapter(chapter)))
        given = re.findall(rf"^\*\*{chapter}\.(\d+)(?:\*\*)? \(", text, re.MULTILINE)
        assert len(set(given)) == len(given) > 3


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_equation_references_resolve(path):
    there = {tag for chapter in CHAPTERS for tag in equation_tags(chapter)}
    text = re.sub(r"\\tag\{.+?\}", "", markdown_of(path))
    text = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
    text = " ".join(text.split())
    numbers = r"(?:equations?|formulas?) ((?:\(?\d+\.\d+\)?(?:, | and | to )?)+)"
    named = re.findall(r"\d+\.\d+", " ".join(re.findall(numbers, text, re.I)))
    named += re.findall(r"(?<![\w^{]) ?\(([1-9]\d?\.\d+)\)", text)
    assert sorted(set(named) - there) == []


def title_of(path):
    return re.search(r"^# (.+)$", markdown_of(path), re.MULTILINE)[1]


def test_section_titles_have_chapter_number_in_order():
    toc = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    order = re.findall(r"file: book/(\d\d_\w+)", toc)
    assert order == [path.stem for n in CHAPTER_NUMBERS for path in pages_of_chapter(n)]
    words = {"lecture": "", "lab": "Lab ", "evidence": "Evidence "}
    for path in CHAPTERS:
        start = f"{words[page_of(path)]}{chapter_number(path)} · "
        assert title_of(path).startswith(start), path.stem


def test_other_pages_call_chapter_by_its_title():
    """In the README, with its question, and in links that give the whole title."""
    wanted = {path.stem: title_of(path) for path in CHAPTERS}
    opens = re.compile(r"# (.+)\n\n\*\*(.+)\*\*")
    lectures = {
        path.stem: opens.match(markdown_of(path)).groups()
        for path in CHAPTERS
        if page_of(path) == "lecture"
    }
    listed = re.findall(
        r"\| \[(.+)\]\(book/(\w+)\.ipynb\) \| (.+) \|", markdown_of(ROOT / "README.md")
    )
    assert {name: (title, asked) for title, name, asked in listed} == lectures
    for path in PAGES:
        for title, name in re.findall(
            r"\[((?:Lab |Evidence )?\d+ · [^]]+)\]\((\w+)\.ipynb\)", markdown_of(path)
        ):
            assert title == wanted[name], path.name


def stored_verdicts_in(path):
    """What a chapter's cells have closed, as it is stored."""
    cells = nbformat.read(path, as_version=4).cells
    shown = [text for cell in cells for text in shown_texts(cell)]
    return read_verdicts([line for text in shown for line in text.splitlines()])


def test_chapter_cells_close_the_chapter_claims():
    for chapter in CHAPTER_NUMBERS:
        found = [stored_verdicts_in(path) for path in pages_of_chapter(chapter)]
        closed = sorted(verdict.id for verdicts in found for verdict in verdicts)
        claims = load_claims().items()
        assert closed == [id for id, claim in claims if claim.chapter == chapter]


def test_pages_state_the_true_number_of_claims():
    counted = set()
    for path in [*PAGES, ROOT / "docs/social-card.html"]:
        counts = re.findall(
            r"\b(\d\d)\** claims\b|claims they make, (\d\d) |ledger\.md\) has (\d\d)"
            r"|the book has (\d\d)|How many of (\d\d) held",
            prose_without_code(path),
        )
        for count in filter(None, sum(counts, ())):
            assert int(count) == len(load_claims()), path.name
            counted.add(path.name)
    assert {"README.md", "index.md", "social-card.html"} <= counted
