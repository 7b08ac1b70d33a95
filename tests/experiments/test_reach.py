"""How far back models see: the contenders of recall, and windows."""

import random

import pytest
import torch

from attnlab.experiments import recall, windows


@pytest.mark.parametrize(
    ("study", "variant", "reach"),
    [
        (recall, "attention", 100),
        (recall, "gru", 100),
        (recall, "cnn, 4 layers", 8),
        (recall, "cnn, 16 layers", 32),
        (windows, "full", 100),
        (windows, "window 16", 16 * windows.LAYERS),
    ],
)
def test_model_output_depends_only_on_its_reach(study, variant, reach):
    torch.manual_seed(0)
    model = study.build(variant).double()
    caught = []

    def keep_output_grad(layer, inputs, output):
        output.retain_grad()
        caught.append(output)

    model.embedding.register_forward_hook(keep_output_grad)
    tokens = torch.tensor([recall.make_sequence(random.Random(0), 1)[0]])
    place = 100
    model(tokens)[0, place].sum().backward()
    seen = caught[0].grad[0].abs().sum(dim=-1).nonzero().flatten()
    assert (seen.min(), seen.max()) == (max(0, place - reach), place)
