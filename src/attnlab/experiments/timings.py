"""How many times as long does one way take as another, and under which kernels?

What the sources say of time (claims C10, C12, C19, C28, C33, C41, C42, C46, C47, C50
and C52) must not hang on the machine that happens to run a chapter. So each question
here is a few calls, timed by turns on one thread, and what is stored is their ratio to
the first, with the kernels that torch has for several processors.

    python -m attnlab.experiments.timings  # the kernels torch chooses here
    python -m attnlab.experiments.timings --part passes  # or another of `PARTS`
    ATEN_CPU_CAPABILITY=avx2 ONEDNN_MAX_CPU_ISA=AVX2 MKL_CBWR=AVX2 \
        python -m attnlab.experiments.timings
    ATEN_CPU_CAPABILITY=default ONEDNN_MAX_CPU_ISA=SSE41 MKL_CBWR=COMPATIBLE \
        python -m attnlab.experiments.timings

Seeds are repeats. Other kernels do not make another processor: its caches and its
memory stay what they are. A chapter asks `measure` for the ratios where it runs.
"""

import math
import time
from collections.abc import Callable, Iterable
from functools import partial
from statistics import median
from typing import Any

import torch
from torch import Tensor, nn

from attnlab.attention import MultiHeadAttention
from attnlab.complexity.layers import LAYERS
from attnlab.data import EOS, PAD
from attnlab.decoding import greedy, greedy_padded, greedy_prefix
from attnlab.device import use_threads
from attnlab.experiments.study import Study, command_line
from attnlab.recurrent import Seq2Seq
from attnlab.scores import AdditiveScore, DotScore, GeneralScore
from attnlab.store import grid, load, select
from attnlab.transformer import Transformer

NAME = "timings"
MIN_SECONDS = 5e-4  # seconds a turn: so long that the clock does not count
SECONDS = 0.5  # a question, or three rounds
Calls = dict[str, Callable[[], object]]
Clock = Callable[[], float]

# Chapter 2 ----------------------------------------------------------------------------


def dot_by_entries(q: Tensor, k: Tensor) -> Tensor:
    """Score q (B, L_q, d) against k (B, L_k, d) by a product for each entry."""
    return (q[:, :, None] * k[:, None]).sum(dim=-1)  # (B, L_q, L_k, d) -> (B, L_q, L_k)


def without_tanh(additive: AdditiveScore, q: Tensor, k: Tensor) -> Tensor:
    """Return the additive score (B, L_q, L_k) with its tanh left out."""
    queries, keys = additive.query_layer(q), additive.key_layer(k)
    return additive.v(queries[:, :, None] + keys[:, None]).squeeze(-1)


def score_calls(queries: int) -> Calls:
    """Return the dot product, and what might make the additive score slower."""
    keys = max(queries, 64)
    dot, additive = DotScore(), AdditiveScore(64, 64, 64)
    q, k = torch.randn(8, queries, 64), torch.randn(8, keys, 64)
    hidden = torch.randn(8, queries, keys, 64)
    return {
        "dot": lambda: dot(q, k),
        "by entries": lambda: dot_by_entries(q, k),
        "no tanh": lambda: without_tanh(additive, q, k),
        "tanh": lambda: torch.tanh(hidden),
        "additive": lambda: additive(q, k),
    }


def in_one_loop(
    between: Callable[[Tensor], Tensor], additive: AdditiveScore, q: Tensor, k: Tensor
) -> Tensor:
    """The additive score (B, L_q, L_k), its read-out a sum: one loop when compiled."""
    queries, keys = additive.query_layer(q), additive.key_layer(k)
    hidden = between(queries[:, :, None] + keys[:, None])  # (B, L_q, L_k, d)
    return (hidden * additive.v.weight[0]).sum(dim=-1)


