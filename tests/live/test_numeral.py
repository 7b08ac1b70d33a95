"""The steps of one row of self-attention, by hand and in a reader, against PyTorch."""

import numpy as np
import pytest
import torch
from playwright.sync_api import expect
from reading import expect_status

from attnlab.data import EOS, number_tokens
from attnlab.data.places import class_places
from attnlab.live import Numeral, load_weights
from attnlab.saved import read_base64

TOLERANCE = 1e-4
ADDED_MASKS = {"infinity": -torch.inf, "thousand": -1000.0, "billion": -1e9}


def random_row(size=1.0, words=5, width=4):
    draw = torch.Generator().manual_seed(1)
    return (
        size * torch.randn(width, generator=draw),
        torch.randn(words, width, generator=draw),
        torch.randn(words, width, generator=draw),
    )


@pytest.mark.computes
@pytest.mark.parametrize("masking", ADDED_MASKS)
# What is hidden has the largest score: at the larger size −1000 does not hide it.
@pytest.mark.parametrize("seen", [[True, False, True, False, True], [False] * 5])
@pytest.mark.parametrize("size", [1.0, 3000.0])
def test_numeral_added_mask_equals_pytorch(page, modules, masking, seen, size):
    modules("figures/numeral/row.js")
    query, keys, values = random_row(size)
    given = {"query": query.tolist(), "keys": keys.tolist()}
    given |= {"values": values.tolist(), "seen": seen, "masking": masking}
    found = page.evaluate("(given) => attendInSteps(given).weights.map(String)", given)
    added = torch.tensor([0.0 if sees else ADDED_MASKS[masking] for sees in seen])
    weights = (keys @ query / 2 + added).softmax(dim=-1).numpy()
    found = [float(weight) for weight in found]
    assert found == pytest.approx(weights, abs=TOLERANCE, nan_ok=True)


# The trained reader -------------------------------------------------------------------

EIGHT_WORDS = "two hundred thousand three hundred forty and five"
SHUFFLED = [2, 0, 1, 3, 4, 6, 5, 7]
RUN_READER = """([file, tokens, asked]) => {
  const bytes = Uint8Array.from(atob(file), (letter) => letter.charCodeAt(0));
  const found = runTrainedHead(makeModel(bytes.buffer), tokens, asked);
  return JSON.parse(JSON.stringify(found, (_, x) =>
    ArrayBuffer.isView(x) ? [...x] : x === -Infinity ? "-Infinity" : x));
}"""


@torch.no_grad()
def torch_reading(figure: Numeral) -> dict:
    """What the model makes of the words in their order, under their mask."""
    model, about = load_weights("places-en-1")
    words = figure.text.split()
    if figure.text.isdecimal():
        words = number_tokens(int(figure.text), "en")
    typed = [*(figure.order or range(len(words))), len(words)]
    ids = torch.tensor([*map(about["src_tokens"].index, words), EOS])[typed]
    x = model.embedding(ids[None])
    x = model.positions(x) if figure.positions else x
    mask = torch.ones(len(typed), len(typed), dtype=torch.bool)
    for i, j in figure.unseen:
        mask[typed.index(i), typed.index(j)] = False
    heads, norm = model.layers[0].mixer.heads, model.layers[0].norm
    mixed, maps = heads(x, mask=mask, need_weights=True)
    logits = model.output_layer(norm(x + mixed))[0]
    own = slice(16 * (figure.head - 1), 16 * figure.head)
    query, keys, values = (
        layer(x)[0, :, own]
        for layer in (heads.query_layer, heads.key_layer, heads.value_layer)
    )
    row, weights = typed.index(figure.asks), maps[0, figure.head - 1]
    output = weights[row] @ values
    return {
        "query": query[row],
        "keys": keys,
        "values": values,
        "scores": keys @ query[row],
        "scaled": keys @ query[row] / 4,  # a head is 16 wide
        "map": weights,
        "weights": weights[row],
        "output": output,
        "x": x[0, row],
        "added": heads.output_layer.weight[:, own] @ output,
        "places": class_places(logits.argmax(-1)),
        "row": row,
        "tokens": words,
    }


@pytest.fixture
def read_in_page(page, modules):
    modules("models/stored.js", "figures/numeral/reading.js")

    def run(figure: Numeral) -> dict:
        words = torch_reading(figure)["tokens"]
        asked = figure.state() | {"head": figure.head - 1}
        asked["order"] = figure.order or list(range(len(words)))
        given = [read_base64("places-en-1"), [*words, "end"], asked]
        return page.evaluate(RUN_READER, given)

    return run


@pytest.mark.computes
@pytest.mark.parametrize(
    "traits",
    [
        {},
        {"text": "0", "head": 4},
        {"text": EIGHT_WORDS, "head": 3, "asks": 8, "positions": False},
        {"text": EIGHT_WORDS, "head": 2, "order": SHUFFLED, "unseen": [[0, 1], [0, 2]]},
        {"text": "205", "asks": 1, "unseen": [[1, j] for j in range(5)]},
        {"text": "five five five", "order": [2, 1, 0], "positions": False},
    ],
    ids=str,
)
def test_numeral_reader_steps_equal_pytorch(read_in_page, traits):
    figure = Numeral(shown="reader", **traits)
    found, wanted = read_in_page(figure), torch_reading(figure)
    assert found["places"] == wanted["places"]
    names = "query keys values scores scaled map weights output x"
    for name in names.split():
        assert np.array(found[name]) == pytest.approx(
            wanted[name].numpy(), abs=TOLERANCE
        ), name
    assert found["added"] == pytest.approx(wanted["added"].tolist(), abs=TOLERANCE)
    products = np.array(found["products"]).sum(axis=1)
    assert products == pytest.approx(wanted["scores"].numpy(), abs=TOLERANCE)


def mask_cell(page, read, asks):
    return page.get_by_role("button", name=f"Hide “{read}” from “{asks}”")


def test_numeral_mask_is_painted_by_mouse_and_keys(show_figures):
    page = show_figures(Numeral(shown="reader"))
    page.locator(".nr-table tbody tr").first.wait_for()
    mask_cell(page, "and", "two").click()
    expect(mask_cell(page, "and", "two")).to_have_attribute("aria-pressed", "true")
    expect_status(page, "Hidden from it: “and”")
    expect(page.get_by_role("status")).not_to_contain_text("of “and”")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    expect_status(page, "Hidden from it: “and” and “five”")
    mask_cell(page, "two", "two").hover()
    page.mouse.down()
    for word in ("hundred", "end"):
        mask_cell(page, word, "two").hover()
    page.mouse.up()
    expect_status(page, "“two” may see nothing and reads nothing: z is 0")
    weights = page.locator(".nr-table .nu-bar").all()
    assert [one.get_attribute("style") for one in weights] == ["--weight: 0;"] * 5
    mask_cell(page, "hundred", "two").press("Enter")  # seen again, and alone
    expect_status(page, "“two” reads 100% of “hundred”. Hidden from it: 4 words")
    page.get_by_role("button", name="“five” asks").click()
    expect_status(page, "“five” reads")
    expect(page.get_by_role("status")).not_to_contain_text("Hidden")
    page.get_by_role("button", name="No mask").click()
    page.get_by_role("button", name="“two” asks").press("Enter")
    expect_status(page, "“two” reads 99% of “and”")
