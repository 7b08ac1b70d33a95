"""Cut the wire: against PyTorch on the same weights, and in a page by hand and key."""

import re

import pytest
import torch
from drawing import wait_until_drawn
from playwright.sync_api import expect
from reading import expect_status

from attnlab.data import number_tokens
from attnlab.experiments.influence import delete_at
from attnlab.live import CutWire, load_weights
from attnlab.saved import read_base64
from attnlab.tokens import BOS, EOS

PLAIN_MODEL = "en-de-gru-64"
CASES = [
    (2_487, "general", "weight", 5),
    (2_487, "general", "word", 5),
    (2_487, "general", "others", 5),
    (2_487, "cosine", "weight", 6),
    (52_487, "general", "weight", 8),  # the end mark
    (777_777, "cosine", "others", 11),
    (7, "general", "word", 0),  # nothing but the end mark is left
    (0, "cosine", "weight", 1),
    (999_999, "general", "weight", None),
]


def torch_prediction(name: str, number: int, cut: str | None, place: int | None):
    """What PyTorch predicts: words, chances of the right ones, weights or None."""
    model, about = load_weights(name)
    src = [about["src_tokens"].index(word) for word in number_tokens(number, "en")]
    src.append(EOS)
    truth = [about["tgt_tokens"].index(word) for word in number_tokens(number, "de")]
    columns = torch.arange(len(src))
    if cut == "word":
        src, columns = delete_at(src, place), columns[columns != place]
    with torch.no_grad():
        encoded = model.encode(torch.tensor([src]))
        if cut in ("weight", "others"):
            seen = columns == place if cut == "others" else columns != place
            encoded = encoded._replace(mask=encoded.mask & seen)
        decoded = model.decoder(torch.tensor([[BOS, *truth]]), encoded)
    logits = decoded.logits[0]
    words = ["end" if i == EOS else about["tgt_tokens"][i] for i in logits.argmax(-1)]
    chances = logits.softmax(-1)[range(len(logits)), [*truth, EOS]]
    if decoded.attention is None:
        return words, chances, None
    weights = torch.zeros(len(logits), int(columns.max()) + 1)
    weights[:, columns] = decoded.attention.weights[0]
    return words, chances, weights


def open_figure(show, *figures: CutWire, **options):
    page = show(*figures, **options)
    page.wait_for_selector(".cw-stage:not([hidden])")
    wait_until_drawn(page)
    return page


def shown_words(page, network: str) -> list[str]:
    """The words of a network as they are read on the screen."""
    return page.locator(f".cw-words.{network} .cw-now").all_inner_texts()


# The arithmetic -----------------------------------------------------------------------

PREDICT_AFTER_CUT = """([files, wish]) => {
  const networks = files.map((file) => {
    const bytes = Uint8Array.from(atob(file), (letter) => letter.charCodeAt(0));
    return makeModel(bytes.buffer);
  });
  const reading = predictAfterCut(networks, wish);
  const attentive = reading.attentive.map(
    (one) => ({ ...one, weights: [...one.weights] }));
  return { ...reading, attentive };
}"""


@pytest.mark.computes
def test_cutwire_prediction_after_cut_equals_pytorch(page, modules):
    modules("models/stored.js", "figures/cutwire/reading.js")
    for number, score, cut, place in CASES:
        files = [read_base64(name) for name in (PLAIN_MODEL, f"en-de-{score}")]
        wish = {"number": number, "cut": cut, "place": place}
        found = page.evaluate(PREDICT_AFTER_CUT, [files, wish])
        kind = None if place is None else cut
        attentive, deleted = f"en-de-{score}", cut if kind == "word" else None
        words, chances, weights = torch_prediction(attentive, number, kind, place)
        _, whole, _ = torch_prediction(attentive, number, None, None)
        found_weights = torch.tensor([one["weights"] for one in found["attentive"]])
        assert torch.allclose(found_weights.float(), weights, atol=1e-4)
        found_chances = torch.tensor([one["chances"] for one in found["attentive"]])
        both = torch.stack([whole, chances], dim=1)
        assert torch.allclose(found_chances, both, atol=1e-4)
        assert [one["after"] for one in found["attentive"]] == words
        plain, _, _ = torch_prediction(PLAIN_MODEL, number, deleted, place)
        assert [one["after"] for one in found["plain"]] == plain


# The page -----------------------------------------------------------------------------


def test_cutwire_word_press_toggles_cut(show_figures):
    page = open_figure(show_figures, CutWire(place=None))
    before = shown_words(page, "attentive")
    word = page.locator(".cw-words.source button", has_text="eighty")
    after = torch_prediction("en-de-general", 2_487, "weight", 5)[0]
    for go in (word.click, lambda: word.press("Enter")):
        go()
        wait_until_drawn(page)
        assert word.get_attribute("aria-pressed") == "true"
        assert shown_words(page, "attentive") == after != before
        assert shown_words(page, "plain") == before
        expect_status(page, "Without attention there is no such weight")
        expect(page.locator(".cw-note.none")).to_have_text("no weight to cut")
        go()
        wait_until_drawn(page)
        assert shown_words(page, "attentive") == before
        expect(page.locator(".cw-note.none")).to_have_count(0)


def test_cutwire_end_mark_cannot_be_deleted(show_figures):
    page = open_figure(show_figures, CutWire(place=7))
    expect_status(page, "The weight to “end” is 0")
    page.get_by_role("radio", name="the word").click()
    expect_status(page, "The end mark is no word that could be deleted: nothing is cut")
    assert page.locator('[aria-pressed="true"]').count() == 0


def test_cutwire_copied_link_restores_the_figure(show_figures):
    page = open_figure(show_figures, CutWire(), CutWire(number=7, place=None))
    for figure in page.locator("figure").all():
        figure.locator(".cw-stage").wait_for()
    last = page.locator("figure").last
    last.get_by_label("Number", exact=True).fill("52487")
    last.get_by_role("radio", name="cosine").check()
    last.locator(".cw-words.source button").first.click()
    last.get_by_role("button", name="Copy link").click()
    expect(
        last.get_by_role("button", name=re.compile("Copied|address"))
    ).to_be_visible()
    assert page.url.endswith(
        "#cutwire-2--number-52487--score-cosine--cut-weight--place-0"
    )
    page.reload()
    expect_status(
        last, "The weight to “fifty” is 0 at every step. With attention by cosine"
    )
    expect_status(
        page.locator("figure").first, "The weight to “eighty” is 0 at every step."
    )


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("end", "number"),
    [("number-9999999", 2_487), ("number-7--place-x", 7), ("score-dot--cut-", 2_487)],
)
def test_cutwire_broken_link_keeps_other_traits(show_figures, end, number):
    page = open_figure(show_figures, CutWire())
    page.evaluate(f"location.hash = 'cutwire-1--{end}'")
    page.reload()
    page.wait_for_selector(".cw-stage:not([hidden])")
    wait_until_drawn(page)
    words = torch_prediction("en-de-general", number, None, None)[0]
    assert shown_words(page, "attentive") == words
