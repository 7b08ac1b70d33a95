"""What chapters and pages say of the book itself: numbers, names, order, claims."""

import re
from functools import cache
from pathlib import Path

import nbformat
import pytest

from attnlab.claims import load_claims, read_verdicts, shown_texts
from tools.authoring import PAGES_OF_A_CHAPTER, page_of

ROOT = Path(__file__).parents[2]
CHAPTERS = sorted(ROOT.glob("book/[0-9]*.ipynb"))
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("book/*.md")), *CHAPTERS]


@cache
def words_of(path):
    """A page's text, in one line a paragraph; of a notebook its Markdown."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        cells = nbformat.reads(text, as_version=4).cells
        text = "\n\n".join(c.source for c in cells if c.cell_type == "markdown")
    return text


def prose_of(path):
    """The same without listings and code, each paragraph in one line."""
    text = re.sub(r"```.*?```|`[^`\n]+`", "", words_of(path), flags=re.DOTALL)
    return re.sub(r"(?<!\n)\n(?!\n)", " ", text)


def number_of(path):
    return int(path.stem[:2])


def place_of(path):
    return PAGES_OF_A_CHAPTER.index(page_of(path))


NUMBERS = sorted({number_of(path) for path in CHAPTERS})


def pages_of(chapter):
    """Lecture, lab and evidence, as they follow each other in the contents."""
    pages = [path for path in CHAPTERS if number_of(path) == chapter]
    return sorted(pages, key=place_of)


def tags(path):
    return re.findall(r"\\tag\{(.+?)\}", words_of(path))


def test_equations_are_numbered_in_order():
    for chapter in NUMBERS:
        given = [tag for path in pages_of(chapter) for tag in tags(path)]
        assert given == [f"{chapter}.{n + 1}" for n in range(len(given))]


def test_exercise_numbers_are_given_once():
    for chapter in NUMBERS:
        text = "\n".join(map(words_of, pages_of(chapter)))
        given = re.findall(rf"^\*\*{chapter}\.(\d+)(?:\*\*)? \(", text, re.MULTILINE)
        assert len(set(given)) == len(given) > 3


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_equations_that_are_referred_to_are_there(path):
    there = {tag for chapter in CHAPTERS for tag in tags(chapter)}
    text = re.sub(r"\\tag\{.+?\}", "", words_of(path))
    text = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
    text = " ".join(text.split())
    numbers = r"(?:equations?|formulas?) ((?:\(?\d+\.\d+\)?(?:, | and | to )?)+)"
    named = re.findall(r"\d+\.\d+", " ".join(re.findall(numbers, text, re.I)))
    named += re.findall(r"(?<![\w^{]) ?\(([1-9]\d?\.\d+)\)", text)
    assert sorted(set(named) - there) == []


def title_of(path):
    return re.search(r"^# (.+)$", words_of(path), re.MULTILINE)[1]


def test_titles_have_their_chapters_number_and_stand_in_order():
    toc = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    order = re.findall(r"file: book/(\d\d_\w+)", toc)
    assert order == [path.stem for n in NUMBERS for path in pages_of(n)]
    words = {"lecture": "", "lab": "Lab ", "evidence": "Evidence "}
    for path in CHAPTERS:
        start = f"{words[page_of(path)]}{number_of(path)} · "
        assert title_of(path).startswith(start), path.stem


def test_chapter_is_called_by_its_title_elsewhere():
    """In the README, with its question, and in links that give the whole title."""
    wanted = {path.stem: title_of(path) for path in CHAPTERS}
    opens = re.compile(r"# (.+)\n\n\*\*(.+)\*\*")
    lectures = {
        path.stem: opens.match(words_of(path)).groups()
        for path in CHAPTERS
        if page_of(path) == "lecture"
    }
    listed = re.findall(
        r"\| \[(.+)\]\(book/(\w+)\.ipynb\) \| (.+) \|", words_of(ROOT / "README.md")
    )
    assert {name: (title, asked) for title, name, asked in listed} == lectures
    for path in PAGES:
        for title, name in re.findall(
            r"\[((?:Lab |Evidence )?\d+ · [^]]+)\]\((\w+)\.ipynb\)", words_of(path)
        ):
            assert title == wanted[name], path.name


def verdicts_in(path):
    """What a chapter's cells have closed, as it is stored."""
    cells = nbformat.read(path, as_version=4).cells
    shown = [text for cell in cells for text in shown_texts(cell)]
    return read_verdicts([line for text in shown for line in text.splitlines()])


def test_chapter_closes_its_own_claims():
    for chapter in NUMBERS:
        found = [verdicts_in(path) for path in pages_of(chapter)]
        closed = sorted(verdict.id for verdicts in found for verdict in verdicts)
        claims = load_claims().items()
        assert closed == [id for id, claim in claims if claim.chapter == chapter]


def test_claims_of_the_book_are_counted_as_they_are():
    counted = set()
    for path in [*PAGES, ROOT / "docs/social-card.html"]:
        counts = re.findall(
            r"\b(\d\d)\** claims\b|claims they make, (\d\d) |ledger\.md\) has (\d\d)"
            r"|the book has (\d\d)|How many of (\d\d) held",
            prose_of(path),
        )
        for count in filter(None, sum(counts, ())):
            assert int(count) == len(load_claims()), path.name
            counted.add(path.name)
    assert {"README.md", "index.md", "social-card.html"} <= counted
