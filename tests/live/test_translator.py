"""The JavaScript Transformer, its tokenizers and its search, against the package."""

import base64
import json
import random
from itertools import product

import numpy as np
import pytest
import torch
from drawing import evaluate_large

from attnlab.data import BOS, EOS, PAD
from attnlab.data.text import UNK, Characters, Subwords
from attnlab.decoding import beam_search, greedy
from attnlab.saved import build_model, load, save
from attnlab.sentences.translator import load_translator
from attnlab.transformer import MAPS

pytestmark = pytest.mark.computes
TOLERANCE = 1e-4

SENTENCES = [
    "I",
    "Where is the station?",
    "I would like to know where the old station is.",
    "Tom said that he'd never seen so many people in one place before.",
    "The children are playing in the garden.",
    "It's raining again!",
    "Please don't open the window.",
    "Can you speak Chinese?",
]

ODD_SENTENCES = [
    "",
    " ",
    "\t\n",
    "...",
    "?!",
    "a\tb\nc\u00a0d\u3000e\u2009f\x85g\x1ch\ufeffi\u200bj\u200dk",
    "Ｆｕｌｌ ｗｉｄｔｈ, ﬁne ²³ ½ ™ Å Å",
    "ΣΑΣ İstanbul ß ẞ straße ŉ",
    "naïve café déjà-vu Ελλάδα Привет مرحبا שלום नमस्ते สวัสดี 한국어",
    "你好吗？我很好。",
    "🙂 👩‍👩‍👧 🇩🇪 e\u0301 \u0301 snow_man ☃️ ①②",
    "<eos> and <pad><bos>hello<unk> < eos> <EOS>",
    "▁in ▁ ▁▁ a▁b",
    "don't 'quoted' \"double\" it’s 3.14 1,000 20% $5 a+b=c x_y __",
    "\x00\x01\x7f\ud7ff\ue000\uffff",
    "the" * 3000,
    "\U0001d11e\U00020000\U0010ffff",
    "__proto__ constructor toString hasOwnProperty",
]

# Reads a file as the page does, and keeps the model that it makes of it.
LOAD_MODEL = """
(file) => {
  const bytes = Uint8Array.from(atob(file), (letter) => letter.charCodeAt(0));
  window.model = new Transformer(makeModel(bytes.buffer));
}
"""


@pytest.fixture
def small_model(page, modules, tmp_path):
    """`small_model(norm_first=True)`: a model with random weights, also in the page."""

    def make(**options):
        config = {"src_vocab": 13, "tgt_vocab": 11, "d_model": 12, "num_heads": 3}
        config |= {"num_layers": 2, "d_ff": 10, **options}
        torch.manual_seed(0)
        model = build_model("Transformer", config)
        with torch.no_grad():
            for parameter in {id(p): p for p in model.parameters()}.values():
                # Far enough from 0 for weights that are not all alike.
                parameter.mul_(1.5).add_(0.1 * torch.randn_like(parameter))
        path = tmp_path / "model.safetensors"
        save(path, model, {"config": config}, bits=8)
        names = ("stored", "tokens", "subwords", "transformer", "search")
        modules(*(f"models/{name}.js" for name in names))
        page.evaluate(LOAD_MODEL, base64.b64encode(path.read_bytes()).decode())
        return load(path)[0]

    return make


# The model ---------------------------------------------------------------------------

READ_LOGITS = """
([ids, tokens, heads]) => {
  const { encoder, decoder, cross, logProbs } = model.attention(ids, tokens, heads);
  const logits = [];
  let state = model.start(model.encode(ids, heads), heads);
  for (const token of [BOS, ...tokens.slice(0, -1)]) {
    const step = model.step(state, token);
    logits.push([...step.logits]);
    state = step.state;
  }
  const maps = [encoder, decoder, cross].map((layers) =>
    layers.map((heads) => heads.map((map) => [...map])));
  return { logits, logProbs: [...logProbs], maps };
}
"""


