"""What a layer costs, counted in the layer itself: no formula is looked at here.

**FLOPs** (`count_flops`) are counted by `torch.utils.flop_counter` while the layer runs.
It sees every matrix product and every convolution that torch dispatches. On a CPU it
does not see inside two fused kernels, on a GPU not inside cuDNN's recurrent ones; for
these a formula is registered (`KERNELS`), from the shapes that reach the kernel:

| kernel | used by | formula |
| --- | --- | --- |
| `_scaled_dot_product_flash_attention_for_cpu` | fused attention | as torch's own for the GPU |
| `mkldnn_rnn_layer` | LSTM on a CPU | every weight matrix meets every position |
| `_cudnn_rnn` | RNN, GRU, LSTM on a GPU | the same |

torch's RNN and GRU on a CPU are loops over products that the counter sees. For the
backward pass of a convolution a formula replaces torch's own, which forgets that a
depthwise convolution does not mix the channels.

**Sequential operations** and **path lengths** are counted in the autograd graph, in
float64 on the CPU, where torch unrolls all of its recurrent layers. The length of a
chain is its number of operations of any kind (`longest_chain`), those apart that only
look at the same numbers in another way, or copy them.
"""  # noqa: E501

import re
from math import prod
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd import forward_ad
from torch.autograd.graph import Node
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import (
    FlopCounterMode,
    sdpa_backward_flop_count,
    sdpa_flop_count,
)

from attnlab.checks import check_integer
from attnlab.complexity.layers import LayerType

WIDTH = 8  # of the layers whose graph is looked at: it does not depend on d

# FLOPs ------------------------------------------------------------------------------


def count_flops(module: nn.Module, x: Tensor, *, backward: bool = False) -> int:
    """Count the FLOPs of `module(x)` while it runs.

    Args:
        module: maps x to a tensor.
        x: (batch, n, d).
        backward: count the backward pass as well, to x and all parameters.

    Returns:
        FLOPs of the whole batch; a multiplication with its addition counts 2.
    """
    x = x.detach().requires_grad_(backward)
    counter = FlopCounterMode(display=False, custom_mapping=KERNELS)
    with counter, torch.set_grad_enabled(backward):
        output = module(x)
        if backward:
            output.sum().backward()
    if backward:
        module.zero_grad(set_to_none=True)
    return counter.get_total_flops()


def _attention_flops(
    query: Any, key: Any, value: Any, *args: Any, **kwargs: Any
) -> int:
    return sdpa_flop_count(query, key, value)


def _attention_backward_flops(
    up: Any, query: Any, key: Any, value: Any, *args: Any, **kwargs: Any
) -> int:
    return sdpa_backward_flop_count(up, query, key, value)


def _mkldnn_lstm_flops(
    x: Any, weight_ih: Any, weight_hh: Any, *args: Any, **kwargs: Any
) -> int:
    positions = prod(x[:-1])
    return 2 * positions * (prod(weight_ih) + prod(weight_hh))


def _mkldnn_lstm_backward_flops(
    x: Any, weight_ih: Any, weight_hh: Any, *args: Any, **kwargs: Any
) -> int:
    # As for any product: one towards the input and one towards the weights.
    return 2 * _mkldnn_lstm_flops(x, weight_ih, weight_hh)


def _cudnn_rnn_flops(x: Any, weights: Any, *args: Any, **kwargs: Any) -> int:
    matrices = sum(prod(weight) for weight in weights if len(weight) == 2)
    return 2 * prod(x[:-1]) * matrices


def _cudnn_rnn_backward_flops(x: Any, weights: Any, *args: Any, **kwargs: Any) -> int:
    return 2 * _cudnn_rnn_flops(x, weights)


def _convolution_backward_flops(
    up: Any, x: Any, weight: Any, *args: Any, **kwargs: Any
) -> int:
    *_, wanted = args  # gradients of the input, the weight and the bias
    one = 2 * up[0] * prod(up[2:]) * prod(weight)
    return one * (wanted[0] + wanted[1])


_aten = torch.ops.aten

# What the counter does not see or gets wrong: FLOPs from the shapes of the arguments.
KERNELS = {
    _aten._scaled_dot_product_flash_attention_for_cpu: _attention_flops,
    _aten._scaled_dot_product_flash_attention_for_cpu_backward: (
        _attention_backward_flops
    ),
    _aten.mkldnn_rnn_layer: _mkldnn_lstm_flops,
    _aten.mkldnn_rnn_layer_backward: _mkldnn_lstm_backward_flops,
    _aten._cudnn_rnn: _cudnn_rnn_flops,
    _aten._cudnn_rnn_backward: _cudnn_rnn_backward_flops,
    _aten.convolution_backward: _convolution_backward_flops,
}


