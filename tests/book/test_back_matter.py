"""What the pages around the chapters name: it is there."""

import re

from attnlab.claims import load_claims
from tests.book.parsed import markdown_of
from tools.authoring import page_of


def read(root, name):
    return (root / name).read_text(encoding="utf-8")


def test_cluster_page_names_existing_files_and_tests(root):
    text = read(root, "book/cluster.md")
    files = re.findall(r"`((?:tests|src|book)/[\w./]+)`", text)
    assert files and [file for file in files if not (root / file).exists()] == []
    suite = "".join(path.read_text("utf-8") for path in root.glob("tests/**/test_*.py"))
    names = re.findall(r"`(test_\w+)`", text)
    assert names and [name for name in names if f"def {name}(" not in suite] == []


def test_glossary_is_sorted_bilingual_and_linked(root):
    text = read(root, "book/glossary.md").split("```")[1].removeprefix("{glossary}\n")
    terms = dict(block.split("\n", 1) for block in text.strip("\n").split("\n\n"))
    assert len(terms) > 90
    assert list(terms) == sorted(terms, key=str.lower)
    for term, body in terms.items():
        assert re.match(r'  <span lang="zh">[^<]*[一-鿿]', body), term
        assert len(re.findall(r"\]\(\w+\.(?:ipynb|md)", body)) == 1, term


INLINE_MATH = re.compile(r"\$([^$\n]+)\$")


def test_notation_page_lists_every_chapter_symbol(root, chapter):
    symbols = set(INLINE_MATH.findall(read(root, "book/notation.md")))
    prose = markdown_of(chapter)
    if page_of(chapter) != "lecture" and "**Notation added" not in prose:
        return  # what the page needs, its lecture has said
    added = prose.split("**Notation added")[1].split("**Further reading")[0]
    rows = re.findall(r"^\| (.+?) \|", added, re.M) or [added]
    new = {symbol for row in rows for symbol in INLINE_MATH.findall(row)}
    assert new and sorted(new - symbols) == []


def test_syllabus_names_existing_exercises_and_claims(root):
    text = read(root, "book/teaching.md")
    rows = re.findall(r"^\| \d+ \| .+ \| (.+?) \| (.+?) \|$", text, re.M)
    named = set(re.findall(r"\d+\.\d+", " ".join(sum(rows, ()))))
    chapters = "".join(
        path.read_text("utf-8") for path in root.glob("book/[0-9]*.ipynb")
    )
    present = set(re.findall(r"\*\*(\d+\.\d+)\.?\*?\*? ?\(", chapters))
    assert len(rows) == 10 and len(named) > 30
    assert sorted(named - present) == []
    claims = set(re.findall(r"\bC\d\d\b", text))
    assert claims and claims <= load_claims().keys()
