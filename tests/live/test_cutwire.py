"""Cut the wire: against PyTorch on the same weights, and in a page by hand and key."""

import re

import pytest
import torch
from drawing import USUAL, WIDE, redrawn
from playwright.sync_api import expect
from traitlets import TraitError

from attnlab.data import alignment, number_tokens
from attnlab.experiments.influence import without
from attnlab.live import CutWire, load_weights
from attnlab.live.cutwire import CUTS, SCORES
from attnlab.saved import read_base64
from attnlab.tokens import BOS, EOS

PLAIN = "en-de-gru-64"
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


def predicted(name: str, number: int, cut: str | None, place: int | None):
    """What PyTorch predicts of the German words: logits, weights (or None), words."""
    model, about = load_weights(name)
    src = [about["src_tokens"].index(word) for word in number_tokens(number, "en")]
    src.append(EOS)
    truth = [about["tgt_tokens"].index(word) for word in number_tokens(number, "de")]
    columns = torch.arange(len(src))
    if cut == "word":
        src, columns = without(src, place), columns[columns != place]
    with torch.no_grad():
        encoded = model.encode(torch.tensor([src]))
        if cut in ("weight", "others"):
            seen = columns == place if cut == "others" else columns != place
            encoded = encoded._replace(mask=encoded.mask & seen)
        decoded = model.decoder(torch.tensor([[BOS, *truth]]), encoded)
    logits = decoded.logits[0]
    words = ["end" if i == EOS else about["tgt_tokens"][i] for i in logits.argmax(-1)]
    if decoded.glimpse is None:
        return logits, None, words
    weights = torch.zeros(len(logits), int(columns.max()) + 1)
    weights[:, columns] = decoded.glimpse.weights[0]
    return logits, weights, words


def says(page, text: str) -> None:
    expect(page.get_by_role("status")).to_contain_text(text)


def status(page) -> str:
    page.wait_for_timeout(200)  # what is said in a hurry comes after a pause
    return page.get_by_role("status").inner_text()


def opened(show, figure: CutWire, **options):
    page = show(figure, **options)
    page.wait_for_selector(".cw-stage:not([hidden])")
    redrawn(page)
    return page


def english(page, word: str, nth: int = 0):
    return page.locator(".cw-words.source button", has_text=word).nth(nth)


def written(page, network: str) -> list[str]:
    return page.locator(f".cw-words.{network} [data-word]").evaluate_all(
        "all => all.map((one) => one.dataset.word)"
    )


def german(page, t: int):
    return page.locator(".cw-words.attentive button").nth(t)


# The arithmetic -----------------------------------------------------------------------

READ = """([files, wish]) => {
  const networks = files.map((file) => {
    const bytes = Uint8Array.from(atob(file), (letter) => letter.charCodeAt(0));
    return makeModel(bytes.buffer);
  });
  const reading = cutReading(networks, wish);
  const given = [1, ...numberTokens(wish.number, "de").map(
    (word) => networks[1].tgtTokens.indexOf(word))];
  const words = numberTokens(wish.number, "en");
  const left = words.filter((_, j) => !reading.gone[j]);
  const seen = wish.cut === "word" ? null : reading.seen;
  const logits = predictWords(networks[1], sourceIds(networks[1], left), given, seen);
  return {
    ...reading,
    logits: logits.map((step) => [...step.logits]),
    attentive: reading.attentive.map((one) => ({ ...one, weights: [...one.weights] })),
  };
}"""


@pytest.mark.parametrize("case", CASES)
def test_weights_and_logits_after_a_cut_are_pytorchs(page, modules, case):
    number, score, cut, place = case
    modules("models/stored.js", "models/seq2seq.js", "words/spell.js")
    modules("figures/cutwire/reading.js")
    files = [read_base64(name) for name in (PLAIN, f"en-de-{score}")]
    wish = {"number": number, "cut": cut, "place": place}
    found = page.evaluate(READ, [files, wish])
    kind = None if place is None else cut
    logits, weights, words = predicted(f"en-de-{score}", number, kind, place)
    found_weights = torch.tensor([one["weights"] for one in found["attentive"]])
    assert (found_weights - weights).abs().max() < 1e-4
    assert (found_weights.sum(-1) - 1).abs().max() < 1e-5
    assert (torch.tensor(found["logits"]) - logits).abs().max() < 1e-4
    assert [one["after"] for one in found["attentive"]] == words
    chance = logits.softmax(-1).gather(-1, logits.argmax(-1, keepdim=True))[:, 0]
    for one, share in zip(found["attentive"], chance.tolist(), strict=True):
        if one["after"] == one["wanted"]:
            assert one["chances"][1] == pytest.approx(share, abs=1e-4)
    deleted = cut if cut == "word" and place is not None else None
    assert [one["after"] for one in found["plain"]] == predicted(
        PLAIN, number, deleted, place
    )[2]


