"""The JavaScript tagger and the places of number words, against the package."""

import base64
import json

import numpy as np
import pytest
import torch

from attnlab.data import EOS, number_tokens, place_values, sample_numbers
from attnlab.data.places import DIGIT_VALUES, PLACES, class_places, read_number
from attnlab.saved import build_model, load, save

pytestmark = pytest.mark.computes
TOLERANCE = 1e-4

# Passes a model's file once and then pairs of ids and silent heads, as [layer, head].
RUN_TAGGER = """
([file, cases]) => {
  const bytes = Uint8Array.from(atob(file), (letter) => letter.charCodeAt(0));
  const model = makeModel(bytes.buffer);
  const found = cases.map(([ids, off]) => {
    const on = (layer, head) => !off.some(([i, j]) => i === layer && j === head);
    const { logits, weights } = tag(model, ids, on);
    return [logits.map((row) => [...row]),
      weights.map((heads) => heads.map((rows) => rows.map((row) => [...row])))];
  });
  return JSON.stringify(found); // which is read many times as fast as lists
}
"""


def tag_in_browser(page, path, cases):
    file = base64.b64encode(path.read_bytes()).decode()
    return json.loads(page.evaluate(RUN_TAGGER, [file, cases]))


@torch.no_grad()
def assert_equal_to_torch(answers, model, layers, heads, cases):
    assert len(answers) == len(cases)
    for (logits, weights), (ids, off) in zip(answers, cases, strict=True):
        mask = torch.ones(layers, heads, dtype=torch.bool)
        for layer, head in off:
            mask[layer, head] = False
        tokens = torch.tensor([ids])
        with model.head_mask(mask):
            expected = model(tokens)[0].numpy()
            maps = model.attention(tokens)[:, 0].numpy()  # (layers, heads, n, n)
        assert np.array(logits).shape == expected.shape
        assert np.abs(np.array(logits) - expected).max() <= TOLERANCE
        assert np.array(weights).shape == maps.shape
        assert np.abs(np.array(weights) - maps).max() <= TOLERANCE


@pytest.mark.parametrize(("layers", "heads"), [(1, 1), (1, 3), (3, 2)])
def test_js_tagger_equals_pytorch(page, modules, tmp_path, layers, heads):
    torch.manual_seed(0)
    config = {"vocab_size": 11, "num_classes": 5, "d_model": 12, "num_layers": layers}
    config |= {"encoder": "attention", "num_heads": heads}
    model = build_model("Tagger", config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(2).add_(0.1 * torch.randn_like(parameter))
    path = tmp_path / "m.safetensors"
    save(path, model, {"config": config, "src_tokens": []})
    model, _ = load(path)
    one, several = [EOS], [3, 4, 5, 6, 7, 8, 9, 10, 3, 3, EOS]
    every = [[i, j] for i in range(layers) for j in range(heads)]
    cases = [[one, []], [several, []], [several, every], [several, [every[-1]]]]
    modules("models/stored.js", "models/tagger.js")
    answers = tag_in_browser(page, path, cases)
    assert_equal_to_torch(answers, model, layers, heads, cases)


# Places ------------------------------------------------------------------------------


@pytest.mark.parametrize("language", DIGIT_VALUES)
def test_place_values_and_read_number_equal_python(page, modules, language):
    numbers = [*range(130), *sample_numbers(600, (3, 12), seed=2), 10**12 - 1]
    modules("words/places.js")
    worths = page.evaluate(f"Object.fromEntries(digitValuesOf('{language}'))")
    assert worths == DIGIT_VALUES[language]
    classes = [*range(2 + len(PLACES))]
    places = page.evaluate("(all) => all.map(classPlace)", classes)
    assert places == class_places(classes)
    found = page.evaluate(
        "([numbers, language]) => numbers.map((n) => placeValues(n, language))",
        [numbers, language],
    )
    assert found == [place_values(number, language) for number in numbers]
    rng = np.random.default_rng(0)
    cases = []
    for number in numbers:
        tokens = number_tokens(number, language)
        places = [None if p == 12 else int(p) for p in rng.integers(0, 13, len(tokens))]
        cases.append([tokens, places])
    read = page.evaluate(
        "([cases, language]) => cases.map(([t, p]) => readNumber(t, p, language))",
        [cases, language],
    )
    assert read == [read_number(*case, language) for case in cases]


@pytest.mark.parametrize(
    ("text", "language", "number"),
    [
        ("one thousand and two hundred", "en", 1200),
        ("hundred two thousand", "en", None),
        ("twenty and one", "en", None),
        ("one million million", "en", None),
        ("five hundred thousand two", "en", 500_002),
        ("hundertundfünf", "de", None),
        ("einhundertundfünf", "de", 105),
        ("zwanzigundeins", "de", None),
        ("91 234", "en", 91_234),
    ],
)
def test_read_typed_accepts_joined_words_and_rejects_disorder(
    page, modules, text, language, number
):
    modules("words/places.js")
    read = page.evaluate("([t, l]) => readTyped(t, l)", [text, language])
    assert read["number"] == number
    assert "error" not in read
