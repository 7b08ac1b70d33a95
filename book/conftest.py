"""What nbval leaves out when it compares the outputs of chapters: drawings."""


def pytest_collectstart(collector):
    """Add drawings to the pictures that nbval does not compare."""
    if hasattr(collector, "skip_compare"):
        collector.skip_compare += ("image/svg+xml",)
