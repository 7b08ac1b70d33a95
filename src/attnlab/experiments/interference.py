"""How many pairs fit in a state, without any training?

So many random keys of length 1, each with a random value of length 1, are written into
a state of d × d. Then every key reads, and the answer is the nearest of all values
written. What share is right, by how the pairs were written, by d, and by how alike the
keys are? Keys that are alike share a direction m: k = √ρ m + √(1 − ρ) x, the cosine of
two of them is ρ on average.

`expected_recall` predicts the shares without measuring anything. A read gives the value
wanted times a *signal*, and noise from the other pairs.

- The sum keeps every signal at 1; the noise in the score of a value has the variance
  n/d² + 2/d. The largest of n such scores is near √(2 ln n) standard deviations, so
  that half is recalled at about d² / (2 ln n): in proportion to the numbers in the
  state.
- The delta rule with β = 1 removes whatever the state has for the new key, and with it
  a part 1/d of every older pair: after a more pairs a signal is (1 − 1/d)^a. So it
  recalls the newest d/2 · ln(d / (2 ln n)) or so, and forgets the others, however many
  numbers the state has. A smaller β forgets more slowly and nears the sum.
- Of keys that are alike, the sum gives every read the same ρ of every value: noise of
  variance n ρ²/d, which passes the signal soon. The delta rule writes what m gives
  already once, and not again.

Beside them stand least squares, the state that fits all pairs best and has to see them
all at once, and softmax attention, which keeps them. For many independent keys the sum
is nearly what least squares would write, but for a factor; for keys that are alike it
is far from it.

    python -m attnlab.experiments.interference --seeds 5

A second study, `interference.small`, has the sizes of `attnlab.experiments.recurrences`
(sides of 2 to 8, values out of 16) for comparison with what is trained there. In so few
dimensions the prediction, which takes noise for normal, is too low.
"""

from statistics import fmean

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.special import ndtr

from attnlab.checks import check_choice
from attnlab.experiments.study import Study, run_studies
from attnlab.linear_attention import decayed_attention, delta_rule, linear_attention
from attnlab.store import grid

