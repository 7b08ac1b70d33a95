"""What a page gets for its figures, and what notebooks keep of them."""

import re

import pytest

from attnlab.live import Hero
from attnlab.live.base import all_kinds
from attnlab.live.bundle import JS
from attnlab.live.page import (
    program,
    style,
    with_link,
    without_comments,
    without_program,
)

STYLE_SHEET = re.compile(r'<style data-attnlab="([\w -]+)">\n(.*?)</style>', re.DOTALL)


def test_stored_figure_keeps_only_state_and_text():
    figure = Hero(number=7)
    kept = without_program(figure._repr_html_())
    assert len(kept) < 2_000
    assert kept.startswith('<figure class="attnlab-live" data-figure="hero">')
    assert kept.count("<script") == 1
    assert '"number": 7' in kept
    assert without_program(kept) == kept
    for words in (Hero.title, Hero.description, Hero.caption):
        assert words in kept


def test_stored_figure_link_can_be_replaced():
    kept = without_program(Hero(number=7)._repr_html_())
    led = with_link(kept, "https://one.example/a.html")
    assert '<a href="https://one.example/a.html">the book\'s page</a>' in led
    assert with_link(led, "https://two.example/").count("<a ") == 1
    assert "two.example" in with_link(led, "https://two.example/")
    assert with_link(led, "") == kept
    drawn = with_link(led, "https://two.example/", "https://two.example/1.webp")
    assert '<p><img src="https://two.example/1.webp" alt=""></p>' in drawn
    assert with_link(drawn, "https://one.example/a.html") == led


def test_page_accepts_all_kinds_and_includes_styles_once():
    kinds = all_kinds()
    folders = {path.name for path in (JS / "figures").iterdir()}
    assert {kind.module.parent.name for kind in kinds} == folders
    sheets = STYLE_SHEET.findall(style(kinds))
    assert sheets[0][0].split() == [kind.figure for kind in kinds]
    rules = [css for _, css in sheets]
    assert len(rules) == len(set(rules))
    assert "render" in program(kinds)


def test_page_rejects_too_many_inline_weights():
    class HeavyFigure(Hero):
        weights = ("en-de-gru-128",)

    with pytest.raises(ValueError, match=r"en-de-gru-128 are \d+ bytes"):
        program([HeavyFigure.page_kind()])


def test_without_comments_removes_only_comments():
    code = 'const a = "/* kept */"; // kept\n  // gone\n/* gone\n   too */\nb();\n'
    assert without_comments(code) == 'const a = "/* kept */"; // kept\nb();\n'
