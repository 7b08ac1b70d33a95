"""The JavaScript engine against PyTorch: same weights, same numbers."""

import base64
import json

import pytest
import torch
from safetensors.torch import save as to_safetensors

from attnlab.data import EOS, PAD
from attnlab.decoding import greedy
from attnlab.live.alignment import SCORES
from attnlab.saved import build_model, load, read_base64, save

pytestmark = pytest.mark.computes
TOLERANCE = 1e-4
MAX_LENGTH = 40

# Passes the model's file once and then sentences; returns what the page makes of them.
TRANSLATE = """
([file, sentences, maxLen]) => {
  const bytes = Uint8Array.from(atob(file), (letter) => letter.charCodeAt(0));
  const model = makeModel(bytes.buffer);
  const lists = (vectors) => vectors.map((vector) => [...vector]);
  const found = sentences.map((ids) => {
    const { tokens, words, logits, weights } = translate(model, ids, { maxLen });
    return { tokens, words, logits: lists(logits), weights: lists(weights) };
  });
  return JSON.stringify(found); // which is read many times as fast as lists
}
"""

PLAIN = [{"score": None, "context": c} for c in ("both", "state", "input")]
ARGUMENTS = {
    "general": {"d_query": 8, "d_key": 8},
    "additive": {"d_query": 8, "d_key": 8, "d_hidden": 5},
    "location": {"d_query": 8, "max_length": 9},
}
ATTENTIVE = [{"score": {"name": s, **ARGUMENTS.get(s, {})}} for s in SCORES]
SMALL = [
    {"src_vocab": 11, "tgt_vocab": 9, "d_model": 8, "bidirectional": both, **rest}
    for both in (False, True)
    for rest in PLAIN + ATTENTIVE
]


@torch.no_grad()
def assert_equal_to_torch(answers, model, sentences):
    """As PyTorch has them, all sentences in one padded batch."""
    width = max(map(len, sentences))
    src = torch.tensor([s + [PAD] * (width - len(s)) for s in sentences])
    tokens = greedy(model, src, MAX_LENGTH)
    inputs = torch.cat([torch.ones_like(tokens[:, :1]), tokens[:, :-1]], dim=1)  # BOS
    attentive = hasattr(model.decoder, "attention")
    weights = model.attention(src, inputs) if attentive else None
    logits = model(src, inputs)
    told = zip(json.loads(answers), sentences, strict=True)
    for i, (answer, sentence) in enumerate(told):
        expected = [t for t in tokens[i].tolist() if t != PAD]
        assert answer["tokens"] == expected
        length, tolerance = len(expected), {"atol": TOLERANCE, "rtol": 0}
        found = torch.tensor(answer["logits"], dtype=torch.float).view(length, -1)
        torch.testing.assert_close(found, logits[i, :length], **tolerance)
        if weights is None:
            assert answer["weights"] == []
        else:
            found = torch.tensor(answer["weights"], dtype=torch.float).view(length, -1)
            wanted = weights[i, :length, : len(sentence)]
            torch.testing.assert_close(found, wanted, **tolerance)


@pytest.mark.parametrize("config", SMALL, ids=str)
def test_js_seq2seq_translates_as_pytorch(page, modules, tmp_path, config):
    torch.manual_seed(0)
    model = build_model("Seq2Seq", config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(2)  # far enough from 0 for weights that are not all alike
        model.decoder.readout.bias[PAD] = -100  # or its end could not be told
    path = tmp_path / "model.safetensors"
    about = {"config": config, "src_tokens": [], "tgt_tokens": ["x"] * 9}
    save(path, model, about)
    model, _ = load(path)
    sentences = [[3, EOS], [EOS], [5, 6, 7, 8, 9, 10, 4, EOS], [3, 3, 3, EOS]]
    modules("models/seq2seq.js", "models/stored.js")
    file = base64.b64encode(path.read_bytes()).decode()
    answers = page.evaluate(TRANSLATE, [file, sentences, MAX_LENGTH])
    assert_equal_to_torch(answers, model, sentences)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ('sourceIds(model, ["one", "Ei"])', "does not know the word “Ei”"),
        ('sourceIds(model, ["<eos>"])', "does not know the word “<eos>”"),
        ("translate(model, [])", "no word to translate"),
        ("translate(model, new Array(25).fill(3))", "looks at places 1 to 24"),
    ],
)
def test_js_models_reject_bad_input(page, modules, call, message):
    modules("models/seq2seq.js", "models/stored.js")
    said = page.evaluate(
        f"""(file) => {{
          const bytes = Uint8Array.from(atob(file), (letter) => letter.charCodeAt(0));
          const model = makeModel(bytes.buffer);
          try {{ {call}; }} catch (error) {{ return error.message; }}
          return "nothing wrong";
        }}""",
        read_base64("en-de-location"),
    )
    assert message in said


def test_parse_safetensors_reads_every_dtype_but_unknown(page, modules):
    modules("models/safetensors.js")
    tensors = {
        "half": torch.tensor([[1.5, -2.0, 6e-8], [65504.0, 0.0, -0.1]]).half(),
        "full": torch.tensor([1.1, -3e38]),
        "byte": torch.tensor([[-128, -1], [0, 127]], dtype=torch.int8),
        "empty": torch.zeros(0, 3).half(),
    }
    parse = """(file) => {
      const bytes = Uint8Array.from(atob(file), (letter) => letter.charCodeAt(0));
      try {
        const { tensors, metadata } = parseSafetensors(bytes.buffer);
        const plain = ([name, { shape, data }]) => [name, { shape, data: [...data] }];
        return [Object.fromEntries([...tensors].map(plain)), metadata];
      } catch (error) {
        return error.message;
      }
    }"""
    file = base64.b64encode(to_safetensors(tensors, {"who": "me"})).decode()
    found, metadata = page.evaluate(parse, file)
    assert metadata == {"who": "me"}
    assert set(found) == set(tensors)
    for name, tensor in tensors.items():
        assert found[name]["shape"] == list(tensor.shape)
        assert found[name]["data"] == tensor.float().flatten().tolist()
    integers = base64.b64encode(to_safetensors({"x": torch.arange(3)})).decode()
    assert page.evaluate(parse, integers) == "tensors are F32, F16 or I8 here, not I64"
