"""The way back through the recurrent models, in JavaScript: PyTorch's numbers."""

import base64
import copy

import pytest
import torch

from attnlab.data import EOS
from attnlab.experiments.influence import log_prob_gradients
from attnlab.saved import build_model, load, save

pytestmark = pytest.mark.computes
TOLERANCE = 1e-4

# Takes the model's file and sentences; returns what is written and the norms.
GRADIENTS = """
([file, sentences]) => {
  const bytes = Uint8Array.from(atob(file), (letter) => letter.charCodeAt(0));
  const model = makeModel(bytes.buffer);
  return sentences.map((ids) => {
    const { tokens } = translate(model, ids, { maxLen: 12 });
    const { words, norms } = sourceGradients(model, ids, { maxLen: 12 });
    return { tokens, words, norms: norms.map((row) => [...row]) };
  });
}
"""
GENERAL_SCORE = {"name": "general", "d_query": 8, "d_key": 8}
MODEL_KINDS = [
    (None, "both"),
    (None, "state"),
    (None, "input"),
    (GENERAL_SCORE, "both"),
]
SMALL_MODELS = [
    {"score": score, "context": context, "bidirectional": both}
    for both in (False, True)
    for score, context in MODEL_KINDS
]


def page_gradients(page, modules, file, sentences):
    modules("models/seq2seq.js", "models/stored.js", "models/gradients.js")
    return page.evaluate(GRADIENTS, [file, sentences])


def assert_equal_to_torch(model, sentences, found):
    """Equal to PyTorch in double precision, which a word that is certain needs."""
    model = copy.deepcopy(model).double()
    for ids, answer in zip(sentences, found, strict=True):
        tokens = answer["tokens"]
        words = [token for token in tokens if token != EOS]
        assert len(answer["words"]) == len(answer["norms"]) == len(words)
        if not words:
            continue
        src, tgt = torch.tensor([ids]), torch.tensor([[1, *tokens]])
        wanted = log_prob_gradients(model, src, tgt)[0, : len(words)]
        norms = torch.tensor(answer["norms"], dtype=torch.float64).view(-1, len(ids))
        assert norms.shape == wanted.shape
        largest = wanted.amax(dim=1, keepdim=True)
        assert ((norms - wanted).abs() / largest).max() <= TOLERANCE


@pytest.mark.parametrize("config", SMALL_MODELS, ids=str)
def test_source_gradients_equal_pytorch(page, modules, tmp_path, config):
    torch.manual_seed(0)
    config = {"src_vocab": 11, "tgt_vocab": 9, "d_model": 8, **config}
    model = build_model("Seq2Seq", config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(2)  # far from 0, where a gate is nearly linear
    path = tmp_path / "model.safetensors"
    save(path, model, {"config": config, "src_tokens": [], "tgt_tokens": ["x"] * 9})
    model, _ = load(path)
    file = base64.b64encode(path.read_bytes()).decode()
    sentences = [[3, EOS], [5, 6, 7, 8, 9, 10, 4, EOS], [3, 3, 3, EOS]]
    assert_equal_to_torch(
        model, sentences, page_gradients(page, modules, file, sentences)
    )
