"""What chapters and pages say of the book itself: numbers, names, order, claims."""

import re
from functools import cache
from pathlib import Path

import nbformat
import pytest
import yaml

from attnlab.claims import load_claims, read_verdicts, shown_texts
from tools.authoring import is_lab

ROOT = Path(__file__).parents[2]
CHAPTERS = sorted(ROOT.glob("book/[0-9]*.ipynb"))
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("book/*.md")), *CHAPTERS]
COUNTS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
COUNTS += ["ten", "eleven", "twelve"]


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


NUMBERS = sorted({number_of(path) for path in CHAPTERS})


# Equations


def tags(path):
    return re.findall(r"\\tag\{(.+?)\}", words_of(path))


def test_equations_are_numbered_in_order():
    for chapter in NUMBERS:
        pages = [path for path in CHAPTERS if number_of(path) == chapter]
        pages.sort(key=is_lab)
        given = [tag for path in pages for tag in tags(path)]
        assert given == [f"{chapter}.{n + 1}" for n in range(len(given))]


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


def test_exercises_are_numbered_in_order():
    for number in NUMBERS:
        pages = [path for path in CHAPTERS if number_of(path) == number]
        text = "\n".join(words_of(path) for path in pages)
        given = re.findall(rf"^\*\*{number}\.(\d+)(?:\*\*)? \(", text, re.MULTILINE)
        assert [int(one) for one in given] == [n + 1 for n in range(len(given))]
        assert len(given) > 3


# Titles and order


def titles():
    """{page: its title} of all chapters and labs."""
    found = {}
    for path in CHAPTERS:
        (found[path.stem],) = re.findall(r"^# (.+)$", words_of(path), re.MULTILINE)[:1]
    return found


def test_titles_have_their_chapters_number_and_stand_in_order():
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    entries = toc["parts"][0]["chapters"]
    order = []
    for entry in entries:
        order += [entry["file"], *(one["file"] for one in entry.get("sections", []))]
    order = [page for page in order if re.match(r"book/\d", page)]
    by_number = sorted(CHAPTERS, key=lambda path: (number_of(path), is_lab(path)))
    assert order == [f"book/{path.stem}" for path in by_number]
    for path in CHAPTERS:
        second = "B" if path.stem.endswith("_b") else ""
        number = f"{'Lab ' if is_lab(path) else ''}{number_of(path)}{second}"
        assert titles()[path.stem].startswith(f"{number} · "), path.stem


def test_a_chapter_is_called_by_its_title():
    """In the README, with its question, and in links that give the whole title."""
    wanted = titles()
    opens = re.compile(r"# (.+)\n\n\*\*(.+)\*\*")
    lectures = {
        path.stem: opens.match(words_of(path)).groups()
        for path in CHAPTERS
        if not is_lab(path)
    }
    listed = re.findall(
        r"\| \[(.+)\]\(book/(\w+)\.ipynb\) \| (.+) \|", words_of(ROOT / "README.md")
    )
    assert {name: (title, asked) for title, name, asked in listed} == lectures
    for path in PAGES:
        for title, name in re.findall(
            r"\[((?:Lab )?\d+B? · [^]]+)\]\((\w+)\.ipynb\)", words_of(path)
        ):
            assert title == wanted[name], path.name


# Claims


@pytest.mark.parametrize(
    "name", ["README.md", "book/index.md", "docs/social-card.html"]
)
def test_claims_are_counted(name):
    counts = re.findall(r"(\d+) claims about attention", words_of(ROOT / name))
    assert counts == [str(len(load_claims()))]


def claims_of(chapter):
    return [id for id, claim in load_claims().items() if claim.chapter == chapter]


def verdicts_in(path):
    """What a chapter's cells have closed, as it is stored."""
    cells = nbformat.read(path, as_version=4).cells
    shown = [text for cell in cells for text in shown_texts(cell)]
    return read_verdicts([line for text in shown for line in text.splitlines()])


def test_a_chapter_closes_its_own_claims():
    for chapter in NUMBERS:
        pages = [path for path in CHAPTERS if number_of(path) == chapter]
        closed = sorted(verdict.id for path in pages for verdict in verdicts_in(path))
        assert closed == claims_of(chapter)


COUNTED = re.compile(
    r"\b(\w+) claims\b[^.;]*?\b(C\d\d)(?: to |, | and )(C\d\d)\b", re.IGNORECASE
)


@pytest.mark.parametrize("number", list(filter(claims_of, NUMBERS)))
def test_a_chapter_counts_its_claims_as_they_are(number):
    ids = claims_of(number)
    pages = [path for path in CHAPTERS if number_of(path) == number]
    if len(ids) == 1:
        assert any(f"One claim ({ids[0]})" in prose_of(path) for path in pages)
        return
    told = [found for path in pages for found in COUNTED.findall(prose_of(path))]
    assert told
    for count, first, last in told:
        assert COUNTS.index(count.lower()) == len(ids), count
        assert [first, last] == [ids[0], ids[-1]]


def test_all_claims_are_counted():
    for path in PAGES:
        counts = re.findall(
            r"\b(\d\d)\** claims\b|claims they make, (\d\d) |ledger\.md\) has (\d\d)"
            r"|the book has (\d\d)|How many of (\d\d) held",
            prose_of(path),
        )
        for count in filter(None, sum(counts, ())):
            assert int(count) == len(load_claims()), path.name


LISTED = r"((?:C\d\d(?:, | and )?)+) "
SUMMED = {
    "holds": r"(?:(?P<held>\w+) of|Of) the (?P<all>\w+) claims"
    r"(?: (?P<held_too>\w+))? (?:hold as they stand|holds as it stands)",
    "refuted": LISTED + "(?:is|are) refuted(?! as)",
    "restated": LISTED + "(?:is|are) refuted as stated",
    "definition": LISTED + "holds? by definition",
    "when": LISTED + "holds? under a condition",
}


@pytest.mark.parametrize("name", ["02_lab", "02_lab_b", "04_lab", "07_lab", "08_lab"])
def test_a_page_sums_up_its_verdicts_as_they_came_out(name):
    (path,) = (path for path in CHAPTERS if path.stem == name)
    closed, text = list(verdicts_in(path)), prose_of(path)
    held = re.search(SUMMED["holds"], text)
    assert COUNTS.index(held["all"]) == len(closed)
    word = (held["held"] or held["held_too"]).lower()
    assert COUNTS.index(word) == sum(one.kind == "holds" for one in closed)
    for kind in ("refuted", "restated", "when", "definition"):
        told = [re.findall(r"C\d\d", ids) for ids in re.findall(SUMMED[kind], text)]
        ids = sorted(one.id for one in closed if one.kind == kind)
        assert told == ([ids] if ids else [])
