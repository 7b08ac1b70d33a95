"""What a language model is measured against: counts of n tokens in a row.

Interpolated Kneser–Ney smoothing (Kneser and Ney 1995; the interpolated form of Chen
and Goodman 1999, section 4.1.6). Every count loses a little, the discount, and what is
won goes to the next shorter context. There a token counts as often as it has different
predecessors: "francisco" is frequent, but behind one word alone.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from attnlab.checks import check_integer
from attnlab.tokens import BOS

Gram = tuple[int, ...]
NEVER_NEXT = 2  # PAD and BOS follow nothing


class KneserNey:
    """P(token | the order − 1 tokens before it), by counting.

    Args:
        texts: each BOS, tokens, EOS, as ids.
        order: how many tokens are counted in a row, the predicted one included.
        vocab_size: how many token ids there are.

    Raises:
        TypeError: a size that is no integer.
        ValueError: a size below 1, or no texts.
    """

    def __init__(
        self, texts: Iterable[Sequence[int]], order: int, vocab_size: int
    ) -> None:
        check_integer("order", order, 1)
        check_integer("vocab_size", vocab_size, NEVER_NEXT + 1)
        self.order, self.vocab_size = order, vocab_size
        longest = Counter(gram for text in texts for gram in self._grams(text))
        if not longest:
            raise ValueError("no texts given: expected at least one")
        # counts[n] are those of n tokens in a row.
        self.counts = {order: longest}
        for n in range(order - 1, 0, -1):
            self.counts[n] = Counter(gram[1:] for gram in self.counts[n + 1])
        self.totals: dict[int, Counter[Gram]] = {}  # of all that follow a context
        self.kinds: dict[int, Counter[Gram]] = {}  # how many different ones follow it
        self.discounts: dict[int, float] = {}
        for n, counts in self.counts.items():
            self.totals[n], self.kinds[n] = Counter(), Counter()
            for gram, count in counts.items():
                self.totals[n][gram[:-1]] += count
                self.kinds[n][gram[:-1]] += 1
            seen = Counter(counts.values())  # Chen and Goodman 1999, eq. 17
            self.discounts[n] = seen[1] / (seen[1] + 2 * seen[2]) if seen[1] else 0.0

    def probability(self, context: Sequence[int], token: int) -> float:
        """Return P(token | context), of which the last order − 1 tokens count."""
        chance = 1 / (self.vocab_size - NEVER_NEXT)
        for n in range(1, self.order + 1):
            before = tuple(context)[len(context) - n + 1 :]
            total = self.totals[n][before]
            if total == 0:  # nothing longer has been seen, either
                return chance
            kept = max(self.counts[n][(*before, token)] - self.discounts[n], 0.0)
            freed = self.discounts[n] * self.kinds[n][before]
            chance = (kept + freed * chance) / total
        return chance

    def log_probability(self, text: Sequence[int]) -> float:
        """Return log P(text), in nats; the text is BOS, tokens, EOS."""
        return sum(
            math.log(self.probability(gram[:-1], gram[-1]))
            for gram in self._grams(text)
        )

    def _grams(self, text: Sequence[int]) -> Iterable[Gram]:
        padded = [BOS] * (self.order - 1) + list(text[1:])
        return (
            tuple(padded[start : start + self.order])
            for start in range(len(padded) - self.order + 1)
        )
