"""Six ways to score how well a query matches a key.

Every score is a module called as `score(query, key)`:

    query (batch, L_q, d_query), key (batch, L_k, d_key) -> scores (batch, L_q, L_k)

A decoder that asks one query at a time calls the two halves itself:
`keys = score.prepare(key)` once a sentence does the work that no query changes, then
`score.compare(query, keys)` once a step. `score(query, key)` is one after the other.

`SCORES` has them by the names that files, figures and the command line use, and
`make_score` makes one by its name.

| score             | s(q, k)                  | parameters (names in the state_dict)    |
| ----------------- | ------------------------ | --------------------------------------- |
| `DotScore`        | q · k                    |                                         |
| `ScaledDotScore`  | q · k / √d               |                                         |
| `CosineScore`     | q · k / (‖q‖ ‖k‖)        |                                         |
| `GeneralScore`    | (W q) · k                | `linear.weight` (d_key, d_query)        |
| `AdditiveScore`   | v · tanh(W q + U k)      | `query_layer.weight` W (d_hidden, d_query), `key_layer.weight` U (d_hidden, d_key), `v.weight` (1, d_hidden) |
| `LocationScore`   | (W q)ⱼ at key position j | `linear.weight` (max_length, d_query)   |
"""  # noqa: E501

import inspect
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnlab.checks import check_choice, check_floating, check_integer


class Score(nn.Module):
    """What the six scores share: the checks, and prepare-then-compare.

    Attributes:
        d_query, d_key: the widths the score was built for. None takes any width.
        same_width: whether query and key must be equally wide.

    Raises:
        TypeError, ValueError: a width that is no integer, or under 1.
    """

    def __init__(
        self,
        d_query: int | None = None,
        d_key: int | None = None,
        *,
        same_width: bool = False,
    ) -> None:
        super().__init__()
        for name, width in (("d_query", d_query), ("d_key", d_key)):
            if width is not None:
                check_integer(name, width, 1)
        self.d_query = d_query
        self.d_key = d_key
        self.same_width = same_width

    def forward(self, query: Tensor, key: Tensor) -> Tensor:
        """Score every query against every key.

        Args:
            query: (batch, L_q, d_query).
            key: (batch, L_k, d_key).

        Returns:
            (batch, L_q, L_k), any real numbers: masking and softmax come later.

        Raises:
            TypeError: no floating point tensors.
            ValueError: a wrong rank, batch or width, or an empty sequence.
        """
        for name, x in (("query", query), ("key", key)):
            check_floating(name, x)
            if x.dim() != 3:
                raise ValueError(
                    f"{name} must be (batch, length, width), got {tuple(x.shape)}"
                )
            if x.shape[1] == 0:
                raise ValueError(f"{name} is an empty sequence: {tuple(x.shape)}")
        if query.shape[0] != key.shape[0]:
            raise ValueError(
                f"query and key differ in batch: {query.shape[0]} and {key.shape[0]}"
            )
        self.check_widths(query.shape[-1], key.shape[-1])
        return self.compare(query, self.prepare(key))

    def check_widths(self, d_query: int, d_key: int) -> None:
        """Raise ValueError unless the score fits these widths."""
        name = type(self).__name__
        for what, got, wanted in (
            ("query", d_query, self.d_query),
            ("key", d_key, self.d_key),
        ):
            if wanted is not None and got != wanted:
                raise ValueError(f"{name} wants {what} width {wanted}, got {got}")
        if self.same_width and d_query != d_key:
            raise ValueError(
                f"{name} wants query and key of one width, got {d_query} and {d_key}"
            )

    def prepare(self, key: Tensor) -> Tensor:
        """Do the part that depends on the key alone: (batch, L_k, …)."""
        return key

    def compare(self, query: Tensor, keys: Tensor) -> Tensor:
        """Score queries against prepared keys: (batch, L_q, L_k)."""
        raise NotImplementedError  # each score has its own


class DotScore(Score):
    """q · k (Luong et al. 2015, eq. 8, "dot"). Query and key share their width."""

    def __init__(self) -> None:
        super().__init__(same_width=True)

    def compare(self, query: Tensor, keys: Tensor) -> Tensor:
        return query @ keys.transpose(1, 2)  # (batch, L_q, L_k)


class ScaledDotScore(Score):
    """q · k / √d (Vaswani et al. 2017, eq. 1). Query and key share their width d."""

    def __init__(self) -> None:
        super().__init__(same_width=True)

    def compare(self, query: Tensor, keys: Tensor) -> Tensor:
        return query @ keys.transpose(1, 2) / query.shape[-1] ** 0.5


