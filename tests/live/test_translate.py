"""The translator figure in a page without a kernel, by mouse, touch and keyboard."""

import json
import os
import re
from functools import cache

import pytest
import torch
from drawing import in_column, on_phone, redrawn, span
from playwright.sync_api import expect
from traitlets import TraitError

from attnlab.data import BOS, EOS
from attnlab.decoding import beam_search, greedy
from attnlab.live import Translate
from attnlab.live.base import INLINE_LIMIT
from attnlab.live.translate import KINDS, all_heads, stored_translation
from attnlab.saved import TRANSLATOR
from attnlab.sentences.recipes import load_tatoeba
from attnlab.sentences.translator import load_translator
from tools.trace import MAX_WRITTEN, main, trace

MINUS = "−"
SENTENCES = ["I have two cats.", "Can you speak French?", "She is very tired today."]


@cache
def translator():
    return load_translator()


@pytest.fixture
def show(show):
    """As elsewhere, and every figure has come near the window and is drawn."""

    def open_page(*figures, drawn: bool = True, **options):
        page = show(*figures, **options)
        if not drawn:
            return page
        for figure in page.locator("figure").all():
            figure.scroll_into_view_if_needed()
            figure.locator(".tr-tile").first.wait_for()
        page.evaluate("scrollTo(0, 0)")
        return page

    return open_page


def only(heads_off):
    """The context in which these heads are silent."""
    model = translator().model
    masks = {
        kind: torch.ones(model.num_layers, model.num_heads, dtype=torch.bool)
        for kind in KINDS
    }
    for kind, layer, head in heads_off:
        masks[kind][layer, head] = False
    return model.only_heads(**masks)


def source(text: str) -> torch.Tensor:
    return torch.tensor([[*translator().src_tokenizer.encode(text), EOS]])


@torch.no_grad()
def by_torch(text, width=3, length_penalty=1.0, heads_off=()):
    """The best hypothesis: text, score, tokens, maps (layers, h, rows, columns)."""
    model = translator().model
    with only(heads_off):
        found = beam_search(model, source(text), MAX_WRITTEN, width, length_penalty)
        tokens, score = found[0][0]
        tgt = torch.tensor([[BOS, *tokens[:-1]]])
        maps = {
            kind: weights[:, 0]
            for kind, weights in model.attention(source(text), tgt).items()
        }
    return translator().tgt_tokenizer.decode(tokens), score, tokens, maps


@torch.no_grad()
def log_prob(text: str, tokens: list[int], heads_off=()) -> float:
    """The log-probability of a translation, the model reading it."""
    with only(heads_off):
        logits = translator().model(source(text), torch.tensor([[BOS, *tokens[:-1]]]))[
            0
        ]
    return float(logits.log_softmax(-1)[range(len(tokens)), tokens].sum())


def number(text: str) -> float:
    return float(text.replace(MINUS, "-"))


def says(page, text: str) -> None:
    expect(page.get_by_role("status")).to_contain_text(text)


def load(page) -> None:
    page.get_by_role("button", name="Load the model").first.click()
    page.wait_for_selector(".tr-load[hidden]", state="attached", timeout=60_000)
    redrawn(page)


def type_text(page, text: str) -> None:
    page.get_by_label("English sentence").fill(text)
    page.get_by_label("English sentence").press("Enter")
    redrawn(page)


def shown_text(page) -> str:
    found = page.locator(".tr-character").all_text_contents()
    return "".join(found).removesuffix("end")


def shown_score(page) -> float:
    text = page.locator(".tr-verdict .tr-score").inner_text()
    return number(text.removeprefix("score "))


def look_inside(page, name: str, show: str = "") -> None:
    """Press what shows the heads of a kind, or the search and one of its pictures."""
    page.get_by_role("radio", name=name, exact=True).first.check(force=True)
    if show:
        page.get_by_role("radio", name=show, exact=True).first.check(force=True)
    redrawn(page)


def look_at_the_search(page, show: str = "") -> None:
    look_inside(page, "Search", show)