def fused_score_calls(queries: int) -> Calls:
    """The same, each made into one loop by torch's compiler, which needs one for C++.

    The loop writes nothing in between.
    """
    keys = max(queries, 64)
    dot, additive = DotScore(), AdditiveScore(64, 64, 64)
    q, k = torch.randn(8, queries, 64), torch.randn(8, keys, 64)
    ways: dict[str, Callable[..., Tensor]] = {
        "by entries, fused": dot_by_entries,
        "no tanh, fused": partial(in_one_loop, nn.Identity(), additive),
        "additive, fused": partial(in_one_loop, torch.tanh, additive),
    }
    calls: Calls = {"dot": lambda: dot(q, k)}
    compiler: Any = torch._inductor.config
    torch.compiler.reset()  # it gives up on a function after a few sizes
    # What lies on the disk may have been compiled for other kernels.
    with torch.no_grad(), compiler.patch(force_disable_caches=True):
        for name, way in ways.items():
            calls[name] = partial(torch.compile(way, dynamic=False), q, k)
            same = calls[name]()  # is compiled now
            torch.testing.assert_close(same, way(q, k), atol=1e-4, rtol=1e-4)
    return calls


def global_attend(query: Tensor, memory: Tensor) -> Tensor:
    """query (B, 1, d), memory (B, L, d) -> context (B, 1, d)."""
    return (query @ memory.mT).softmax(dim=-1) @ memory


def local_attend(query: Tensor, memory: Tensor, centre: Tensor, radius: int) -> Tensor:
    """query (B, 1, d), memory (B, L, d), centre (B,) -> context (B, 1, d)."""
    offsets = torch.arange(-radius, radius + 1)  # (2r + 1,)
    places = centre[:, None] + offsets  # (B, 2r + 1)
    last = memory.shape[1] - 1
    beyond = (places < 0) | (places > last)  # near an end the window is cut off
    rows = torch.arange(len(memory))[:, None]  # (B, 1)
    window = memory[rows, places.clamp(0, last)]  # (B, 2r + 1, d)
    scores = (query @ window.mT).masked_fill(beyond[:, None], -torch.inf)
    return scores.softmax(dim=-1) @ window


def window_calls(words: int) -> Calls:
    """Return calls that attend to a window of five words, and to all words."""
    query, memory = torch.randn(8, 1, 64), torch.randn(8, words, 64)
    centre = torch.randint(words, (8,))
    return {
        "window": lambda: local_attend(query, memory, centre, 2),
        "global": lambda: global_attend(query, memory),
    }


# Chapters 3 and 4 ---------------------------------------------------------------------


