# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#       jupytext_version: 1.19.6
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 6 · What it costs
#
# **Every word meets every other. Can we afford it?**
#
# The paper that made attention famous answers with a table. It gives, for a sequence of $n$ positions and
# vectors of width $d$, what one layer of each kind costs
# ([Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), table 1):
#
# | layer | operations | in a row | longest path |
# | --- | --- | --- | --- |
# | self-attention | $n^2 d$ | 1 | 1 |
# | recurrent | $n d^2$ | $n$ | $n$ |
# | convolution, kernel $k$ | $k n d^2$ | 1 | $\log_k n$ |
# | restricted attention, radius $r$ | $r n d$ | 1 | $n / r$ |
#
# ($O(·)$ stands around each entry: constants are left out.) The table has been copied into more books and lectures than
# one can count. We know of no place where somebody *measured* it. Let us use it as it is meant to be used.
# A sequence of 512 positions, 64 wide, $k = 3$, $r = 32$: which layer is fastest, and which slowest? Put the numbers in, write the order down, then run the two cells.

# %%
# Set up: in Colab this installs the book's package; elsewhere it only imports it.
import subprocess
import sys

if "google.colab" in sys.modules:
    repository = "https://github.com/attention-measured/attention-measured"
    install = [sys.executable, "-m", "pip", "install", "--quiet", f"git+{repository}"]
    if subprocess.call(install) != 0:
        raise RuntimeError(
            f"Could not install the book's package from {repository}. In the line "
            "above, set `repository` to the address of the book's own repository."
        )

from attnlab import check, claim, show_source

# %%
import math

import matplotlib.pyplot as plt
import torch
from torch import nn

from attnlab.complexity import LAYERS, measure_seconds
from attnlab.experiments import harness
from attnlab.figures import palette
from attnlab.figures.style import label_lines, use_style

use_style()
torch.set_num_threads(1)  # all times below are of one thread, unless they say so

# %%
n, d, k, r = 512, 64, 3, 32
table = {
    "attention": n**2 * d,
    "rnn": n * d**2,
    "convolution": k * n * d**2,
    "banded": r * n * d,
}
by_table = sorted(table, key=table.get)
for name in by_table:
    print(f"{LAYERS[name].label:27} {table[name] / 1e6:5.1f} million")


# %%
# NBVAL_IGNORE_OUTPUT
def clock(module, x, **options):
    """Seconds of a forward pass: the median of several."""
    with torch.no_grad():
        return measure_seconds(lambda: module(x), **options)["median"]


torch.manual_seed(0)
x = torch.randn(1, n, d)  # (B, n, d)
contenders = [*table, "rnn_fused"]  # the RNN again, its loop inside the library
seconds = {name: clock(LAYERS[name].build(d), x) for name in contenders}
for name in sorted(seconds, key=seconds.get):
    print(f"{LAYERS[name].label:27} {1000 * seconds[name]:6.2f} ms")

# %%
print("attention does more operations:", table["attention"] == 8 * table["rnn"])
print("the RNN takes longer:          ", seconds["rnn"] > 2 * seconds["attention"])

# %% [markdown]
# Eight times the operations, in a fraction of the time. The table has the RNN in second place; the clock has it last.
# Nor is the convolution, three times the operations of the RNN, anywhere near it. (It is not only Python's loop: the same RNN as one call of
# the library, *fused*, was still twice as slow as attention when we ran it.)
#
# So is the table wrong? Not a single entry is, as we shall see: every one can be counted, to the last operation. But *operations* are one cost of four, and
# seldom the one that decides. This chapter takes the table column by column, derives each entry with its constants, finds
# the same number in a layer that runs, and then asks the clock.
#
# ## What you will be able to do
#
# After this chapter you can
#
# - count the operations of any layer on paper, and check the count by machine;
# - say which operations must wait for each other, and find the longest chain in a graph;
# - tell how many layers it takes until the first word can reach the last;
# - measure time so that the number means something, and read an exponent off it;
# - say from which length on attention's square really hurts, and what is left to do then.
#
# Reading takes about an hour and a quarter, the exercises another hour. The cells run in about a minute. Eleven claims are put to the test: C38 to C48.
#
# ## Operations, by hand
#
# Take four positions of width two, and count multiplications. Attention first, bare: the vectors are queries, keys and values at once.
#
# - *Scores.* Four queries meet four keys: 16 dot products, each of 2 multiplications. That makes 32.
# - *Weighted sums.* Four outputs of 2 numbers, each number a sum over four values: 4 · 2 · 4 = 32.
#
# Together 64. Each multiplication has its addition, and it is the custom to count both: 128 **FLOPs** (floating-point operations).
#
# An RNN next. A step is $\tanh(W x_t + U h_{t-1} + b)$: two matrices of 2 × 2 meet a vector, 4 multiplications each. Four steps of 8 make 32, and
# 64 FLOPs. A convolution with a kernel of 3: each of four outputs is a sum over three positions, each multiplied by a matrix of 2 × 2.
# How many? Count before you run the cell. It does not look at any formula: it lets the layer run and counts what torch does.

# %%
from attnlab.complexity import count_flops

small = torch.randn(1, 4, 2)  # (B, n, d)
for name in ("attention", "rnn", "convolution"):
    layer = LAYERS[name].build(2)
    print(f"{name:12} {count_flops(layer, small):4} FLOPs")

# %% [markdown]
# The convolution: 4 · 3 · 4 = 48 multiplications, 96 FLOPs. (At either end one of the three positions is padding.
# The layer multiplies the zeros all the same, so they count.)
#
# ### As formulas
#
# An $(a × b)$ matrix times a $(b × c)$ matrix is $ac$ sums of $b$ products: $2abc$ FLOPs. That is all one needs.
#
# $$
# \begin{aligned}
# \text{attention:}\quad & \underbrace{2n^2 d}_{QK^\top} + \underbrace{2n^2 d}_{\text{weights}·V} = 4n^2 d \cr
# \text{RNN:}\quad & n\,(2d^2 + 2d^2) = 4nd^2 \cr
# \text{convolution:}\quad & 2knd^2
# \end{aligned} \tag{6.1}
# $$
#
# A GRU has three such pairs of matrices and an LSTM four: $12nd^2$ and $16nd^2$. Heads change nothing: each works in $d/h$ dimensions, and there are $h$.
# In front of bare attention stand the projections, which the table leaves out. $W_Q$, $W_K$, $W_V$ and $W_O$ are $d × d$ and meet every position:
#
# $$\text{multi-head:}\quad 8nd^2 + 4n^2d \tag{6.2}$$
#
# And a window of radius $r$ to either side leaves each query $2r + 1$ keys: $4n(2r+1)d$, the ends aside. Here is what the package
# holds of every kind of layer, beside the paper:

# %%
print(f"{'':17} {'FLOPs':18} {'paper'}")
for name, layer in LAYERS.items():
    if not name.endswith("fused"):
        print(f"{name:17} {layer.formula:18} {layer.paper or 'not in it'}")

# %% [markdown]
# Three rows want a word. *Banded* is how the package computes restricted attention: a block of $s = \max(r, 32)$ queries meets the $s + 2r$ keys that any of
# them may see, so that everything is a few large products. That is half as much again as needed, about $12nrd$ instead of $8nrd$; we come back to what it
# buys. *Additive* is chapter 2's score, with $a$ hidden units. And *dilated* is a stack of $L$ convolutions, because one alone would be pointless.
#
# Formulas are easy to get wrong by a factor of two, and such errors live long. So each is held against the counter over a grid of sizes,
# and no difference is forgiven:

# %%
from itertools import product

variants = {  # what each layer can vary beside n and d
    "attention": ("num_heads", (1, 4)),
    "multi_head": ("num_heads", (1, 4)),
    "banded": ("radius", (0, 3, 40)),
    "convolution": ("kernel_size", (1, 3, 7)),
    "dilated": ("num_layers", (1, 3)),
    "separable": ("kernel_size", (1, 3, 7)),
    "additive": ("d_hidden", (5, 16)),
}
wrong = {}
for name, layer in LAYERS.items():
    option, values = variants.get(name, ("", (None,)))
    for n_, d_, value in product((1, 7, 64, 100), (8, 32), values):
        own = {option: value} if option else {}
        counted = count_flops(layer.build(d_, **own), torch.randn(1, n_, d_))
        if counted != layer.flops(n_, d_, **own):
            wrong[name, n_, d_, value] = counted
print(f"{len(LAYERS)} kinds of layer, formulas that miss:", len(wrong))

# %% [markdown]
# The counter is torch's own, `torch.utils.flop_counter`. Mind what it does not see. On a CPU it has no entry for the fused attention kernel, nor (on most) for the LSTM's, and
# reports **zero**, without a warning. The package registers what is missing. It also counts matrix products and convolutions *only*:
# no softmax, no tanh, no bias. Those are counted apart, by a hook on everything torch dispatches:

# %%
from torch.utils.flop_counter import FlopCounterMode

from attnlab.complexity import count_elementwise

x = torch.randn(1, 64, 64)
print("n 64, d 64       torch's    ours  elementwise")
for name in ("attention", "attention_fused", "gru", "additive"):
    layer = LAYERS[name].build(64)
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        layer(x)
    counts = counter.get_total_flops(), count_flops(layer, x)
    print(f"{name:16} {counts[0]:7} {counts[1]:7} {count_elementwise(layer, x):8}")

# %% [markdown]
# (Inside a fused kernel the hook sees nothing: what stands there as 0 is done all the same.) Look at the last row. By the count of products additive attention is no more than multi-head attention.
# Its element-wise operations are a quarter of a million additions and as many tanhs, $n^2d$ each, where attention has a few $n^2$. Remember the row; the clock will.
#
# ## What the table leaves out
#
# *The linear projections may be left out of the comparison*, say the notes we test. Divide the two parts of formula 6.2:
#
# $$\frac{8nd^2}{8nd^2 + 4n^2d} = \frac{2d}{2d + n} \tag{6.3}$$
#
# Try it on a sentence of 64 words and $d = 512$, the paper's own width. And at which $n$ are the projections down to a tenth?

# %%
multi, bare = LAYERS["multi_head"], LAYERS["attention"]
print("n/d    projections' share of FLOPs")
for ratio in (0.125, 1, 2, 4, 18):
    n_ = int(64 * ratio)
    share = 1 - bare.flops(n_, 64) / multi.flops(n_, 64)
    print(f"{ratio:<6g} {share:5.0%}")

# %% [markdown]
# At 64 words and $d = 512$ the projections are 94% of the work. They are half at $n = 2d$ and a tenth from $n = 18d$ on: 9,216 words in a row. The clock agrees about the
# short end. Here is a layer with its projections, and its four projections alone ($W_Q$, $W_K$ and $W_V$ side by side as one product, then $W_O$):

# %%
# NBVAL_IGNORE_OUTPUT
d = 256
share_of_time = {}
for n in (64, 512, 2048):
    x = torch.randn(1, n, d)
    alone = clock(nn.Linear(d, 3 * d), x) + clock(nn.Linear(d, d), x)
    share_of_time[n] = alone / clock(multi.build(d), x)
    flops = 1 - bare.flops(n, d) / multi.flops(n, d)
    print(f"n {n:4}, d {d}: {flops:4.0%} of FLOPs, {share_of_time[n]:4.0%} of the time")

# %%
falls = share_of_time[64] > share_of_time[2048]
print("the share of time falls with n:", falls)
claim(
    "C42",
    holds="n is many times d" if falls and not wrong else False,
    evidence="counted, the projections are 2d/(2d + n) of the FLOPs: 94% at n 64, "
    "d 512; two thirds at n = d; half at n = 2d; a tenth only from n = 18d on",
)

# %% [markdown]
# ### Parameters
#
# *Attention has fewer parameters than a CNN or an RNN.* Bare attention has none at all, which is hardly what is meant. Count what stands in the layers one would
# really use, all of width $d$. Which is the largest, and where is attention?

# %%
from attnlab.complexity import count_parameters

d = 256
counted = {}
for name in ("multi_head", "rnn", "gru", "lstm", "convolution", "separable"):
    counted[name] = count_parameters(LAYERS[name].build(d))
    assert counted[name] == LAYERS[name].parameters(d)
for name in sorted(counted, key=counted.get):
    print(f"{name:12} {counted[name]:7,}   {counted[name] / d**2:.2f} d²")

# %%
fewer = [name for name in counted if counted[name] > counted["multi_head"]]
kernels = [
    kernel
    for kernel in (1, 3, 5, 7)
    if LAYERS["convolution"].parameters(d, kernel_size=kernel) > counted["multi_head"]
]
claim(
    "C45",
    holds="the RNN is a GRU or an LSTM, or the CNN's kernel has 5 positions or more"
    if fewer == ["gru", "lstm"] and min(kernels) == 5
    else False,
    evidence="d 256: 4d² for attention with its projections; 6d² GRU, 8d² LSTM; but "
    "2d² RNN, 3d² convolution (k 3), d² separable convolution",
)

# %% [markdown]
# The number that is 0 in this comparison is the length: none of these layers has more parameters for a longer sequence. (A learned table of positions has.)
#
# ## Waiting
#
# The second column says how many operations come *in a row*. A thousand multiplications that do not need each other can be done at once, if one has the hands.
# A thousand that each need the one before cannot, whatever the machine.
#
# By hand, on three positions. The RNN: $h_1$ needs $x_1$; $h_2$ needs $h_1$; $h_3$ needs $h_2$. The product with $W$ can be done for all positions
# at once, so three products with $U$ wait in a row. Attention: all nine scores at once; then, when these are known, all sums. Two in a row, for three positions or three thousand.
#
# We need not take anybody's word. While a layer runs, torch records which result was made from which: the autograd graph, there to send gradients back. The longest way
# through it, counted in matrix products, is the chain we want.

# %%
from attnlab.complexity import count_sequential_operations, longest_chain

show_source(longest_chain)

# %%
print("products in a row         n = 1   4  16  64")
for name in ("attention", "multi_head", "additive", "gru", "convolution", "banded"):
    module = LAYERS[name].build(8).double()
    chains = []
    for n in (1, 4, 16, 64):
        x = torch.randn(1, n, 8, dtype=torch.float64, requires_grad=True)
        chains.append(longest_chain(module(x)))
    print(f"{name:26} {chains[0]:4} {chains[1]:3} {chains[2]:3} {chains[3]:3}")

# %% [markdown]
# Each kind of layer has its own constant: attention two products, multi-head four (project, score, sum, project). Only the GRU's chain grows with $n$. In units of what a layer does to a single position, that is $n$ for
# the recurrent ones and 1 for all others:

