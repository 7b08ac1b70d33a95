"""Weights from torch's modules: its attention, layers and Transformer as ours.

Weights are those of torch's modules by other names, so a copy computes the same.
`from_torch` and `load_torch` of the classes in `attnlab.attention`, `layers` and
`transformer` come here; this module imports none of them.
"""

from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

ENCODER = {  # the names of a layer's parts, and of torch's
    "self_attention": "self_attn",
    "self_attention_norm": "norm1",
    "feed_forward.inner": "linear1",
    "feed_forward.outer": "linear2",
    "feed_forward_norm": "norm2",
}
DECODER = ENCODER | {
    "cross_attention": "multihead_attn",
    "cross_attention_norm": "norm2",
    "feed_forward_norm": "norm3",
}


def copy_weights(ours: nn.Module, theirs: nn.Module) -> None:
    """Copy what both know by the same names, and the ε of a LayerNorm."""
    ours.load_state_dict(theirs.state_dict())
    if isinstance(ours, nn.LayerNorm):
        ours.eps = theirs.eps  # type: ignore[assignment]


def attention_from_torch(kind: Any, module: nn.MultiheadAttention) -> Any:
    """Make a `MultiHeadAttention` (the `kind`); raises as its `from_torch`."""
    if not isinstance(module, nn.MultiheadAttention):
        raise TypeError(
            f"wanted a torch.nn.MultiheadAttention, got {type(module).__name__}"
        )
    if module.bias_k is not None or module.add_zero_attn:
        raise ValueError("add_bias_kv and add_zero_attn have no counterpart here")
    copy = kind(
        module.embed_dim,
        module.num_heads,
        d_key=module.kdim,
        d_value=module.vdim,
        bias=module.in_proj_bias is not None,
        dropout=module.dropout,
    ).to(module.out_proj.weight)
    if module.in_proj_weight is not None:  # (3 d_model, d_model), if widths agree
        weights = module.in_proj_weight.chunk(3)
    else:
        weights = module.q_proj_weight, module.k_proj_weight, module.v_proj_weight
    layers = copy.query_layer, copy.key_layer, copy.value_layer
    with torch.no_grad():
        for layer, weight in zip(layers, weights, strict=True):
            layer.weight.copy_(weight)
        if module.in_proj_bias is not None:
            for layer, bias in zip(layers, module.in_proj_bias.chunk(3), strict=True):
                layer.bias.copy_(bias)
    copy.output_layer.load_state_dict(module.out_proj.state_dict())
    return copy.train(module.training)


def load_layer(
    ours: nn.Module, theirs: nn.TransformerEncoderLayer | nn.TransformerDecoderLayer
) -> None:
    """Copy the weights of torch's layer into ours, of the same kind and sizes."""
    decodes = isinstance(theirs, nn.TransformerDecoderLayer)
    for name, torch_name in (DECODER if decodes else ENCODER).items():
        part: Any = ours.get_submodule(name)
        source = theirs.get_submodule(torch_name)
        if isinstance(source, nn.MultiheadAttention):
            source = type(part).from_torch(source)
        copy_weights(part, source)


def transformer_from_torch(
    kind: Any, module: nn.Transformer, src_vocab: int, tgt_vocab: int, **options: Any
) -> Any:
    """Make a `Transformer` (the `kind`); raises as its `from_torch`."""
    if not isinstance(module, nn.Transformer):
        raise TypeError(f"wanted a torch.nn.Transformer, got {module!r}")
    layers = *module.encoder.layers, *module.decoder.layers
    first = layers[0]
    if len(module.encoder.layers) != len(module.decoder.layers):
        raise ValueError("encoder and decoder differ in their number of layers")
    if any(layer.linear1.bias is None for layer in layers):
        raise ValueError("layers without biases have no counterpart here")
    if not all(_is_relu(layer.activation) for layer in layers):
        raise ValueError(f"only ReLU has a counterpart, not {first.activation!r}")
    model = kind(
        src_vocab,
        tgt_vocab,
        d_model=module.d_model,
        num_heads=module.nhead,
        num_layers=len(module.encoder.layers),
        d_ff=first.linear1.out_features,
        dropout=first.dropout.p,
        norm_first=first.norm_first,
        **options,
    ).to(first.linear1.weight)
    for ours, theirs in (
        (model.encoder, module.encoder),
        (model.decoder, module.decoder),
    ):
        copy_weights(ours.norm, theirs.norm)
        for layer, torch_layer in zip(ours.layers, theirs.layers, strict=True):
            layer.load_torch(torch_layer)
    return model.train(module.training)


def _is_relu(activation: object) -> bool:
    return activation is F.relu or isinstance(activation, nn.ReLU)
