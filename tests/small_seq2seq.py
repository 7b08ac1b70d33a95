"""A small recurrent translator and its pairs, for the tests of training."""

from attnlab.data import NumberPairs
from attnlab.recurrent import Seq2Seq
from attnlab.scores import DotScore
from attnlab.training import set_seed

PAIRS = NumberPairs(list(range(100, 160)))


def make_model(seed=0, d_model=16, **options) -> Seq2Seq:
    set_seed(seed)
    options = {"score": DotScore(), "dropout": 0.2} | options
    return Seq2Seq(len(PAIRS.src_vocab), len(PAIRS.tgt_vocab), d_model, **options)
