"""The translator figure in a page without a kernel, by mouse, touch and keyboard."""

import json
import os
from functools import cache
from math import exp

import pytest
import torch
from drawing import first_every_day, wait_until_drawn
from playwright.sync_api import expect
from pytest import approx
from reading import parse_numbers

from attnlab.live import Translate
from attnlab.live.translate import KINDS, all_heads, stored_translation
from attnlab.saved import TRANSLATOR
from attnlab.sentences.recipes import load_tatoeba
from attnlab.sentences.translator import load_translator
from tools.trace import main, trace

SENTENCES = ["I have two cats.", "Can you speak French?", "She is very tired today."]


@cache
def translator():
    return load_translator()


def with_heads_off(heads_off):
    """The context in which these heads are silent."""
    model = translator().model
    masks = {
        kind: torch.ones(model.num_layers, model.num_heads, dtype=torch.bool)
        for kind in KINDS
    }
    for kind, layer, head in heads_off:
        masks[kind][layer, head] = False
    return model.head_mask(**masks)


@cache
def torch_run(text: str, width: int, off: str = "[]") -> dict:
    """What PyTorch finds with these heads silent, and at what steps."""
    with with_heads_off(json.loads(off)):
        return trace(translator(), text, width)


def torch_translation(text: str, width: int = 3) -> str:
    """The translation with all heads, at a length penalty of 1."""
    best = rank_hypotheses(torch_run(text, width), 1.0)[0]
    return "".join(filter(None, best["tokens"]))


def score(one: dict, alpha: float) -> float:
    """Of Wu et al. 2016, eq. 14; the end counts as a token."""
    return one["logProb"] / ((5 + len(one["tokens"])) / 6) ** alpha


def rank_hypotheses(found: dict, alpha: float) -> list[dict]:
    hypotheses = found["search"]["hypotheses"]
    return sorted(hypotheses, key=lambda one: score(one, alpha), reverse=True)


def name_tokens(tokens) -> list[str]:
    return ["end" if token is None else token for token in tokens]


def press_load(page) -> None:
    page.get_by_role("button", name="Load the model").first.click()
    page.wait_for_selector(".tr-load[hidden]", state="attached", timeout=60_000)
    wait_until_drawn(page)


def type_text(page, text: str) -> None:
    page.get_by_label("English sentence").fill(text)
    page.get_by_label("English sentence").press("Enter")
    wait_until_drawn(page)


# What is shown, by PyTorch ------------------------------------------------------------


def assert_percent(told: str, log_prob: float) -> None:
    """A probability in whole percents."""
    if "<" in told:
        assert exp(log_prob) < 0.006
    else:
        assert parse_numbers(told)[0] == approx(100 * exp(log_prob), abs=0.6)


def assert_translation(page, best: dict, pieces: list[str], alpha: float) -> None:
    """Pieces, characters with their probabilities, and the score."""
    expect(page.locator(".tr-character")).to_have_text(name_tokens(best["tokens"]))
    expect(page.locator(".tr-piece")).to_have_text(pieces)
    shares = page.locator(".tr-share").all_text_contents()
    for told, one in zip(shares, best["maps"]["logProbs"], strict=True):
        assert_percent(told, one)
    told = parse_numbers(page.locator(".tr-verdict .tr-score").inner_text())
    assert told == [approx(score(best, alpha), abs=0.006)]


def assert_harms(page, wanted: list[float]) -> None:
    """What the log-probability loses by each head's silence alone."""
    harms = page.locator(".tm-harm")
    expect(harms.last).not_to_have_text("…")
    told = [parse_numbers(text)[0] for text in harms.all_text_contents()]
    assert told == approx(wanted, abs=0.06)


FATES = {"kept": "kept", "ended": "finished", "dropped": "dropped"}


def assert_candidates(page, listed: list[dict]) -> None:
    """The candidates of a step: token, probability, sum, and what became of each."""
    rows = page.locator(".bt > *:visible tbody tr").evaluate_all(
        """all => all.map((row) =>
             [...row.querySelectorAll("b, td")].map((e) => e.innerText))"""
    )
    assert len(rows) >= len(listed)  # greedy search drops some more
    for one, (token, share, total, fate) in zip(listed, rows, strict=False):
        assert token == name_tokens([one["token"]])[0]
        assert_percent(share, one["logProb"])
        assert parse_numbers(total) == [approx(one["total"], abs=0.006)]
        assert fate.endswith(FATES[one["fate"]])