# %%
found = {
    name: [count_sequential_operations(layer, n) for n in (1, 2, 16, 64)]
    for name, layer in LAYERS.items()
}
waiting = sorted(name for name in found if found[name] == [1, 2, 16, 64])
at_once = [name for name in found if found[name] == [1, 1, 1, 1]]
print("n in a row:", ", ".join(waiting))
print("1:         ", len(at_once), "others")
cells = ("rnn", "gru", "lstm")
recurrent = {*cells, *(f"{cell}_fused" for cell in cells)}
claim(
    "C39",
    holds=set(waiting) == recurrent and len(at_once) == len(LAYERS) - len(recurrent),
    evidence="longest chain of matrix products in the autograd graph, n = 1 to 64: n "
    "times that of one position for RNN, GRU and LSTM, 1 time for all others",
)

# %% [markdown]
# Two remarks. A fused RNN waits exactly as long: the loop is inside the library, not gone. And "1" takes a sum over $n$ numbers for one operation. Summed in pairs by as many hands
# as one likes, it takes $\log_2 n$ rounds. Nobody counts these, and for the lengths of this book they are about ten.
#
# ## How far a layer reaches
#
# The last column. How many steps lie between the first word and the last? The fewer, the easier for a gradient to get from one to the other.
#
# By hand: a convolution with a kernel of 3, looking back. The output at position 4 sees positions 2, 3, 4. What it sees has seen two more each: in a second layer it sees 0 to 4. Each layer
# adds $k - 1$ positions, so that the first of $n$ positions reaches the last after
#
# $$L = \left\lceil \frac{n - 1}{k - 1} \right\rceil \tag{6.4}$$
#
# layers ($\lceil·\rceil$: rounded up). The kernel may also be centred and look both ways, as in an encoder. Does that need more layers or fewer?
#
# "Reaches" can be measured. The Jacobian $\partial y_{n-1} / \partial x_0$ says how the last output answers to the first input. As long as there is no way from one to the other, it is *exactly* zero.

# %%
torch.manual_seed(0)
for causal in (True, False):
    stack = LAYERS["convolution"].stack(4, 8, causal=causal).double()
    x = torch.randn(1, 9, 4, dtype=torch.float64)
    linked = []
    for depth in range(1, 9):
        jacobian = torch.autograd.functional.jacobian(
            lambda x, layers=stack[:depth]: layers(x)[0, -1], x
        )  # (d, B, n, d): of the last output by every input
        linked.append(bool((jacobian[:, 0, 0] != 0).any()))
    print(f"n 9, causal {causal!s:5}: linked from layer", linked.index(True) + 1)

# %% [markdown]
# A centred kernel spends half of its width on the other side, and needs twice the depth: $\lceil 2(n-1)/(k-1) \rceil$. The paper's $O(\log_k n)$ is another thing altogether. It takes **dilated**
# convolutions: the second layer looks at every $k$-th position, the third at every $k^2$-th
# ([van den Oord et al., 2016](https://arxiv.org/abs/1609.03499)). Looking back, the way from the last position to the first is then the number $n - 1$ written in base $k$, one digit a layer.

# %%
from attnlab.complexity import count_layers_needed, count_path_length

rows = {
    "attention": {},
    "gru": {},
    "convolution, centred": {},
    "convolution, causal": {"causal": True},
    "dilated, causal": {"causal": True},
    "banded, r = 8": {"radius": 8},
}
print("longest path           n = 4  16  64")
missed = 0
for row, options in rows.items():
    layer = LAYERS[row.split(",")[0]]
    paths = [count_path_length(layer, n, **options) for n in (4, 16, 64)]
    missed += paths != [layer.path_length(n, **options) for n in (4, 16, 64)]
    print(f"{row:23} {paths[0]:5} {paths[1]:3} {paths[2]:3}")
print("formulas that miss:", missed)

# %% [markdown]
# What about dilated convolutions that look both ways? One would think that they are at least as good.

# %%
for n in (2, 3, 4, 5, 10, 64):
    try:
        layers = count_layers_needed(LAYERS["dilated"], n, causal=False)
        print(f"n {n:2}: {layers} layers")
    except ValueError as error:
        print(f"n {n:2}: {error}")

# %% [markdown]
# For most lengths **no depth is ever enough**. A centred kernel of 3 steps by $-1$, 0 or $+1$ times its dilation. To cover a distance of 2 it must go $3 - 1$: one step beyond the end, one back. Beyond the end
# there is padding, nothing but zeros, and nothing passes. A network of this kind links words in the middle of a long sequence and not those at its ends, and no loss curve tells you.

# %%
layers = {
    n: count_layers_needed(LAYERS["convolution"], n, causal=True) for n in (16, 64)
}
straight = layers == {16: 8, 64: 32}
claim(
    "C40",
    holds="the convolutions are dilated and look back; undilated it takes O(n/k) layers"
    if not missed and straight
    else False,
    evidence="layers until the Jacobian is not 0, n = 64: attention 1, GRU 64 steps, "
    "window r 8: 8, convolution k 3: 32 causal and 63 centred, dilated and causal 4; "
    "dilated and centred never",
)

# %% [markdown]
# ## Time
#
# So much for what must hold. What does a machine make of it? A measured time is worth something only if one says how it was measured. Ours:
#
# - a first call warms up, and is not counted;
# - `torch.utils.benchmark` repeats the call until the clock's own error is small, on as many threads *as we say*;
# - what is reported is the median and the quartiles, not the best;
# - the grid is measured in random order, so that a machine growing warm or busy treats all layers alike;
# - running out of memory is a result, not a crash.
#
# Your machine measures a small grid now; it takes some seconds. Beside it stand the results of a full grid of about a thousand cells, stored with the package:

# %%
import tempfile

from attnlab.complexity import measure_grid, points, size_grid

compared = ["attention", "attention_fused", "gru", "gru_fused", "convolution", "banded"]
yours = size_grid(compared, [64, 128, 256, 512, 1024, 2048], [64], threads=1)
yours += size_grid(["attention", "gru_fused", "banded"], [256], [256], threads=1)
with tempfile.TemporaryDirectory() as folder:
    live = measure_grid(yours, folder=folder, progress=False)
print("cells measured here:", len(live["runs"]), "of", len(yours))

# %%
def grid_points(name, phase="forward"):
    """The stored cells of n × d, without the sweeps in r, k and h and the longest n."""
    lengths = {2**power for power in range(5, 14)}
    sweep = {"num_heads", "kernel_size", "radius"}
    cells = points(stored, layer=name, phase=phase)
    return [c for c in cells if c["n"] in lengths and not sweep & set(c)]


stored = harness.load("complexity_cpu")
machine = stored["runs"][0]["machine"]
print(f"{len(stored['runs']):,} cells stored, on one thread of {machine['cpu']}")

# %% mystnb={"image": {"alt": "Milliseconds against length at width 64, both axes logarithmic, stored results as lines and this machine's as dots. The convolution and the band are lowest and rise straight. Attention starts among them and rises twice as steeply, passing the fused GRU at a few thousand positions; the GRU step by step is highest almost throughout."}}
# NBVAL_IGNORE_OUTPUT
names = {
    "attention": "attention",
    "gru": "GRU, steps",
    "gru_fused": "GRU, fused",
    "banded": "band, r 32",
    "convolution": "convolution",
}
fig, axes = plt.subplots(figsize=(5.6, 4.2))
for name, label in names.items():
    line = [p for p in grid_points(name) if p["d"] == 64]
    (drawn,) = axes.loglog(
        [p["n"] for p in line], [1e3 * p["seconds"] for p in line], ms=0, label=label
    )
    dots = points(live, layer=name, d=64, phase="forward")
    axes.loglog(
        [p["n"] for p in dots],
        [1e3 * p["seconds"] for p in dots],
        "o",
        color=drawn.get_color(),
    )
