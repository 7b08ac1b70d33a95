"""What fits in a state? Recall by memories that do not grow, and by one that does.

A sequence lists pairs of a key and a value, two tokens each: `k7 v3 k2 v9 …`. Then it
asks for every key once, in another order, and the model must name the value: the
multi-query associative recall of Arora et al. (2023, *Zoology*). All is random. A model
that knows which values there were, but not whose, is right about one time in n.

The contenders are causal models of two layers and nearly equal numbers of parameters.
They differ in what mixes the tokens: softmax attention, which keeps all of them; a
window of the last 8 tokens, without and with 4 sinks (the first tokens, seen by all); a
state of side 2, 4 or 8, written by the sum, with a decay, by the delta rule or by both
(`attnlab.linear_attention`); a GRU and an LSTM; and a hybrid of one delta layer, side
2, and one softmax layer. None has positions. All begin by adding to each token what the
one before it says, so that a value's token knows its key; two controls do not. Each is
trained once on sequences of 2, 4, 8 and 16 pairs, one number a step, and tested on
each, at the best of three rates.

Said before the runs, each with what would refute it (means of five seeds):

H1. Softmax attention recalls as well at 16 pairs as at 2. Refuted by a mean under 95%
    at any number of pairs. Control: without the first step, two layers must find out
    themselves which key stands before a value.
H2. The state bounds the plain sum: the number of pairs of which half are recalled lies
    within a factor of two of what the bare mechanism predicts without any training
    (random keys and values, one state of that side, the nearest of 16 values: half at
    13.5 pairs for side 8, at 1.6 for side 4, never for side 2). Refuted by a side that
    crosses elsewhere, above 3.2 for side 4, at all within 2 to 16 for side 2. The rival
    explanation: two layers have two states, and their keys and values are learned.
H3. At equal sides the delta rule recalls more than the sum at 16 pairs: training finds
    keys and β that fit the rule, while random keys and β = 1 favour the sum. Refuted if
    the sum is level or ahead at two of three sides, judged by the ranges of the seeds.
H4. One softmax layer suffices: at 16 pairs the hybrid, with the smallest state, is
    within 3 points of softmax, and two delta layers of that state are 20 behind.
H5. A window recalls what lies within it: of pairs under 8 tokens back more than 90%, of
    those 16 or more back less than 20%. Sinks restore the pairs that stand in them, the
    first two, and no others: by less than 5 points.
H6. Where the state is is not what counts, but how large: the GRU, whose state is 24
    numbers a layer, recalls less at 16 pairs than the sum of side 8, whose state is 64,
    and more than that of side 2, whose state is 4. Refuted if either fails.

    python -m attnlab.experiments.recurrences --tune
    python -m attnlab.experiments.recurrences --seeds 5

With `--only gru lstm` those alone; what is stored already is not run again. `--longer
--seed 0` gives some contenders five times the steps: is it a matter of time?
`verdicts()` holds what is stored against the six. Said afterwards: the numbers of H2
come from a formula that takes noise for normal, which is too low in so few dimensions;
`interference.small` measures the bare mechanism instead.

A third study, `--wider`, goes beyond side 8. Said after the first and before this one:

H7. A side of 16 holds most of 16 pairs, and training still prefers no rule: the trained
    sum recalls at least the 85% of 16 pairs that the bare sum of side 16 does, and the
    delta rule is not ahead of it. Refuted by a mean of the sum under 85%, or by a delta
    rule whose lowest seed is above the sum's highest.

H7 was refuted, and it stays so. Its runs left a question: at the rate that one tuning
seed chose, the delta rule failed with three seeds of five. `--rates` is a second look,
after the fact: both rules of side 16 at all three rates, five seeds each, so that
nothing is left to choose. Said before it: the tuning is at fault if all five seeds of
the delta rule recall over 80% of 16 pairs at 0.01, the rate that came second; if some
fail there too, it is the rule that trains unsteadily at this size.

Said afterwards: four seeds passed and one did not (48%), so by that sentence it is the
rule, and the tuning made it worse. For the sum the rate that won was not the best one
either: 0.03 gives 83% on average, still under H7's 85%.

Zoology and Based (Arora et al. 2024) report that attention solves the task at any
number of pairs, and that a fixed state must grow with it. Their models are wider and
train for longer, on up to 64 pairs in 256 tokens or more, with keys out of 8,192
tokens.
"""

from functools import partial
from itertools import pairwise
from statistics import fmean
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnlab.attention import MultiHeadAttention, causal_mask
from attnlab.checks import check_choice
from attnlab.experiments.study import Study, command_line
from attnlab.linear_attention import RULES, LinearAttention
from attnlab.recurrence import Recurrence
from attnlab.recurrent import count_parameters
from attnlab.store import load, metrics

