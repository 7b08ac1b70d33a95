"""Where what is measured goes: not where the chapters read."""

import runpy
import sys

import pytest
import torch

from attnlab import store
from attnlab.data import EOS, PAD
from attnlab.decoding import greedy_prefix
from attnlab.transformer import Transformer
from benchmarks.annotated import AnnotatedTransformer, LayerNorm


@pytest.mark.parametrize("name", ["attention", "transformer", "states"])
def test_benchmarks_write_beside_the_build(name, root, monkeypatch):
    folders = []

    def run(name, measure, settings, seeds, *, folder=None, **options):
        folders.append(folder or store.RESULTS)
        return {"name": name, "runs": []}

    monkeypatch.setattr(store, "run", run)
    monkeypatch.setattr(sys, "argv", [name])
    runpy.run_path(str(root / "benchmarks" / f"{name}.py"), run_name="__main__")
    assert [folder.relative_to(root / "_build") for folder in folders]


@torch.no_grad()
def test_annotated_transformer_equals_ours_with_norm_first():
    torch.manual_seed(0)
    ours = Transformer(50, 50, 16, 4, 2, 32, norm_first=True).eval()
    theirs = AnnotatedTransformer(50, 16, 4, 2, 32, dropout=0.1).eval()
    for wanted, weights in zip(ours.parameters(), theirs.parameters(), strict=True):
        weights.copy_(wanted)
    for norm in theirs.modules():
        if isinstance(norm, LayerNorm):  # divides by the root of sum / (16 − 1)
            norm.weight *= (16 / 15) ** 0.5
    src, tgt = torch.randint(EOS + 1, 50, (2, 3, 6))
    src[1, 4:], tgt[2, 3:] = PAD, PAD
    torch.testing.assert_close(theirs(src, tgt), ours(src, tgt), rtol=0, atol=1e-4)
    for model in (ours, theirs):
        model.output_layer.bias[[PAD, EOS]] = -1e4
    assert torch.equal(theirs.greedy(src, 9), greedy_prefix(ours, src, 9))
