"""Which characters the fonts have to hold."""

import pytest

from tools.fonts import characters, italic, main


@pytest.mark.parametrize(
    ("letter", "wanted"),
    [("x", "𝑥"), ("h", "ℎ"), ("α", "𝛼"), ("∂", "𝜕"), ("E", "𝐸"), ("∞", "∞")],
)
def test_a_letter_that_stands_alone_is_italic(letter, wanted):
    assert italic(letter) == wanted


def test_characters_are_those_of_formulas_and_of_their_numbers(tmp_path):
    page = tmp_path / "page.html"
    formula = "<mi>x</mi><mo>=</mo><mi>max</mi><mi mathvariant=normal>Π</mi>"
    page.write_text(
        f"<p>text<span class=math><math>{formula}<annotation>y</annotation></math>"
        "<span class=tag>(1)</span></span>",
        encoding="utf-8",
    )
    assert characters([page]) == set("x𝑥=maΠ(1)")
    page.write_text("<math><msqrt><mn>2</mn></msqrt></math>", encoding="utf-8")
    assert characters([page]) == set("2√")  # the root's sign is no character of it


def test_without_a_built_book_it_says_so(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["math", "--html", str(tmp_path)])
    assert "build the book first" in capsys.readouterr().err
