"""Benches: train a lab's networks with settings of one's own, beside the stored runs.

What is where::

    bench.py        the bench: settings, Train and Stop
    results.py      its other side: runs beside stored ones, saving
    fields.py       what the reader sets, and what is no setting
    job.py          trainings in a thread, which can be watched and stopped
    stored.py       a study's stored runs, and which of them are nearest
    pictures.py     what is drawn: measures, curves, losses
    page.py         how it looks: colours, words
    labs.py         the benches of the labs, ten lines each
"""

from attnlab.bench.bench import Bench
from attnlab.bench.fields import ChoiceField, WholeNumberField
from attnlab.bench.labs import (
    AlignmentBench,
    BottleneckBench,
    EncoderBench,
    HeadsBench,
    MemoryBench,
    PartsBench,
    PositionsBench,
    RecallBench,
    WindowsBench,
)
from attnlab.bench.pictures import Curve

__all__ = [
    "AlignmentBench",
    "Bench",
    "BottleneckBench",
    "ChoiceField",
    "Curve",
    "EncoderBench",
    "HeadsBench",
    "MemoryBench",
    "PartsBench",
    "PositionsBench",
    "RecallBench",
    "WholeNumberField",
    "WindowsBench",
]