KEYS, VALUES = 32, 16
PAIRS = (2, 4, 8, 16)
WIDTH, HEADS = 24, 2
WINDOW, SINKS = 8, 4
SIDES = (2, 4, 8)
PARAMETERS = 14_000
QUESTIONS, STEPS, RATES = 128, 600, (3e-3, 1e-2, 3e-2)  # questions a step
TESTS = 4000  # questions for each number of pairs


def make_batch(pairs: int, sequences: int) -> tuple[Tensor, Tensor, Tensor]:
    """Draw sequences of so many pairs, and the same number of questions.

    Returns:
        Tokens (sequences, 3 · pairs); the values asked for (sequences, pairs); how many
        tokens back each stands (sequences, pairs).
    """
    keys = torch.rand(sequences, KEYS).argsort(-1)[:, :pairs]  # no key twice
    values = torch.randint(VALUES, (sequences, pairs))
    listed = torch.stack([keys, KEYS + values], dim=-1).flatten(1)
    order = torch.rand(sequences, pairs).argsort(-1)
    tokens = torch.cat([listed, keys.gather(1, order)], dim=1)
    back = 2 * pairs + torch.arange(pairs) - (2 * order + 1)
    return tokens, values.gather(1, order), back


class Softmax(nn.Module):
    """Causal attention, to all tokens or to the last ones and some sinks."""

    def __init__(self, window: int | None = None, sinks: int = 0) -> None:
        super().__init__()
        self.heads = MultiHeadAttention(WIDTH, HEADS, bias=False)
        self.window, self.sinks = window, sinks

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor | None]:
        n = x.shape[1]
        mask = causal_mask(n)
        if self.window is not None:
            places = torch.arange(n)
            near = places[:, None] - places < self.window
            mask = mask & (near | (places < self.sinks))
        return self.heads(x, mask=mask)


def state(rule: str, side: int, **options: Any) -> LinearAttention:
    """A layer with one state of side × side."""
    return LinearAttention(WIDTH, 1, rule=rule, d_key=side, d_value=side, **options)


CONTENDERS: dict[str, Any] = {
    "softmax": (Softmax, Softmax),
    "window": (partial(Softmax, WINDOW),) * 2,
    "window, sinks": (partial(Softmax, WINDOW, SINKS),) * 2,
    **{
        f"{rule}, side {side}": (partial(state, rule, side),) * 2
        for rule in RULES
        for side in SIDES
    },
    "linear, positive, side 8": (partial(state, "linear", 8, positive=True),) * 2,
    "gru": (partial(Recurrence, "gru", WIDTH, WIDTH),) * 2,
    "lstm": (partial(Recurrence, "lstm", WIDTH, WIDTH),) * 2,
    "hybrid": (partial(state, "delta", 2), Softmax),
}
WIDER = {  # beyond the study, of as many parameters
    f"{rule}, side 16": (partial(state, rule, 16),) * 2 for rule in ("linear", "delta")
}
EVERY = CONTENDERS | WIDER
CONTROLS = ("softmax", "delta, side 8")  # once more, without the token before


class Recaller(nn.Module):
    """Embeddings, what the token before says, two mixers with feed-forward layers.

    Maps tokens (B, n) to logits (B, n, `VALUES`). A contender that is none of `EVERY`
    raises ValueError.
    """

    def __init__(self, contender: str, d_ff: int, *, before: bool = True) -> None:
        super().__init__()
        check_choice("contender", contender, EVERY)
        self.embedding = nn.Embedding(KEYS + VALUES, WIDTH)
        self.before = nn.Linear(WIDTH, WIDTH, bias=False) if before else None
        self.mixers = nn.ModuleList(make() for make in EVERY[contender])
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(5))
        self.feeds = nn.ModuleList(
            nn.Sequential(nn.Linear(WIDTH, d_ff), nn.ReLU(), nn.Linear(d_ff, WIDTH))
            for _ in self.mixers
        )
        self.output = nn.Linear(WIDTH, VALUES)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embedding(tokens)  # (B, n, WIDTH)
        if self.before is not None:
            x = x + F.pad(self.before(x), (0, 0, 1, -1))
        norms = iter(self.norms)
        for mix, feed in zip(self.mixers, self.feeds, strict=True):
            x = x + mix(next(norms)(x))[0]
            x = x + feed(next(norms)(x))
        return self.output(next(norms)(x))