def large_map(page) -> torch.Tensor:
    return torch.tensor(
        page.evaluate(
            """() => [...document.querySelectorAll(".tm-matrix tbody tr")].map((row) =>
            [...row.querySelectorAll("td")].map((cell) =>
                Number(cell.style.getPropertyValue("--weight"))))"""
        )
    )


def assert_close(found: torch.Tensor, wanted: torch.Tensor) -> None:
    """Equal as far as three decimals show it."""
    assert found.shape == wanted.shape
    assert (found - wanted).abs().max() < 1e-3


# Before the model is loaded -----------------------------------------------------------


def test_it_shows_something_true_before_the_first_click(show):
    page = show(Translate())
    text, score, tokens, maps = by_torch(Translate().text)
    assert shown_text(page) == text
    assert shown_score(page) == pytest.approx(score, abs=0.006)
    says(page, f"“{Translate().text}” becomes “{text}”")
    assert_close(large_map(page), maps["cross"][1, 0])
    expect(page.locator(".tr-tile")).to_have_count(len(tokens))
    expect(page.locator(".tr-note")).to_contain_text("came with the page")


def test_what_is_stored_is_pytorchs(tmp_path, capsys):
    stored = stored_translation()
    main(tmp_path)
    told = capsys.readouterr().out
    again = json.loads((tmp_path / f"{TRANSLATOR}.json").read_text(encoding="utf-8"))
    assert stored["text"] in told and by_torch(stored["text"])[0] in told
    assert again["about"] == stored["about"]
    assert again["pieces"] == stored["pieces"]
    for mine, theirs in zip(
        again["search"]["steps"], stored["search"]["steps"], strict=True
    ):
        assert mine["room"] == theirs["room"]
        for one, other in zip(mine["candidates"], theirs["candidates"], strict=True):
            assert one["fate"] == other["fate"]
            assert one["total"] == pytest.approx(other["total"], abs=1e-3)
    assert again["harms"] == pytest.approx(stored["harms"], abs=1e-3)


@pytest.mark.parametrize("text", SENTENCES)
@pytest.mark.parametrize("width", [1, 4])
def test_the_trace_is_that_of_beam_search(text, width):
    found = trace(translator(), text, width)["search"]
    wanted = beam_search(translator().model, source(text), MAX_WRITTEN, width, 0.0)[0]
    names = translator().tgt_tokenizer.tokens
    for one, other in zip(found["hypotheses"], wanted, strict=True):
        told = [None if i == EOS else names[i].replace("<unk>", "□") for i in other[0]]
        assert one["tokens"] == told
        assert one["logProb"] == pytest.approx(other.score, abs=2e-4)
    for step in found["steps"]:
        totals = [one["total"] for one in step["candidates"]]
        assert totals == sorted(totals, reverse=True)
        kept = [one["fate"] != "dropped" for one in step["candidates"]]
        assert kept == [rank < step["room"] for rank in range(len(kept))]


def test_no_weights_come_before_they_are_asked_for(show, page):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    show(Translate())
    assert len(Translate()._repr_html_()) < INLINE_LIMIT
    look_at_the_search(page, "Finished")
    page.get_by_role("slider", name="Length penalty").fill("3")
    redrawn(page)
    assert [url for url in asked if TRANSLATOR in url] == []
    load(page)
    assert [url for url in asked if TRANSLATOR in url] != []


def test_what_needs_the_model_says_so_and_comes_true_with_it(show):
    page = show(Translate())
    before = shown_text(page)
    type_text(page, SENTENCES[0])
    says(page, "Load the model to see what you asked for.")
    assert shown_text(page) == before
    look_at_the_search(page)
    page.get_by_role("radio", name="5").check(force=True)
    look_inside(page, "Cross")
    page.get_by_role("checkbox", name="Head cross 2.1 speaks").uncheck()
    load(page)
    text, *_ = by_torch(SENTENCES[0], 5, heads_off=[["cross", 1, 0]])
    assert shown_text(page) == text
    expect(page.locator(".tr-note")).to_be_hidden()
    expect(page.get_by_label("English sentence")).to_be_focused()


