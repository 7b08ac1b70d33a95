from fuzzing import TRIED


def pytest_terminal_summary(terminalreporter, config):
    """Say how many examples each function has had; shortly, unless asked to look."""
    if not TRIED:
        return
    write = terminalreporter.write_line
    failed = len(terminalreporter.getreports("failed"))
    terminalreporter.section("fuzz")
    if config.getoption("--hypothesis-profile") == "thorough":
        for name, count in sorted(TRIED.items()):
            write(f"{count:9,}  {name}")
    least = min(TRIED.values())
    write(
        f"{len(TRIED)} functions and classes, {sum(TRIED.values()):,} examples "
        f"(at least {least:,} each), {failed} tests failed"
    )
