"""What the pages around the chapters tell a reader to type: it exists, and runs."""

import re
import shlex

import pytest
from torch.distributed.run import get_args_parser

from attnlab import train, train_sentences

COMMAND = re.compile(r"^ *((?:python|torchrun)\b.* -m attnlab\.train\b.*)$", re.M)


def read(root, name):
    return (root / name).read_text(encoding="utf-8")


def train_commands(root):
    """Every command that trains, as words, lines that go on joined, comments cut."""
    text = read(root, "book/cluster.md").replace("\\\n", " ")
    return [shlex.split(one, comments=True) for one in COMMAND.findall(text)]


def parse(words):
    """Hand what follows `-m attnlab.train` to the parser of its task."""
    if words and words[0] in train_sentences.TASKS:
        return train_sentences.make_parser(words[0]).parse_args(words[1:])
    return train.make_parser().parse_args(words)


def test_the_commands_that_train_have_the_options_they_are_given(root):
    commands = train_commands(root)
    assert {command[0] for command in commands} == {"python", "torchrun"}
    for command in commands:
        module = command.index("-m")
        if command[0] == "torchrun":
            get_args_parser().parse_args([*command[1:module], "script.py"])
        parse([word for word in command[module + 2 :] if word != "--help"])


def test_a_wrong_option_would_be_seen():
    with pytest.raises(SystemExit):
        parse(["multi30k", "--no-such-option"])


def test_the_tests_and_files_that_a_page_names_exist(root):
    text = read(root, "book/cluster.md")
    files = re.findall(r"`((?:tests|src|book)/[\w./]+)`", text)
    assert files and [file for file in files if not (root / file).exists()] == []
    suite = "".join(path.read_text("utf-8") for path in root.glob("tests/**/test_*.py"))
    names = re.findall(r"`(test_\w+)`", text)
    assert names and [name for name in names if f"def {name}(" not in suite] == []
