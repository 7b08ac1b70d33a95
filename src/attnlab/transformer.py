"""The Transformer of Vaswani et al. 2017: encoder, decoder, and both as one model.

    Transformer
    ├── src_embedding, tgt_embedding, positions      ids -> vectors
    ├── encoder: Encoder      num_layers × EncoderLayer     source -> memory
    ├── decoder: Decoder      num_layers × DecoderLayer     target, memory -> states
    └── output_layer                                 states -> logits

Masks follow from the padding in the ids and are made by the model itself. Weights are
those of `torch.nn.Transformer`, by other names: `Transformer.from_torch` copies them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from attnlab import torch_weights
from attnlab.attention import causal_mask, head_mask
from attnlab.cache import Cache, LayerCache
from attnlab.checks import (
    check_choice,
    check_heads,
    check_ids,
    check_integer,
    check_sizes,
    check_vocabulary,
    embed,
    has_values,
)
from attnlab.dropout import Dropout
from attnlab.incremental_decoding import IncrementalDecoder, is_plain
from attnlab.layers import (
    Decoder,
    DecoderLayer,
    Encoder,
    EncoderLayer,
)
from attnlab.positions import (
    AlibiPositions,
    RotaryPositions,
    added_positions,
)

MAPS = ("encoder", "decoder", "cross")  # the kinds of attention


class DecoderState(NamedTuple):
    """Between two steps; it is not changed by stepping on from it.

    Attributes:
        memory: (B, L_s, d_model), the encoder's output.
        src_mask: (B, 1, L_s), where it is not padding; None if nowhere.
        cache: the keys and values of the tokens read so far.
        decoder: takes the short way for one token; None takes the model's own.
    """

    memory: Tensor
    src_mask: Tensor | None
    cache: Cache
    decoder: IncrementalDecoder | None = None


class Transformer(nn.Module):
    """An encoder–decoder of attention alone: `model(src, tgt) -> logits`.

    Embeddings are multiplied by √d_model (Vaswani et al. 2017, section 3.4).

    Args:
        src_vocab, tgt_vocab: the sizes of the vocabularies.
        d_model: the width of embeddings and layers.
        num_heads: heads of every attention, which share d_model.
        num_layers: of the encoder, and as many of the decoder.
        d_ff: the width inside the feed-forward layers.
        dropout: on the embeddings with their positions, the attention weights, inside
            the feed-forward layers, and on what each sublayer adds.
        norm_first: pre-norm instead of post-norm.
        positions: "sinusoidal" and "learned" are added to the embeddings; "rotary" and
            "alibi" work in every self-attention; or "none".
        max_length: how many positions "learned" has.
        tie_embeddings: True: the target's embedding is the output layer's weight too;
            "all": and the source's, for one vocabulary of both languages.
        pad: the id of padding, which nobody attends to.
        init: how the weights of every attention are drawn, as for `MultiHeadAttention`.
        last_norm: a LayerNorm after the last layer of encoder and decoder. Pre-norm
            needs it; torch has it after post-norm too, the paper and fairseq do not.
        activation, residual: as for `EncoderLayer`.
        attention_scale: what all scores are multiplied by; None is 1/√d_head.

    Raises:
        TypeError: a size is not an integer.
        ValueError: an unknown or unfitting value, named.
    """

    def __init__(
        self,
        src_vocab: int,
        tgt_vocab: int,
        d_model: int = 512,
        num_heads: int = 8,
        num_layers: int = 6,
        d_ff: int = 2048,
        dropout: float = 0.1,
        *,
        norm_first: bool = False,
        positions: str = "sinusoidal",
        max_length: int = 512,
        tie_embeddings: bool | str = False,
        pad: int = 0,
        init: str = "joint",
        last_norm: bool = True,
        activation: str = "relu",
        attention_scale: float | None = None,
        residual: bool = True,
    ) -> None:
        super().__init__()
        check_sizes(src_vocab=src_vocab, tgt_vocab=tgt_vocab, num_layers=num_layers)
        check_heads(num_heads, d_model)
        check_choice("tie_embeddings", tie_embeddings, (False, True, "all"))
        _check_vocabularies(src_vocab, tgt_vocab, tie_embeddings, pad)
        self.src_vocab, self.tgt_vocab, self.pad = src_vocab, tgt_vocab, pad
        self.d_model, self.num_heads, self.num_layers = d_model, num_heads, num_layers
        self.scale = d_model**0.5
        self.causal = True  # no target word sees those after it

        self.src_embedding = nn.Embedding(src_vocab, d_model)
        self.tgt_embedding = nn.Embedding(tgt_vocab, d_model)
        self.output_layer = nn.Linear(d_model, tgt_vocab)
        self.positions = added_positions(positions, d_model, max_length)
        self.dropout = Dropout(dropout)
        alibi = AlibiPositions(num_heads) if positions == "alibi" else None
        d_head = d_model // num_heads
        rotary = RotaryPositions(d_head) if positions == "rotary" else None
        sizes = d_model, num_heads, d_ff, dropout
        options: Any = {"norm_first": norm_first, "rotary": rotary, "init": init}
        options |= {"activation": activation, "residual": residual}
        options |= {"scale": attention_scale}
        encoders = [EncoderLayer(*sizes, **options) for _ in range(num_layers)]
        decoders = [DecoderLayer(*sizes, **options) for _ in range(num_layers)]
        self.encoder = Encoder(encoders, d_model, alibi, last_norm)
        self.decoder = Decoder(decoders, d_model, alibi, last_norm)

        for embedding in (self.src_embedding, self.tgt_embedding):
            nn.init.normal_(embedding.weight, std=d_model**-0.5)  # 1, once scaled
        nn.init.zeros_(self.output_layer.bias)
        nn.init.xavier_uniform_(self.output_layer.weight)
        if tie_embeddings:
            self.output_layer.weight = self.tgt_embedding.weight
        if tie_embeddings == "all":
            self.src_embedding.weight = self.tgt_embedding.weight

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        """Predict every next target token, given the true ones before it.

        Args:
            src: (B, L_s), ids.
            tgt: (B, L_t), ids, starting with BOS.

        Returns:
            Logits (B, L_t, tgt_vocab): `logits[:, t]` predicts what follows
            `tgt[:, t]`, and depends on no token after it.

        Raises:
            TypeError: ids that are not integers.
            ValueError: a wrong rank, an empty batch or sequence, unequal batches, or on
                a CPU an id outside its vocabulary.
        """
        memory, src_mask, _ = self._read(src)
        return self.decode(tgt, memory, src_mask)

    def src_mask(self, src: Tensor) -> Tensor:
        """Say where the source (B, L_s) is not padding: (B, 1, L_s), bool."""
        return (src != self.pad)[:, None]

    def encode(self, src: Tensor) -> Tensor:
        """Read the source: (B, L_s) ids -> memory (B, L_s, d_model)."""
        return self._read(src)[0]

    def decode(
        self,
        tgt: Tensor,
        memory: Tensor,
        src_mask: Tensor | None = None,
        cache: Cache | None = None,
    ) -> Tensor:
        """Predict what follows each target token.

        Args:
            tgt: (B, L_t), ids: the whole target, or with a cache its next tokens.
            memory: (B, L_s, d_model), from `encode`.
            src_mask: (B, 1, L_s), from `src_mask`; None if nothing is padding.
            cache: from `make_cache`; takes up the tokens of `tgt`. The memory is read
                at the first call alone.

        Returns:
            Logits (B, L_t, tgt_vocab).

        Raises:
            TypeError, ValueError: as `forward`.
        """
        return self._decode(tgt, memory, src_mask, cache)[0]

    def attention(self, src: Tensor, tgt: Tensor) -> dict[str, Tensor]:
        """Return what every head looks at, the weights (before dropout) really used.

        Args:
            src, tgt: as for `forward`.

        Returns:
            "encoder" (layers, B, h, L_s, L_s), "decoder" (layers, B, h, L_t, L_t) and
            "cross" (layers, B, h, L_t, L_s). Row t of the last two belongs to
            `logits[:, t]`.
        """
        memory, src_mask, encoder = self._read(src, need_weights=True)
        _, decoder, cross = self._decode(tgt, memory, src_mask, need_weights=True)
        maps: dict[str, Any] = dict(zip(MAPS, (encoder, decoder, cross), strict=True))
        return {name: torch.stack(weights) for name, weights in maps.items()}

    @contextmanager
    def head_mask(
        self,
        *,
        encoder: Tensor | None = None,
        decoder: Tensor | None = None,
        cross: Tensor | None = None,
    ) -> Iterator[None]:
        """Within it, only the heads marked True speak, whatever is called.

        Args:
            encoder, decoder, cross: (num_layers, h), bool, for the self-attention of
                encoder and decoder and the attention to the memory; None is all heads.

        Raises:
            TypeError: a mask is not bool.
            ValueError: a mask of another shape.
        """
        encoders: Any = self.encoder.layers
        decoders: Any = self.decoder.layers
        with (
            head_mask([each.self_attention for each in encoders], encoder, "encoder"),
            head_mask([each.self_attention for each in decoders], decoder, "decoder"),
            head_mask([each.cross_attention for each in decoders], cross, "cross"),
        ):
            yield

    # Step by step, for `attnlab.decoding`.

    def make_cache(self) -> Cache:
        """Return an empty cache for `decode`."""
        return Cache([LayerCache() for _ in self.decoder.layers])

    def start(self, src: Tensor, *, incremental: bool = True) -> DecoderState:
        """Read the source (B, L_s) and return the state before the first step.

        Args:
            src: ids.
            incremental: take steps by the short way of `attnlab.incremental_decoding`
                where there is one: nothing is trained, and nothing else than the book's
                own modules has been put into the decoder.

        Raises:
            TypeError, ValueError: as `forward`, for ids outside the vocabulary on every
                device: here, before the first step, the ids are looked at.
        """
        check_ids("src", src)
        known = has_values(src)
        if known:
            check_vocabulary("src", src.cpu(), self.src_vocab)
        short = incremental and not self._may_train() and is_plain(self.decoder)
        memory, src_mask, _ = self._read(src)
        return DecoderState(
            memory,
            None if known and bool(src_mask.all()) else src_mask,  # None is faster
            self.make_cache(),
            IncrementalDecoder(self.decoder) if short else None,
        )

    def step(self, tokens: Tensor, state: DecoderState) -> tuple[Tensor, DecoderState]:
        """Take one step: tokens (B,) -> logits (B, tgt_vocab), next state."""
        memory, src_mask, cache, decoder = state
        cache, tokens = cache.copy(), tokens[:, None]
        if decoder is None or self._may_train():
            logits = self._decode(tokens, memory, src_mask, cache)[0][:, 0]
        else:
            start, mask = cache.length, cache.read(tokens != self.pad)
            x = self._embed(self.tgt_embedding, tokens, start)[:, 0]  # (B, d_model)
            x = decoder(x, memory, mask, src_mask, cache, start)
            logits = self.output_layer(x)
        return logits, state._replace(cache=cache)

    def reorder(self, state: DecoderState, index: Tensor) -> DecoderState:
        """Return the state whose sentence i is the old `index[i]`; index is (B,)."""
        mask = None if state.src_mask is None else state.src_mask[index]
        cache = state.cache.reorder(index)
        return DecoderState(state.memory[index], mask, cache, state.decoder)

    def _may_train(self) -> bool:
        return self.training or self.decoder.training or torch.is_grad_enabled()

    def _read(
        self, src: Tensor, need_weights: bool = False
    ) -> tuple[Tensor, Tensor, list[Tensor | None]]:
        """Encode the source: memory, mask, every layer's weights."""
        x = self._embed(self.src_embedding, src, start=0)
        mask = self.src_mask(src)
        memory, weights = self.encoder(x, mask, need_weights)
        return memory, mask, weights

    def _decode(
        self,
        tgt: Tensor,
        memory: Tensor,
        src_mask: Tensor | None,
        cache: Cache | None = None,
        need_weights: bool = False,
    ) -> tuple[Tensor, list[Tensor | None], list[Tensor | None]]:
        check_ids("tgt", tgt)
        if tgt.shape[0] != memory.shape[0]:
            raise ValueError(
                f"src and tgt differ in batch: {memory.shape[0]} and {tgt.shape[0]}"
            )
        start, real = 0, tgt != self.pad
        if cache is None:
            mask = real[:, None]  # (B, 1, L_t)
        else:
            start, mask = cache.length, cache.read(real)  # (B, 1, start + L_t)
        if self.causal and tgt.shape[1] > 1:  # a single one comes after all others
            causal = causal_mask(start + tgt.shape[1], device=tgt.device)[start:]
            mask = mask & causal  # (B, L_t, start + L_t)
        x, own, cross = self.decoder(
            self._embed(self.tgt_embedding, tgt, start),
            memory,
            mask,
            src_mask,
            need_weights,
            caches=None if cache is None else cache.layers,
            start=start,
        )
        return self.output_layer(x), own, cross

    def _embed(self, embedding: nn.Embedding, ids: Tensor, start: int) -> Tensor:
        name = "src" if embedding is self.src_embedding else "tgt"
        x = embed(name, ids, embedding) * self.scale  # (B, n, d_model)
        if self.positions is not None:
            x = self.positions(x, start)
        return self.dropout(x)

    @classmethod
    def from_torch(
        cls, module: nn.Transformer, src_vocab: int, tgt_vocab: int, **options: Any
    ) -> "Transformer":
        """Return a model whose layers and last norms are those of `nn.Transformer`.

        Weights and dropout are copied; dtype, device and train or eval mode are the
        module's. Embeddings and output layer, which torch has not, are new.

        Args:
            module: torch's, with ReLU, biases, and as many encoder as decoder layers.
            src_vocab, tgt_vocab: the sizes of the vocabularies.
            options: `positions`, `max_length`, `tie_embeddings`, `pad`.

        Raises:
            TypeError: not a `torch.nn.Transformer`.
            ValueError: it has what has no counterpart here.
        """
        return torch_weights.transformer_from_torch(
            cls, module, src_vocab, tgt_vocab, **options
        )


def _check_vocabularies(
    src_vocab: int, tgt_vocab: int, tie_embeddings: bool | str, pad: int
) -> None:
    if tie_embeddings == "all" and src_vocab != tgt_vocab:
        raise ValueError(
            "tie_embeddings='all' needs one vocabulary, got sizes "
            f"{src_vocab} and {tgt_vocab}"
        )
    check_integer("pad", pad, 0)
    if not pad < min(src_vocab, tgt_vocab):
        raise ValueError(f"pad must be a token of both vocabularies, got {pad}")
