import contextlib
import io
from collections.abc import Callable

import pytest

from attnlab import check


@pytest.fixture
def verdict() -> Callable[[str, object], str]:
    """`verdict("3.2", answer)`: what the check prints to that answer."""

    def try_it(number: str, answer: object) -> str:
        with contextlib.redirect_stdout(io.StringIO()) as output:
            assert check(number, answer) is None
        return output.getvalue()

    return try_it