axes.set(xlabel="length n", ylabel="milliseconds", title="d = 64; dots: here")
label_lines(axes)
plt.show()

# %% [markdown]
# In such a picture a power law is a straight line, and its slope is the exponent. Three things to see. The lower lines are flat on the left: there a call costs what it costs to *make* the call, whatever the layer. To the right they become
# straight, attention's twice as steep. And their heights have little to do with FLOPs.
#
# ### Exponents
#
# The slope can be fitted: least squares on the logarithms, in $n$ and $d$ at once, on the larger half of the grid, where the cost of the call has faded. The intervals (95%) come from a bootstrap.
# What do you expect of the GRU that runs step by step: 1 in $n$, certainly, but 2 in $d$?

# %%
from attnlab.complexity import fit_exponents, larger_half

theory = {
    "attention": (2, 1),
    "attention_fused": (2, 1),
    "banded": (1, 1),
    "rnn": (1, 2),
    "gru": (1, 2),
    "lstm": (1, 2),
    "rnn_fused": (1, 2),
    "gru_fused": (1, 2),
    "lstm_fused": (1, 2),
    "convolution": (1, 2),
}

# %%
off = {}
print("exponent of     n                d")
for name, expected in theory.items():
    half = larger_half(grid_points(name), lambda point: point["flops"])
    fitted = fit_exponents(half)
    print(f"{name:15}", end="")
    for size, power in zip("nd", expected, strict=True):
        low, value, high = fitted[size]
        mark = " " if abs(value - power) <= 0.15 else "*"
        if mark == "*":
            off[name, size] = value - power
        print(f" {value:4.2f} ({low:.2f}–{high:.2f}){mark}", end="")
    print()
print("* more than 0.15 from theory:", len(off), "of", 2 * len(theory))

# %% [markdown]
# The stars are the interesting part, and they want an explanation that is itself a measurement. All of them are recurrent layers, below 2 in $d$. Look at them from one width to the next, at $n = 512$. If the law were a power, the slope would be the same everywhere:

# %%
print("exponent of d      64→128 128→256 256→512 →1024")
for name in ("rnn", "gru", "rnn_fused", "gru_fused"):
    times = {p["d"]: p["seconds"] for p in grid_points(name) if p["n"] == 512}
    widths = (64, 128, 256, 512)
    local = [math.log2(times[2 * width] / times[width]) for width in widths]
    print(f"{name:16}" + "".join(f"{slope:8.2f}" for slope in local))

# %% [markdown]
# It is no power law. It is a sum: each step costs something to make at all, and then $d^2$ on top. Where the first part is large, doubling $d$ costs little more; the slope climbs towards 2 as $d$ grows. The first part can be measured by itself. Give the RNN a width of **one**, so that there is nothing to compute:

# %%
# NBVAL_IGNORE_OUTPUT
print("512 steps           d = 1      d = 64   milliseconds")
for name in ("rnn", "gru", "rnn_fused", "gru_fused"):
    one, wide = (
        1000 * clock(LAYERS[name].build(d), torch.randn(1, 512, d)) for d in (1, 64)
    )
    print(f"{name:16} {one:8.2f} {wide:11.2f}")

# %% [markdown]
# Most of what an RNN of width 64 costs is taking steps, not computing them. That explains the exponents. It does not yet explain the heights. So look at the rate, FLOPs a second, against what one large matrix
# product reaches:

# %%
# NBVAL_IGNORE_OUTPUT
square = torch.randn(1024, 1024)
peak = 2 * 1024**3 / measure_seconds(lambda: square @ square)["median"] / 1e9
print(f"here a 1024 × 1024 product runs at {peak:.0f} GFLOP/s")
print("stored, n 512       d = 64   256  1024  GFLOP/s")
for name in ("attention", "rnn", "rnn_fused", "gru", "lstm_fused", "convolution"):
    rates = [
        p["flops"] / p["seconds"] / 1e9
        for p in grid_points(name)
        if p["n"] == 512 and p["d"] in (64, 256, 1024)
    ]
    print(f"{name:19} " + " ".join(f"{rate:6.1f}" for rate in rates))

# %% [markdown]
# There it is. Between layers of one size the rate differs by a factor of up to a hundred, and *that* is what the table cannot know. A step of an RNN is a matrix times a *vector*: each number of the matrix is fetched from memory, used once, and fetched again at the next step. A product of two matrices uses each number it fetches
# hundreds of times. The general picture is the *roofline* ([Williams, Waterman and Patterson, 2009](https://doi.org/10.1145/1498765.1498785)): a computation is held up either by arithmetic or by fetching, and only the first kind follows its FLOPs.

# %%
close = 2 * len(theory) - len(off)
below = all(gap < 0 for gap in off.values())
operations_only = "it is operations that one counts, not seconds"
claim(
    "C38",
    holds=operations_only if not wrong and off else not wrong,
    evidence="counted FLOPs equal the formulas exactly for 14 kinds of layer; fitted "
    f"to stored times, {close} of {2 * len(theory)} exponents within 0.15 of theory"
    + (", the others below it" if off and below else ""),
)

# %% [markdown]
# ## Crossings
#
# *Self-attention is faster than recurrence when $n < d$.* With formulas 6.1 and 6.2 we can say when, in FLOPs. Bare attention against a plain RNN: $4n^2d = 4nd^2$ at $n = d$. So the rule is right, for the two layers that nobody uses. Against a GRU with $12nd^2$ bare attention
# wins up to $n = 3d$. And now with the projections, against the GRU: $8nd^2 + 4n^2d = 12nd^2$, at $n = d$ once more. The rule fits the realistic pair *exactly*, by a coincidence that the paper does not mention. Against a plain RNN, attention with projections never wins.
#
# And on the clock? A crossing can be read off the stored curves, with the interval in which the quartiles cross. *Beyond* a length: attention was faster at every length measured; *before*: slower at every one.

# %%
from attnlab.complexity import crossing


def curves(first, second, d):
    """Both layers' points at all lengths measured for both: (n, first, second)."""
    one, two = (
        {p["n"]: p for p in grid_points(name) if p["d"] == d}
        for name in (first, second)
    )
    return [(n, one[n], two[n]) for n in sorted(set(one) & set(two))]


pairs = [
    ("attention_fused", "rnn_fused"),
    ("attention_fused", "gru"),
    ("attention_fused", "gru_fused"),
    ("multi_head", "gru_fused"),
    ("multi_head", "lstm_fused"),
]

# %%
for first, second in pairs:
    print(f"{first} against {second}")
    for d in (64, 256, 1024):
        sizes, ours, theirs = zip(*curves(first, second, d), strict=True)
        found = crossing(sizes, ours, theirs)
        ahead = ours[-1]["seconds"] < theirs[-1]["seconds"]
        text = f"beyond {sizes[-1]}" if ahead else f"before {sizes[0]}"
        if found:
            low, value, high = found
            text = f"{value:.0f} ({low:.0f}–{high:.0f}) = {value / d:.1f} d"
        print(f"   d {d:4}:  n = {text}")

