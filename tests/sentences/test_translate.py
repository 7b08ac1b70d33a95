import io
import sys

import pytest

from attnlab.sentences import translate
from attnlab.sentences.recipes import caption_words
from attnlab.sentences.translator import Translator, load_translator
from attnlab.store import load, select
from tests.small_translator import ENGLISH, make_translator


@pytest.fixture
def translator():
    made = make_translator(tie="all", characters=False)
    return Translator(*made[:3], made.metadata | {"task": "multi30k"})


@pytest.fixture
def file(tmp_path, translator):
    """A trained translator's file, as far as the command knows."""
    path = tmp_path / "model.safetensors"
    translator.save(path)
    return path


@pytest.mark.parametrize(
    ("caption", "words"),
    [
        ("A man, in a hat.", "a man , in a hat ."),
        ("A girl's “hat”", "a girl &apos;s &quot; hat &quot;"),
        ("  Two dogs\trun\u00a0!", "two dogs run !"),
        ("a girl &apos;s hat , and mrs. smith .",) * 2,
        ("", ""),
    ],
)
def test_captions_are_cut_as_the_data_is(caption, words):
    assert caption_words(caption) == words
    assert caption_words(words) == words  # what is cut stays as it is


def test_a_line_is_a_sentence(translator):
    one_by_one = [translator.translate([line])[0] for line in ENGLISH]
    text = f"{ENGLISH[0]}\n\n{ENGLISH[1]}\n   \n{ENGLISH[2]}"
    lines = translate.translate_text(translator, text).split("\n")
    assert lines == [one_by_one[0], "", one_by_one[1], "", one_by_one[2], ""]
    assert translate.translate_text(translator, text + "\n").split("\n") == lines
    other_ends = "a cat\u2028the dog\x0b\x85sat"
    assert translate.translate_text(translator, other_ends).count("\n") == 1
    assert translate.translate_text(translator, "") == ""


def test_from_a_file_to_a_file(tmp_path, file, translator, capfdbinary):
    (tmp_path / "in.txt").write_bytes("\ufeffThe cat sat.\r\nThe dog\r\n".encode())
    arguments = [str(tmp_path / "in.txt"), "--model", str(file), "--beam", "2"]
    assert translate.main(arguments) == 0
    said = capfdbinary.readouterr().out.decode()
    asked = ["the cat sat .", "the dog"]
    assert said.split("\n") == [*translator.translate(asked, width=2), ""]
    output = tmp_path / "out.txt"
    assert translate.main([*arguments, "--output", str(output)]) == 0
    assert output.read_text(encoding="utf-8") == said


def test_from_standard_input(file, monkeypatch, capfdbinary):
    typed = io.TextIOWrapper(io.BytesIO(b"the cat\n"), encoding="ascii")
    monkeypatch.setattr(sys, "stdin", typed)
    assert translate.main(["-", "--model", str(file)]) == 0
    assert capfdbinary.readouterr().out.count(b"\n") == 1


def test_the_packages_own_translator_is_the_studys():
    own = load_translator(translate.MODEL)
    recipe = select(load("multi30k"), norm="post", init="joint", last_norm=False)
    (run,) = (run for run in recipe if run["seed"] == own.metadata["seed"])
    sources, _, answers = zip(*run["figures"]["examples"], strict=True)
    raw = [source.removesuffix(" .").capitalize() + "." for source in sources]
    found = translate.translate_text(own, "\n".join(raw))
    assert found.splitlines() == list(answers)
    assert own.metadata["parameters"] == run["figures"]["parameters"]


@pytest.mark.parametrize(
    ("contents", "options", "said"),
    [
        (None, [], "No such file"),
        (b"\xff\xfe a", [], "is no text in UTF-8"),
        (b"a cat", ["--model", "no/model"], "no/model is no translator"),
        (b"a cat", ["--beam", "1000"], "--beam: must be at most 100"),
        (b"a cat\n" + b"a" * 2_000, [], "line 2 has 2,000 characters"),
        (b"a cat", ["--length-penalty", "nan"], "length_penalty must be finite"),
        (b"a cat", ["--output", "no/folder/out.txt"], "cannot write"),
    ],
)
def test_translate_command_rejects_bad_input(
    tmp_path, file, capsys, contents, options, said
):
    if contents is not None:
        (tmp_path / "in.txt").write_bytes(contents)
    with pytest.raises(SystemExit) as stop:
        translate.main([str(tmp_path / "in.txt"), "--model", str(file), *options])
    assert stop.value.code == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("output", ["in.txt", "", "no/folder"])
def test_unwritable_output_is_rejected_before_any_work(
    tmp_path, file, capsys, monkeypatch, output
):
    (tmp_path / "in.txt").write_bytes(b"a cat")
    monkeypatch.setattr(translate, "load_translator", pytest.fail)
    with pytest.raises(SystemExit) as stop:
        translate.main([str(tmp_path / "in.txt"), "--output", str(tmp_path / output)])
    assert stop.value.code == 2 and "error:" in capsys.readouterr().err
    assert (tmp_path / "in.txt").read_bytes() == b"a cat"


def test_lines_of_unknown_characters_are_reported(tmp_path, file, capsys):
    command = [str(tmp_path / "in.txt"), "--model", str(file), "--quiet"]
    (tmp_path / "in.txt").write_text("the cat\n猫坐在垫子上\n", encoding="utf-8")
    assert translate.main(command) == 0
    assert "1 of 2 lines, the first of them line 2" in capsys.readouterr().err
    (tmp_path / "in.txt").write_text("the cat\n", encoding="utf-8")
    assert translate.main(command) == 0
    assert capsys.readouterr().err == ""


def test_ctrl_c_keeps_the_lines_that_are_done(tmp_path, file, monkeypatch, capsys):
    batches = []

    def stopping(self, sentences, **decoding):
        batches.append(sentences)
        if len(batches) == 3:
            raise KeyboardInterrupt
        return ["katze"] * len(sentences)

    monkeypatch.setattr(Translator, "translate", stopping)
    lines = 4 * translate.BATCH_SIZE
    (tmp_path / "in.txt").write_text("the cat\n" * lines)
    output = tmp_path / "out.txt"
    command = [str(tmp_path / "in.txt"), "--output", str(output)]
    with pytest.raises(SystemExit) as stop:
        translate.main([*command, "--model", str(file)])
    assert stop.value.code == 130
    assert output.read_text() == "katze\n" * (lines // 2)
    assert f"the first {lines // 2} of {lines} lines" in capsys.readouterr().err
