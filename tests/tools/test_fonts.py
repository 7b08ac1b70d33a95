"""Which characters the fonts have to hold."""

from tools.fonts import characters_of_pages


def test_characters_include_formulas_and_digits(tmp_path):
    page = tmp_path / "page.html"
    letters = "".join(f"<mi>{letter}</mi>" for letter in "xhα∂E∞")
    formula = f"{letters}<mo>=</mo><mi>max</mi><mi mathvariant=normal>Π</mi>"
    page.write_text(
        f"<p>text<span class=math><math>{formula}<annotation>y</annotation></math>"
        "<span class=tag>(1)</span></span>",
        encoding="utf-8",
    )
    assert characters_of_pages([page]) == set("xhα∂E∞" + "𝑥ℎ𝛼𝜕𝐸" + "=maxΠ(1)")
    page.write_text("<math><msqrt><mn>2</mn></msqrt></math>", encoding="utf-8")
    assert characters_of_pages([page]) == set("2√")  # the root's sign is none of it
