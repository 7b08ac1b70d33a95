"""Accuracy against the length of the input, with the spread over seeds."""

from collections.abc import Sequence

from matplotlib.axes import Axes

from attnlab.figures.style import label_lines


def plot_by_length(
    axes: Axes,
    curves: dict[str, Sequence[dict]],
    *,
    colors: Sequence[str] | None = None,
    trained_up_to: int | None = None,
) -> None:
    """Draw one line a label: the mean over seeds, and a band from worst to best.

    Args:
        axes: where to draw.
        curves: for each label a list of ``{length: share}``, one a seed. Lengths may
            be text, as JSON keeps them.
        colors: one a label; the style's own cycle without.
        trained_up_to: the longest length in training; what lies beyond is shaded.

    Raises:
        ValueError: no curve, a label without seeds, seeds that differ in their lengths,
            or `trained_up_to` none of the lengths.
    """
    if not curves or not all(curves.values()):
        raise ValueError("no curves given: expected one label or more, each with seeds")
    measured = {
        frozenset(map(int, seed)) for seeds in curves.values() for seed in seeds
    }
    if len(measured) > 1:
        raise ValueError("all seeds of all labels must have the same lengths")
    lengths = sorted(measured.pop())
    for index, (label, seeds) in enumerate(curves.items()):
        by_seed = [{int(k): v for k, v in seed.items()} for seed in seeds]
        columns = [[100 * seed[n] for seed in by_seed] for n in lengths]
        means = [sum(column) / len(column) for column in columns]
        color = None if colors is None else colors[index]
        (line,) = axes.plot(lengths, means, label=label, color=color)
        lows, highs = [min(c) for c in columns], [max(c) for c in columns]
        axes.fill_between(lengths, lows, highs, color=line.get_color(), alpha=0.2, lw=0)
    axes.set(xlabel="length of the number (digits)", ylabel="exactly right (%)")
    axes.set(ylim=(-4, 104), xticks=lengths)
    if trained_up_to is not None:
        if trained_up_to not in lengths:
            raise ValueError(f"trained_up_to must be in {lengths}, got {trained_up_to}")
        axes.axvspan(trained_up_to + 0.5, lengths[-1] + 0.5, color="0.93", lw=0)
        axes.set_xlim(lengths[0] - 0.3, lengths[-1] + 0.5)
    # Beyond training all may be alike: name the lines where they still differ.
    label_lines(axes, -1 if trained_up_to is None else lengths.index(trained_up_to))
