"""The exercises of chapter 6, What it costs."""

import math

import torch
from torch import Tensor

from attnlab.exercises.checking import exercise


@exercise(
    "6.1",
    mistakes={
        "Half of it: you left out the weighted sums, or all the additions.": (
            lambda: 2 * 3 * 3 * 5
        ),
        "n is 3 and d is 5; you took them the other way round.": lambda: 4 * 5 * 5 * 3,
        "Nobody projects here: the scores and the weighted sums alone.": (
            lambda: 8 * 3 * 25 + 4 * 9 * 5
        ),
    },
    hint="3 × 3 scores of 5 multiplications and additions each; then 3 × 5 outputs, "
    "each a sum over 3 values.",
)
def flops_by_hand() -> int:
    return 4 * 3**2 * 5


def _layer_flops(n: int, d: int, d_ff: int) -> int:
    return 8 * n * d**2 + 4 * n**2 * d + 4 * n * d * d_ff


@exercise(
    "6.2",
    inputs=[(10, 4, 12), (2, 3, 5), (512, 64, 256), (64, 512, 2048)],
    mistakes={
        "Those are multiplications. Count each with its addition: twice as much.": (
            lambda n, d, d_ff: _layer_flops(n, d, d_ff) // 2
        ),
        "The feed-forward layer goes up to d_ff and comes down again: two products.": (
            lambda n, d, d_ff: _layer_flops(n, d, d_ff) - 2 * n * d * d_ff
        ),
        "W_O is missing: there are four projections.": (
            lambda n, d, d_ff: _layer_flops(n, d, d_ff) - 2 * n * d**2
        ),
        "The projections are missing: 2nd² each.": (
            lambda n, d, d_ff: _layer_flops(n, d, d_ff) - 8 * n * d**2
        ),
        "The feed-forward layer meets every position: n times.": (
            lambda n, d, d_ff: 8 * n * d**2 + 4 * n**2 * d + 4 * d * d_ff
        ),
        "Scores and weighted sums are two products of n²d multiplications each.": (
            lambda n, d, d_ff: _layer_flops(n, d, d_ff) - 2 * n**2 * d
        ),
    },
    hint="Four projections of 2nd², two products of 2n²d, and two layers of 2n·d·d_ff.",
)
def encoder_layer_flops(n: int, d: int, d_ff: int) -> int:
    return 8 * n * d**2 + 4 * n**2 * d + 4 * n * d * d_ff


def _reach_back(k: int, causal: bool) -> int:
    return k - 1 if causal else (k - 1) // 2


@exercise(
    "6.3",
    inputs=[(2, 3, True), (10, 3, True), (10, 3, False), (64, 7, True), (65, 7, False)],
    mistakes={
        "A centred kernel looks back over half of its width only.": (
            lambda n, k, causal: math.ceil((n - 1) / (k - 1))
        ),
        "A causal kernel has all of its width, but for the position, before it.": (
            lambda n, k, causal: math.ceil(2 * (n - 1) / (k - 1))
        ),
        "A kernel of k sees its own position too: it looks back over k − 1, not k.": (
            lambda n, k, causal: math.ceil((n - 1) / (k if causal else k / 2))
        ),
        "From the first to the last of n positions it is n − 1 steps.": (
            lambda n, k, causal: math.ceil(n / _reach_back(k, causal))
        ),
        "A last layer that is needed in part is needed: round up.": (
            lambda n, k, causal: (n - 1) // _reach_back(k, causal)
        ),
    },
    hint="How far back does one layer see? How often does that go into n − 1, rounded "
    "up?",
)
def layers_to_link(n: int, k: int, causal: bool) -> int:
    back = k - 1 if causal else (k - 1) // 2
    return math.ceil((n - 1) / back)


