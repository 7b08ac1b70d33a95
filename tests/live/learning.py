"""What the tests of the page's own training share: models and batches on both sides."""

import json
from itertools import product
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attnlab.data import Batch
from attnlab.live.alignment import SCORES
from attnlab.positions import POSITIONS
from attnlab.saved import build_model
from attnlab.scores import score_sizes

MODULES = ("learn/machine.js", "learn/models.js", "learn/tape.js", "learn/loss.js")
MODULES += ("learn/optimizer.js",)
WIDTH, VOCABULARY, MAX_LENGTH = 12, 11, 10

TRANSFORMER = {
    "src_vocab": VOCABULARY,
    "tgt_vocab": VOCABULARY - 2,
    "d_model": WIDTH,
    "num_heads": 3,
    "num_layers": 2,
    "d_ff": 20,
    "dropout": 0.0,
    "max_length": MAX_LENGTH,
    "positions": "sinusoidal",
}
SEQ2SEQ = {"src_vocab": VOCABULARY, "tgt_vocab": VOCABULARY - 2, "d_model": WIDTH}
TAGGER = {
    "vocab_size": VOCABULARY,
    "num_classes": 5,
    "d_model": WIDTH,
    "num_heads": 3,
    "num_layers": 2,
    "d_ff": 16,
    "max_length": MAX_LENGTH,
    "positions": "sinusoidal",
}


# What a model with attention may have otherwise: each alone, and all at once.
OTHERWISE: dict[str, dict] = {
    "GELU": {"activation": "gelu"},
    "scale 1/d": {"attention_scale": TRANSFORMER["num_heads"] / WIDTH},
    "no residual": {"residual": False},
    "all": {"activation": "gelu", "attention_scale": 1, "residual": False},
}


def offered_models() -> dict[str, tuple[str, dict]]:
    """Every kind of model with every setting of it that the page offers."""
    models: dict[str, tuple[str, dict]] = {}
    for name, its in OTHERWISE.items():
        for first in (False, True):
            config = {**TRANSFORMER, "norm_first": first, **its}
            norm = "pre" if first else "post"
            models[f"transformer, {norm}-norm, {name}"] = "Transformer", config
        for causal in (False, True):
            config = {**TAGGER, "causal": causal, **its}
            models[f"tagger{', causal' if causal else ''}, {name}"] = "Tagger", config
    for positions, first in product(POSITIONS, (False, True)):
        config = {**TRANSFORMER, "positions": positions, "norm_first": first}
        name = f"transformer, {positions}, {'pre' if first else 'post'}-norm"
        models[name] = "Transformer", config
    for score, both in product((None, *SCORES), (False, True)):
        its = (
            {"name": score, **score_sizes(score, WIDTH, MAX_LENGTH)} if score else None
        )
        name = f"gru, {score}{', both ways' if both else ''}"
        models[name] = "Seq2Seq", {**SEQ2SEQ, "score": its, "bidirectional": both}
    for positions, causal in product(POSITIONS, (False, True)):
        name = f"tagger, {positions}{', causal' if causal else ''}"
        config = {**TAGGER, "positions": positions, "causal": causal}
        models[name] = "Tagger", config
    models["tagger, no feed-forward"] = "Tagger", {**TAGGER, "d_ff": None}
    return models


def random_batch(kind: str, seed: int = 0, size: int = 6) -> Batch:
    """Sentences of 1 to 9 tokens, padded."""
    draw = np.random.default_rng(seed)
    src, tgt = np.zeros((size, 9), int), np.zeros((size, 8), int)
    for row in range(size):
        length = draw.integers(1, 10) if row else 9
        src[row, :length] = draw.integers(2, VOCABULARY, length)
        length = draw.integers(1, 7) if row else 7
        tgt[row, : length + 1] = [1, *draw.integers(2, VOCABULARY - 2, length)]
    if kind == "Tagger":
        tgt = np.where(src > 0, draw.integers(0, 5, src.shape), 0)
    return Batch(torch.tensor(src), torch.tensor(tgt))


def batch_to_lists(batch: Batch) -> dict[str, Any]:
    """A batch as `learn/batches.js` has it."""
    (size, src_length), tgt_length = batch.src.shape, batch.tgt.shape[1]
    return {
        "size": size,
        "srcLength": src_length,
        "tgtLength": tgt_length,
        "src": batch.src.flatten().tolist(),
        "tgt": batch.tgt.flatten().tolist(),
    }


ONE_PASS = """({ kind, config, seed, batch }) => {
  const machine = new Machine({ bytes: 64 * 1024 * 1024 });
  const model = newModel(machine, kind, config, seed);
  const tape = new Tape(machine);
  const ids = { src: Int32Array.from(batch.src), tgt: Int32Array.from(batch.tgt) };
  const { logits, targets, maps } = model.run(tape, { ...batch, ...ids });
  const { loss, right } = crossEntropy(logits, targets);
  tape.backward();
  const all = [...model.parameters.byName];
  const lists = (part) =>
    Object.fromEntries(all.map(([name, t]) => [name, [t.shape, [...t[part]]]]));
  const count = model.parameters.count();
  return JSON.stringify({ loss, right, count, logits: [...logits.data],
    weights: lists("data"), gradients: lists("grad"),
    maps: Object.fromEntries(Object.entries(maps).map(
      ([kind, layers]) => [kind, layers.map((m) => [m.shape, [...m.data]])])) });
}"""


def run_one_pass(page: Any, kind: str, config: dict, batch: Batch) -> dict:
    """A new model in the page goes over a batch and back: all that comes of it."""
    given = {"kind": kind, "config": config, "batch": batch_to_lists(batch)}
    return json.loads(page.evaluate(ONE_PASS, {"seed": 7, **given}))


def to_tensors(lists: dict[str, list]) -> dict[str, Tensor]:
    return {name: to_tensor(one) for name, one in lists.items()}


def to_tensor(shape_and_numbers: list) -> Tensor:
    shape, numbers = shape_and_numbers
    return torch.tensor(numbers, dtype=torch.float32).reshape(shape)


def load_in_torch(kind: str, config: dict, weights: dict[str, Tensor]) -> Any:
    """The package's model with these weights, of which it has just these."""
    model = build_model(kind, config)
    model.load_state_dict(weights)
    return model
