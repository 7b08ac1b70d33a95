"""What do the first weights of attention do to gradients by depth?

A deep post-norm Transformer that has learned nothing reads random words, and the
gradient of its loss is measured at every decoder layer. Drawn apart, W_Q, W_K and W_V
are √2 larger than drawn as one matrix (`MultiHeadAttention(init=…)`); beside them
stands PyTorch's own `nn.Transformer`, between the same embeddings and output layer.
Joint weights are also tried with some of the three enlarged, and with pre-norm.

    python -m attnlab.experiments.gradients
"""

from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from attnlab.experiments.study import Study, run_studies
from attnlab.store import grid
from attnlab.tokens import EOS
from attnlab.training import set_seed
from attnlab.transformer import Transformer

VOCAB, D_MODEL, HEADS, D_FF, LAYERS = 100, 64, 4, 256, 12
BATCH, LENGTH = 32, 16
INITS = ("joint", "separate", "torch")
ENLARGED = {"larger queries and keys": ("query", "key"), "larger values": ("value",)}
MODELS = (*INITS, *ENLARGED, "pre-norm")


def build(init: str) -> Transformer:
    """Return an untrained model, one of `MODELS`.

    "torch" has the layers of a new `nn.Transformer`. Those of `ENLARGED`, and
    "pre-norm", start from joint weights.
    """
    if init == "torch":
        layers = nn.Transformer(
            D_MODEL, HEADS, LAYERS, LAYERS, D_FF, dropout=0.0, batch_first=True
        )
        return Transformer.from_torch(layers, VOCAB, VOCAB)
    options: Any = {"dropout": 0.0, "norm_first": init == "pre-norm"}
    options["init"] = init if init in INITS else "joint"
    model = Transformer(VOCAB, VOCAB, D_MODEL, HEADS, LAYERS, D_FF, **options)
    for name, weights in model.named_parameters():
        kinds = ENLARGED.get(init, ())
        if any(f"attention.{kind}_layer.weight" in name for kind in kinds):
            weights.data *= 2**0.5
    return model


def measure_gradients(*, seed: int, init: str) -> dict:
    """Return the gradient of every decoder layer in a model that has learned nothing.

    Returns:
        `norms`: of the gradients of each layer's weights, taken as one vector, the
        first layer's first; `ratio`: the last one's over the first one's.
    """
    set_seed(seed)
    model = build(init).train()
    src, tgt = torch.randint(EOS + 1, VOCAB, (2, BATCH, LENGTH))
    logits = model(src, tgt[:, :-1])  # (B, L − 1, vocab)
    F.cross_entropy(logits.flatten(0, 1), tgt[:, 1:].flatten()).backward()
    layers: Any = model.decoder.layers
    norms = [
        torch.cat([p.grad.flatten() for p in layer.parameters()]).norm().item()
        for layer in layers
    ]
    return {"norms": norms, "ratio": norms[-1] / norms[0]}


STUDY = Study("gradients", measure_gradients, grid(init=list(MODELS)))


if __name__ == "__main__":
    run_studies(__doc__, STUDY)