@exercise(
    "6.4",
    inputs=[(64, 3), (64, 4), (512, 3), (64, 2), (64, 1)],
    mistakes={
        "That leaves the projections out.": lambda d, gates: gates * d,
        "Below zero there is no length: attention then costs more at every n. Say 0.": (
            lambda d, gates: (gates - 2) * d
        ),
        "A gate has two matrices, one for the input and one for the state: 4nd².": (
            lambda d, gates: max(0, (gates - 4) * d // 2)
        ),
    },
    hint="Set 8nd² + 4n²d equal to 4·gates·nd², divide by 4nd, and solve for n.",
)
def longest_that_pays(d: int, gates: int) -> int:
    return max(0, (gates - 2) * d)


def _join_steps(a: Tensor, b: Tensor, step: int) -> tuple[Tensor, Tensor]:
    """Return a and b with each position joined with the one `step` before it."""
    later = b[step:] + a[step:] * b[:-step]
    return torch.cat([a[:step], a[step:] * a[:-step]]), torch.cat([b[:step], later])


def _scan_in_rounds(a: Tensor, b: Tensor, mistake: str = "") -> Tensor:
    step = 1
    while step < len(b):
        if mistake == "a first":
            a, _ = _join_steps(a, b, step)
            _, b = _join_steps(a, b, step)
        else:
            new_a, b = _join_steps(a, b, step)
            a = a if mistake == "a stays" else new_a
        step = step + 1 if mistake == "steps of one" else 2 * step
    return b


def _random(*shape: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape)))


@exercise(
    "6.5",
    inputs=[
        (torch.tensor([[2.0], [3.0], [0.5], [2.0]]), torch.ones(4, 1)),
        (_random(7, 2), _random(7, 2) + 1),
        (_random(1, 3), _random(1, 3) + 1),
        (_random(37, 2), _random(37, 2) + 1),  # more rounds than a fixed few
    ],
    mistakes={
        "That is one round. Go on with a step twice as long, while it is below n.": (
            lambda a, b: _join_steps(a, b, 1)[1]
        ),
        "Join the a's, too: a pair is one step with the factor a_t · a_(t − step).": (
            lambda a, b: _scan_in_rounds(a, b, "a stays")
        ),
        "b must be joined with the a from before this round; you changed a first.": (
            lambda a, b: _scan_in_rounds(a, b, "a first")
        ),
        "The step doubles: 1, 2, 4, …": lambda a, b: _scan_in_rounds(
            a, b, "steps of one"
        ),
        "That is a running sum: the old state is to be multiplied by a_t.": (
            lambda a, b: b.cumsum(dim=0)
        ),
    },
    hint="In each round, from position `step` on: b_t + a_t · b_(t − step) and "
    "a_t · a_(t − step), both from the values before the round. The first `step` "
    "positions stay. Then double the step.",
)
def scan(a: Tensor, b: Tensor) -> Tensor:
    return _scan_in_rounds(a, b)


Tiles = list[tuple[Tensor, Tensor]]  # keys (size, d) and values (size, d_v) of each


def _random_tiles(d: int, d_v: int, *sizes: int, scale: float = 1.0) -> Tiles:
    return [(scale * _random(n, d), _random(n, d_v) + i) for i, n in enumerate(sizes)]


def _attend(
    Q: Tensor,
    tiles: Tiles,
    *,
    scaled: bool = True,
    shrinks: bool = True,
    adds_highest: bool = True,
) -> tuple[Tensor, Tensor]:
    highest = torch.full((len(Q), 1), -math.inf)
    total, mixed = torch.zeros(len(Q), 1), torch.zeros(1)
    for K, V in tiles:
        scores = Q @ K.T / (math.sqrt(Q.shape[1]) if scaled else 1)
        old, highest = highest, highest.maximum(scores.amax(dim=1, keepdim=True))
        shrink = (old - highest).exp() if shrinks else 1
        factors = (scores - highest).exp()
        total = total * shrink + factors.sum(dim=1, keepdim=True)
        mixed = mixed * shrink + factors @ V
    lse = total.log() + (highest if adds_highest else 0)
    return mixed / total, lse[:, 0]


_BY_HAND = [
    (torch.tensor([[k]]), torch.tensor([[v]]))
    for k, v in ((1.0, 10.0), (3.0, 20.0), (2.0, 30.0))
]


@exercise(
    "6.6",
    inputs=[
        (torch.ones(1, 1), _BY_HAND),
        (_random(4, 3), _random_tiles(3, 2, 2, 5, 1)),
        (
            _random(2, 4),
            _random_tiles(4, 3, 3, 2, scale=200.0),
        ),  # exp alone would overflow
    ],
    mistakes={
        "A new highest score: shrink both sums by exp(old highest − new) first.": (
            lambda Q, tiles: _attend(Q, tiles, shrinks=False)
        ),
        "The log of the total was measured from the highest score: add it.": (
            lambda Q, tiles: _attend(Q, tiles, adds_highest=False)
        ),
        "Divide the scores by √d.": lambda Q, tiles: _attend(Q, tiles, scaled=False),
        "That is the last tile alone. Keep the sums from tile to tile.": (
            lambda Q, tiles: _attend(Q, tiles[-1:])
        ),
    },
    hint="For each tile: the scores, the new highest, shrink total and mixed, add the "
    "tile's. Divide after the last. NaN means that exp was taken without subtracting.",
)
def attend_in_tiles(Q: Tensor, tiles: Tiles) -> tuple[Tensor, Tensor]:
    return _attend(Q, tiles)


