"""A tiny translator, untrained, for the tests of what uses one."""

from attnlab.data.text import Characters, Subwords
from attnlab.sentences.translator import Translator
from attnlab.training import set_seed
from attnlab.transformer import Transformer

ENGLISH = ["the cat sat on the mat .", "a cat and a dog sat there .", "the dog ran"]
CHINESE = ["猫坐在垫子上。", "一只猫和一只狗坐在那里。", "狗跑了"]


def make_translator(tie=True, characters=True):
    source = Subwords.train(ENGLISH, 60, punctuation=False)
    target = Characters.train(CHINESE) if characters else source
    config = {
        "src_vocab": len(source),
        "tgt_vocab": len(target),
        "d_model": 16,
        "num_heads": 2,
        "num_layers": 2,
        "d_ff": 16,
        "tie_embeddings": tie,
    }
    set_seed(0)
    model = Transformer(**config).eval()
    return Translator(model, source, target, {"config": config, "seed": 0})
