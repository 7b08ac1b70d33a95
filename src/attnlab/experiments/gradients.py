"""What do the first weights of attention do to gradients by depth?

A deep post-norm Transformer that has learned nothing reads random words, and the
gradient of its loss is measured at every decoder layer. Drawn apart, W_Q, W_K and W_V
are √2 larger than drawn as one matrix (`MultiHeadAttention(init=…)`); beside them
stands PyTorch's own `nn.Transformer`, between the same embeddings and read-out.

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


def build(init: str) -> Transformer:
    """Return an untrained model; "torch" has the layers of a new `nn.Transformer`."""
    sizes: Any = {"d_model": D_MODEL, "num_heads": HEADS, "d_ff": D_FF, "dropout": 0.0}
    if init != "torch":
        return Transformer(VOCAB, VOCAB, num_layers=LAYERS, init=init, **sizes)
    theirs = nn.Transformer(
        D_MODEL, HEADS, LAYERS, LAYERS, D_FF, dropout=0.0, batch_first=True
    )
    return Transformer.from_torch(theirs, VOCAB, VOCAB)


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


STUDY = Study("gradients", measure_gradients, grid(init=list(INITS)))


if __name__ == "__main__":
    run_studies(__doc__, STUDY)
