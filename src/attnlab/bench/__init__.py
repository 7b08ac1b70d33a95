"""Benches: train a lab's networks with settings of one's own, beside the stored runs.

What is where::

    base.py         the bench: settings, Train and Stop, runs side by side, saving
    fields.py       what the reader sets, and what is no setting
    job.py          one training in a thread, which can be watched and stopped
    stored.py       the study's stored runs, and which of them is nearest
    page.py         how it looks: colours, drawings, text
    bottleneck.py, alignment.py     a bench each: what it trains, compares and draws
"""

from attnlab.bench.alignment import AlignmentBench
from attnlab.bench.bottleneck import BottleneckBench

__all__ = ["AlignmentBench", "BottleneckBench"]