# Chains in the autograd graph ---------------------------------------------------------

# Nodes of the graph that compute nothing: views, copies, and the leaves.
MOVES = {
    *("View", "Alias", "ReshapeAlias", "UnsafeView", "Expand", "ConstantPad"),
    *("Select", "Slice", "Split", "UnsafeSplit", "Unbind", "Unfold", "Stack", "Cat"),
    *("T", "Transpose", "Permute", "Squeeze", "Unsqueeze", "Clone", "Copy", "ToCopy"),
}
FUSED = {"ScaledDotProductFlashAttentionForCpu": 3}  # scores, softmax, their sum


def longest_chain(output: Tensor) -> int:
    """Return the most operations, for an output of any shape, that ran in a row.

    The autograd graph has a node for every operation, with an edge to each one whose
    result it took. Of all ways through it, from the output down, the longest counts. A
    sum over many numbers, in a matrix product or a softmax, is one operation; fused
    attention is three.

    Raises:
        ValueError: the output has no graph.
    """
    if output.grad_fn is None:
        raise ValueError("the output has no autograd graph to look at")
    longest: dict[Node, int] = {}
    waiting = [output.grad_fn]
    while waiting:  # depth first, without recursion: chains are long
        node = waiting[-1]
        before = [earlier for earlier, _ in node.next_functions if earlier is not None]
        unknown = [earlier for earlier in before if earlier not in longest]
        if unknown:
            waiting.extend(unknown)
            continue
        waiting.pop()
        rest = max((longest[earlier] for earlier in before), default=0)
        longest[node] = _operations(node) + rest
    return longest[output.grad_fn]


def _operations(node: Node) -> int:
    """Return how many operations in a row a node of the graph stands for."""
    kind = re.sub(r"(Nd)?Backward\d+$", "", node.name())
    if kind.endswith("AccumulateGrad") or kind in MOVES:
        return 0
    return FUSED.get(kind, 1)


def count_sequential_operations(layer: LayerType, n: int, **options: Any) -> int:
    """Return how many steps of a layer must wait for each other on n positions.

    The unit is what a second position adds to the longest chain: nothing in a layer
    that does all positions at once, which has 1 step whatever n; in an RNN each
    position adds as much again, n.

    Raises:
        ValueError: n < 1, or an option that the layer does not have in this form.
    """
    check_integer("n", n, 1)
    module = layer.build(WIDTH, **options).double()

    def chain(length: int) -> int:
        x = torch.randn(1, length, WIDTH, dtype=torch.float64, requires_grad=True)
        return longest_chain(module(x))

    first = chain(1)
    grown = max(0, chain(n) - first)  # a band has an operation less once it is full
    return 1 + grown // max(1, chain(2) - first)


def count_layers_needed(layer: LayerType, n: int, **options: Any) -> int:
    """Stack layers until the Jacobian ∂(last output)/∂(first input) is not zero.

    A nudge in each direction of the first input is sent through the layers in forward
    mode: its image at the last position of a layer's output is a column of the Jacobian
    of all layers so far. It is exactly 0 as long as there is no way from one to the
    other. The search ends where further layers cannot help, `layer.most_layers(n)`.

    Raises:
        ValueError: n < 2, or no number of such layers links the two.
    """
    check_integer("n", n, 2)
    # A batch of equal sequences, the b-th with its first position nudged along axis b.
    x = torch.randn(1, n, WIDTH, dtype=torch.float64).repeat(WIDTH, 1, 1)
    nudge = torch.zeros_like(x)
    nudge[:, 0] = torch.eye(WIDTH)
    most = layer.most_layers(n, **options)
    layers = layer.stack(WIDTH, most, **options).double()
    # The fused kernel of attention has no forward mode: torch's readable one stands in.
    with torch.no_grad(), sdpa_kernel(SDPBackend.MATH), forward_ad.dual_level():
        y = forward_ad.make_dual(x, nudge)
        for depth, one_layer in enumerate(layers, start=1):
            y = one_layer(y)
            if forward_ad.unpack_dual(y).tangent[:, -1].any():
                return depth
    raise ValueError(f"no stack of {layer.name} links the ends of {n} positions")


def count_path_length(layer: LayerType, n: int, **options: Any) -> int:
    """Return the steps on the way through the smallest stack that links the two ends.

    So many layers, each of so many steps as `count_sequential_operations` finds in one.
    """
    depth = count_layers_needed(layer, n, **options)
    return depth * count_sequential_operations(layer, n, **options)
