"""What the pages around the chapters tell a reader to type: it exists, and runs."""

import re
import shlex

import nbformat
import pytest
from torch.distributed.run import get_args_parser

from attnlab.claims import load_claims
from attnlab.sentences import __main__ as sentences
from attnlab.training import __main__ as training
from tools.authoring import is_lab

COMMAND = re.compile(
    r"^ *((?:python|torchrun)\b.* -m attnlab\.(?:training|sentences)\s.*)$", re.M
)


def read(root, name):
    return (root / name).read_text(encoding="utf-8")


def train_commands(root):
    """Every command that trains, as words, lines that go on joined, comments cut."""
    text = read(root, "book/cluster.md").replace("\\\n", " ")
    return [shlex.split(one, comments=True) for one in COMMAND.findall(text)]


def parse(module, words):
    """Hand what follows `-m MODULE` to the parser of its command."""
    if module == "attnlab.sentences":
        return sentences.make_parser(words[0]).parse_args(words[1:])
    return training.make_parser().parse_args(words)


def test_the_commands_that_train_have_the_options_they_are_given(root):
    commands = train_commands(root)
    assert {command[0] for command in commands} == {"python", "torchrun"}
    for command in commands:
        module = command.index("-m") + 1
        if command[0] == "torchrun":
            get_args_parser().parse_args([*command[1 : module - 1], "script.py"])
        words = [word for word in command[module + 1 :] if word != "--help"]
        parse(command[module], words)


def test_a_wrong_option_would_be_seen():
    with pytest.raises(SystemExit):
        parse("attnlab.sentences", ["multi30k", "--no-such-option"])


def test_the_tests_and_files_that_a_page_names_exist(root):
    text = read(root, "book/cluster.md")
    files = re.findall(r"`((?:tests|src|book)/[\w./]+)`", text)
    assert files and [file for file in files if not (root / file).exists()] == []
    suite = "".join(path.read_text("utf-8") for path in root.glob("tests/**/test_*.py"))
    names = re.findall(r"`(test_\w+)`", text)
    assert names and [name for name in names if f"def {name}(" not in suite] == []


# Glossary


def entries(root):
    """`{term: its text}`, in the order of the page."""
    text = read(root, "book/glossary.md").split("```")[1].removeprefix("{glossary}\n")
    blocks = (block.split("\n", 1) for block in text.strip("\n").split("\n\n"))
    return dict(blocks)


def test_terms_are_many_and_in_order(root):
    terms = list(entries(root))
    assert len(terms) > 90
    assert terms == sorted(terms, key=str.lower)


def test_every_term_is_told_in_both_languages_and_links_to_its_place(root):
    toc = read(root, "_toc.yml")
    for term, body in entries(root).items():
        assert re.match(r'  <span lang="zh">[^<]*[一-鿿]', body), term
        linked = re.findall(r"\]\((\w+\.(?:ipynb|md))", body)
        waiting = re.findall(r"(?<!\[)Chapter (\d+)\.", body)
        assert len(linked) + len(waiting) == 1, term
        written = [number for number in waiting if f"book/{number:0>2}_" in toc]
        assert not written, f"{term}: chapter {written[0]} is there now, link to it"


# Notation

MATH = re.compile(r"\$([^$\n]+)\$")


def test_what_a_chapter_adds_stands_in_the_notation(root, chapter):
    symbols = set(MATH.findall(read(root, "book/notation.md")))
    cells = nbformat.read(chapter, as_version=4).cells
    prose = "\n\n".join(c.source for c in cells if c.cell_type == "markdown")
    if is_lab(chapter) and "**Notation added" not in prose:
        return  # what a lab needs, its lecture has said
    added = prose.split("**Notation added")[1].split("**Further reading")[0]
    rows = re.findall(r"^\| (.+?) \|", added, re.M) or [added]
    new = {symbol for row in rows for symbol in MATH.findall(row)}
    assert new and sorted(new - symbols) == []


# For teachers


def test_the_exercises_and_claims_that_a_syllabus_names_exist(root):
    text = read(root, "book/teaching.md")
    rows = re.findall(r"^\| \d \| .+ \| (.+?) \| (.+?) \|$", text, re.M)
    named = set(re.findall(r"\d+\.\d+", " ".join(sum(rows, ()))))
    chapters = "".join(
        path.read_text("utf-8") for path in root.glob("book/[0-9]*.ipynb")
    )
    present = set(re.findall(r"\*\*(\d+\.\d+)\.?\*?\*? ?\(", chapters))
    assert len(rows) == 6 and len(named) > 20
    assert sorted(named - present) == []
    claims = set(re.findall(r"\bC\d\d\b", text))
    assert claims and claims <= load_claims().keys()
