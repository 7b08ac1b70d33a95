"""The Transformer in the way of The Annotated Transformer, to time ours against.

https://nlp.seas.harvard.edu/annotated-transformer shows that way: a module for every
part, pre-norm, each product and norm spelled out, and no cache. The code is the book's.
"""

from copy import deepcopy

import torch
from torch import Tensor, nn

from attnlab.data import BOS, PAD
from attnlab.decoding import evaluating
from attnlab.masks import causal_mask
from attnlab.positions import sinusoidal

MAX_LENGTH = 512


def clones(module: nn.Module, count: int) -> nn.ModuleList:
    """Copies of a module, each with weights of its own."""
    return nn.ModuleList(deepcopy(module) for _ in range(count))


class LayerNorm(nn.Module):
    """(x − mean) / (std + eps), scaled and shifted."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, x: Tensor) -> Tensor:
        mean, std = x.mean(-1, keepdim=True), x.std(-1, keepdim=True)
        return self.weight * (x - mean) / (std + 1e-6) + self.bias


class Heads(nn.Module):
    """Attention from (B, L_q, width) to (B, L_k, width) by several heads."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.layers = clones(nn.Linear(width, width), 4)  # of q, k, v and output
        self.dropout = nn.Dropout(dropout)

    def forward(self, query: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
        *into, out = self.layers
        q, k, v = (
            layer(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)  # (B, h, L, d / h)
            for layer, x in zip(into, (query, memory, memory), strict=True)
        )
        scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        weights = scores.masked_fill(~mask[:, None], -1e9).softmax(-1)
        return out((self.dropout(weights) @ v).transpose(1, 2).flatten(2))


class Layer(nn.Module):
    """A layer of the encoder has one attention, one of the decoder two."""

    def __init__(
        self, width: int, heads: int, d_ff: int, dropout: float, attentions: int
    ) -> None:
        super().__init__()
        self.attentions = clones(Heads(width, heads, dropout), attentions)
        inner, outer = nn.Linear(width, d_ff), nn.Linear(d_ff, width)
        self.feed_forward = nn.Sequential(inner, nn.ReLU(), nn.Dropout(dropout), outer)
        self.norms = clones(LayerNorm(width), attentions + 1)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor, *memory: Tensor) -> Tensor:
        y = self.norms[0](x)
        x = x + self.dropout(self.attentions[0](y, y, mask))
        if memory:  # and its mask
            x = x + self.dropout(self.attentions[1](self.norms[1](x), *memory))
        return x + self.dropout(self.feed_forward(self.norms[-1](x)))


class AnnotatedTransformer(nn.Module):
    """Both stacks, each closed by a norm, between embeddings and read-out."""

    def __init__(
        self, vocab: int, width: int, heads: int, depth: int, d_ff: int, dropout: float
    ) -> None:
        super().__init__()
        self.embeddings = clones(nn.Embedding(vocab, width), 2)
        reader, writer = (Layer(width, heads, d_ff, dropout, n) for n in (1, 2))
        self.output_layer = nn.Linear(width, vocab)
        self.encoder, self.encoder_norm = clones(reader, depth), LayerNorm(width)
        self.decoder, self.decoder_norm = clones(writer, depth), LayerNorm(width)
        self.register_buffer("positions", sinusoidal(MAX_LENGTH, width))
        self.dropout = nn.Dropout(dropout)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)

    def _embed(self, side: int, ids: Tensor) -> Tensor:
        x = self.embeddings[side](ids) * self.positions.shape[1] ** 0.5
        return self.dropout(x + self.positions[: ids.shape[1]])

    def encode(self, src: Tensor) -> Tensor:
        """Map (B, L_s) ids to the memory."""
        x, mask = self._embed(0, src), (src != PAD)[:, None]
        for layer in self.encoder:
            x = layer(x, mask)
        return self.encoder_norm(x)

    def decode(self, tgt: Tensor, memory: Tensor, src: Tensor) -> Tensor:
        """Map (B, L_t) ids and the memory of src to what is read out."""
        x, src_mask = self._embed(1, tgt), (src != PAD)[:, None]
        mask = (tgt != PAD)[:, None] & causal_mask(tgt.shape[1], device=tgt.device)
        for layer in self.decoder:
            x = layer(x, mask, memory, src_mask)
        return self.decoder_norm(x)

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        """Map ids to logits, as `Transformer` does."""
        return self.output_layer(self.decode(tgt, self.encode(src), src))

    def greedy(self, src: Tensor, max_len: int) -> Tensor:
        """Decode by reading the prefix anew at every step, the source once."""
        with evaluating(self):
            memory = self.encode(src)
            prefix = torch.full((len(src), 1), BOS, device=src.device)
            for _ in range(max_len):
                states = self.decode(prefix, memory, src)[:, -1]
                tokens = self.output_layer(states).argmax(-1)
                prefix = torch.cat([prefix, tokens[:, None]], dim=1)
        return prefix[:, 1:]