@torch.no_grad()
def assert_reads_alike(page, model, ids, tokens, heads=None):
    """Logits and maps of the page are PyTorch's; maps respect the masks."""
    heads = heads or {}
    found = page.evaluate(READ_LOGITS, [ids, tokens, heads])
    masks = {name: torch.tensor(mask) for name, mask in heads.items()}
    src, tgt = torch.tensor([ids]), torch.tensor([[BOS, *tokens[:-1]]])
    with model.head_mask(**masks):
        logits, maps = model(src, tgt)[0], model.attention(src, tgt)
    logits = logits.numpy()
    assert np.abs(np.array(found["logits"]) - logits).max() <= TOLERANCE
    chosen = torch.tensor(logits).log_softmax(-1)[range(len(tokens)), tokens].numpy()
    assert np.abs(np.array(found["logProbs"]) - chosen).max() <= TOLERANCE
    seen = {
        "encoder": np.array(ids) != PAD,
        "decoder": np.tri(len(tokens), dtype=bool) & (tgt[0].numpy() != PAD),
        "cross": np.array(ids) != PAD,
    }
    for name, its in zip(MAPS, found["maps"], strict=True):
        expected = maps[name][:, 0].numpy()  # (layers, heads, rows, columns)
        its = np.array(its).reshape(expected.shape)
        assert np.abs(its - expected).max() <= TOLERANCE
        visible = np.broadcast_to(seen[name], its.shape)
        assert (its[~visible] == 0).all()
        sums = its.sum(-1)
        np.testing.assert_allclose(sums[visible.any(-1)], 1, atol=1e-5)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"norm_first": True},
        {"tie_embeddings": True},
        {"tie_embeddings": "all", "tgt_vocab": 13, "norm_first": True},
        {"num_heads": 1, "num_layers": 1, "d_ff": 7},
        {"num_layers": 3, "d_model": 18, "num_heads": 3},
    ],
    ids=str,
)
def test_js_transformer_logits_and_maps_equal_pytorch(page, small_model, options):
    model = small_model(**options)
    for ids, tokens in (
        ([EOS], [EOS]),
        ([3, 4, 5, 6, 7, 8, 9, 10, EOS], [5, 5, 9, 3, 8, EOS]),
        ([3, PAD, 5, EOS, PAD, PAD], [5, PAD, PAD, 9, EOS]),
        ([PAD, PAD], [4, EOS]),
    ):
        assert_reads_alike(page, model, ids, tokens)


def test_js_transformer_heads_off_equals_head_mask(page, small_model):
    model = small_model()
    ids, tokens = [3, 4, 5, EOS], [6, 7, 8, EOS]
    for name in MAPS:
        for off in range(7):  # each head alone, then all
            mask = np.ones(6, dtype=bool)
            mask[off if off < 6 else slice(None)] = False
            heads = {name: mask.reshape(2, 3).tolist()}
            assert_reads_alike(page, model, ids, tokens, heads)
    everyone = {name: [[False] * 3] * 2 for name in MAPS}
    assert_reads_alike(page, model, ids, tokens, everyone)


UNSUPPORTED = {
    "model.encode([])": "The source has no tokens",
    "model.encode([3, 13])": "The source has no token 13: ids go from 0 to 12",
    "model.encode([3], { encoder: [[true]] })": "2 layers' 3 heads",
    "model.start(model.encode([3]), { cross: [[1, 1, 1]] })": "(cross)",
    "model.step(model.start(model.encode([3])), -1)": "The target has no token",
    "beamSearch(model, [3], { width: 0 })": "width must be a whole number from 1",
    "beamSearch(model, [3], { prefix: [5, EOS] })": "has an end in it",
    "beamSearch(model, [3], { prefix: [5], maxLength: 1 })": "no room",
    "new Transformer({ config: { positions: 'alibi' }, tensors: new Map() })": (
        "Only sinusoidal positions"
    ),
    "new Characters('abc').decode([-1])": "There is no token",
}


def test_js_transformer_rejects_unsupported_config(page, small_model):
    small_model()
    for call, message in UNSUPPORTED.items():
        said = page.evaluate(
            f"() => {{ try {{ {call}; }} catch (error) {{ return error.message; }} }}"
        )
        assert message in (said or ""), call


# Search ------------------------------------------------------------------------------

RUN_SEARCH = """
([ids, options, heads]) => {
  const { hypotheses } = beamSearch(model, ids, { ...options, heads });
  const [one] = beamSearch(model, ids, { ...options, heads, width: 1 }).hypotheses;
  return { greedy: one.tokens, hypotheses };
}
"""


def torch_beam_search(model, ids, width, length_penalty, max_len):
    src = torch.tensor([ids])
    best = greedy(model, src, max_len)[0].tolist()
    return best, beam_search(model, src, max_len, width, length_penalty)[0]