def _gradients(
    Q: Tensor,
    tiles: Tiles,
    out: Tensor,
    lse: Tensor,
    d_out: Tensor,
    *,
    mean: str = "row",
    own_softmax: bool = False,
    scaled: bool = True,
    adds: bool = True,
) -> tuple[Tensor, Tensor, Tensor]:
    root = math.sqrt(Q.shape[1])
    dQ, dK, dV = torch.zeros_like(Q), [], []
    for K, V in tiles:
        scores = Q @ K.T / root
        P = scores.softmax(dim=1) if own_softmax else (scores - lse[:, None]).exp()
        dP = d_out @ V.T
        means = {"row": d_out * out, "tile": P * dP, "none": torch.zeros_like(out)}
        dS = P * (dP - means[mean].sum(dim=1, keepdim=True)) / (root if scaled else 1)
        dQ = dS @ K + (dQ if adds else 0)
        dK.append(dS.T @ Q)
        dV.append(P.T @ d_out)
    return dQ, torch.cat(dK), torch.cat(dV)


def _backward_case(n: int, d: int, d_v: int, *sizes: int) -> tuple:
    Q, tiles = _random(n, d), _random_tiles(d, d_v, *sizes)
    return Q, tiles, *_attend(Q, tiles), _random(n, d_v)


@exercise(
    "6.7",
    inputs=[_backward_case(2, 3, 2, 1, 2), _backward_case(5, 4, 3, 4, 2, 3)],
    mistakes={
        "The softmax's gradient: from each row of d_out Vᵀ subtract its mean D.": (
            lambda *given: _gradients(*given, mean="none")
        ),
        "D is a mean over all keys, not a tile's: it is d_out · out of each row.": (
            lambda *given: _gradients(*given, mean="tile")
        ),
        "A tile's own softmax sums to 1 in the tile. Use exp(scores − lse).": (
            lambda *given: _gradients(*given, own_softmax=True)
        ),
        "The scores were divided by √d, so their gradients are, too.": (
            lambda *given: _gradients(*given, scaled=False)
        ),
        "Every tile adds to dQ; yours has the last one's alone.": (
            lambda *given: _gradients(*given, adds=False)
        ),
    },
    hint="In each tile: P, dV = Pᵀ d_out, dS = P ∘ (d_out Vᵀ − D) / √d, then "
    "dK = dSᵀ Q, and dS K for dQ. Join the tiles' dK and dV with torch.cat.",
)
def backward_in_tiles(
    Q: Tensor, tiles: Tiles, out: Tensor, lse: Tensor, d_out: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    return _gradients(Q, tiles, out, lse, d_out)


@exercise(
    "6.10",
    inputs=[
        (_random(2, 3, 4, 4).softmax(-1), torch.tensor([1, 3]), torch.tensor([0, 2])),
        (
            _random(5, 2, 6, 6).softmax(-1),
            torch.tensor([5, 2, 2]),
            torch.tensor([1, 0, 2]),
        ),
    ],
    mistakes={
        "Pairs, not all combinations: index with both at once.": (
            lambda weights, queries, keys: weights[:, :, queries][..., keys].mean(
                dim=(0, 2, 3)
            )
        ),
        "Rows are queries and columns are keys.": (
            lambda weights, queries, keys: weights[:, :, keys, queries].mean(dim=(0, 2))
        ),
        "One number a head: the mean goes over sequences and pairs.": (
            lambda weights, queries, keys: weights[:, :, queries, keys].mean(dim=(1, 2))
        ),
    },
    hint="weights[:, :, queries, keys] is (B, h, m): a weight for each pair.",
)
def weight_on(weights: Tensor, queries: Tensor, keys: Tensor) -> Tensor:
    return weights[:, :, queries, keys].mean(dim=(0, 2))