def test_a_model_that_cannot_be_loaded_is_answered(show, tmp_path):
    page = show(Translate())
    script = tmp_path / f"_static/attnlab-weights/{TRANSLATOR}.js"
    loads = script.read_text()
    script.write_text("")
    page.get_by_role("button", name="Load the model").click()
    says(page, f"The weights “{TRANSLATOR}” are neither in this page nor beside it.")
    script.write_text(loads)
    load(page)
    says(page, "becomes")
    expect(page.get_by_role("status")).not_to_contain_text("neither")


# Translating --------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1, 2, 5])
def test_the_translation_is_pytorchs(show, width):
    page = show(Translate(width=width))
    load(page)
    for sentence in SENTENCES:
        type_text(page, sentence)
        text, score, tokens, maps = by_torch(sentence, width)
        assert shown_text(page) == text
        assert shown_score(page) == pytest.approx(score, abs=0.006)
        assert_close(large_map(page), maps["cross"][1, 0])
        how = "greedily" if width == 1 else f"by a beam of width {width}"
        says(page, f"becomes “{text}”, {how}")
        if width == 1:
            alone = greedy(translator().model, source(sentence), MAX_WRITTEN)[0]
            assert tokens == alone.tolist()


def test_every_example_can_be_translated(show):
    page = show(Translate())
    load(page)
    menu = page.get_by_role("combobox", name="Examples")
    for sentence in examples(page):
        menu.select_option(sentence)
        redrawn(page)
        expect(menu).to_have_value("")  # ready for the next
        assert shown_text(page) == by_torch(sentence)[0]
        expect(page.get_by_label("English sentence")).to_have_value(sentence)
        Translate(text=sentence)  # Python takes it as well


@pytest.mark.skipif(not os.environ.get("ATTNLAB_DATA"), reason="needs the corpus")
def test_no_example_was_in_the_training(show):
    page = show(Translate())
    about = page.locator(".tr-about")
    about.get_by_text("About the model").click()
    expect(about).to_contain_text("none of the examples is among them")
    expect(about.locator(".al-note")).to_be_visible()
    learned = {same_letters(english) for english, _ in load_tatoeba()["train"]}
    assert len(learned) > 10_000 and same_letters("I have two cats!") in learned
    for sentence in examples(page):
        assert same_letters(sentence) not in learned


def examples(page) -> list[str]:
    found = page.locator(".tr-examples option").all_text_contents()
    assert len(found) >= 1 + 4  # the first is no example
    return found[1:]


def same_letters(sentence: str) -> str:
    return "".join(filter(str.isalnum, sentence.casefold()))


def test_typing_is_read_when_it_rests(show):
    page = show(Translate())
    load(page)
    page.get_by_label("English sentence").press_sequentially(" Good morning.", delay=5)
    sentence = f"{Translate().text} Good morning."
    says(page, f"“{sentence}” becomes")
    assert shown_text(page) == by_torch(sentence)[0]


BAD = {
    "": "Please type an English sentence.",
    " ?! ": "Please type an English sentence.",
    "a " * 100: "too long: it is cut into 100 pieces",
    "x" * 301: "too long: it has 301 letters",
}


@pytest.mark.parametrize("typed", BAD, ids=["empty", "signs", "words", "letters"])
def test_bad_sentences_are_answered_and_the_picture_stays(show, typed):
    page = show(Translate())
    load(page)
    before = shown_text(page)
    type_text(page, typed)
    box = page.get_by_label("English sentence")
    expect(page.locator(".al-error").first).to_contain_text(BAD[typed])
    assert box.get_attribute("aria-invalid") == "true"
    assert shown_text(page) == before
    type_text(page, Translate().text)
    expect(page.locator(".al-error").first).to_be_empty()


def test_a_long_sentence_from_before_the_model_is_answered_by_it(show):
    page = show(Translate())
    type_text(page, "a " * 100)
    load(page)
    expect(page.locator(".al-error").first).to_contain_text("too long")
    assert shown_text(page) == by_torch(Translate().text)[0]


def test_markup_is_text(show):
    page = show(Translate())
    load(page)
    type_text(page, "<img src=x onerror='window.hacked = 1'> is a tag.")
    says(page, "<img src=x")
    look_at_the_search(page)
    page.get_by_label("It must begin with").fill("<b>")
    page.get_by_label("It must begin with").press("Enter")
    redrawn(page)
    assert page.locator("figure img, figure .tr-result b").count() == 0
    assert page.evaluate("window.hacked") is None