# %%
lost, compared_cells = [], 0  # with n < d, where attention was the slower one
for first, second in pairs:
    for d in (64, 128, 256, 512, 1024):
        for n, ours, theirs in curves(first, second, d):
            if n < d:
                compared_cells += 1
                if ours["seconds"] > theirs["seconds"]:
                    lost.append(LAYERS[second].label)
print(f"n < d: attention slower in {len(lost)} of {compared_cells} comparisons")
for label in sorted(set(lost)):
    print(f"   {lost.count(label)} of them against: {label}")

# %%
exceptions = " or ".join(sorted(set(lost)))
claim(
    "C41",
    holds=f"the recurrent layer is not {exceptions}" if lost else True,
    evidence=f"stored times, d 64 to 1024, n < d: attention slower in {len(lost)} of "
    f"{compared_cells} comparisons; in FLOPs the crossing is at n = d for bare "
    "attention against an RNN and for attention with projections against a GRU",
)

# %% [markdown]
# What decides on the clock is not $n$ against $d$ but the waiting: an RNN that runs step by step has lost before it begins. (The LSTM has a kernel of its own on CPUs, and is the fastest of the three although it has the most operations.) For the layers in between, play with the sizes
# yourself. In this figure, find the $n$ at which self-attention and the GRU cost the same number of FLOPs; then double $d$. Where will the crossing go? Then change from operations to *seconds* and look for it again.

# %%
from attnlab.live import Cost

Cost()

# %% [markdown]
# ## A window
#
# *Restricting attention to $r$ neighbours trades path length for speed.* Does it? A window does save operations, $8nrd$ for $4n^2d$, and costs depth, $\lceil (n-1)/r \rceil$ layers from end to end. But a mask saves nothing: full attention under a mask computes all scores
# and throws most away. What is timed here is a real banded computation, at $n = 2048$ and $d = 64$:

# %%
full, fused = (
    points(stored, layer=name, n=2048, d=64, phase="forward")[0]
    for name in ("attention", "attention_fused")
)
band = {
    p["radius"]: p
    for p in points(stored, layer="banded", n=2048, d=64, phase="forward")
    if "radius" in p
}
print("   r     time  memory  layers   (full = 1)")
for radius, p in sorted(band.items()):
    layers = LAYERS["banded"].layers_needed(2048, radius=radius)
    time, memory = (p[key] / full[key] for key in ("seconds", "megabytes"))
    print(f"{radius:4} {time:8.2f} {memory:7.2f} {layers:7}")

# %%
times = {radius: p["seconds"] for radius, p in sorted(band.items())}
dearer = [radius for radius in times if times[radius] > fused["seconds"]]
print("slower than fused full attention from r =", dearer[0] if dearer else "never")
faster = times[16] < full["seconds"] / 4
claim(
    "C44",
    holds="r is small beside n and the window is really cut out, not masked"
    if faster and times[2047] > fused["seconds"]
    else faster,
    evidence="n 2048, d 64, stored: at r 16 less than a quarter of full attention's "
    f"time, for {LAYERS['banded'].layers_needed(2048, radius=16)} layers from end to "
    "end instead of 1; a window over everything takes longer than fused full attention",
)

# %% [markdown]
# Two things to see. At small $r$ hardly anything is gained any more: the blocks do not get smaller than 32 queries. That is a choice of this implementation, and a sensible one; smaller blocks mean more and smaller products, and we have seen what these cost. And long before the window covers everything it costs more than no window, in time and in memory: each
# block of queries brings a copy of the keys around it, and neighbouring blocks copy the same keys. So the trade is real, and it is a trade for *small* windows.
#
# ## Convolutions, cheap ones too
#
# *Convolutional layers are generally more expensive than recurrent layers, by a factor of $k$*, says the paper. With constants: $2knd^2$ against $4nd^2$, $12nd^2$ and $16nd^2$. A kernel of 3 costs one and a half RNNs, **half** a GRU, and less than half an LSTM. The factor is $k/2$, $k/6$ or $k/8$.
#
# A *separable* convolution ([Chollet, 2017](https://arxiv.org/abs/1610.02357)) gives each channel a kernel of its own and mixes the channels afterwards: $2knd + 2nd^2$. *With $k = n$ it costs as much as self-attention plus a feed-forward layer*, says the paper: $2n^2d + 2nd^2$ against $4n^2d + 16nd^2$
# (the feed-forward layer goes up to $4d$ and down again, $2 · 8nd^2$). The same order; a factor of two and of eight. And the clock?

# %%
n, d = 511, 64
sweep = {
    (name, p["kernel_size"]): p
    for name in ("convolution", "separable")
    for p in points(stored, layer=name, n=n, d=d, phase="forward")
    if "kernel_size" in p
}
print("           FLOPs, millions    milliseconds")
print("   k      plain  separable    plain  separable")
for kernel in (3, 7, 31, 127, 511):
    both = [sweep[name, kernel] for name in ("convolution", "separable")]
    flops = " ".join(f"{p['flops'] / 1e6:9.1f}" for p in both)
    times = " ".join(f"{1e3 * p['seconds']:8.2f}" for p in both)
    print(f"{kernel:4} {flops}  {times}")

# %%
# NBVAL_IGNORE_OUTPUT
class AttentionAndFFN(nn.Module):
    """Bare self-attention, then a feed-forward layer four times as wide."""

    def __init__(self, d):
        super().__init__()
        self.attention = LAYERS["attention"].build(d)
        self.up, self.down = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def forward(self, x):
        return self.down(self.up(self.attention(x)).relu())


x = torch.randn(1, n, d)
wide = LAYERS["separable"].build(d, kernel_size=n)
narrow = AttentionAndFFN(d)
counts = [count_flops(wide, x), count_flops(narrow, x)]
ratio = clock(wide, x) / clock(narrow, x)
print(f"k = n: separable takes {ratio:.1f} times as long as attention and FFN")

# %%
exact = counts == [
    2 * n**2 * d + 2 * n * d**2,
    4 * n**2 * d + 16 * n * d**2,
]
print("millions of FLOPs: separable, k = n:  ", round(counts[0] / 1e6))
print("                   attention and FFN: ", round(counts[1] / 1e6))
saving = sweep["convolution", 31]["flops"] / sweep["separable", 31]["flops"]
claim(
    "C43",
    holds="equal means of the same order, not the same number" if exact else False,
    evidence="counted: 2knd + 2nd² for k = 3 to n; at k = n 2n²d + 2nd² against 4n²d + "
    f"16nd²; at k 31, d 64 it has {saving:.0f} times fewer FLOPs than a plain one",
)

# %% [markdown]
# Compare the columns of the stored sweep from above to below. At $k = 3$ the separable convolution has a third of the FLOPs and gains next to nothing: its two small steps cost as much to make as one larger one. At $k = n$ it gets most of what its FLOPs promise. So the separable convolution is the answer to wide kernels, which hardly anybody uses, and none to small ones, on this machine.
#
# ## No step waits for another
#
# *Attention is fast because no step waits for the one before it.* We have seen that attention is faster than its FLOPs say, and the RNN slower. But is it the **waiting**? The two differ in much else. So change one thing at a time. Here are three networks with the same two matrices, the same products and the same tanh, FLOP for FLOP:
#
# 1. an RNN, $h_t = \tanh(W x_t + U h_{t-1})$;
# 2. the same with $U x_t$ in the place of $U h_{t-1}$, still position by position: nothing waits, but the pieces stay small;
# 3. the same as 2, all positions in one product.
#
# The second and third are no use to anybody. But if waiting as such were the trouble, the second would be fast. Which will it be?

