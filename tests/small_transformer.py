"""A small Transformer and padded ids for it, for the tests of several modules."""

import torch
from torch import nn

from attnlab.data import BOS, PAD
from attnlab.transformer import Transformer

# Heads are not as wide as they are many.
SRC_VOCAB, TGT_VOCAB, WIDTH, HEADS, LAYERS = 11, 13, 24, 4, 2
DOUBLE = torch.float64


def make_transformer(dropout=0.0, seed=0, **options) -> Transformer:
    """A small model in float64, biases and gains drawn too."""
    torch.manual_seed(seed)
    model = Transformer(
        SRC_VOCAB, TGT_VOCAB, WIDTH, HEADS, LAYERS, 32, dropout, **options
    ).double()
    return randomise_constants(model).eval()


def randomise_constants(module: nn.Module) -> nn.Module:
    """Draw what is 0 or 1 at first, lest a mistake in it go unseen."""
    with torch.no_grad():
        for parameter in module.parameters():
            if parameter.dim() == 1:
                parameter.normal_(0.5, 0.5)
    return module


def make_ids(seed=0) -> tuple[torch.Tensor, torch.Tensor]:
    """Padded sources (4, 6) and targets (4, 5) of several lengths."""
    generator = torch.Generator().manual_seed(seed)
    src = torch.randint(3, SRC_VOCAB, (4, 6), generator=generator)
    tgt = torch.randint(3, TGT_VOCAB, (4, 5), generator=generator)
    tgt[:, 0] = BOS
    for row, (n_src, n_tgt) in enumerate([(6, 5), (3, 2), (1, 4), (4, 1)]):
        src[row, n_src:] = PAD
        tgt[row, n_tgt:] = PAD
    return src, tgt
