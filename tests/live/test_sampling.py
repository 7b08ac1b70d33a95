"""The sampling figure: its model against PyTorch, its draws, and a page by hand."""

import base64
from itertools import product

import numpy as np
import pytest
import torch
from drawing import evaluate_large
from playwright.sync_api import expect
from reading import expect_status

from attnlab.data import BOS, PAD
from attnlab.data.text import UNK
from attnlab.live import Sampling
from attnlab.live.sampling import stored_words
from attnlab.sampling import next_probabilities
from attnlab.saved import WRITER, path_of
from attnlab.sentences.recipes import caption_words
from attnlab.sentences.writer import load_writer
from tools.pack_writer import write_continuation

TOLERANCE = 1e-4
TEXTS = [
    "",
    "a",
    "A man, in a hat",
    "two dogs' owner isn't here at 3 o'clock.",
    "It’s “odd”: isn't it?",
    "An ostrich & a zebra (both running)!",
    "3.5 people,  1,000 of them;",
]
LOAD_WRITER = """(file) => {
  const bytes = Uint8Array.from(atob(file), (letter) => letter.charCodeAt(0));
  window.writer = makeWriter(makeModel(bytes.buffer));
  window.follow = (text) => {
    const { ids, unknown } = writer.read(text);
    const steps = writer.following(ids);
    let step = steps.next();
    while (!step.done) step = steps.next();
    const logits = [];
    step.value.ids.forEach((id, i) => { logits[id] = step.value.logits[i]; });
    return { ids, unknown, order: step.value.ids, logits };
  };
}"""


@pytest.fixture(scope="module")
def packaged_writer():
    return load_writer()


@pytest.fixture
def write_in_page(page, modules):
    """`write_in_page("a man")`: what the page's model makes of a text."""
    modules("models/stored.js", "models/writer.js")
    page.evaluate(LOAD_WRITER, base64.b64encode(path_of(WRITER).read_bytes()).decode())
    return lambda text: evaluate_large(page, "(text) => follow(text)", text)


# The model ----------------------------------------------------------------------------


@torch.no_grad()
@pytest.mark.computes
def test_sampling_words_and_logits_equal_python(page, write_in_page, packaged_writer):
    for text in TEXTS:
        found = write_in_page(text)
        assert found["ids"] == packaged_writer.read(text)[1:]
        assert page.evaluate("(t) => cutIntoWords(t)", text) == caption_words(text)
        ours = np.array([np.nan if x is None else x for x in found["logits"]])
        wanted = packaged_writer.model(torch.tensor([[BOS, *found["ids"]]]))[0, -1]
        wanted[[PAD, BOS, UNK]] = float("nan")
        assert ours == pytest.approx(
            wanted.numpy()[: len(ours)], abs=TOLERANCE, nan_ok=True
        )
        chances = [ours[i] for i in found["order"]]
        assert chances == sorted(chances, reverse=True)
        assert not {PAD, BOS, UNK} & set(found["order"])
    assert write_in_page("a man 漢字")["unknown"] == ["漢", "字"]


# What is drawn from -------------------------------------------------------------------


SAMPLER_SETTINGS = product([0, 0.7, 2], [None, 1, 7, 5000], [0.5, 0.95])


@pytest.mark.computes
def test_apply_settings_equals_next_probabilities(page, modules):
    modules("figures/sampling/draw.js")
    logits = torch.tensor(stored_words()["logits"]).double()
    for temperature, top_k, top_p in SAMPLER_SETTINGS:
        settings = {"temperature": temperature, "topK": top_k or 0, "topP": top_p}
        found = page.evaluate(
            "([logits, s]) => [...applySettings(Float32Array.from(logits), s).drawn]",
            [logits.tolist(), settings],
        )
        wanted = next_probabilities(logits, temperature, top_k, top_p)
        assert np.allclose(found, wanted.numpy(), atol=1e-9), settings


@pytest.mark.computes
def test_token_at_number_frequencies_equal_probabilities(page, modules):
    modules("figures/sampling/draw.js")
    drawn = [0.5, 0.3, 0.15, 0.05, 0, 0]
    count = 20_000
    counts = page.evaluate(
        """([drawn, count]) => {
          const counts = drawn.map(() => 0);
          for (let seed = 0; seed < count; seed++) {
            counts[tokenAtNumber(drawn, randomNumberFor(seed, seed % 9))]++;
          }
          return counts;
        }""",
        [drawn, count],
    )
    for share, found in zip(drawn, counts, strict=True):
        assert abs(found / count - share) <= 4.5 * (share * (1 - share) / count) ** 0.5


@pytest.mark.computes
def test_token_at_number_at_edge_is_allowed(page, modules):
    modules("figures/sampling/draw.js")

    def token_at(drawn, number):
        return page.evaluate("([d, n]) => tokenAtNumber(d, n)", [drawn, number])

    assert token_at([0.5, 0.5, 0], 0) == 0
    assert token_at([0.5, 0.5, 0], 0.5) == 1
    assert token_at([0.5, 0.5, 0], 0.999999) == 1
    assert token_at([0.3, 0.7 - 1e-12, 0], 1 - 1e-13) == 1  # sums are rounded


# The figure ---------------------------------------------------------------------------


def test_sampling_stored_words_equal_model(packaged_writer):
    found = write_continuation(packaged_writer, stored_words()["text"])
    stored = dict(stored_words())
    assert np.allclose(stored.pop("logits"), found.pop("logits"), atol=0.002)
    assert stored.pop("megabytes") == round(path_of(WRITER).stat().st_size / 1e6, 1)
    assert stored == found


def test_sampling_at_temperature_0_equals_python(show_figures, packaged_writer):
    page = show_figures(Sampling(temperature=0.0))
    (wanted,) = packaged_writer.write("a man", temperature=0.0, max_len=40)
    page.get_by_role("button", name="Write to the end").click()
    expect_status(page, "has come to its end")
    assert page.locator(".sa-line").inner_text() == wanted
    for name in ("Write a word", "Write to the end"):
        button = page.get_by_role("button", name=name)
        expect(button).to_have_attribute("aria-disabled", "true")
    page.get_by_role("button", name="Start again").click()
    expect(page.locator(".sa-line")).to_have_text("a man")
