"""Diagrams of models: what is connected with what."""

from itertools import pairwise

from matplotlib.axes import Axes

from attnlab.figures.palette import BROWN, INK, NEUTRAL, ORCHID, TEAL


def draw_encoder_decoder(axes: Axes, source: list[str], target: list[str]) -> None:
    """Draw the bottleneck model: every path from source to target goes through C.

    Args:
        axes: where to draw; its frame and ticks are taken away.
        source: the words the encoder reads.
        target: the words the decoder writes, EOS included; it reads BOS first.

    Raises:
        ValueError: there are no words.
    """
    if not source or not target:
        raise ValueError(f"words are wanted on both sides, got {source} and {target}")
    start = len(source) + 1.2  # the place of the first decoder state; C is before it
    encoder = [(place, 0.0) for place in range(len(source))]
    decoder = [(start + place, 0.0) for place in range(len(target))]
    context = (len(source) + 0.1, 0.0)
    for states, below, above, color, name in (
        (encoder, source, None, TEAL, "h"),
        (decoder, ["BOS", *target[:-1]], target, BROWN, "s"),
    ):
        for step, (x, y) in enumerate(states):
            _box(axes, x, y, f"${name}_{step + 1}$", color)
            _arrow(axes, (x, -0.75), (x, -0.3))
            _word(axes, x, -1.0, below[step])
            if above:
                _arrow(axes, (x, 0.3), (x, 1.2))
                _word(axes, x, 1.45, above[step])
        for (left, y), (right, _) in pairwise(states):
            _arrow(axes, (left + 0.3, y), (right - 0.3, y))
    _box(axes, *context, "$C$", ORCHID)
    _arrow(axes, (encoder[-1][0] + 0.3, 0), (context[0] - 0.3, 0))
    _arrow(axes, (context[0] + 0.3, 0), (decoder[0][0] - 0.3, 0))
    for x, _ in decoder[1:]:  # C is shown again at every step
        _arrow(axes, (context[0], 0.3), (x - 0.15, 0.3), bend=-0.25, color=ORCHID)
    axes.text(-0.4, 0.7, "encoder", color=TEAL, fontweight="bold")
    axes.text(start - 0.3, -1.7, "decoder", color=BROWN, fontweight="bold")
    axes.set(xlim=(-0.6, decoder[-1][0] + 0.6), ylim=(-1.8, 1.7))
    axes.axis("off")


def _word(axes: Axes, x: float, y: float, word: str) -> None:
    """Write a word as it is: what stands between dollar signs is no formula."""
    axes.text(x, y, word, ha="center", va="center", color=INK, parse_math=False)


def _box(axes: Axes, x: float, y: float, text: str, color: str) -> None:
    frame = {"boxstyle": "round,pad=0.35", "facecolor": "none", "edgecolor": color}
    axes.text(x, y, text, ha="center", va="center", color=INK, bbox=frame | {"lw": 2})


def _arrow(
    axes: Axes, start: tuple, end: tuple, bend: float = 0.0, color: str = NEUTRAL
) -> None:
    style = {"arrowstyle": "-|>", "color": color, "lw": 1.5}
    axes.annotate(
        "", end, start, arrowprops=style | {"connectionstyle": f"arc3,rad={bend}"}
    )