# %%
class Recurrence(nn.Module):
    """tanh(W x_t + U h_{t−1}); without waiting U x_t; and that at once."""

    def __init__(self, d, waits, at_once=False):
        super().__init__()
        self.W, self.U = nn.Linear(d, d), nn.Linear(d, d)
        self.waits, self.at_once = waits, at_once

    def forward(self, x):  # (B, n, d)
        inputs = self.W(x)
        if self.at_once:
            return torch.tanh(inputs + self.U(x))
        state, states = torch.zeros_like(x[:, 0]), []
        for position in range(x.shape[1]):
            before = state if self.waits else x[:, position]
            state = torch.tanh(inputs[:, position] + self.U(before))  # (B, d)
            states.append(state)
        return torch.stack(states, dim=1)


# %%
x = torch.randn(1, 512, 256)
networks = {
    "1 waiting": Recurrence(256, waits=True),
    "2 not waiting": Recurrence(256, waits=False),
    "3 all at once": Recurrence(256, waits=False, at_once=True),
}
for name, network in networks.items():
    flops, chain = count_flops(network, x) // 10**6, longest_chain(network(x))
    print(f"{name:14} {flops} million FLOPs, {chain:3} products in a row")

# %%
# NBVAL_IGNORE_OUTPUT
import os

threads = min(2, os.cpu_count() or 1)
networks["attention"] = LAYERS["attention"].build(256)
speed = {}
print(f"n 512, d 256     1 thread   {threads} threads")
for name, network in networks.items():
    speed[name] = [clock(network, x, threads=t) for t in (1, threads)]
    one, more = (1000 * seconds for seconds in speed[name])
    print(f"{name:14} {one:8.2f} ms {more:8.2f} ms")

# %% [markdown]
# The second takes as long as the first. On one processor, not having to wait is worth *nothing* by itself. What it gives is permission: work that need not be done in order may be done in **one piece**, and the third network takes that permission and is several times as fast, on a single thread.
# (Even one core multiplies eight or sixteen numbers at once, and keeps them busy only if the work comes in large pieces.) A second thread helps those that come in one piece, and is of no use to the others.
#
# The advantage has a condition. All positions must be *known*. In training they are: the whole sentence is there. When a text is generated, position $t$ is an answer that depends on $t - 1$, and attention has to wait like everyone else. (What it keeps of the past is kept, of course: nothing is computed twice.)

# %%
print("stored, d 64, n 512: generating takes")
times_as_long = {}
for name in ("attention_fused", "multi_head", "convolution", "gru_fused", "gru"):
    once, stepwise = (
        next(p for p in grid_points(name, phase) if (p["n"], p["d"]) == (512, 64))
        for phase in ("forward", "generation")
    )
    times_as_long[name] = stepwise["seconds"] / once["seconds"]
    print(f"{name:16} {times_as_long[name]:6.1f} times as long as one pass")

# %%
one_piece = speed["1 waiting"][0] > 2 * speed["3 all at once"][0]
small_pieces = speed["2 not waiting"][0] > 1.5 * speed["3 all at once"][0]
loses_it = times_as_long["attention_fused"] > 3 * times_as_long["gru"]
print("all at once, same FLOPs, over twice as fast:", one_piece)
print("not waiting, but in small pieces, is not:    ", small_pieces)
claim(
    "C46",
    holds="all positions are known beforehand, and are done in one piece"
    if one_piece and small_pieces and loses_it
    else one_piece,
    evidence="an RNN's FLOPs without the waiting and at once take less than half the "
    "time, on one thread, but not one by one; generating step by step, attention slows "
    "down over 3 times as much as a GRU, which waits anyway",
)

# %% [markdown]
# ## When the square hurts
#
# *The $n^2$ cost does not matter much, being pure matrix arithmetic.* We know where it begins to matter in FLOPs. A whole encoder layer is projections $8nd^2$, a feed-forward layer $16nd^2$, and attention $4n^2d$: the square is the larger half from
#
# $$4n^2 d > 24nd^2 \quad\text{or}\quad n > 6d \tag{6.5}$$
#
# For the paper's $d = 512$ that is 3,072 words, some ten pages. For sentences, then, the author of the claim is right. Now go on doubling, to the end of the memory. (Before you look: the scores alone are $n^2$ numbers of 4 bytes. At which power of two do they fill your machine?)

# %%
long = (2048, 8192, 16_384, 32_768, 65_536)


def cell(name, n):
    """Seconds and megabytes of one stored cell, in words."""
    for run in harness.select(stored, layer=name, n=n, d=64, phase="forward"):
        if {"radius", "kernel_size", "num_heads"} & set(run["setting"]):
            continue
        if run["figures"]["out_of_memory"]:
            return "out of memory"
        figures = run["figures"]
        return f"{figures['seconds']['median']:6.2f} s {figures['megabytes']:6.0f} MB"
    return "not measured"


print("d 64      attention          fused kernel")
for n in long:
    texts = [cell(name, n) for name in ("attention", "attention_fused")]
    print(f"{n:6,} {texts[0]:>19} {texts[1]:>19}")

# %%
readable = points(stored, layer="attention", d=64, phase="forward")
memory = {p["n"]: p["megabytes"] for p in readable if "num_heads" not in p}
grows = memory[8192] / memory[2048]
failed = [
    run["setting"]["n"]
    for run in harness.select(stored, layer="attention", phase="forward")
    if run["figures"]["out_of_memory"]
]
print(f"readable, from 2,048 to 8,192: {grows:.0f} times the memory")
end = f"out of memory at n = {min(failed):,}" if failed else "no end up to 65,536"
claim(
    "C47",
    holds="n is below 6d, and the weights are not kept" if grows > 12 else True,
    evidence="by FLOPs the square is the larger half of an encoder layer from n = 6d; "
    f"d 64, stored: four times the length, {grows:.0f} times the memory if the weights "
    "are kept, " + end,
)

# %% [markdown]
# Two different things are hidden in "$n^2$". The **memory** is not a necessity: a kernel that goes through the keys block by block, and keeps a running softmax, never holds the weights
# ([Rabe and Staats, 2021](https://arxiv.org/abs/2112.05682); [Dao et al., 2022](https://arxiv.org/abs/2205.14135)); its memory grows with $n$. The **operations** are still all there, and no kernel helps against those. Chapter 8 takes both further.
#
# ## Does a short path help?
#
# A path is a means. What we want to know is whether a network *uses* it. *CNNs need stacking to widen their view and RNNs need a step per token; attention links any two positions at once*: so give them something to fetch.
#
# A sequence begins with items, each a letter with a digit: `b7`. Then come up to 127 tokens of noise, and among them questions: `b?`. The answer is the digit. Who cannot see the item any more is right one time in ten. (The task is known as associative recall; [Arora et al., 2023](https://arxiv.org/abs/2312.04927) compare language models by it.)
#
# Four contenders, all near 24,000 parameters, each with the learning rate that did best on a seed of its own, trained on sequences of 8 to 128 tokens: one layer of attention with four heads; one GRU; 4 convolutions, $k = 3$, which reach 8 positions back; and 16 thin ones, which reach 32. Draw the four curves against the distance before you look.

# %%
from attnlab.experiments import recall

kept = harness.load("recall")
print("contender        width  parameters")
for variant in recall.VARIANTS:
    figures = harness.select(kept, variant=variant, items=1)[0]["figures"]
    print(f"{variant:16} {figures['width']:5} {figures['parameters']:11,}")

