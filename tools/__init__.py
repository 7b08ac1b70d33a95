"""What makes the book and is not in the wheel; each runs as `python -m tools.NAME`."""