def test_js_beam_search_equals_python(page, small_model):
    """All hypotheses, in the same order, with the same scores."""
    model = small_model()
    sources = [EOS], [3, 4, EOS], [5, 6, 7, 8, 9, EOS]
    for width, length_penalty, ids in product((1, 2, 4, 5, 20), (0.0, 1.0), sources):
        options = {"width": width, "lengthPenalty": length_penalty, "maxLength": 9}
        found = page.evaluate(RUN_SEARCH, [ids, options, {}])
        best, hypotheses = torch_beam_search(model, ids, width, length_penalty, 9)
        assert found["greedy"] == best
        assert [one["tokens"] for one in found["hypotheses"]] == [
            one.tokens for one in hypotheses
        ]
        for one, expected in zip(found["hypotheses"], hypotheses, strict=True):
            assert one["score"] == pytest.approx(expected.score, abs=TOLERANCE)
            penalty = ((5 + len(one["tokens"])) / 6) ** length_penalty
            assert one["score"] == pytest.approx(one["logProb"] / penalty)
            assert one["finished"] == (one["tokens"][-1] == EOS)


def test_js_beam_search_keeps_and_counts_a_prefix(page, small_model):
    """In tokens, length and log-probability."""
    model, ids = small_model(), [3, 4, EOS]
    best, _ = torch_beam_search(model, ids, 1, 1.0, 8)
    search = "([ids, options]) => beamSearch(model, ids, { maxLength: 8, ...options })"
    on_its_way = {"width": 1, "prefix": best[:3]}
    found = page.evaluate(search, [ids, on_its_way])["hypotheses"]
    assert found[0]["tokens"] == best

    prefix = [9, 6, 9]
    found = page.evaluate(search, [ids, {"width": 4, "prefix": prefix}])
    assert [one["tokens"] for one in found["steps"][0]["beams"]] == [prefix]
    for one in found["hypotheses"]:
        tokens = one["tokens"]
        assert tokens[:3] == prefix
        src, tgt = torch.tensor([ids]), torch.tensor([[BOS, *tokens[:-1]]])
        with torch.no_grad():
            steps = model(src, tgt)[0].log_softmax(-1)
        wanted = steps[range(len(tokens)), tokens].sum().item()
        assert one["logProb"] == pytest.approx(wanted, abs=TOLERANCE)
        penalty = (5 + len(tokens)) / 6
        assert one["score"] == pytest.approx(one["logProb"] / penalty)


# Tokenizers --------------------------------------------------------------------------

RUN_ENCODE = """
([described, texts]) => {
  const tokenizer = makeTokenizer(described);
  return texts.map((text) => {
    const { ids, tokens, unknown } = tokenizer.encode(text);
    return { ids, tokens, unknown, text: tokenizer.decode(ids),
      known: ids.map((id) => tokenizer.tokens[id]) };
  });
}
"""


def assert_encodes_alike(page, tokenizer, texts):
    described = {
        "kind": "characters",
        "characters": "".join(tokenizer.tokens[UNK + 1 :]),
    }
    if isinstance(tokenizer, Subwords):
        described = {"kind": "subwords", "definition": json.loads(tokenizer.to_json())}
    found = evaluate_large(page, RUN_ENCODE, [described, texts])
    for text, its in zip(texts, found, strict=True):
        ids = tokenizer.encode(text)
        assert its["ids"] == ids, repr(text)
        assert its["text"] == tokenizer.decode(ids), repr(text)
        assert its["known"] == [tokenizer.tokens[i] for i in ids]
        unknown = [
            token for i, token in zip(ids, its["tokens"], strict=True) if i == UNK
        ]
        assert its["unknown"] == list(dict.fromkeys(unknown))
        if UNK not in ids:
            assert its["tokens"] == its["known"]


def random_texts(count):
    """Strings of letters, marks, spaces and signs of many scripts."""
    rng = random.Random(1)
    blocks = [(32, 127), (9, 14), (0xA0, 0x250), (0x300, 0x530), (0x590, 0x700)]
    blocks += [(0x2000, 0x2070), (0x3000, 0x3100), (0x4E00, 0x4E40), (0xFF00, 0xFF60)]
    blocks += [(0x1F300, 0x1F600), (0x2580, 0x25A0), (97, 123), (97, 123), (32, 33)]
    return [
        "".join(
            chr(rng.randrange(*rng.choice(blocks))) for _ in range(rng.randrange(40))
        )
        for _ in range(count)
    ]


@pytest.mark.parametrize(
    "tokenizer",
    [
        Subwords.train(SENTENCES * 3, 150, punctuation=True),
        Subwords.train(SENTENCES * 3, 150, punctuation=False),
        Characters("。我你好𠀀 é🙂a"),
        *load_translator()[1:3],
    ],
    ids=[
        "subwords",
        "subwords and signs",
        "characters",
        "stored source",
        "stored target",
    ],
)
def test_js_tokenizers_equal_python(page, modules, tokenizer):
    modules("models/subwords.js")
    assert_encodes_alike(page, tokenizer, SENTENCES + ODD_SENTENCES + random_texts(300))