# %% mystnb={"image": {"alt": "Share of right answers against the distance to the item, five seeds each, one item. Attention and the GRU stay at one hundred percent up to distance 127. Four convolutions are right up to 8 and at ten percent beyond; sixteen are right up to 16, about half right up to 32, and at ten percent beyond."}}
fig, axes = plt.subplots(figsize=(5.6, 3.8))
for variant in recall.VARIANTS:
    runs = harness.select(kept, variant=variant, items=1)
    shares = [[100 * s for s in run["figures"]["right"].values()] for run in runs]
    columns = list(zip(*shares, strict=True))
    means = [sum(column) / len(column) for column in columns]
    style = "--" if variant == "gru" else "-"
    (line,) = axes.plot(recall.UP_TO, means, style, label=variant)
    lows, highs = [min(c) for c in columns], [max(c) for c in columns]
    color = line.get_color()
    axes.fill_between(recall.UP_TO, lows, highs, color=color, alpha=0.2, lw=0)
axes.axhline(100 * recall.CHANCE, color=palette.NEUTRAL, lw=1, ls=":")
axes.set_xscale("log", base=2)
axes.set_xticks(recall.UP_TO, [str(distance) for distance in recall.UP_TO])
axes.set(xlabel="distance, up to", ylabel="right (%)", title="one item to remember")
axes.legend(loc="center right", fontsize=11)
plt.show()

# %%
for items in (1, 4):
    print(f"items: {items}          right at 5–8    at 65–127  95% at step (seeds)")
    for variant in recall.VARIANTS:
        runs = harness.select(kept, variant=variant, items=items)
        runs = [run["figures"] for run in runs]
        near, far = (
            f"{min(column):4.0%} –{max(column):4.0%}"
            for column in ([r["right"][key] for r in runs] for key in ("8", "127"))
        )
        steps = [r["solved_at"] for r in runs if r["solved_at"] is not None]
        ends = dict.fromkeys([min(steps), max(steps)]) if steps else ["never"]
        solved = "–".join(map(str, ends)) + f" ({len(steps)} of 5)"
        print(f"  {variant:15} {near}  {far}  {solved}")

# %% [markdown]
# The convolutions do what the Jacobian said: at chance beyond their reach, in every seed. Depth widens the view and nothing else does; and at equal parameters depth has to be paid for with width. (Within its reach the deep stack is right up to 16 positions and often wrong from 17 to 32. The farther back, the fewer ways through the layers: at 32 there is a single one.)
#
# The GRU is the surprise. It does need a step a token, 127 of them, and *it does not mind*: with one item it is right at every distance. A gate that stays shut carries a digit as far as one likes, once it has been learned on the short sequences. (Chapter 1 showed what happens if there are none.) What wears it out is not distance but **load**. With four
# items it takes some twenty times attention's training steps to get nearly there: all four must fit into one state, told apart by letter, before anyone has asked. Attention looks when it is asked. And the convolutions, with four items and as many training steps (800), do not manage even the distances that they can see.
#
# Does it come out the same here? A run of some seconds, one seed, on one item:

# %%
live_recall = {}
for variant, lr in (("attention", 0.01), ("cnn, 4 layers", 0.01)):
    live_recall[variant] = recall.measure_recall(
        seed=7, variant=variant, items=1, lr=lr, steps=150, test_sequences=100
    )["right"]
for variant, right in live_recall.items():
    near, far = right[4] > 0.9, right[127] > 0.9
    print(f"{variant:14} over 90% right up to 4: {near}, at 65–127: {far}")


# %%
def shares(variant, items, key):
    runs = harness.select(kept, variant=variant, items=items)
    return [run["figures"]["right"][key] for run in runs]


attends = min(shares("attention", 1, "127") + shares("attention", 4, "127")) > 0.95
sees = min(shares("cnn, 4 layers", 1, "8")) > 0.9
blind = max(shares("cnn, 4 layers", 1, "16") + shares("cnn, 16 layers", 1, "64")) < 0.2
carried = min(shares("gru", 1, "127")) > 0.95
holds = attends and sees and blind and len(shares("gru", 1, "127")) == 5
claim(
    "C48",
    holds="for the RNN the step per token is a price in time and training, not in reach"
    if holds and carried
    else holds,
    evidence="recall at equal parameters, 5 seeds: attention over 95% at 65–127; "
    "convolutions at chance beyond L(k − 1) positions; a GRU over 95% with one item, "
    "less and many more training steps with four",
)

# %% [markdown]
# ## What goes wrong
#
# **The first call.** It loads libraries, fills caches and lets torch choose its kernels. Timed alone it is the most expensive, and the layer that happens to stand first in your script loses. `measure_seconds` throws it away.

# %%
# NBVAL_IGNORE_OUTPUT
import time

module, x = nn.Conv1d(48, 48, 5), torch.randn(1, 48, 700)  # a size not met before
calls = []
for _ in range(20):
    start = time.perf_counter()
    module(x)
    calls.append(1000 * (time.perf_counter() - start))
others = sorted(calls[1:])
print(f"first call {calls[0]:.2f} ms, median of the others {others[9]:.2f} ms")

# %% [markdown]
# **A timer on one thread, a program on many.** `torch.utils.benchmark.Timer` runs on *one* thread unless told otherwise, while your program does not. Both numbers are right, for different questions. Say which.

# %%
from torch.utils.benchmark import Timer

with_default = Timer("x @ x", globals={"x": torch.randn(64, 64)}).timeit(10)
print("threads of a Timer that was not told:", with_default.task_spec.num_threads)

# %% [markdown]
# **FLOPs taken for time.** Additive attention has *fewer* FLOPs than multi-head attention of the same width. It was the last row of the table of element-wise operations. How much longer does it take?

# %%
n = d = 128
x = torch.randn(1, n, d)
additive, heads = (LAYERS[name].build(d) for name in ("additive", "multi_head"))
print("fewer FLOPs:", count_flops(additive, x) < count_flops(heads, x))
print("over twice as slow:", clock(additive, x) > 2 * clock(heads, x))

# %% [markdown]
# **A mask taken for a window.** Attention under a window mask gives the right numbers. It saves nothing at all:

# %%
from attnlab.attention import (
    banded_attention,
    scaled_dot_product_attention,
    window_mask,
)


class Masked(nn.Module):
    def forward(self, x):
        mask = window_mask(x.shape[1], 16)
        return scaled_dot_product_attention(x, x, x, mask)[0]


x = torch.randn(1, 1024, 64)
same = torch.allclose(Masked()(x), banded_attention(x, x, x, 16), atol=1e-5)
masked, cut = count_flops(Masked(), x), LAYERS["banded"].flops(1024, 64, radius=16)
print("same numbers:", same)
print("FLOPs of the mask = full:", masked == LAYERS["attention"].flops(1024, 64))
print(f"FLOPs of the band: {cut / masked:.0%}")

# %% [markdown]
# ## Exercises
#
# Each check says what it tried and gives a hint, not the answer. Solutions are folded below them.
#
# **6.1** (two minutes, on paper) How many FLOPs has bare self-attention on three positions of width five?

# %%
flops_61 = ...  # a number
check("6.1", flops_61)


# %% [markdown]
# <details><summary>Solution</summary>
#
# Nine scores of five multiplications, and fifteen outputs of three: 90 multiplications, and as many additions.
#
# ```python
# flops_61 = 4 * 3**2 * 5
# check("6.1", flops_61)
# ```
# </details>
#
# **6.2** (five minutes) FLOPs of a whole encoder layer: multi-head attention with its projections, and a feed-forward layer from $d$ up to `d_ff` and down again.