class CosineScore(Score):
    """cos(q, k) = q · k / (‖q‖ ‖k‖) (Graves et al. 2014, eq. 6, without its sharpness).

    It lies in [−1, 1], so one softmax weight is at most e² ≈ 7.4 times another. A zero
    vector scores 0.
    """

    def __init__(self) -> None:
        super().__init__(same_width=True)

    def prepare(self, key: Tensor) -> Tensor:
        return F.normalize(key, dim=-1)

    def compare(self, query: Tensor, keys: Tensor) -> Tensor:
        return F.normalize(query, dim=-1) @ keys.transpose(1, 2)


class GeneralScore(Score):
    """(W q) · k (Luong et al. 2015, eq. 8, "general"; `linear.weight` is W).

    Raises, here and in the two below, as `Score`.
    """

    def __init__(self, d_query: int, d_key: int) -> None:
        check_integer("d_query", d_query, 1)
        check_integer("d_key", d_key, 1)
        super().__init__(d_query, d_key)
        self.linear = nn.Linear(d_query, d_key, bias=False)

    def compare(self, query: Tensor, keys: Tensor) -> Tensor:
        return self.linear(query) @ keys.transpose(1, 2)


class AdditiveScore(Score):
    """v · tanh(W q + U k) (Bahdanau et al. 2015, appendix A.1.2).

    Luong's "concat", v · tanh(W [q; k]), is the same thing with W and U side by side.
    It needs (batch, L_q, L_k, d_hidden) numbers in between; the products need none.
    """

    def __init__(self, d_query: int, d_key: int, d_hidden: int) -> None:
        check_integer("d_query", d_query, 1)
        check_integer("d_key", d_key, 1)
        check_integer("d_hidden", d_hidden, 1)
        super().__init__(d_query, d_key)
        self.query_layer = nn.Linear(d_query, d_hidden, bias=False)
        self.key_layer = nn.Linear(d_key, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def prepare(self, key: Tensor) -> Tensor:
        return self.key_layer(key)  # (batch, L_k, d_hidden)

    def compare(self, query: Tensor, keys: Tensor) -> Tensor:
        query = self.query_layer(query)  # (batch, L_q, d_hidden)
        # Every query meets every key:
        hidden = torch.tanh(query[:, :, None] + keys[:, None])
        return self.v(hidden).squeeze(-1)  # (batch, L_q, L_k)


class LocationScore(Score):
    """(W q)ⱼ: the query alone says which positions to read (Luong 2015, section 3.1).

    It never looks at the keys, only at how many there are: ValueError if they are more
    than `max_length`.
    """

    def __init__(self, d_query: int, max_length: int) -> None:
        check_integer("d_query", d_query, 1)
        check_integer("max_length", max_length, 1)
        super().__init__(d_query)
        self.max_length = max_length
        self.linear = nn.Linear(d_query, max_length, bias=False)

    def prepare(self, key: Tensor) -> Tensor:
        if key.shape[1] > self.max_length:
            raise ValueError(
                f"LocationScore was built for max_length={self.max_length} keys, "
                f"got {key.shape[1]}"
            )
        return key

    def compare(self, query: Tensor, keys: Tensor) -> Tensor:
        return self.linear(query)[:, :, : keys.shape[1]]  # (batch, L_q, L_k)


SCORES: dict[str, Callable[..., Score]] = {
    "dot": DotScore,
    "scaled_dot": ScaledDotScore,
    "general": GeneralScore,
    "additive": AdditiveScore,
    "cosine": CosineScore,
    "location": LocationScore,
}


def score_sizes(name: str, d_model: int, max_length: int) -> dict[str, int]:
    """Return the arguments of a score for a model all of whose states have one width.

    Args:
        name: one of `SCORES`.
        d_model: the width of queries, keys, and what is hidden in a score.
        max_length: how many keys there may be, for a score that must know.

    Raises:
        ValueError: an unknown name.
    """
    check_choice("score", name, SCORES)
    sizes = {"d_query": d_model, "d_key": d_model, "d_hidden": d_model}
    sizes["max_length"] = max_length
    wanted = inspect.signature(SCORES[name]).parameters
    return {key: sizes[key] for key in wanted if key in sizes}


def make_score(name: str, d_model: int, max_length: int) -> Score:
    """Return a new score by its name; arguments and errors as for `score_sizes`."""
    sizes = score_sizes(name, d_model, max_length)
    return SCORES[name](**sizes)
