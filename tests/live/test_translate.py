"""The translator figure in a page without a kernel, by mouse, touch and keyboard."""

import json
import os
import re
from functools import cache
from math import exp

import numpy as np
import pytest
import torch
from drawing import first_daily, redrawn
from maps import assert_bars, assert_small_maps
from playwright.sync_api import expect
from pytest import approx
from reading import (
    Picture,
    boxes,
    numbers,
)

from attnlab.data import EOS
from attnlab.decoding import beam_search
from attnlab.live import Translate
from attnlab.live.translate import KINDS, all_heads, glosses, stored_translation
from attnlab.saved import TRANSLATOR
from attnlab.sentences.recipes import load_tatoeba
from attnlab.sentences.translator import load_translator
from tools.trace import MAX_WRITTEN, main, trace

SENTENCES = ["I have two cats.", "Can you speak French?", "She is very tired today."]


@cache
def translator():
    return load_translator()


@pytest.fixture
def show(show):
    """As elsewhere, and every figure has come near the window and is drawn."""

    def open_page(*figures, **options):
        page = show(*figures, **options)
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
    return model.head_mask(**masks)


def source(text: str) -> torch.Tensor:
    return torch.tensor([[*translator().src_tokenizer.encode(text), EOS]])


@cache
def traced(text: str, width: int, off: str = "[]") -> dict:
    """What PyTorch finds with these heads silent, and at what steps."""
    with only(json.loads(off)):
        return trace(translator(), text, width)


def by_torch(text: str, width: int = 3) -> str:
    """The translation with all heads, at a length penalty of 1."""
    return written(ranked(traced(text, width), 1.0)[0]["tokens"])


def score(one: dict, alpha: float) -> float:
    """Of Wu et al. 2016, eq. 14; the end counts as a token."""
    return one["logProb"] / ((5 + len(one["tokens"])) / 6) ** alpha


def ranked(found: dict, alpha: float) -> list[dict]:
    hypotheses = found["search"]["hypotheses"]
    return sorted(hypotheses, key=lambda one: score(one, alpha), reverse=True)


def written(tokens) -> str:
    return "".join(token for token in tokens if token is not None)


def name_of(place) -> str:
    kind, layer, head = place
    return f"{kind} {layer + 1}.{head + 1}"


def named(tokens) -> list[str]:
    return ["end" if token is None else token for token in tokens]


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


def look_inside(page, name: str, show: str = "") -> None:
    """Press what shows the heads of a kind, or the search and one of its pictures."""
    page.get_by_role("radio", name=name, exact=True).first.check(force=True)
    if show:
        page.get_by_role("radio", name=show, exact=True).first.check(force=True)
    redrawn(page)


def look_at_the_search(page, show: str = "") -> None:
    look_inside(page, "Search", show)


# What has to be shown, by PyTorch, and what is ----------------------------------------


class State:
    """What a figure has to show; `word` is the row of an encoder's map."""

    def __init__(self, figure: Translate, word: int = 0):
        self.figure, self.off = figure, figure.heads_off
        self.alpha = figure.length_penalty
        self.whole = traced(figure.text, figure.width)
        self.full = ranked(self.whole, self.alpha)[0]
        run = traced(figure.text, figure.width, json.dumps(self.off))
        self.hypotheses = ranked(run, self.alpha)
        self.best = self.hypotheses[0]
        self.steps = run["search"]["steps"]
        self.step = min(figure.step or len(self.steps), len(self.steps))
        self.tokens, self.pieces = named(self.best["tokens"]), run["pieces"]
        self.token = min(figure.step or 1, len(self.tokens)) - 1
        self.row = word if figure.kind == "encoder" else self.token
        self.rows, self.columns = {
            "encoder": (self.pieces, self.pieces),
            "decoder": (self.tokens, ["start", *self.tokens[:-1]]),
            "cross": (self.tokens, self.pieces),
        }[figure.kind]
        maps = np.array({"encoder": run["encoder"], **self.best["maps"]}[figure.kind])
        shape = *maps.shape[:2], len(self.rows), len(self.columns)
        self.maps = maps.reshape(shape)  # (layers, heads, rows, columns)
        self.place = [figure.kind, figure.layer, figure.head]
        self.map = self.maps[figure.layer, figure.head]


def assert_shown(page, figure: Translate, word: int = 0) -> None:
    """The translation, the heads or the search, and the sentence beneath."""
    state = State(figure, word)
    expect(page.locator(".tr-character")).to_have_text(state.tokens)
    expect(page.locator(".tr-piece")).to_have_text(state.pieces)
    assert_translation(page, state)
    if figure.view == "heads":
        picture = Picture(page)
        assert_heads(page, state, picture)
    else:
        assert_search(page, state)


def assert_share(told: str, log_prob: float) -> None:
    """A probability in whole percents."""
    if "<" in told:
        assert exp(log_prob) < 0.006
    else:
        assert numbers(told)[0] == approx(100 * exp(log_prob), abs=0.6)


