"""Every matrix of the machine against the package's Transformer, and what is drawn."""

import math
import re

import numpy as np
import pytest
import torch
from drawing import evaluate_large
from reading import parse_numbers

from attnlab.data import EOS, NumberPairs
from attnlab.live import load_weights
from attnlab.live.machine import MAX_WRITTEN, PARTS, STEPS
from attnlab.saved import read_base64
from tools.machine import remove_part, write_words

TOLERANCE = 1e-4
FILE_OF_PART = {part: f"machine-no-{part}" for part in PARTS} | {"nothing": "machine"}
NUMERALS = ["eighty seven", "two hundred and five", "six"]
# Every number is traced; what it is traced to comes back where it is asked for.
WRITE_AND_TRACE = """([base64, words, without, mostWritten, traced]) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const network = makeModel(bytes.buffer);
    const options = { without, mostWritten };
    const found = translateGreedily(network, words.split(" "), options);
    const steps = Object.fromEntries([...found.steps].map(([name, { matrix }]) =>
        [name, matrix.map((row) => Array.from(row, (x) => Math.max(x, -1e30)))]));
    const traces = [...found.steps].flatMap(([name, { matrix }]) =>
        matrix.flatMap((row, i) => Array.from(row, (_, j) => {
            const { terms, marks, value, end } = traceNumber(found.steps, name, i, j);
            const sum = terms.reduce((total, [a, b]) => total + a * b, 0);
            return { name, i, j, sum, marks, value, end, count: terms.length };
        })));
    return { said: found.said, steps, traces: traced ? traces : [] };
}"""


def attention_steps(side, attention):
    """The steps of one attention, by the modules whose output they are."""
    return {
        f"{attention}.query_layer": f"{side}.q",
        f"{attention}.key_layer": f"{side}.k",
        f"{attention}.value_layer": f"{side}.v",
        f"{attention}.output_layer": f"{side}.out",
        f"{attention}_norm": f"{side}.normed",
    }


OUTPUT_STEPS = {
    **attention_steps("encoder", "encoder.layers.0.self_attention"),
    **attention_steps("decoder", "decoder.layers.0.self_attention"),
    **attention_steps("across", "decoder.layers.0.cross_attention"),
    "encoder.layers.0.feed_forward": "encoder.ff.outer",
    "encoder.layers.0.feed_forward_norm": "memory",
    "decoder.layers.0.feed_forward": "decoder.ff.outer",
    "decoder.layers.0.feed_forward_norm": "states",
    "output_layer": "logits",
}
SUM_STEPS = {"memory": "encoder.ff.sum", "states": "decoder.ff.sum"}


def hook_for(found, step, side):
    """A hook that keeps what goes into a module, or what comes out of it."""

    def hook(_module, inputs, output):
        found[step] = (inputs[0] if side == "in" else output)[0]

    return hook


@torch.no_grad()
def torch_steps(model, src, tgt):
    """The steps of one pass by PyTorch's hooks."""
    found, hooks = {}, []
    modules = dict(model.named_modules())
    for name, step in OUTPUT_STEPS.items():
        wanted = [(step, "out")]
        if name.endswith("_norm"):
            wanted.append((SUM_STEPS.get(step, step.replace("normed", "sum")), "in"))
        if step.endswith(".out"):
            wanted.append((step.replace(".out", ".found"), "in"))
        hooks += [
            modules[name].register_forward_hook(hook_for(found, *w)) for w in wanted
        ]
    maps = model.attention(src, tgt)
    found["logits"] = model(src, tgt)[0]
    for hook in hooks:
        hook.remove()
    for side, kind in zip(("encoder", "decoder", "across"), maps, strict=True):
        for head in (0, 1):
            found[f"{side}.weights.{head + 1}"] = maps[kind][0, 0, head]
    found["shares"] = found["logits"].softmax(dim=-1)
    found["src.x"] = model._embed(model.src_embedding, src, 0)[0]
    found["tgt.x"] = model._embed(model.tgt_embedding, tgt, 0)[0]
    return {name: matrix.numpy() for name, matrix in found.items()}


