"""Cut the wire: against PyTorch on the same weights, and in a page by hand and key."""

import re

import pytest
import torch
from drawing import redrawn
from linkmatrix import english as read_words
from playwright.sync_api import expect
from reading import (
    check_told,
    looks,
    quoted,
    says,
)

from attnlab.data import number_tokens
from attnlab.experiments.influence import without
from attnlab.live import CutWire, load_weights
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
    if decoded.attention is None:
        return logits, None, words
    weights = torch.zeros(len(logits), int(columns.max()) + 1)
    weights[:, columns] = decoded.attention.weights[0]
    return logits, weights, words


def opened(show, *figures: CutWire, **options):
    page = show(*figures, **options)
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


def test_weights_and_logits_after_a_cut_are_pytorchs(page, modules):
    modules("models/stored.js", "models/seq2seq.js", "words/spell.js")
    modules("figures/cutwire/reading.js")
    for number, score, cut, place in CASES:
        files = [read_base64(name) for name in (PLAIN, f"en-de-{score}")]
        wish = {"number": number, "cut": cut, "place": place}
        found = page.evaluate(READ, [files, wish])
        kind = None if place is None else cut
        logits, weights, _ = predicted(f"en-de-{score}", number, kind, place)
        found_weights = torch.tensor([one["weights"] for one in found["attentive"]])
        assert (found_weights - weights).abs().max() < 1e-4
        assert (torch.tensor(found["logits"]) - logits).abs().max() < 1e-4


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


CUT_NAMES = {"word": "the word", "weight": "its weight", "others": "all others"}


def test_what_is_drawn_and_said_is_pytorchs(show):
    page = opened(show, CutWire())
    box = page.get_by_label("Number", exact=True)
    for number, score, cut, place in CASES:
        box.fill(str(number))
        box.press("Escape")  # which puts back what was cut
        page.get_by_role("radio", name=score).check()
        page.get_by_role("radio", name=CUT_NAMES[cut], exact=True).check()
        if place is not None:
            page.locator(".cw-words.source button").nth(place).click()
        page.mouse.move(1, 1)
        redrawn(page)
        check_case(page, Case(number, score, cut, place))


class Case:
    """What PyTorch says of both networks, whole (before) and cut (after)."""

    def __init__(self, number: int, score: str, cut: str, place: int | None):
        self.number, self.score, self.cut, self.place = number, score, cut, place
        self.source, self.kind = read_words(number), None if place is None else cut
        self.truth = [*number_tokens(number, "de"), "end"]
        name = f"en-de-{score}"
        logits, self.whole, self.before = predicted(name, number, None, None)
        cut_logits, self.weights, self.after = predicted(name, number, self.kind, place)
        deleted = "word" if self.kind == "word" else None
        self.plain = [
            predicted(PLAIN, number, one, place)[2] for one in (None, deleted)
        ]
        tokens = [load_weights(name)[1]["tgt_tokens"].index(w) for w in self.truth[:-1]]
        right = torch.tensor([*tokens, EOS])[:, None]
        self.chances = [
            step.softmax(-1).gather(-1, right)[:, 0].tolist()
            for step in (logits, cut_logits)
        ]


def check_case(page, case: Case) -> None:
    """Hold words, wires and sentences against PyTorch's."""
    check_words(page, "plain", *case.plain, case.truth)
    check_words(page, "attentive", case.before, case.after, case.truth)
    for t in range(len(case.truth)):
        check_look(german(page, t).get_attribute("aria-label"), case, t)
    place = int(
        page.locator(".cw-words.attentive li").evaluate_all(
            "all => all.findIndex((one) => one.querySelector('.looked'))"
        )
    )
    check_look(page.locator(".cw-readout").inner_text(), case, place)
    lit = [look["opacity"] for look in looks(page.locator(".wire.lit"), "opacity")]
    rest = looks(page.locator(".wire:not(.lit)"), "opacity")
    assert set(lit) == {"1"}
    assert all(float(look["opacity"]) < 0.6 for look in rest)
    deleted = page.locator(".cw-words.source button").evaluate_all(
        "all => all.map((e) => getComputedStyle(e).textDecorationLine)"
    )
    gone = [case.kind == "word" and j == case.place for j in range(len(case.source))]
    assert [line == "line-through" for line in deleted] == gone
    assert page.locator(".cw-lines.vector .cut").count() == sum(gone)


