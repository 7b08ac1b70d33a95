"""A tiny translator, untrained, for the tests of what uses one; and a task to learn."""

from attnlab.data.text import Characters, Subwords
from attnlab.sentences import recipes
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


WORDS = ("a", "dog", "cat", "runs", "sits", "here", "there", "now")
TINY = "--steps 8 --max-tokens 60 --d-model 8 --heads 2 --layers 1 --d-ff 8 --vocab 40"
TINY += " --average 2 --beam 2 --device cpu --quiet"
TINY = TINY.split()


def load_toy():
    """Sentences whose translation is the same words backwards."""
    sentences = [
        " ".join(WORDS[(i * k + i) % 8] for k in range(1, 3 + i % 4)) for i in range(40)
    ]
    pairs = [(one, " ".join(reversed(one.split()))) for one in sentences]
    return {"train": pairs[:30], "valid": pairs[30:35], "test": pairs[35:]}


def use_toy_task(monkeypatch, name):
    """Let the task of that name have these sentences."""
    options = recipes.TASKS[name].options
    joint = recipes.joint_subwords
    task = recipes.Task(("aa", "bb"), load_toy, joint, "none", options)
    monkeypatch.setitem(recipes.TASKS, name, task)
