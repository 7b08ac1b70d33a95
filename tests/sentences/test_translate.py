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
def model_file(tmp_path, translator):
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
def test_translate_text_prepares_captions_like_training(caption, words):
    assert caption_words(caption) == words
    assert caption_words(words) == words  # what is cut stays as it is


def test_translate_lines_keeps_one_sentence_per_line(translator):
    one_by_one = [translator.translate([line])[0] for line in ENGLISH]
    text = f"{ENGLISH[0]}\n\n{ENGLISH[1]}\n   \n{ENGLISH[2]}"
    lines = translate.translate_text(translator, text).split("\n")
    assert lines == [one_by_one[0], "", one_by_one[1], "", one_by_one[2], ""]
    assert translate.translate_text(translator, text + "\n").split("\n") == lines
    other_ends = "a cat\u2028the dog\x0b\x85sat"
    assert translate.translate_text(translator, other_ends).count("\n") == 1
    assert translate.translate_text(translator, "") == ""


def test_translate_command_file_to_file(tmp_path, model_file, translator, capfdbinary):
    (tmp_path / "in.txt").write_bytes("\ufeffThe cat sat.\r\nThe dog\r\n".encode())
    arguments = [str(tmp_path / "in.txt"), "--model", str(model_file), "--beam", "2"]
    assert translate.main(arguments) == 0
    said = capfdbinary.readouterr().out.decode()
    asked = ["the cat sat .", "the dog"]
    assert said.split("\n") == [*translator.translate(asked, width=2), ""]
    output = tmp_path / "out.txt"
    assert translate.main([*arguments, "--output", str(output)]) == 0
    assert output.read_text(encoding="utf-8") == said


def test_translate_command_reads_standard_input(model_file, monkeypatch, capfdbinary):
    typed = io.TextIOWrapper(io.BytesIO(b"the cat\n"), encoding="ascii")
    monkeypatch.setattr(sys, "stdin", typed)
    assert translate.main(["-", "--model", str(model_file)]) == 0
    assert capfdbinary.readouterr().out.count(b"\n") == 1


def test_packaged_translator_equals_study_model():
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
    tmp_path, model_file, usage_error, contents, options, said
):
    if contents is not None:
        (tmp_path / "in.txt").write_bytes(contents)
    words = [str(tmp_path / "in.txt"), "--model", str(model_file), *options]
    assert said in usage_error(translate.main, words)


@pytest.mark.parametrize("output", ["in.txt", "", "no/folder"])
def test_translate_command_rejects_unwritable_output_first(
    tmp_path, model_file, usage_error, monkeypatch, output
):
    (tmp_path / "in.txt").write_bytes(b"a cat")
    monkeypatch.setattr(translate, "load_translator", pytest.fail)
    words = [str(tmp_path / "in.txt"), "--output", str(tmp_path / output)]
    assert "error:" in usage_error(translate.main, words)
    assert (tmp_path / "in.txt").read_bytes() == b"a cat"


def test_translate_command_reports_unknown_characters(tmp_path, model_file, capsys):
    command = [str(tmp_path / "in.txt"), "--model", str(model_file), "--quiet"]
    (tmp_path / "in.txt").write_text("the cat\n猫坐在垫子上\n", encoding="utf-8")
    assert translate.main(command) == 0
    assert "1 of 2 lines, the first of them line 2" in capsys.readouterr().err
    (tmp_path / "in.txt").write_text("the cat\n", encoding="utf-8")
    assert translate.main(command) == 0
    assert capsys.readouterr().err == ""


def test_translate_command_ctrl_c_keeps_finished_lines(
    tmp_path, model_file, monkeypatch, capsys
):
    batches = []

    def interrupted_translate(self, sentences, **decoding):
        batches.append(sentences)
        if len(batches) == 3:
            raise KeyboardInterrupt
        return ["katze"] * len(sentences)

    monkeypatch.setattr(Translator, "translate", interrupted_translate)
    lines = 4 * translate.BATCH_SIZE
    (tmp_path / "in.txt").write_text("the cat\n" * lines)
    output = tmp_path / "out.txt"
    command = [str(tmp_path / "in.txt"), "--output", str(output)]
    with pytest.raises(SystemExit) as stop:
        translate.main([*command, "--model", str(model_file)])
    assert stop.value.code == 130
    assert output.read_text() == "katze\n" * (lines // 2)
    assert f"the first {lines // 2} of {lines} lines" in capsys.readouterr().err