@pytest.fixture
def write_in_page(page, modules):
    modules("models/stored.js", "models/machine.js", "figures/machine/tracing.js")

    def write_numeral(file, words, part, traced=False):
        given = [read_base64(file), words, part, MAX_WRITTEN, traced]
        return evaluate_large(page, WRITE_AND_TRACE, given)

    return write_numeral


@pytest.mark.computes
@pytest.mark.parametrize("words", NUMERALS)
@pytest.mark.parametrize("part", PARTS)
def test_machine_matrices_equal_package(write_in_page, part, words):
    for file in {FILE_OF_PART[part], "machine"}:
        found = write_in_page(file, words, part)
        assert tuple(found["steps"]) == STEPS
        model, _ = load_weights(file)
        state = model.state_dict()
        remove_part(model, part).load_state_dict(state, strict=False)
        vocabularies = NumberPairs([1])
        src = torch.tensor([[*vocabularies.src_vocab.encode(words.split()), EOS]])
        said = write_words(model, src)[0].tolist()
        said = said[: said.index(EOS)] if EOS in said else said
        assert found["said"] == [vocabularies.tgt_vocab.tokens[i] for i in said]
        tgt = torch.tensor([[1, *said]])[:, :MAX_WRITTEN]
        wanted = torch_steps(model, src, tgt)
        assert len(wanted) >= 30
        for name, matrix in wanted.items():
            ours = np.array(found["steps"][name])
            assert ours == pytest.approx(matrix, abs=TOLERANCE), name


PLACE_FORMULA = r"(sin|cos)\((\d+) · 10000\^\(−(\d+)/(\d+)\)\)"


@pytest.mark.computes
def test_trace_number_terms_sum_to_the_number(write_in_page):
    found = write_in_page("machine", "eighty seven", "nothing", traced=True)
    tensors = load_weights("machine")[0].state_dict()
    products = [one for one in found["traces"] if one["count"] == 16]
    assert len(products) > 500
    for trace in found["traces"]:
        name, i, j = trace["name"], trace["i"], trace["j"]
        value = found["steps"][name][i][j]
        if name.endswith(".found"):
            assert trace["sum"] == pytest.approx(value, abs=TOLERANCE)
        if ".scores." in name and value > -1e30:
            assert trace["sum"] / 8**0.5 == pytest.approx(value, abs=TOLERANCE)
        if name == "logits":
            bias = tensors["output_layer.bias"][j].item()
            assert trace["sum"] + bias == pytest.approx(value, abs=TOLERANCE)
        if name.endswith("normed"):
            gain, own, mean, root, bias = parse_numbers(trace["end"])
            made = gain * (own - mean) / root + bias
            assert made == pytest.approx(value, abs=0.05)
        if told := re.match(PLACE_FORMULA, trace["end"]):
            place, power, width = map(int, told.groups()[1:])
            made = getattr(math, told[1])(place * 10000 ** (-power / width))
            assert made == pytest.approx(value, abs=TOLERANCE)
        for mark in trace["marks"]:
            rows = found["steps"][mark["step"]]
            assert mark.get("row", 0) < len(rows)
            assert mark.get("column", 0) < len(rows[0])
            assert mark.get("column") in (None, j)


@pytest.mark.computes
@pytest.mark.parametrize("count", [1, 2, 5])
def test_project_to_plane_uses_principal_directions(page, modules, count):
    modules("math/plane.js")
    torch.manual_seed(count)
    vectors = torch.randn(count, 16, dtype=torch.float64)
    found = page.evaluate("(given) => projectToPlane(given)", vectors.tolist())
    sizes, directions = torch.linalg.eigh(vectors @ vectors.T)
    kept = directions[:, -2:] * sizes[-2:].sqrt()
    points = torch.tensor(found["points"], dtype=torch.float64)
    torch.testing.assert_close(points @ points.T, kept @ kept.T, atol=1e-6, rtol=1e-6)
    share = (sizes[-2:].sum() / sizes.sum()).item()
    assert found["share"] == pytest.approx(share, abs=1e-9)
