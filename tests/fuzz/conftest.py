from collections import Counter

import pytest
from fuzzing import TRIED


@pytest.fixture(autouse=True)
def count_examples(request):
    """Put into the test's report how many examples each function had in it."""
    before = TRIED.copy()
    yield
    request.node.user_properties.append(("tried", dict(TRIED - before)))


def pytest_terminal_summary(terminalreporter, config):
    """Say how many examples each function has had: all of them, if asked to look."""
    tried: Counter[str] = Counter()
    for report in terminalreporter.stats.get("", []):
        if report.when == "teardown":
            tried.update(dict(report.user_properties).get("tried", {}))
    if not tried:
        return
    failed = len(terminalreporter.getreports("failed"))
    terminalreporter.section("fuzz")
    if config.getoption("--hypothesis-profile") == "thorough":
        for name, count in sorted(tried.items()):
            terminalreporter.write_line(f"{count:9,}  {name}")
    terminalreporter.write_line(
        f"{len(tried)} functions and classes, {sum(tried.values()):,} examples "
        f"(at least {min(tried.values()):,} each), {failed} tests failed"
    )