def build(contender: str, **options: Any) -> Recaller:
    """An untrained model; its feed-forward width makes parameters equal."""
    with torch.device("meta"):
        least = count_parameters(Recaller(contender, 1, **options))
        more = count_parameters(Recaller(contender, 2, **options)) - least
    return Recaller(contender, 1 + round((PARAMETERS - least) / more), **options)


def measure_recurrences(
    *, seed: int, contender: str, lr: float, before: bool = True, steps: int = STEPS
) -> dict:
    """Train one model, its rate falling to 0, and test it on new sequences.

    Returns:
        `right`: {pairs: share of questions answered right}; of the most pairs, the
        shares `near` (under a window back), `far` (two windows or more) and `first`
        (those in the sinks, if far); `loss` of every tenth of training; `parameters`.
    """
    torch.manual_seed(seed)
    model = build(contender, before=before)
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    falling = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, steps)
    losses = []
    for _ in range(steps):
        pairs = PAIRS[int(torch.randint(len(PAIRS), ()))]
        tokens, values, _ = make_batch(pairs, QUESTIONS // pairs)
        loss = F.cross_entropy(model(tokens)[:, -pairs:].mT, values)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        falling.step()
        losses.append(loss.detach())
    tenths = torch.stack(losses).nan_to_num(99.0).tensor_split(min(10, steps))
    return {
        **recall(model),
        "loss": [round(tenth.mean().item(), 3) for tenth in tenths],
        "parameters": count_parameters(model),
    }


@torch.no_grad()
def recall(model: Recaller) -> dict:
    """The shares of questions answered right; see `measure_recurrences`."""
    right: dict[int, float] = {}
    share: dict[str, dict[int, float | None]] = {}
    for pairs in PAIRS:
        tokens, values, back = make_batch(pairs, TESTS // pairs)
        hit = (model(tokens)[:, -pairs:].argmax(-1) == values).float()
        right[pairs] = hit.mean().item()
        place = 2 * pairs + torch.arange(pairs) - back  # of the value asked for
        far = back >= 2 * WINDOW
        groups = {
            "near": back < WINDOW,
            "far": far & (place >= SINKS),
            "first": far & (place < SINKS),
        }
        for name, group in groups.items():
            share.setdefault(name, {})[pairs] = (
                hit[group].mean().item() if group.any() else None
            )
    return {"right": right, **share}


def kept_numbers(contender: str, tokens: int) -> int:
    """How many numbers both layers keep of so many tokens."""
    total = 0
    for layer in build(contender).mixers:
        if isinstance(layer, LinearAttention):
            total += layer.d_key * (layer.d_value + layer.positive)
        elif isinstance(layer, Recurrence):
            total += WIDTH * (2 if layer.cell == "lstm" else 1)
        elif isinstance(layer, Softmax):
            seen = tokens
            if layer.window is not None:
                seen = min(tokens, layer.window + layer.sinks)
            total += 2 * WIDTH * seen  # keys and values
    return total


def right_without_order(pairs: int) -> float:
    """The share right, at best, of a model that knows all values but not whose.

    Its best answer is the value that most pairs have; the mean of 100,000 draws.
    """
    generator = torch.Generator().manual_seed(0)
    values = torch.randint(VALUES, (100_000, pairs), generator=generator)
    most = F.one_hot(values, VALUES).sum(1).amax(1)
    return most.double().mean().item() / pairs


def half_recalled(right: dict[int, float]) -> float | None:
    """The number of pairs of which half are right, between two that were measured.

    None if it lies beyond the most; the least where even those are less than half.
    """
    numbers = sorted(right)
    if right[numbers[0]] < 0.5:
        return float(numbers[0])
    for low, high in pairwise(numbers):
        if right[high] < 0.5:
            part = (right[low] - 0.5) / (right[low] - right[high])
            return low * (high / low) ** part
    return None


def run_with_most_recalled(runs: list[dict]) -> dict:
    """The run that is right most often, over all numbers of pairs."""
    return max(runs, key=lambda run: sum(run["figures"]["right"].values()))


def verdicts(folder: str | None = None) -> dict[str, dict[str, Any]]:
    """Hold what is stored against each hypothesis.

    Returns:
        By name: `holds`, and the numbers that decide, means of the seeds.
    """
    results = load("recurrences", folder=folder)

    def seeds(name: str, group: str = "right", pairs: int = PAIRS[-1]) -> list[float]:
        runs = metrics(results, contender=name, before=True)
        return [each[group][str(pairs)] for each in runs]

    def mean(name: str, group: str = "right", pairs: int = PAIRS[-1]) -> float:
        return fmean(seeds(name, group, pairs))

    softmax = {n: mean("softmax", pairs=n) for n in PAIRS}
    halves = {
        side: half_recalled({n: mean(f"linear, side {side}", pairs=n) for n in PAIRS})
        for side in SIDES
    }
    ahead = {
        side: min(seeds(f"delta, side {side}")) > max(seeds(f"linear, side {side}"))
        for side in SIDES
    }
    hybrid, alone = mean("hybrid"), mean("delta, side 2")
    windows = {
        (name, group): mean(name, group)
        for name in ("window", "window, sinks")
        for group in ("near", "far", "first")
    }
    near, far = windows["window", "near"], windows["window", "far"]
    small, gru, large = (mean(n) for n in ("linear, side 2", "gru", "linear, side 8"))
    half2, half4, half8 = (halves[side] for side in SIDES)
    wide = {
        rule: [
            run["right"][str(PAIRS[-1])]
            for run in metrics(
                load("recurrences.wider", folder=folder), contender=f"{rule}, side 16"
            )
        ]
        for rule in ("linear", "delta")
    }
    return {
        "H1": {"holds": min(softmax.values()) >= 0.95, "right": softmax},
        "H2": {
            "holds": half2 == PAIRS[0]
            and (half4 is not None and half4 <= 3.2)
            and (half8 is None or 6.75 <= half8 <= 27),
            "half": halves,
            "bare": {side: _half_without_training(side, folder) for side in SIDES},
        },
        "H3": {"holds": sum(ahead.values()) >= 2, "ahead": ahead},
        "H4": {
            "holds": hybrid > softmax[PAIRS[-1]] - 0.03 and alone < hybrid - 0.2,
            "right": {"hybrid": hybrid, "softmax": softmax[PAIRS[-1]], "delta": alone},
        },
        "H5": {
            "holds": near > 0.9
            and far < 0.2
            and windows["window, sinks", "first"] > 0.9
            and abs(windows["window, sinks", "far"] - far) < 0.05,
            "right": windows,
        },
        "H6": {"holds": small < gru < large, "right": (small, gru, large)},
        "H7": {
            "holds": fmean(wide["linear"]) >= 0.85
            and min(wide["delta"]) <= max(wide["linear"]),
            "right": {rule: fmean(shares) for rule, shares in wide.items()},
        },
    }


def _half_without_training(side: int, folder: str | None) -> float | None:
    """Of how many pairs a state of that side holds half without training."""
    runs = metrics(load("interference.small", folder=folder), rule="sum", d=side)
    numbers = [int(n) for n in runs[0]["right"]]
    return half_recalled({n: fmean(r["right"][str(n)] for r in runs) for n in numbers})


SETTINGS = [
    *({"contender": name, "before": True} for name in CONTENDERS),
    *({"contender": name, "before": False} for name in CONTROLS),
]
STUDY = Study(
    "recurrences",
    measure_recurrences,
    SETTINGS,
    RATES,
    run_with_most_recalled,
    threads=1,
)
# Is it a matter of time? Five times the steps, at the rates that did best before.
LONGER = [
    {"contender": name, "before": True, "steps": 5 * STEPS, "lr": lr}
    for name, rates in (
        ("gru", (3e-3, 1e-2)),
        ("lstm", (3e-3, 1e-2)),
        ("linear, side 8", (1e-2,)),
        ("delta, side 8", (1e-2,)),
    )
    for lr in rates
]
LONGER_STUDY = Study("recurrences.longer", measure_recurrences, LONGER, threads=1)
WIDER_STUDY = Study(
    "recurrences.wider",
    measure_recurrences,
    [{"contender": name, "before": True} for name in WIDER],
    RATES,
    run_with_most_recalled,
    threads=1,
)
# After H7: nothing tuned, every rate with every seed.
RATES_STUDY = Study(
    "recurrences.rates",
    measure_recurrences,
    [{"contender": name, "before": True, "lr": lr} for lr in RATES for name in WIDER],
    threads=1,
)


def main() -> None:
    """Tune or run the study, or some contenders of it."""
    parser = command_line(__doc__, tune=True)
    parser.add_argument("--only", nargs="+", choices=EVERY, metavar="CONTENDER")
    parser.add_argument(
        "--longer", action="store_true", help=f"some contenders, {5 * STEPS} steps"
    )
    parser.add_argument("--wider", action="store_true", help="sides of 16")
    parser.add_argument(
        "--rates", action="store_true", help="sides of 16, at every rate"
    )
    args = parser.parse_args()
    study = STUDY
    for asked, other in (
        (args.longer, LONGER_STUDY),
        (args.wider, WIDER_STUDY),
        (args.rates, RATES_STUDY),
    ):
        study = other if asked else study
    names = args.only or EVERY
    study.run(args, [s for s in study.settings if s["contender"] in names])


if __name__ == "__main__":
    main()