RULES: dict[str, dict[str, float]] = {
    "sum": {},
    "decay": {"halving": 1.0},  # a pair is halved by d more
    "delta": {"beta": 1.0},
    "delta, β = 0.2": {"beta": 0.2},
    "least squares": {},
    "softmax": {},
}
PREDICTED = [name for name in RULES if name not in ("least squares", "softmax")]
PAIRS = (8, 16, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
WIDTHS, KEY_SIMILARITIES = (32, 64, 128), (0.0, 0.2, 0.5)
LEAST = 4096  # pairs read for each number, in as many memories as that takes
AGES, POINTS = 16, 64
BOOK, FEW_PAIRS = 16, (1, 2, 3, 4, 6, 8, 11, 16, 22, 32)


def draw_pairs(
    pairs: int, d: int, alike: float, memories: int, seed: int
) -> tuple[Tensor, Tensor]:
    """Draw keys and values of length 1, each (memories, pairs, d)."""
    generator = torch.Generator().manual_seed(seed)

    def directions(number: int) -> Tensor:
        drawn = torch.randn(memories, number, d, generator=generator)
        return F.normalize(drawn, dim=-1)

    keys, values, shared = directions(pairs), directions(pairs), directions(1)
    if alike:
        apart = keys - (keys @ shared.mT) * shared
        keys = alike**0.5 * shared + (1 - alike) ** 0.5 * F.normalize(apart, dim=-1)
    return keys, values


def read_all(rule: str, keys: Tensor, values: Tensor) -> Tensor:
    """Write all pairs in order by a rule, then read with every key.

    All are (memories, pairs, d). A rule that is none of `RULES` raises ValueError.
    """
    check_choice("rule", rule, RULES)
    d, how = keys.shape[-1], RULES[rule]
    if rule == "softmax":  # scores as of keys with entries of variance 1
        return torch.softmax(d**0.5 * keys @ keys.mT, dim=-1) @ values
    if rule == "least squares":
        return keys @ (torch.linalg.pinv(keys) @ values)
    if rule == "sum":
        state = linear_attention(keys, keys, values)[1]
    elif rule == "decay":
        decay = torch.tensor([0.5 ** (how["halving"] / d)])
        state = decayed_attention(keys, keys, values, decay)[1]
    else:
        state = delta_rule(keys, keys, values, torch.tensor([how["beta"]]))[1]
    return keys @ state


def measure_interference(*, seed: int, rule: str, d: int, alike: float) -> dict:
    """Write and read random pairs.

    Returns:
        `right`: {number of pairs: share named right}; `by_age`: of 2 · d pairs, the
        shares of every sixteenth of them, the newest first.
    """
    right, by_age = {}, []
    for pairs in PAIRS:
        memories = -(-LEAST // pairs)
        keys, values = draw_pairs(pairs, d, alike, memories, seed)
        scores = read_all(rule, keys, values) @ values.mT  # (memories, pairs, pairs)
        hits = (scores.argmax(-1) == torch.arange(pairs)).float().mean(0)
        right[pairs] = round(hits.mean().item(), 4)
        if pairs == 2 * d:
            ages = hits.flip(0).view(AGES, -1).mean(1)
            by_age = [round(share, 4) for share in ages.tolist()]
    return {"right": right, "by_age": by_age}


def measure_small(*, seed: int, rule: str, d: int) -> dict:
    """Write and read random pairs whose values are drawn from `BOOK` random ones.

    Returns:
        `right`: {number of pairs: share named right}.
    """
    right = {}
    for pairs in FEW_PAIRS:
        memories = LEAST // pairs
        keys, _ = draw_pairs(pairs, d, 0.0, memories, seed)
        _, book = draw_pairs(BOOK, d, 0.0, memories, seed + 1000)
        generator = torch.Generator().manual_seed(seed)
        chosen = torch.randint(BOOK, (memories, pairs), generator=generator)
        values = book.gather(1, chosen[..., None].expand(-1, -1, d))
        scores = read_all(rule, keys, values) @ book.mT  # (memories, pairs, BOOK)
        hits = scores.argmax(-1) == chosen
        right[pairs] = round(hits.float().mean().item(), 4)
    return {"right": right}


# What is to be expected ---------------------------------------------------------------


def expected_recall(
    rule: str,
    pairs: int,
    d: int,
    alike: float = 0.0,
    *,
    by_age: bool = False,
) -> float | list[float]:
    """Predict the share of pairs named right, from signal and noise alone.

    Args:
        rule: one of `PREDICTED`.
        pairs: how many are written.
        d: the side of the state.
        alike: ρ, the mean cosine of two keys.
        by_age: return the shares of pairs of up to `POINTS` ages, the newest first.

    Raises:
        ValueError: another rule.
    """
    check_choice("rule", rule, PREDICTED)
    how = RULES[rule]
    fade = 0.5 ** (how["halving"] / d) if "halving" in how else 1.0
    beta, corrects = how.get("beta", 1.0), "beta" in how
    other = d - (alike > 0)  # directions besides m
    # How much of a pair's part along m, and across it, one more write leaves.
    along = 1 - beta * alike if corrects else fade
    across = 1 - beta * (1 - alike) / other if corrects else fade
    # The squared lengths of what the state has along m, and across it; and the variance
    # of what a read makes of them, in the score of any value.
    square_along, square_across, noise = 0.0, 0.0, 0.0
    for _ in range(pairs):
        written = beta**2 * (1 + d * noise) if corrects else 1.0  # |v − Sᵀk|², or |v|²
        left = 2 * along - 1 if corrects else fade**2
        square_along = left * square_along + alike * written
        left = 2 * across - 1 if corrects else fade**2
        square_across = left * square_across + (1 - alike) * written
        noise = (alike * square_along + (1 - alike) * square_across / other) / d

    age = torch.arange(pairs, dtype=torch.float64)
    common = beta * alike * along**age  # what a pair gives every read
    own = beta * (1 - alike) * across**age
    signal = common + own  # … and what it gives its own key
    z = torch.linspace(-5, 5, 31, dtype=torch.float64)  # the noise of the own score
    weight = torch.softmax(-z.square() / 2, dim=0)
    spread = noise + signal.square()[:, None] / d + own.square() / other
    shares = []
    for a in range(0, pairs, -(-pairs // POINTS)):
        lead = signal[a] - common + z[:, None] * noise**0.5  # (31, pairs)
        wins = ndtr(lead / spread[a].sqrt()).log()  # log_ndtr takes three times as long
        rivals = wins.sum(1) - wins[:, a]
        shares.append((weight * rivals.exp()).sum().item())
    return shares if by_age else fmean(shares)


SETTINGS = [
    {"rule": rule, "d": d, "alike": alike}
    for alike in KEY_SIMILARITIES
    for d in (WIDTHS if alike == 0 else (64,))
    for rule in RULES
]
STUDY = Study("interference", measure_interference, SETTINGS, threads=1)

SMALL = Study(
    "interference.small",
    measure_small,
    grid(rule=["sum", "delta"], d=[2, 4, 8]),
    threads=1,
)


if __name__ == "__main__":
    run_studies(__doc__, STUDY, SMALL)