CROSS_HEADS = [at for at in all_heads() if at[0] == "cross"]


@pytest.mark.parametrize(
    "traits",
    first_every_day(
        [
            {"text": SENTENCES[2], "width": 1, "heads_off": CROSS_HEADS[4:]},
            {"text": SENTENCES[1], "heads_off": [["encoder", 0, 2], ["cross", 1, 0]]}
            | {"length_penalty": 0.4},
            {"text": SENTENCES[0], "width": 5, "length_penalty": 2.0},
        ]
    ),
    ids=str,
)
def test_translate_result_ablations_and_search_equal_pytorch(show_figures, traits):
    page = show_figures(Translate(**traits))
    press_load(page)
    figure = Translate(**traits)
    whole = torch_run(figure.text, figure.width)
    run = torch_run(figure.text, figure.width, json.dumps(figure.heads_off))
    alpha = figure.length_penalty
    assert_translation(page, rank_hypotheses(run, alpha)[0], run["pieces"], alpha)
    assert_harms(page, whole["harms"])
    for name in ("Search", "This step"):
        page.get_by_role("radio", name=name, exact=True).first.check(force=True)
    for step in range(0, len(run["search"]["steps"]), 3):
        page.get_by_role("slider", name="Step").fill(str(step + 1))
        wait_until_drawn(page)
        assert_candidates(page, run["search"]["steps"][step]["candidates"])
    page.get_by_role("slider", name="Step").press("End")
    expect(page.locator("tr.best th:text('★')")).to_have_count(1)


def test_translate_stored_translation_equals_pytorch(tmp_path, capsys):
    stored = stored_translation()
    main(tmp_path)
    told = capsys.readouterr().out
    again = json.loads((tmp_path / f"{TRANSLATOR}.json").read_text(encoding="utf-8"))
    assert stored["text"] in told and torch_translation(stored["text"]) in told
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


# Translating --------------------------------------------------------------------------


@pytest.mark.skipif(not os.environ.get("ATTNLAB_DATA"), reason="needs the corpus")
def test_translate_examples_are_not_in_training_data(show_figures):
    page = show_figures(Translate())
    page.locator(".tr-tile").first.wait_for()
    learned = {letters_only(english) for english, _ in load_tatoeba()["train"]}
    assert len(learned) > 10_000 and letters_only("I have two cats!") in learned
    _, *examples = page.locator(".tr-examples option").all_text_contents()
    assert len(examples) >= 4
    for sentence in examples:
        assert letters_only(sentence) not in learned


def letters_only(sentence: str) -> str:
    return "".join(filter(str.isalnum, sentence.casefold()))


BAD_SENTENCES = {
    "": "Please type an English sentence.",
    " ?! ": "Please type an English sentence.",
    "a " * 100: "too long: it is cut into 100 pieces",
    "x" * 301: "too long: it has 301 letters",
}


def test_translate_bad_sentence_shows_error_and_keeps_result(show_figures):
    page = show_figures(Translate(view="search"))
    type_text(page, "a " * 100)
    press_load(page)
    expect(page.locator(".al-error").first).to_contain_text("too long")
    box = page.get_by_label("English sentence")
    for typed, answer in BAD_SENTENCES.items():
        type_text(page, typed)
        expect(page.locator(".al-error").first).to_contain_text(answer)
        assert box.get_attribute("aria-invalid") == "true"
        shown = "".join(page.locator(".tr-character").all_text_contents())
        assert shown == torch_translation(Translate().text) + "end"
        type_text(page, Translate().text)
        expect(page.locator(".al-error").first).to_be_empty()
    start = page.get_by_label("It must begin with")
    start.fill("我")
    page.get_by_role("button", name="Let it begin freely").press("Enter")
    expect(start).to_be_focused()  # the button is gone


def test_translate_traits_are_normalised():
    off = [("cross", 1, 0), ("encoder", 0, 3), ("cross", 1, 0)]
    figure = Translate(text="  Good   morning. ", prefix="早 上", heads_off=off)
    assert figure.text == "Good morning."
    assert figure.prefix == "早上"
    assert figure.heads_off == [["encoder", 0, 3], ["cross", 1, 0]]