def test_a_cut_changes_no_state(page, modules):
    modules("models/stored.js", "models/seq2seq.js")
    same = page.evaluate(
        """([file, ids, given, seen]) => {
          const bytes = Uint8Array.from(atob(file), (letter) => letter.charCodeAt(0));
          const model = makeModel(bytes.buffer);
          const whole = predictWords(model, ids, given);
          const cut = predictWords(model, ids, given, seen);
          const all = predictWords(model, ids, given, ids.map(() => true));
          // The ratio of two weights that are left tells of scores, and so of states.
          const ratio = ({ weights }) => weights[0] / weights[2];
          const close = (a, b) => Math.abs(a / b - 1) < 1e-3;
          return [
            whole.every((step, t) => close(ratio(step), ratio(cut[t]))),
            cut.every(({ weights }) => weights[1] === 0),
            whole.every((step, t) => String(step.logits) === String(all[t].logits)),
          ];
        }""",
        [
            read_base64("en-de-cosine"),
            [5, 7, 9, 2],
            [1, 4, 6],
            [True, False, True, True],
        ],
    )
    assert same == [True, True, True]


# The page -----------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES)
def test_the_words_in_the_picture_are_pytorchs(show, case):
    number, score, cut, place = case
    page = opened(show, CutWire(number=number, score=score, cut=cut, place=place))
    kind = None if place is None else cut
    assert (
        written(page, "attentive")
        == predicted(f"en-de-{score}", number, kind, place)[2]
    )
    deleted = cut if kind == "word" else None
    assert written(page, "plain") == predicted(PLAIN, number, deleted, place)[2]


@pytest.mark.parametrize("press", ["mouse", "keyboard"])
def test_a_word_is_cut_and_put_back(show, press):
    page = opened(show, CutWire())
    before = written(page, "attentive")
    assert before == [*number_tokens(2_487, "de"), "end"]
    says(
        page, "nothing cut: without attention every part is right, with attention every"
    )
    word = english(page, "eighty")

    def go() -> None:
        word.click() if press == "mouse" else word.press("Enter")
        redrawn(page)

    go()
    assert word.get_attribute("aria-pressed") == "true"
    after = predicted("en-de-general", 2_487, "weight", 5)[2]
    assert written(page, "attentive") == after != before
    assert written(page, "plain") == before
    says(page, "there is no such weight, only one vector: nothing changes")
    expect(page.locator(".cw-note.none")).to_have_text("no weight to cut")
    go()
    assert written(page, "attentive") == before
    expect(page.locator(".cw-note.none")).to_have_count(0)


def test_what_changed_is_marked_and_said(show):
    page = opened(show, CutWire(place=5))
    truth = [*number_tokens(2_487, "de"), "end"]
    after = written(page, "attentive")
    changed = [t for t, word in enumerate(after) if word != truth[t]]
    assert changed
    kinds = page.locator(".cw-words.attentive [data-change]").evaluate_all(
        "all => all.map((one) => one.dataset.change)"
    )
    assert [t for t, kind in enumerate(kinds) if kind == "lost"] == changed
    for t in changed:
        assert german(page, t).inner_text().split() == [after[t], "was", truth[t]]
        says(page, f"“{truth[t]}” becomes “{after[t]}”")
        sign = german(page, t).locator(".cw-now")
        assert "✗" in sign.evaluate("e => getComputedStyle(e, '::before').content")
    says(page, f"{len(changed)} of {len(truth)} parts change")
    own = [t for t, s in sorted(alignment(2_487)) if s == 5]
    for t in own:
        fate = "lost" if t in changed else "still right"
        says(page, f"“{truth[t]}” {fate}")