def attend_by_loop(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Attend by a Python loop over queries and keys; all are (n, d)."""
    n, d = q.shape
    z = torch.zeros_like(v)
    for i in range(n):
        scores = torch.stack([q[i] @ k[j] for j in range(n)]) / math.sqrt(d)
        weights = scores.softmax(dim=0)
        for j in range(n):
            z[i] += weights[j] * v[j]
    return z


def loop_calls(words: int) -> Calls:
    """Return calls that attend by matrix products, and by a loop in Python."""
    q, k, v = torch.randn(3, words, 32, dtype=torch.float64)
    return {
        "matrices": lambda: (q @ k.mT / math.sqrt(32)).softmax(dim=-1) @ v,
        "loop": lambda: attend_by_loop(q, k, v),
    }


def head_calls(n: int, d: int, keep: bool) -> Calls:
    """One to sixteen heads, with the same number of operations."""
    x = torch.randn(2, n, d)
    modules = {heads: MultiHeadAttention(d, heads) for heads in (1, 2, 4, 8, 16)}
    return {
        f"{heads} heads": partial(module, x, need_weights=keep)
        for heads, module in modules.items()
    }


def width_calls() -> Calls:
    """Eight heads that share 256 numbers, or have 256 each."""
    x = torch.randn(2, 64, 256)
    shared, full = MultiHeadAttention(256, 8), MultiHeadAttention(256, 8, d_head=256)
    return {"shared": lambda: shared(x), "full": lambda: full(x)}


# Chapter 6 ----------------------------------------------------------------------------


def projection_calls(n: int) -> Calls:
    """Multi-head attention, and its four projections alone."""
    x, whole = torch.randn(1, n, 256), LAYERS["multi_head"].build(256)
    inside, outside = nn.Linear(256, 3 * 256), nn.Linear(256, 256)
    return {
        "multi-head": lambda: whole(x),
        "projections": lambda: (inside(x), outside(x)),
    }


def forward_and_backward(outputs: Callable[[], Iterable[Tensor]]) -> None:
    """Compute outputs, of any shape, and the gradients of all they are made of."""
    with torch.enable_grad():
        found = list(outputs())
        torch.autograd.backward(found, [torch.ones_like(output) for output in found])


def recurrence_calls(n: int, d: int, batch: int, training: bool = False) -> Calls:
    """Recurrent layers, attention with projections by its heads, and bare attention."""
    x = torch.randn(batch, n, d).requires_grad_(training)
    modules = {cell: LAYERS[f"{cell.lower()}_fused"] for cell in ("GRU", "LSTM", "RNN")}
    built = {cell: layer.build(d) for cell, layer in modules.items()}
    for heads in (1, 8):
        built[f"heads {heads}"] = LAYERS["multi_head"].build(d, num_heads=heads)
        built[f"bare {heads}"] = LAYERS["attention_fused"].build(d, num_heads=heads)
    if not training:
        return {name: partial(module, x) for name, module in built.items()}

    def both_ways(module: nn.Module) -> None:
        forward_and_backward(lambda: [module(x)])

    return {name: partial(both_ways, module) for name, module in built.items()}


class AttentionAndFFN(nn.Module):
    """Bare self-attention, then a feed-forward layer four times as wide."""

    def __init__(self, d: int) -> None:
        super().__init__()
        self.attention = LAYERS["attention"].build(d)
        self.up, self.down = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(self.up(self.attention(x)).relu())


def separable_calls() -> Calls:
    """As wide a kernel as the sequence is long."""
    n, d = 511, 64
    x, narrow = torch.randn(1, n, d), AttentionAndFFN(d)
    wide = LAYERS["separable"].build(d, kernel_size=n)
    return {"attention + FFN": lambda: narrow(x), "separable": lambda: wide(x)}


class Recurrence(nn.Module):
    """tanh(W x_t + U h_{t−1}); without waiting U x_t; and that at once."""

    def __init__(self, d: int, waits: bool, at_once: bool = False) -> None:
        super().__init__()
        self.W, self.U = nn.Linear(d, d), nn.Linear(d, d)
        self.waits, self.at_once = waits, at_once

    def forward(self, x: Tensor) -> Tensor:  # (B, n, d)
        inputs = self.W(x)
        if self.at_once:
            return torch.tanh(inputs + self.U(x))
        state, states = torch.zeros_like(x[:, 0]), []
        for position in range(x.shape[1]):
            before = state if self.waits else x[:, position]
            state = torch.tanh(inputs[:, position] + self.U(before))  # (B, d)
            states.append(state)
        return torch.stack(states, dim=1)


def sequential_loop_calls(n: int = 512, compiled: bool = False) -> Calls:
    """Loops that wait and need not, called from Python or compiled (half a minute)."""
    x = torch.randn(1, n, 256)
    networks = {
        "all at once": Recurrence(256, waits=False, at_once=True),
        "not waiting": Recurrence(256, waits=False),
        "waiting": Recurrence(256, waits=True),
    }
    calls: Calls = {name: partial(network, x) for name, network in networks.items()}
    if compiled:
        calls = {name: partial(torch.compile(one), x) for name, one in networks.items()}
    return calls


def square_score_calls(
    n: int, num_heads: int = 1, training: bool = False, d: int = 64
) -> Calls:
    """Of an encoder layer of width d: all that is linear in n, and attention."""
    x, hidden = torch.randn(1, n, d), torch.randn(1, n, 4 * d)
    x, hidden = x.requires_grad_(training), hidden.requires_grad_(training)
    layers = nn.Linear(d, 3 * d), nn.Linear(d, d), nn.Linear(d, 4 * d)
    down, attention = nn.Linear(4 * d, d), LAYERS["attention_fused"]
    square = attention.build(d, num_heads=num_heads)

    def linear() -> list[Tensor]:
        return [*(one(x) for one in layers), down(hidden)]

    run = forward_and_backward if training else lambda outputs: outputs()
    return {
        "linear": lambda: run(linear),
        "square": lambda: run(lambda: [square(x)]),
    }


# Chapters 7 and 8 ---------------------------------------------------------------------


def step_by_step(model: Transformer | Seq2Seq, src: Tensor, tgt: Tensor) -> Tensor:
    """Return the logits (B, L_t, tgt_vocab) of one pass, one target word at a time."""
    state: Any = model.start(src)
    logits = []
    for t in range(tgt.shape[1]):
        one, state = model.step(tgt[:, t], state)  # (B, tgt_vocab)
        logits.append(one)
    return torch.stack(logits, dim=1)  # (B, L_t, tgt_vocab)


# Of about as many parameters each. Luong's GRU does not wait for what attention finds,
# Bahdanau's does.
DECODERS: dict[str, Callable[[], Any]] = {
    "transformer": lambda: Transformer(30, 30, 64, 4, 2, 128),
    "luong": lambda: Seq2Seq(
        30, 30, 110, score=GeneralScore(110, 110), bidirectional=True
    ),
    "bahdanau": lambda: Seq2Seq(
        *(30, 30, 96),
        score=AdditiveScore(96, 96, 96),
        style="bahdanau",
        bidirectional=True,
    ),
}


def pass_calls(words: int, decoder: str) -> Calls:
    """Sixteen sentences, whose words are known."""
    model = DECODERS[decoder]().eval()
    ids = torch.randint(3, 30, (16, words))
    return {
        "one pass": lambda: model(ids, ids),
        "step by step": lambda: step_by_step(model, ids, ids),
    }


def endless_writer() -> Transformer:
    """Return a Transformer that never ends a sentence."""
    model = Transformer(1000, 1000, 128, 8, 2, 512).eval()
    with torch.no_grad():
        model.output_layer.bias[[PAD, EOS]] = -1e4
    return model


def writing_calls(words: int) -> Calls:
    """So many words after 24, in chapter 7's three ways."""
    writer, src = endless_writer(), torch.randint(3, 1000, (1, 24))
    return {
        "cache": lambda: greedy(writer, src, words),
        "prefix": lambda: greedy_prefix(writer, src, words),
        "padded": lambda: greedy_padded(writer, src, words),
    }


# All of them --------------------------------------------------------------------------

QUESTIONS: dict[str, Callable[..., Calls]] = {
    "scores": score_calls,
    "fused scores": fused_score_calls,
    "window": window_calls,
    "loop": loop_calls,
    "heads": head_calls,
    "width": width_calls,
    "projections": projection_calls,
    "recurrence": recurrence_calls,
    "separable": separable_calls,
    "waiting": sequential_loop_calls,
    "square": square_score_calls,
    "one pass": pass_calls,
    "writing": writing_calls,
}
SETTINGS = [
    *grid(question=["scores"], queries=[1, 16, 64, 128]),
    *grid(question=["window"], words=[16, 256, 4096]),
    *grid(question=["loop"], words=[48]),
    *grid(question=["heads"], n=[512], d=[64], keep=[True, False]),
    *grid(question=["heads"], n=[256], d=[256], keep=[True, False]),
    *grid(question=["heads"], n=[64], d=[512], keep=[True, False]),
    *grid(question=["width", "separable", "waiting"]),
    *grid(question=["projections"], n=[64, 512, 2048]),
    *grid(question=["writing"], words=[96]),
]
PARTS = {  # stored apart
    "passes": grid(question=["one pass"], words=[32, 128], decoder=list(DECODERS)),
    "square": grid(
        question=["square"],
        n=[64, 192, 384, 768],
        num_heads=[1, 8],
        training=[False, True],
    ),
    "compiled": grid(
        question=["waiting"], n=[64], compiled=[False, True], threads=[1, 2]
    ),
    # The width and the heads of the paper. Batches in training beyond n 128 are left
    # out: they take minutes a repeat.
    "wide": [
        *grid(question=["square"], d=[512], n=[512, 1536, 3072], num_heads=[8]),
        *grid(question=["recurrence"], d=[512], n=[128, 511], batch=[1, 32]),
        *grid(
            question=["recurrence"], d=[512], n=[128], batch=[1, 32], training=[True]
        ),
    ],
}


def measure(
    *, question: str, seed: int = 0, threads: int = 1, **sizes: int | str
) -> dict[str, float]:
    """Time the calls of a question by turns.

    Returns:
        By call, the median of its time over that of the first call. On one thread it is
        the processor's time: what a busy machine does for others does not count. On
        more it is the time that passes, which wants an idle machine.

    Raises:
        ValueError: an unknown question.
    """
    if question not in QUESTIONS:
        raise ValueError(f"no question {question!r}; known are {', '.join(QUESTIONS)}")
    clock = time.process_time if threads == 1 else time.perf_counter
    torch.manual_seed(seed)
    with use_threads(threads), torch.no_grad():
        calls = QUESTIONS[question](**sizes)
        turns: dict[str, list[float]] = {name: [] for name in calls}
        # The first call of a kernel is slow.
        quickest = min(
            time_calls(call, clock) for call in calls.values() for _ in range(3)
        )
        start, times = time.process_time(), math.ceil(MIN_SECONDS / quickest)
        rounds = 0
        while rounds < 3 or time.process_time() - start < SECONDS:
            for name, call in calls.items():
                turns[name].append(time_calls(call, clock, times))
            rounds += 1
    middle = {name: median(taken) for name, taken in turns.items()}
    first = next(iter(middle.values()))
    return {name: one / first for name, one in middle.items()}


def time_calls(call: Callable[[], object], clock: Clock, times: int = 1) -> float:
    """Return the seconds that so many calls take by this clock."""
    start = clock()
    for _ in range(times):
        call()
    return clock() - start


def stored_ratio(
    question: str, call: str, *, name: str = NAME, **sizes: int | str
) -> dict[str, float]:
    """Return a call's ratio to the first by kernels, the median of the repeats."""
    repeats: dict[str, list[float]] = {}
    for found in select(load(name), question=question, **sizes):
        kernels = found["setting"]["kernels"]
        repeats.setdefault(kernels, []).append(found["figures"][call])
    return {kernels: median(ratios) for kernels, ratios in repeats.items()}


def span(ratios: Iterable[float]) -> str:
    """Return the lowest and the highest in words."""
    low, *_, high = sorted(ratios)
    digits = 0 if high >= 10 else 1
    return f"{low:.{digits}f}–{high:.{digits}f}"


def machine_text(name: str = NAME) -> str:
    """Return the machine and the kernels of the stored ratios of that name."""
    runs = load(name)["runs"]
    machines = sorted({found["machine"]["cpu"] for found in runs})
    kernels = sorted({found["setting"]["kernels"] for found in runs})
    return f"{', '.join(machines)}, one thread, kernels {', '.join(kernels)}"


def main() -> None:
    """Ask all questions with the kernels of this process."""
    parser = command_line(__doc__)
    parser.add_argument("--part", choices=PARTS, help="what is stored apart")
    args = parser.parse_args()
    kernels = torch.backends.cpu.get_cpu_capability()

    def measure_here(kernels: str, **setting: Any) -> dict[str, float]:
        return measure(**setting)

    name = f"{NAME}.{args.part}" if args.part else NAME
    asked = PARTS.get(args.part, SETTINGS)
    settings = [{**setting, "kernels": kernels} for setting in asked]
    for threads in (1, 2):  # stored as the machine's, too
        some = [one for one in settings if one.get("threads", 1) == threads]
        Study(name, measure_here, some, threads=threads).run(args)


if __name__ == "__main__":
    main()