def assert_translation(page, state) -> None:
    log_probs = state.best["maps"]["logProbs"]
    for told, log_prob in zip(
        page.locator(".tr-share").all_text_contents(), log_probs, strict=True
    ):
        assert_share(told, log_prob)
    tiles = page.locator(".tr-tile")
    assert_bars(tiles, "width", np.exp(log_probs))
    verdict = page.locator(".tr-verdict")
    told = numbers(verdict.locator(".tr-score").inner_text())
    assert told == [approx(score(state.best, state.alpha), abs=0.006)]
    same = written(state.best["tokens"]) == written(state.full["tokens"])
    signs = re.findall("[=≠] [a-z ]+", verdict.inner_text())
    wanted = ["= the same words" if same else "≠ other words"]
    assert signs == (wanted if state.off else [])
    assert (page.locator(".tr-tile.other").count() > 0) == (not same)
    heads = state.figure.view == "heads"
    pressed = state.figure.kind != "encoder" if heads else bool(state.figure.step)
    chosen = boxes(page.locator(".tr-tile[aria-pressed='true']"))
    assert chosen == ([boxes(tiles)[state.token]] if pressed else [])


def assert_heads(page, state, picture: Picture) -> None:
    """All maps of the kind, what each head is worth, and the large map."""
    figure, (layers, heads, *shape) = state.figure, state.maps.shape
    cards = page.locator(".tm-card").filter(visible=True)
    places = [[figure.kind, i, j] for i in range(layers) for j in range(heads)]
    names = [name_of(place).split()[1] for place in places]
    assert cards.locator(".tm-number").all_text_contents() == names
    ticked = [box.is_checked() for box in cards.get_by_role("checkbox").all()]
    assert ticked == [place not in state.off for place in places]
    assert_small_maps(picture, cards, state.maps.reshape(-1, *shape), state.row)
    harms = page.locator(".tm-harm")
    expect(harms.last).not_to_have_text("…")
    wanted = state.whole["harms"]
    for told, harm in zip(harms.all_text_contents(), wanted, strict=True):
        assert numbers(told) == [approx(harm, abs=0.06)]
    mine = [at[0] == figure.kind for at in all_heads()]
    shares = np.maximum(0, np.array(wanted) / min(-0.05, *wanted))[mine]
    assert_bars(cards.locator(".tm-harm"), "width", shares)
    before = page.locator(".tr-before")
    if state.off:
        told = before.locator(".tr-was").inner_text()
        assert told == written(state.full["tokens"])
        told = numbers(before.locator(".tr-score").inner_text())
        assert told == [approx(score(state.full, state.alpha), abs=0.006)]
    expect(before).to_be_visible(visible=bool(state.off))


def beginning(steps: list, step: int, rank: int) -> list[int]:
    """The ranks that lead to a candidate, its own last."""
    ranks = [rank]
    for i in range(step, 0, -1):
        ranks.insert(0, steps[i]["candidates"][ranks[0]]["parent"])
    return ranks


def tokens_along(steps: list, ranks: list[int]) -> list[str]:
    return named(
        step["candidates"][rank]["token"]
        for step, rank in zip(steps, ranks, strict=False)
    )


FATES = {"kept": "kept", "ended": "finished", "dropped": "dropped"}


def assert_search(page, state) -> None:
    """The picture of the search that is chosen."""
    steps, i = state.steps, state.step - 1
    slider = page.get_by_role("slider", name="Step")
    expect(slider).to_have_attribute("max", str(len(steps)))
    shown = page.locator(".bt > *").filter(visible=True)
    if shown.locator("caption").count():
        told = shown.locator("caption").inner_text()
        assert numbers(told) == [state.step]
        rows = shown.locator("tbody tr").evaluate_all(
            """all => all.map((row) =>
                 [...row.querySelectorAll(".bt-before, b, td")]
                   .map((e) => e.innerText))"""
        )
        listed = steps[i]["candidates"]
        assert len(rows) >= len(listed)  # greedy search drops some more
        assert all("✗" in fate for *_, fate in rows[steps[i]["room"] :])
        for rank, (one, row) in enumerate(zip(listed, rows, strict=False)):
            text, token, share, total, fate = row
            before = beginning(steps, i, rank)[:-1]
            assert text == "".join(tokens_along(steps, before))
            assert token == named([one["token"]])[0]
            assert_share(share, one["logProb"])
            assert numbers(total) == [approx(one["total"], abs=0.006)]
            assert fate.endswith(FATES[one["fate"]])


# Before the model is loaded -----------------------------------------------------------

CROSS = [at for at in all_heads() if at[0] == "cross"]