def test_what_the_model_does_not_know_is_said(show):
    page = show(Translate())
    load(page)
    type_text(page, "I like ☃ very much.")
    says(page, "The model does not know “☃”")
    type_text(page, "The zxqvbnzz is here.")
    says(page, "The model has no word for it and reads “zxqvbnzz” in")
    type_text(page, "Where are you?")
    expect(page.locator(".tr-note")).to_be_hidden()


# Heads --------------------------------------------------------------------------------


@pytest.mark.parametrize("press", ["mouse", "keyboard"])
def test_heads_can_be_switched_off_and_on(show, press):
    sentence = SENTENCES[1]
    page = show(Translate(text=sentence))
    load(page)
    text, score, *_ = by_torch(sentence)
    off = []
    for at in [["cross", 1, 0], ["encoder", 0, 1], ["decoder", 1, 1]]:
        off.append(at)
        look_inside(page, at[0].capitalize())
        box = page.get_by_role(
            "checkbox", name=f"Head {at[0]} {at[1] + 1}.{at[2] + 1} speaks"
        )
        box.click() if press == "mouse" else box.press("Space")
        redrawn(page)
        expect(box).not_to_be_checked()
        without, worse, _, maps = by_torch(sentence, heads_off=off)
        assert shown_text(page) == without
        assert shown_score(page) == pytest.approx(worse, abs=0.006)
        look_inside(page, "Cross")
        assert_close(large_map(page), maps["cross"][1, 0])
        expect(page.locator(".tr-was")).to_have_text(text)
        told = page.locator(".tr-before .tr-score").inner_text()
        assert number(told.split()[-1]) == pytest.approx(score, abs=0.006)
        verdict = "= the same words" if without == text else "≠ other words"
        expect(page.locator(".tr-verdict")).to_contain_text(verdict)
        assert (page.locator(".tr-tile.other").count() > 0) == (without != text)
        says(page, f"With all heads it is “{text}”")
    page.get_by_role("button", name="All heads on").click()
    redrawn(page)
    assert shown_text(page) == text
    expect(page.locator(".tr-before")).to_be_hidden()


def test_a_whole_kind_can_be_switched_off(show):
    page = show(Translate(text=SENTENCES[0]))
    load(page)
    page.get_by_role("button", name="All cross heads off").click()
    redrawn(page)
    cross = [at for at in all_heads() if at[0] == "cross"]
    text, *_ = by_torch(SENTENCES[0], heads_off=cross)
    assert shown_text(page) == text
    says(page, "without heads cross 1.1, cross 1.2")
    page.get_by_role("button", name="All cross heads on").click()
    redrawn(page)
    assert shown_text(page) == by_torch(SENTENCES[0])[0]


def test_what_each_head_matters_is_pytorchs(show):
    sentence = SENTENCES[2]
    page = show(Translate(text=sentence))
    load(page)
    *_, tokens, _ = by_torch(sentence, length_penalty=1.0)
    harms = page.locator(".tm-harm")
    expect(harms.last).not_to_have_text("…", timeout=20_000)
    whole = log_prob(sentence, tokens)
    for harm, head in zip(harms.all_text_contents(), all_heads(), strict=True):
        wanted = log_prob(sentence, tokens, [head]) - whole
        assert number(harm) == pytest.approx(wanted, abs=0.06)