def test_a_deleted_word_is_gone_for_both(show):
    page = opened(show, CutWire())
    page.get_by_role("radio", name="the word").click()
    english(page, "eighty").click()
    redrawn(page)
    says(page, "“eighty” is deleted from the sentence, for both")
    assert written(page, "plain") == predicted(PLAIN, 2_487, "word", 5)[2]
    assert written(page, "attentive") == predicted("en-de-general", 2_487, "word", 5)[2]
    assert page.locator(".cw-lines.vector .cut").count() == 1
    line = english(page, "eighty").evaluate(
        "e => getComputedStyle(e).textDecorationLine"
    )
    assert line == "line-through"


def test_all_others_are_cut(show):
    page = opened(show, CutWire(place=6))
    page.get_by_role("radio", name="all other weights").click()
    redrawn(page)
    says(page, "Only the weight to “seven” is left, 1 at every step")
    wires = page.locator(".cw-lines.wires .wire")
    assert wires.count() == len(written(page, "attentive"))
    widths = wires.evaluate_all("all => all.map((e) => e.getAttribute('stroke-width'))")
    assert set(widths) == {"10"}


def test_wires_are_as_wide_as_their_weights(show):
    page = opened(show, CutWire(place=5))
    weights = predicted("en-de-general", 2_487, "weight", 5)[1]
    drawn = page.locator(".cw-lines.wires .wire").evaluate_all(
        "all => all.map((e) => Number(e.getAttribute('stroke-width')) / 10)"
    )
    assert drawn == pytest.approx(weights[weights >= 0.03].tolist(), abs=1e-4)
    whole = predicted("en-de-general", 2_487, None, None)[1]
    cut = page.locator(".cw-lines.wires .cut").count()
    assert cut == int((whole[:, 5] >= 0.03).sum())


def test_the_score_is_another_network(show):
    page = opened(show, CutWire(place=5))
    page.get_by_role("radio", name="cosine").click()
    says(page, "With attention nothing changes")
    assert (
        written(page, "attentive") == predicted("en-de-cosine", 2_487, "weight", 5)[2]
    )


@pytest.mark.parametrize("way", ["mouse", "keyboard"])
def test_a_german_word_tells_where_it_looks(show, way):
    page = opened(show, CutWire())
    t = number_tokens(2_487, "de").index("vier")
    if way == "mouse":
        german(page, t).hover()
    else:
        german(page, 0).focus()
        for _ in range(t):
            page.keyboard.press("ArrowDown")
    row = predicted("en-de-general", 2_487, None, None)[1][t]
    assert row.argmax() == number_tokens(2_487, "en").index("four")
    text = f"For “vier” it looks at “four” {row.max():.2f}"
    expect(page.locator(".cw-readout")).to_contain_text(text)
    assert text in german(page, t).get_attribute("aria-label")
    lit = page.locator(".cw-lines .lit").evaluate_all(
        "all => [...new Set(all.map((e) => e.dataset.target))]"
    )
    assert lit == [str(t)]


def test_the_keyboard_goes_through_the_words(show):
    page = opened(show, CutWire())
    english(page, "two").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press(" ")
    redrawn(page)
    says(page, "The weight to “thousand” is 0")
    assert page.evaluate("document.activeElement.textContent") == "thousand"
    page.keyboard.press("Escape")
    says(page, "nothing cut")


def test_the_end_mark_is_no_word_to_delete(show):
    page = opened(show, CutWire(place=7))
    says(page, "The weight to “end” is 0")
    page.get_by_role("radio", name="the word").click()
    says(page, "The end mark is no word that could be deleted: nothing is cut")
    assert page.locator('[aria-pressed="true"]').count() == 0


def test_a_word_that_is_not_there_is_answered(show):
    page = opened(show, CutWire(number=7, place=30))
    says(page, "There is no such word: nothing is cut. 7, nothing cut")


def test_another_number_is_whole_again(show):
    page = opened(show, CutWire(place=5))
    page.get_by_label("Number", exact=True).fill("345678")
    says(page, "345\u202f678, nothing cut")
    words = page.locator(".cw-words.source button").all_inner_texts()
    assert words == [*number_tokens(345_678, "en"), "end"]