def check_words(page, network: str, before, after, truth) -> None:
    """Each word with what it was, or what belongs there, and its sign."""
    items = page.locator(f".cw-words.{network} [data-word]")
    now = items.locator(".cw-now")
    assert now.all_inner_texts() == after
    asides = items.locator(".cw-aside").all_text_contents()
    signs = looks(now, "content", part="::before")
    for aside, sign, was, word, wanted in zip(
        asides, signs, before, after, truth, strict=True
    ):
        slip = f"for {wanted}" if word != wanted else ""
        assert aside == (f"was {was}" if was != word else slip)
        found = "✓" if was != word else "none"
        assert ("✗" if word != wanted else found) in sign["content"]


LOOK = re.compile(
    r"(?:.*\. )?For (.*?) it look(?:s|ed) at (.*?)(?:, and now at (.*?))?; (?:its )?"
    r"probability (?:goes from (\S+) to )?(?:stays )?(\d\.\d\d)\."
)


def check_look(text: str, case: Case, t: int) -> None:
    """Where word t looks and how probable it is, before the cut and after it."""
    word, looked, now, before, after = LOOK.fullmatch(text).groups()
    wanted = case.truth[t]
    assert word == ("the end" if t == len(case.truth) - 1 else f"“{wanted}”")
    names = quoted(case.source)
    check_told(looked, names, case.whole[t].tolist(), least=0.05, most=3)
    assert (now is None) == (case.kind is None)
    if now is not None:
        check_told(now, names, case.weights[t].tolist(), least=0.05, most=3)
    told = [float(before or after), float(after)]
    chances = [chance[t] for chance in case.chances]
    assert told == pytest.approx(chances, abs=0.0051)


def test_a_word_is_cut_and_put_back(show):
    page = opened(show, CutWire(place=None))
    before = written(page, "attentive")
    word = english(page, "eighty")
    after = predicted("en-de-general", 2_487, "weight", 5)[2]
    for go in (word.click, lambda: word.press("Enter")):
        go()
        redrawn(page)
        assert word.get_attribute("aria-pressed") == "true"
        assert written(page, "attentive") == after != before
        assert written(page, "plain") == before
        says(page, "Without attention there is no such weight")
        expect(page.locator(".cw-note.none")).to_have_text("no weight to cut")
        go()
        redrawn(page)
        assert written(page, "attentive") == before
        expect(page.locator(".cw-note.none")).to_have_count(0)


def test_the_end_mark_is_no_word_to_delete(show):
    page = opened(show, CutWire(place=7))
    says(page, "The weight to “end” is 0")
    page.get_by_role("radio", name="the word").click()
    says(page, "The end mark is no word that could be deleted: nothing is cut")
    assert page.locator('[aria-pressed="true"]').count() == 0


def test_it_opens_with_something_cut_that_one_network_alone_notices(show):
    case = Case(2_487, "general", "weight", 5)
    assert case.before == case.truth != case.after
    check_case(opened(show, CutWire()), case)


def test_a_link_shows_others_the_same(show):
    page = opened(show, CutWire(), CutWire(number=7, place=None))
    for figure in page.locator("figure").all():
        figure.locator(".cw-stage").wait_for()
    last = page.locator("figure").last
    last.get_by_label("Number", exact=True).fill("52487")
    last.get_by_role("radio", name="cosine").check()
    last.locator(".cw-words.source button").nth(3).click()
    last.get_by_role("button", name="Copy link").click()
    expect(
        last.get_by_role("button", name=re.compile("Copied|address"))
    ).to_be_visible()
    assert page.url.endswith(
        "#cutwire-2--number-52487--score-cosine--cut-weight--place-3"
    )
    page.reload()
    says(last, "The weight to “four” is 0 at every step. With attention by cosine")
    says(page.locator("figure").first, "The weight to “eighty” is 0 at every step.")


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("end", "number"),
    [("number-9999999", 2_487), ("number-7--place-x", 7), ("score-dot--cut-", 2_487)],
)
def test_a_link_that_makes_no_sense_does_no_harm(show, end, number):
    page = opened(show, CutWire())
    page.evaluate(f"location.hash = 'cutwire-1--{end}'")
    page.reload()
    page.wait_for_selector(".cw-stage:not([hidden])")
    redrawn(page)
    check_case(page, Case(number, "general", "weight", None))