# %%
def encoder_layer_flops(n, d, d_ff): ...


check("6.2", encoder_layer_flops)


# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def encoder_layer_flops(n, d, d_ff):
#     projections = 4 * 2 * n * d**2
#     attention = 2 * 2 * n**2 * d
#     feed_forward = 2 * 2 * n * d * d_ff
#     return projections + attention + feed_forward
#
# check("6.2", encoder_layer_flops)
# ```
# </details>
#
# **6.3** (five minutes) How many stacked convolutions of kernel `k` does it take until the first of `n` positions reaches the last? (Not dilated; `k` is odd unless `causal`.)

# %%
def layers_to_link(n, k, causal): ...


check("6.3", layers_to_link)


# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def layers_to_link(n, k, causal):
#     back = k - 1 if causal else (k - 1) // 2
#     return math.ceil((n - 1) / back)
#
# check("6.3", layers_to_link)
# ```
# </details>
#
# **6.4** (five minutes, on paper first) Up to which $n$ has multi-head attention with its projections no more FLOPs than a recurrent layer with so many `gates` (RNN 1, GRU 3, LSTM 4)? Answer 0 if it always has more.

# %%
def longest_that_pays(d, gates): ...


check("6.4", longest_that_pays)


# %% [markdown]
# <details><summary>Solution</summary>
#
# $8nd^2 + 4n^2d = 4gnd^2$; divide by $4nd$: $2d + n = gd$.
#
# ```python
# def longest_that_pays(d, gates):
#     return max(0, (gates - 2) * d)
#
# check("6.4", longest_that_pays)
# ```
# $n = d$ for the GRU, $2d$ for the LSTM, never for the plain RNN.
# </details>
#
# **6.5** (ten minutes) Fit the exponent of a power law: the slope of a straight line through the logarithms, by least squares.

# %%
def exponent(sizes, seconds): ...


check("6.5", exponent)


# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def exponent(sizes, seconds):
#     x = torch.tensor(sizes, dtype=torch.float64).log()
#     y = torch.tensor(seconds, dtype=torch.float64).log()
#     x, y = x - x.mean(), y - y.mean()
#     return float((x * y).sum() / (x * x).sum())
#
# check("6.5", exponent)
# ```
# </details>
#
# **6.6** (a quarter of an hour) The longest chain. `before` says what each operation waits for, as in `{"h2": ["x2", "h1"]}`; what is not in it waits for nothing. How many operations, `end` included, come in a row before `end` is done?

# %%
def chain(before, end): ...


check("6.6", chain)


# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def chain(before, end):
#     waited = [chain(before, one) for one in before.get(end, [])]
#     return 1 + max(waited, default=0)
#
# check("6.6", chain)
# ```
# Short, and hopeless on a real graph: every operation is visited once for each way that leads to it, and Python does not like to call itself ten thousand times. `longest_chain` keeps what it has found, and keeps its own list of what is waiting.
# </details>
#
# **6.7** (ten minutes) How many pairs (query, key) does a window of this radius leave? Mind the ends.

# %%
def pairs_in_the_band(n, radius): ...


check("6.7", pairs_in_the_band)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def pairs_in_the_band(n, radius):
#     return sum(
#         min(n - 1, i + radius) - max(0, i - radius) + 1 for i in range(n)
#     )
#
# check("6.7", pairs_in_the_band)
# ```
# </details>
#
# **6.8** (a small project) Measure your own machine: `python -m attnlab.complexity --threads 2 --name mine` in a terminal takes under 90 seconds; stop it with Ctrl-C when you like, what is measured is kept. Load it with `harness.load("mine", folder=".")` and hand it to `Cost(...)`: it appears in the figure beside the stored machine. At
# which sizes do the two disagree about who wins? Find the cause among these three: threads, the rate of a large matrix product, the cost of a call.
#
# <details><summary>Solution</summary>
#
# ```python
# mine = harness.load("mine", folder=".")
# for name in ("attention", "gru_fused", "convolution"):
#     for n in (64, 1024):
#         here, there = (
#             points(results, layer=name, n=n, d=64, phase="forward")[0]["seconds"]
#             for results in (mine, stored)
#         )
#         print(f"{name:12} n {n:4}: {here / there:.2f} times the stored time")
# ```
# If all ratios at n = 64 are alike and differ from those at 1,024, it is the cost of a call. If attention and the convolution change at 1,024 and the GRU does not, it is threads: it has no use for them. If all change alike, it is the rate.
# </details>
#
# ## Summary
#
# - Every entry of the famous table can be counted, exactly, once its constants are put back: $4n^2d$, $4nd^2$ (12 for a GRU, 16 for an LSTM), $2knd^2$, and $8nrd$ for a window.
# - The projections it leaves out are the larger part of attention up to $n = 2d$, that is, for nearly every sentence. With them, attention and a GRU cross at $n = d$ exactly; against a plain RNN, never.
# - Sequential operations can be read off the autograd graph: $n$ for what is recurrent, a constant for the rest. Path lengths can be read off the Jacobian. $\log_k n$ belongs to dilated convolutions that look back; with zeros at both ends, centred ones may never link the ends.
# - FLOPs are not time. Rates differ by ten and more between layers of one size; what comes in small pieces or goes entry by entry runs at a low rate. Not having to wait is worth nothing by itself: it is the permission to do the work in one piece that makes attention fast.
# - Attention's advantage holds where all positions are known. When a text is generated it waits like the others.
# - The square in time begins to dominate a layer at $n = 6d$. The square in memory is a matter of the kernel.
# - Convolutions see exactly as far as they reach. A GRU reaches as far as one likes; what wears it out is how much it has to carry.
#
# What it does not show: one machine without a GPU, sequences one at a time, float32, layers alone and not models. Batches raise everybody's rate, the RNN's most of all, since many sequences turn its vectors into matrices. A GPU has thousands of hands and dearer calls; the columns of the table are the same, and the clock's order is not.
#
# **Notation added**
#
# | symbol | meaning | in the code |
# | --- | --- | --- |
# | $n$, $d$ | positions in a sequence; width of its vectors | `n`, `d` |
# | $k$ | in this chapter: positions in a kernel | `kernel_size` |
# | $r$ | radius of a window, to either side | `radius` |
# | $a$ | hidden units of the additive score | `d_hidden` |
# | $L$ | layers in a stack | `num_layers` |
# | FLOP | a multiplication or an addition in a matrix product | `count_flops` |
# | $\lceil · \rceil$ | rounded up | `math.ceil` |
#
# **Further reading**
#
# - [Vaswani et al. (2017)](https://arxiv.org/abs/1706.03762), section 4: the table and one page of reasons; read it again with the constants in mind.
# - [Williams, Waterman and Patterson (2009)](https://doi.org/10.1145/1498765.1498785): the roofline, or why FLOPs are not time, in one picture.
# - [Ivanov et al. (2020)](https://arxiv.org/abs/2007.00072): where the time of training a Transformer goes on a GPU; much of it is moving data.
# - [Dao et al. (2022)](https://arxiv.org/abs/2205.14135): exact attention arranged around the memory, not around the FLOPs.
# - [Tay et al. (2020)](https://arxiv.org/abs/2009.06732): a survey of attempts to get rid of the square.
# - [Arora et al. (2023)](https://arxiv.org/abs/2312.04927): recall as the yardstick for everything that would replace attention.