def test_bad_input_is_answered_and_the_picture_stays(show, bad_input):
    text, answer = bad_input
    page = opened(show, CutWire())
    before = written(page, "attentive")
    page.get_by_label("Number", exact=True).fill(text)
    expect(page.locator(".al-error")).to_contain_text(answer)
    assert written(page, "attentive") == before
    assert page.evaluate("window.hacked") is None
    page.get_by_label("Number", exact=True).fill("1000000")
    expect(page.locator(".al-error")).to_contain_text("up to 999\u202f999")
    page.get_by_label("Number", exact=True).fill("12")
    expect(page.locator(".al-error")).to_be_empty()
    says(page, "12, nothing cut")


def scripts(page) -> list[str]:
    """The names of the weights that the page has loaded."""
    sources = page.evaluate("[...document.scripts].map((script) => script.src)")
    return sorted(re.findall(r"en-de-[\w-]+", " ".join(sources)))


def test_weights_wait_until_the_figure_is_seen(show):
    assert CutWire()._weights == {}
    page = show(Spacer(), CutWire())
    redrawn(page)
    assert scripts(page) == []
    page.locator("figure").last.scroll_into_view_if_needed()
    page.wait_for_selector(".cw-stage:not([hidden])")
    assert scripts(page) == ["en-de-general", PLAIN]


class Spacer:
    """Stands for a long page above the figure."""

    def _repr_html_(self) -> str:
        return '<div style="height: 3000px"></div>'


def test_weights_that_cannot_be_loaded_are_answered(show, tmp_path):
    page = opened(show, CutWire())
    script = tmp_path / "_static/attnlab-weights/en-de-cosine.js"
    script.unlink()
    script.write_text("")
    page.get_by_role("radio", name="cosine").click()
    says(page, "The weights “en-de-cosine” are neither in this page nor beside it.")
    expect(page.get_by_role("radio", name="general")).to_be_checked()
    english(page, "two").click()
    says(page, "The weight to “two” is 0")


@pytest.mark.parametrize("cut", CUTS)
def test_it_is_one_screen_high(show, cut):
    page = opened(show, CutWire(cut=cut, place=5))
    page.add_style_tag(content="main { max-width: 700px }")
    redrawn(page)
    assert page.locator("figure").bounding_box()["height"] <= 740
    for width in (390, 360):
        page.set_viewport_size({"width": width, "height": 800})
        redrawn(page)
        top = page.locator("figure").bounding_box()["y"]
        stage = page.locator(".cw-stage").bounding_box()
        assert stage["y"] + stage["height"] - top <= 720


@pytest.mark.parametrize("font", [USUAL, WIDE])
@pytest.mark.parametrize("score", SCORES)
def test_nothing_overflows(show, score, font):
    figure = CutWire(number=777_777, score=score, cut="others", place=1)
    page = opened(show, figure, font=font)
    for width in (1280, 768, 390, 360):
        page.set_viewport_size({"width": width, "height": 800})
        redrawn(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        outside = page.evaluate(
            """() => {
              const stage = document.querySelector(".cw-stage");
              const frame = stage.getBoundingClientRect();
              return [...stage.querySelectorAll("span:not(:empty)")]
                .filter((span) => {
                  const { left, right } = span.getBoundingClientRect();
                  return left < frame.left - 1 || right > frame.right + 1;
                })
                .map((span) => span.textContent);
            }"""
        )
        assert outside == []


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_serious(show, violations, dark):
    page = show(CutWire(place=5), CutWire(cut="others", place=1), dark=dark)
    page.locator("figure").last.scroll_into_view_if_needed()
    expect(page.locator(".cw-stage:not([hidden])")).to_have_count(2)
    assert violations(page) == []
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(
    "traits",
    [
        {"number": 10**6},
        {"number": -1},
        {"cut": "wire"},
        {"place": -1},
        {"score": "dot"},
    ],
)
def test_python_refuses_what_cannot_be_shown(traits):
    with pytest.raises(TraitError):
        CutWire(**traits)


def test_the_html_is_the_same_on_every_run():
    assert CutWire(place=3)._repr_html_() == CutWire(place=3)._repr_html_()
    wanted = "CutWire(cut='weight', number=2487, place=None, score='general')"
    assert repr(CutWire()) == wanted
