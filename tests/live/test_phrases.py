"""phrases.js: numbers as figures write them."""

import pytest


@pytest.mark.parametrize(
    ("number", "written"),
    [(-0.004, "0.00"), (-0.006, "−0.01"), (0, "0.00"), (-1.5, "−1.50"), (2, "2.00")],
)
def test_format_number_uses_minus_sign_except_for_zero(page, modules, number, written):
    modules("words/phrases.js")
    assert page.evaluate("(number) => twoDecimals(number)", number) == written