@pytest.mark.parametrize("press", ["mouse", "keyboard"])
def test_a_map_can_be_enlarged(show, press):
    page = show(Translate())
    *_, maps = by_torch(Translate().text)
    for kind, layer, head in [("encoder", 0, 2), ("decoder", 1, 3), ("cross", 0, 0)]:
        name = f"{kind} {layer + 1}.{head + 1}"
        look_inside(page, kind.capitalize())
        button = page.get_by_role("button", name=f"Map of {name}")
        button.click() if press == "mouse" else button.press("Enter")
        redrawn(page)
        pressed = page.locator(".tm-map[aria-pressed='true']").filter(visible=True)
        expect(pressed).to_have_count(1)
        expect(page.locator(".tm-heading")).to_contain_text(f"Head {name}")
        assert_close(large_map(page), maps[kind][layer, head])
        says(page, f"head {name} looks most at")
    hidden = page.locator(".tm-matrix td.masked").count()
    assert hidden == 0  # of the cross map; the decoder's has some
    look_inside(page, "Decoder")
    page.get_by_role("button", name="Map of decoder 1.1").click()
    redrawn(page)
    n = page.locator(".tr-tile").count()
    expect(page.locator(".tm-matrix td.masked")).to_have_count(n * (n - 1) // 2)


def test_the_small_maps_hold_the_same_weights(show):
    page = show(Translate())
    *_, maps = by_torch(Translate().text)
    for i, (kind, layer, head) in enumerate(all_heads()):
        look_inside(page, kind.capitalize())
        drawn = torch.zeros_like(maps[kind][layer, head])
        for shade, path in enumerate(
            page.locator(".tm-map").nth(i).locator("path").all()
        ):
            for to, start in re.findall(r"M(\d+) (\d+)h", path.get_attribute("d")):
                drawn[int(start), int(to)] = (shade + 1) / 10
        assert (drawn - maps[kind][layer, head]).abs().max() <= 0.051


def test_the_keyboard_walks_over_maps_tiles_and_cells(show):
    page = show(Translate())
    page.get_by_role("button", name="Map of cross 1.1").focus()
    for key, name in [
        ("ArrowRight", "cross 1.2"),
        ("ArrowDown", "cross 2.2"),
        ("End", "cross 2.4"),
        ("ArrowUp", "cross 1.4"),
        ("Home", "cross 1.1"),
    ]:
        page.keyboard.press(key)
        focused = page.evaluate("document.activeElement.getAttribute('aria-label')")
        assert focused == f"Map of {name}"
    page.locator(".tr-tile").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    redrawn(page)
    expect(page.locator(".tr-tile[aria-pressed='true']")).to_be_focused()
    expect(page.locator(".tm-matrix tr.chosen")).to_have_count(1)
    second = page.locator(".tr-character").nth(1).inner_text()
    says(page, f"To write “{second}” head")
    *_, maps = by_torch(Translate().text)
    page.locator(".tm-matrix td[tabindex='0']").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    weight = 100 * maps["cross"][1, 0][1, 1].item()
    told = page.locator(".tm-readout").inner_text()
    assert float(told.split()[-1].rstrip("%")) == pytest.approx(weight, abs=0.11)
    says(page, told)
    for kind in KINDS:
        look_inside(page, kind.capitalize())
        stops = page.locator(".tm [tabindex='0'], .tm input:not([tabindex='-1'])")
        assert stops.filter(visible=True).count() == 3  # a map, a switch, a cell


def test_a_chosen_token_lights_up_what_it_reads(show):
    page = show(Translate())
    *_, maps = by_torch(Translate().text)
    page.locator(".tr-tile").nth(3).click()
    redrawn(page)
    shown = page.evaluate(
        """() => [...document.querySelectorAll(".tr-piece")].map((piece) =>
        Number(piece.style.getPropertyValue("--weight")))"""
    )
    assert_close(torch.tensor(shown), maps["cross"][1, 0, 3])
    look_inside(page, "Encoder")
    page.get_by_role("button", name="Map of encoder 1.1").click()
    redrawn(page)
    page.locator(".tm-matrix tbody tr").nth(2).locator("td").first.click()
    redrawn(page)
    expect(page.locator(".tr-piece.chosen")).to_have_text(
        page.locator(".tr-piece").nth(2).inner_text()
    )


# The search ---------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1, 3, 5])
def test_the_steps_of_the_search_are_pytorchs(show, width):
    sentence = SENTENCES[0]
    page = show(Translate(text=sentence, width=width, view="search"))
    load(page)
    look_at_the_search(page, "This step")
    wanted = trace(translator(), sentence, width)["search"]["steps"]
    slider = page.get_by_role("slider", name="Step")
    assert slider.get_attribute("max") == str(len(wanted))
    for i, step in enumerate(wanted):
        slider.fill(str(i + 1))
        redrawn(page)
        says(page, f"Step {i + 1} of {len(wanted)}: kept") if i == 0 else None
        rows = page.locator(".bt-list:not(.bt-finished) tbody tr").all()
        room = step["room"]
        for one, row in zip(step["candidates"][:room], rows, strict=False):
            token = "end" if one["token"] is None else one["token"]
            expect(row.locator("b")).to_have_text(token)
            cells = row.locator("td").all_text_contents()
            assert number(cells[1]) == pytest.approx(one["total"], abs=0.006)
            assert one["fate"].replace("ended", "finished") in cells[2]
        for row in rows[room:]:
            expect(row).to_contain_text("✗")
        assert len(rows) > room  # something was dropped
        future = page.locator(".bt-column.future")
        expect(future).to_have_count(len(wanted) - i - 1)


def test_the_length_penalty_ranks_what_is_finished(show):
    page = show(Translate(view="search"))
    look_at_the_search(page, "Finished")
    stored = stored_translation()["search"]["hypotheses"]
    for alpha in (0.0, 0.7, 2.0):
        page.get_by_role("slider", name="Length penalty").fill(str(round(10 * alpha)))
        redrawn(page)
        wanted = sorted(
            (
                (
                    one["logProb"] / ((5 + len(one["tokens"])) / 6) ** alpha,
                    "".join(token or "" for token in one["tokens"]),
                )
                for one in stored
            ),
            reverse=True,
        )
        rows = page.locator(".bt-finished tbody tr").all()
        for (score, text), row in zip(wanted, rows, strict=True):
            expect(row.locator("th")).to_contain_text(text)
            shown = row.locator("td").last.inner_text()
            assert number(shown) == pytest.approx(score, abs=0.006)
        assert shown_text(page) == wanted[0][1]


def test_stepping_and_playing(show):
    page = show(Translate(view="search"))
    total = len(stored_translation()["search"]["steps"])
    back = page.get_by_role("button", name="One step back")
    on = page.get_by_role("button", name="One step on")
    expect(on).to_have_attribute("aria-disabled", "true")
    back.click()
    says(page, f"Step {total - 1} of {total}")
    on.press("Enter")
    says(page, f"Step {total} of {total}")
    page.locator(".bt-column").nth(1).locator(".bt-number").click()
    says(page, f"Step 2 of {total}")
    page.clock.install()
    page.get_by_role("button", name="Play").click()
    page.clock.run_for(1000)
    says(page, f"Step 3 of {total}")
    page.get_by_role("button", name="Pause").click()
    page.clock.run_for(5000)
    says(page, f"Step 3 of {total}")


def test_a_dropped_beginning_can_be_gone_on_from(show):
    page = show(Translate(text=SENTENCES[0], view="search"))
    load(page)
    before = shown_text(page)
    look_at_the_search(page, "This step")
    page.get_by_role("slider", name="Step").fill("1")
    redrawn(page)
    dropped = page.locator("tr.dropped").last
    first = dropped.locator("b").inner_text()
    dropped.get_by_role("button").click()
    redrawn(page)
    assert shown_text(page).startswith(first) and shown_text(page) != before
    box = page.get_by_label("It must begin with")
    expect(box).to_have_value(first)
    says(page, f"It had to begin with “{first}”.")
    expect(page.locator(".tr-share").first).to_have_text("✎\ufe0e")
    free = page.get_by_role("button", name="Let it begin freely")
    expect(free).to_be_focused()
    free.press("Enter")
    redrawn(page)
    assert shown_text(page) == before
    expect(box).to_be_focused()


def test_a_typed_beginning_is_gone_on_from(show):
    sentence = SENTENCES[0]
    page = show(Translate(text=sentence, width=1))
    load(page)
    look_at_the_search(page, "This step")
    page.get_by_label("It must begin with").fill("他们")
    redrawn(page)
    says(page, "It had to begin with “他们”.")
    model, target = translator().model, translator().tgt_tokenizer
    tokens = target.encode("他们")
    while tokens[-1] != EOS:
        with torch.no_grad():
            logits = model(source(sentence), torch.tensor([[BOS, *tokens]]))
        tokens.append(int(logits[0, -1].argmax()))
    assert shown_text(page) == target.decode(tokens)
    penalty = (5 + len(tokens)) / 6
    wanted = log_prob(sentence, tokens) / penalty
    assert shown_score(page) == pytest.approx(wanted, abs=0.006)
    page.get_by_role("slider", name="Step").fill("2")
    redrawn(page)
    row = page.locator(".bt-list tbody tr").first
    expect(row).to_contain_text("✎")
    expect(row.locator("b")).to_have_text("们")
    type_text(page, SENTENCES[1])  # another sentence begins freely
    expect(page.get_by_label("It must begin with")).to_have_value("")


def test_a_character_that_it_cannot_write_is_answered(show):
    page = show(Translate())
    load(page)
    look_at_the_search(page)
    before = shown_text(page)
    box = page.get_by_label("It must begin with")
    box.fill("我☃")
    box.press("Enter")
    expect(page.locator(".al-error").last).to_contain_text("does not know “☃”")
    assert box.get_attribute("aria-invalid") == "true"
    assert shown_text(page) == before
    box.fill("我")
    expect(page.locator(".al-error").last).to_be_empty()
    says(page, "It had to begin with “我”.")


# The page -----------------------------------------------------------------------------


@pytest.mark.touch
def test_fingers_choose_tokens_maps_and_heads(show):
    page = show(Translate(), width=390)
    page.locator(".tr-tile").nth(2).tap()
    says(page, f"To write “{page.locator('.tr-character').nth(2).inner_text()}”")
    page.get_by_role("radio", name="Decoder").tap(force=True)
    page.get_by_role("button", name="Map of decoder 2.2").tap()
    expect(page.locator(".tm-heading")).to_contain_text("Head decoder 2.2")
    page.get_by_role("button", name="Load the model").tap()
    page.wait_for_selector(".tr-load[hidden]", state="attached", timeout=60_000)
    redrawn(page)  # a forced tap does not wait until its target stands still
    page.get_by_role("radio", name="Cross").tap(force=True)
    page.get_by_role("checkbox", name="Head cross 2.1 speaks").tap()
    says(page, "without head cross 2.1")


@pytest.mark.parametrize("view", ["heads", "search"])
def test_the_page_does_not_overflow(show, view):
    sentence = "Every morning my older brother drinks a large cup of black coffee."
    page = show(Translate(text=sentence, view=view, heads_off=[["cross", 0, 0]]))
    load(page)
    for width in (1280, 768, 390, 360):
        page.set_viewport_size({"width": width, "height": 800})
        redrawn(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("view", ["heads", "search"])
def test_axe_finds_nothing_serious(show, violations, dark, view):
    first = Translate(view=view, heads_off=[["cross", 1, 0]])
    page = show(first, Translate(view=view), dark=dark, width=390 if dark else 1280)
    assert violations(page) == []
    load(page)
    look_at_the_search(page)
    page.get_by_label("It must begin with").first.fill("他☃")
    page.get_by_label("It must begin with").first.press("Enter")
    assert violations(page) == []


def test_forced_colours_leave_the_fills(show):
    page = show(Translate())
    page.emulate_media(forced_colors="active")
    grounds = page.locator(".tm-matrix tbody td").evaluate_all(
        "cells => cells.map((cell) => getComputedStyle(cell).backgroundColor)"
    )
    assert len(set(grounds)) > 3


def test_two_figures_keep_apart(show):
    page = show(Translate(), Translate())
    load(page)
    page.get_by_role("checkbox", name="Head cross 2.1 speaks").first.uncheck()
    look_at_the_search(page)
    page.get_by_role("radio", name="5").first.check(force=True)
    redrawn(page)
    last = page.locator("figure").last
    expect(last.get_by_role("checkbox", name="Head cross 2.1 speaks")).to_be_checked()
    expect(last.locator(".tr-before")).to_be_hidden()
    last.get_by_role("radio", name="Search").check(force=True)
    expect(last.get_by_role("radio", name="3")).to_be_checked()


# Python's side ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong",
    [
        {"text": ""},
        {"text": "?!"},
        {"text": "x" * 301},
        {"width": 0},
        {"width": 6},
        {"length_penalty": -0.1},
        {"length_penalty": 2.1},
        {"length_penalty": float("nan")},
        {"prefix": "我" * 41},
        {"heads_off": [["cross", 2, 0]]},
        {"heads_off": [["cross", 0, 4]]},
        {"heads_off": [["memory", 0, 0]]},
        {"heads_off": [3]},
        {"view": "beam"},
        {"kind": "memory"},
        {"layer": 2},
        {"head": 4},
        {"step": 0},
    ],
    ids=str,
)
def test_python_refuses_what_the_figure_does_not_have(wrong):
    with pytest.raises(TraitError):
        Translate(**wrong)


def test_python_tidies_what_it_takes():
    off = [("cross", 1, 0), ("encoder", 0, 3), ("cross", 1, 0)]
    figure = Translate(text="  Good   morning. ", prefix="早 上", heads_off=off)
    assert figure.text == "Good morning."
    assert figure.prefix == "早上"
    assert figure.heads_off == [["encoder", 0, 3], ["cross", 1, 0]]


def test_it_is_the_same_on_every_run():
    assert repr(Translate()) == repr(Translate())
    assert Translate()._repr_html_() == Translate()._repr_html_()
    assert "width=3" in repr(Translate())


SCREENS = [("Encoder", ""), ("Decoder", ""), ("Cross", "")]
SCREENS += [("Search", show) for show in ("Tree", "This step", "Finished")]


def test_it_is_one_screen_high(show):
    page = show(Translate())
    in_column(page)
    for name, picture in SCREENS:
        look_inside(page, name, picture)
        assert page.locator("figure.attnlab-live").bounding_box()["height"] <= 790


@pytest.mark.touch
def test_on_a_phone_what_is_asked_and_its_picture_share_a_screen(show):
    page = show(Translate())
    on_phone(page)
    assert page.locator("figure.attnlab-live").bounding_box()["height"] <= 1300
    assert span(page, ".tr-sentence", ".tr-result") <= 740
    for name, picture in SCREENS:
        look_inside(page, name, picture)
        last = ".tr-panel:not([hidden]) > .bt" if picture else ".tm-readout"
        assert span(page, ".tr-result", last) <= 740


def test_a_long_sentence_leaves_room_for_the_heads(show):
    page = show(Translate())
    on_phone(page)
    page.locator(".tr-target").evaluate(
        "line => { for (const tile of [...line.children, ...line.children, "
        "...line.children]) line.append(tile.cloneNode(true)); }"
    )
    assert page.locator(".tr-result").bounding_box()["height"] <= 0.4 * 844


def test_the_row_of_a_long_sentence_comes_into_sight(show):
    page = show(Translate(text="Every morning my older brother drinks black coffee."))
    load(page)
    page.locator(".tm-scroll").evaluate("box => box.style.maxHeight = '120px'")
    for tile in (page.locator(".tr-tile").last, page.locator(".tr-tile").first):
        tile.click()
        redrawn(page)
        row = page.locator(".tm-matrix tr.chosen").bounding_box()
        head = page.locator(".tm-matrix thead th").last.bounding_box()
        box = page.locator(".tm-scroll").bounding_box()
        assert head["y"] + head["height"] <= row["y"] + 1
        assert row["y"] + row["height"] <= box["y"] + box["height"] + 1


def test_a_beginning_refused_by_the_model_is_told_beside_the_heads(show):
    page = show(Translate(prefix="我☃"))
    load(page)
    expect(page.locator(".al-error").last).to_contain_text("does not know “☃”")
    expect(page.locator(".al-error").last).to_be_visible()


def test_it_is_drawn_when_it_comes_near(show):
    page = show(*[Translate() for _ in range(4)], drawn=False)
    first, last = page.locator("figure").first, page.locator("figure").last
    expect(first.locator(".tm-matrix tbody tr")).to_have_count(10)
    assert last.locator(".tr-tile, .tm-matrix td").count() == 0
    last.scroll_into_view_if_needed()
    expect(last.locator(".tm-matrix tbody tr")).to_have_count(10)