@pytest.mark.parametrize(
    ("traits", "dark"),
    first_daily(
        [
            ({}, True),  # which came with the page
            (
                {"text": SENTENCES[2], "width": 1, "heads_off": CROSS[4:]}
                | {"kind": "decoder", "layer": 1, "head": 3, "step": 4},
                False,
            ),
            (
                {
                    "text": SENTENCES[1],
                    "heads_off": [["encoder", 0, 2], ["cross", 1, 0]],
                }
                | {"kind": "encoder", "layer": 0, "head": 2, "length_penalty": 0.4},
                True,
            ),
            (
                {"text": SENTENCES[0], "width": 5, "length_penalty": 2.0}
                | {"kind": "cross", "layer": 0, "step": 3},
                False,
            ),
        ],
        2,
    ),
    ids=str,
)
def test_what_is_drawn_and_said_is_pytorchs(show, traits, dark):
    page = show(Translate(**traits), dark=dark)
    if traits:
        load(page)
    assert_shown(page, Translate(**traits))
    total = len(State(Translate(**traits)).steps)
    look_at_the_search(page, "This step")
    for step in (*range(1, total, 2), total):
        page.get_by_role("slider", name="Step").fill(str(step))
        redrawn(page)
        assert_shown(page, Translate(**{**traits, "step": step, "view": "search"}))


def test_what_is_stored_is_pytorchs(tmp_path, capsys):
    stored = stored_translation()
    main(tmp_path)
    told = capsys.readouterr().out
    again = json.loads((tmp_path / f"{TRANSLATOR}.json").read_text(encoding="utf-8"))
    assert stored["text"] in told and by_torch(stored["text"]) in told
    assert again["about"] == stored["about"]
    assert again["pieces"] == stored["pieces"]
    for mine, theirs in zip(
        again["search"]["steps"], stored["search"]["steps"], strict=True
    ):
        assert mine["room"] == theirs["room"]
        for one, other in zip(mine["candidates"], theirs["candidates"], strict=True):
            assert one["fate"] == other["fate"]
            assert one["total"] == approx(other["total"], abs=1e-3)
    assert again["harms"] == approx(stored["harms"], abs=1e-3)


@pytest.mark.parametrize("text", SENTENCES)
@pytest.mark.parametrize("width", [1, 4])
def test_the_trace_is_that_of_beam_search(text, width):
    found = trace(translator(), text, width)["search"]
    wanted = beam_search(translator().model, source(text), MAX_WRITTEN, width, 0.0)[0]
    names = translator().tgt_tokenizer.tokens
    for one, other in zip(found["hypotheses"], wanted, strict=True):
        told = [None if i == EOS else names[i].replace("<unk>", "□") for i in other[0]]
        assert one["tokens"] == told
        assert one["logProb"] == approx(other.score, abs=2e-4)
    for step in found["steps"]:
        totals = [one["total"] for one in step["candidates"]]
        assert totals == sorted(totals, reverse=True)
        kept = [one["fate"] != "dropped" for one in step["candidates"]]
        assert kept == [rank < step["room"] for rank in range(len(kept))]


# Translating --------------------------------------------------------------------------


@pytest.mark.skipif(not os.environ.get("ATTNLAB_DATA"), reason="needs the corpus")
def test_no_example_was_in_the_training(show):
    page = show(Translate())
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


BAD = {
    "": "Please type an English sentence.",
    " ?! ": "Please type an English sentence.",
    "a " * 100: "too long: it is cut into 100 pieces",
    "x" * 301: "too long: it has 301 letters",
}


def test_bad_sentences_are_answered_and_the_picture_stays(show):
    page = show(Translate())
    type_text(page, "a " * 100)
    load(page)
    expect(page.locator(".al-error").first).to_contain_text("too long")
    box = page.get_by_label("English sentence")
    for typed, answer in BAD.items():
        type_text(page, typed)
        expect(page.locator(".al-error").first).to_contain_text(answer)
        assert box.get_attribute("aria-invalid") == "true"
        assert shown_text(page) == by_torch(Translate().text)
        type_text(page, Translate().text)
        expect(page.locator(".al-error").first).to_be_empty()


# Heads --------------------------------------------------------------------------------


# The search ---------------------------------------------------------------------------


# The page -----------------------------------------------------------------------------


# Python's side ------------------------------------------------------------------------


def test_python_tidies_what_it_takes():
    off = [("cross", 1, 0), ("encoder", 0, 3), ("cross", 1, 0)]
    figure = Translate(text="  Good   morning. ", prefix="早 上", heads_off=off)
    assert figure.text == "Good morning."
    assert figure.prefix == "早上"
    assert figure.heads_off == [["encoder", 0, 3], ["cross", 1, 0]]


def test_glosses_are_the_dictionarys_longest_words(show):
    page = show(Translate())
    written = "".join(page.locator(".tr-character").all_text_contents()[:-1])
    words = page.locator(".tr-word").evaluate_all(
        """all => all.map((word) => [
          [...word.querySelectorAll(".tr-character")].map((c) => c.innerText).join(""),
          word.querySelector(".tr-gloss").textContent])"""
    )
    *words, end = [tuple(word) for word in words]
    assert end == ("end", "") and "".join(word for word, _ in words) == written
    at = 0
    for word, gloss in words:
        longest = next(
            (
                n
                for n in (4, 3, 2)
                if written[at : at + n] in glosses() and at + n <= len(written)
            ),
            1,
        )
        assert word == written[at : at + longest]
        assert gloss == glosses().get(word, "")
        at += len(word)
    assert ("桌子", "table") in words
