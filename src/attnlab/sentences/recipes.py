"""What there is to learn of real sentences, and how a translator is trained and scored.

A training's folder holds its checkpoint, the last weights of single epochs, the
translator made of their mean, its translations, and their scores as `result.json`.
"""

import json
import re
import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from attnlab.attention import MultiHeadAttention
from attnlab.checks import check_dropout, sentences_extra
from attnlab.data.corpora import multi30k, tatoeba
from attnlab.data.text import (
    Characters,
    Subwords,
    TextPairs,
    Tokenizer,
    simplified,
    split_pairs,
)
from attnlab.files import check_writable, write_atomically
from attnlab.layers import FeedForward
from attnlab.recurrent import count_parameters
from attnlab.sentences.scoring import score
from attnlab.sentences.translator import Translator, load_translator
from attnlab.store import command, machine, versions
from attnlab.training import History, cross_entropy_loss, mean_loss, set_seed, train
from attnlab.training.checkpoints import average_checkpoints, checkpoint_path
from attnlab.training.distributed import is_first, number_of_processes
from attnlab.transformer import Transformer

Texts = list[tuple[str, str]]  # sentences of the source and target language
SPLITS = ("train", "valid", "test")
# Signs that a caption is cut into words, and that it is not.
HTML_ENTITY = re.compile("&(quot|apos|amp);")
UNSPLIT = re.compile(r"\w[.,!?:\"')]+(\s|$)|[\"(]\w|\w'\w")  # punctuation at a word
SETTINGS = (  # of the training, as a recipe has them
    *("steps", "max_tokens", "accumulate", "lr", "schedule", "warmup", "clip"),
    *("precision", "seed", "checkpoint_every"),
)
MAX_BEAM = 100  # places in a beam


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How a translator is made, the options of `python -m attnlab.sentences TASK`.

    Its `--help` says what they mean, and `make_parser` has them in the same groups.
    """

    task: str

    train: int | None = None
    test: int | None = None
    vocab: int

    d_model: int = 128
    heads: int = 4
    layers: int
    d_ff: int = 256
    dropout: float = 0.3
    inner_dropout: float = 0.0
    norm_first: bool = False
    no_last_norm: bool = False
    init: str = "joint"
    positions: str = "sinusoidal"
    tie: str

    steps: int
    max_tokens: int
    accumulate: int = 1
    lr: float = 0.005
    schedule: str = "inverse_sqrt"
    warmup: float
    clip: float = 1.0
    label_smoothing: float = 0.1
    precision: str = "float32"
    average: int = 10
    seed: int = 0
    folder: Path | None = None
    checkpoint_every: int = 100
    no_resume: bool = False
    device: str | None = None
    quiet: bool = False

    beam: int = 5
    length_penalty: float = 1.0

    @property
    def home(self) -> Path:
        """Where everything goes."""
        return self.folder or Path("checkpoints") / f"{self.task}-{self.seed}"

    @property
    def checkpoint(self) -> Path:
        """What a training goes on from."""
        return self.home / "checkpoint.pt"

    def command(self) -> str:
        """Return the command that does the same."""
        own, words = TASKS[self.task].options, [self.task]
        for field in fields(self):
            value = getattr(self, field.name)
            if value != getattr(own, field.name):
                option = f"--{field.name.replace('_', '-')}"
                words += [option] if value is True else [option, str(value)]
        return shlex.join(["python", "-m", "attnlab.sentences", *words])


@dataclass(frozen=True)
class Task:
    """What there is to learn, and what the book takes to learn it.

    Attributes:
        languages: source and target.
        load: returns the texts of the three splits.
        tokenizers: makes both of the training texts and the recipe's `vocab`.
        tokenize: how sacrebleu's BLEU cuts the target language into words.
        options: what the book takes, the defaults of the command's options.
        data: where the sentences come from, and under which licence.
        prepare: brings a sentence as people write it into the source's form.
    """

    languages: tuple[str, str]
    load: Callable[[], dict[str, Texts]]
    tokenizers: Callable[[Texts, int], tuple[Tokenizer, Tokenizer]]
    tokenize: str
    options: Recipe
    data: str = ""
    prepare: Callable[[str], str] = str.strip


def load_multi30k() -> dict[str, Texts]:
    """Return the captions, lower-cased and cut into words by the data's authors."""
    return {split: multi30k(split) for split in SPLITS}


def caption_words(caption: str) -> str:
    """Return a caption in lower case and cut into words, as Multi30k's authors do.

    By Moses' rules, which write ' as &apos;. What has this form comes back as it is.
    """
    with sentences_extra():
        from sacremoses import MosesPunctNormalizer, MosesTokenizer

    caption = " ".join(caption.split())
    cut = HTML_ENTITY.search(caption) or not UNSPLIT.search(caption)
    if cut and caption == caption.lower():
        return caption
    normal = MosesPunctNormalizer("en").normalize(caption.lower())
    return MosesTokenizer("en").tokenize(normal, return_str=True)


def joint_subwords(texts: Texts, vocab_size: int) -> tuple[Tokenizer, Tokenizer]:
    """Return one tokenizer for both languages, learned from both."""
    both = (sentence for pair in texts for sentence in pair)
    tokenizer = Subwords.train(both, vocab_size, punctuation=False)
    return tokenizer, tokenizer


def load_tatoeba() -> dict[str, Texts]:
    """Return English and Chinese in one script; no sentence is in two splits."""
    pairs = [(one.english, simplified(one.chinese)) for one in tatoeba()]
    splits = split_pairs(pairs, valid=500, test=1000, seed=0)
    return dict(zip(SPLITS, splits, strict=True))


def subwords_and_characters(
    texts: Texts, vocab_size: int
) -> tuple[Tokenizer, Tokenizer]:
    """Return subwords of the source and the target's characters seen at least twice.

    Those seen once are unknown, so that a model learns what an unknown one looks like.
    """
    source = Subwords.train((english for english, _ in texts), vocab_size)
    return source, Characters.train((chinese for _, chinese in texts), at_least=2)


TASKS = {
    # The shape and the settings of the published result by fairseq's transformer_tiny.
    "multi30k": Task(
        languages=("en", "de"),
        load=load_multi30k,
        tokenizers=joint_subwords,
        tokenize="none",
        options=Recipe(
            task="multi30k",
            vocab=10_000,
            tie="all",
            layers=4,
            max_tokens=4096,
            steps=8000,
            warmup=0.25,  # 2,000 steps
        ),
        data="Multi30k, https://github.com/multi30k/dataset, for research",
        prepare=caption_words,
    ),
    # As large as a page may be that loads it: 1.4 million weights of 16 bits.
    "tatoeba": Task(
        languages=("en", "zh"),
        load=load_tatoeba,
        tokenizers=subwords_and_characters,
        tokenize="zh",
        options=Recipe(
            task="tatoeba",
            vocab=3000,
            tie="target",
            layers=2,
            max_tokens=2048,
            steps=9000,
            warmup=0.1,
        ),
        data="Tatoeba, https://tatoeba.org, CC BY 2.0 FR, "
        "as pairs from https://www.manythings.org/anki",
    ),
}
TIED_EMBEDDINGS = {"none": False, "target": True, "all": "all"}


def run(recipe: Recipe) -> dict | None:
    """Train, average, score and write; return the result, or None after Ctrl-C.

    Raises:
        OSError: a file cannot be written.
        ValueError: the corpus is missing or broken, or as `train`.
    """
    check_writable(checkpoint_path(recipe.checkpoint))
    task = TASKS[recipe.task]
    texts = task.load()
    texts["train"] = texts["train"][: recipe.train]
    tokenizers = task.tokenizers(texts["train"], recipe.vocab)
    pairs = [TextPairs(texts[split], *tokenizers) for split in ("train", "valid")]
    set_seed(recipe.seed)
    model, config = make_model(recipe, *map(len, tokenizers))
    history = _train_model(recipe, model, *pairs)
    if history.interrupted:
        return None
    if not is_first():  # the first process alone translates and writes
        return {}
    last = min(recipe.average, len(history.epochs))
    model.load_state_dict(average_checkpoints(recipe.checkpoint, last))
    record = {
        "task": recipe.task,
        "data": task.data,
        "languages": task.languages,
        "config": config,
        "parameters": count_parameters(model),
        "averaged": last,
        "seed": recipe.seed,
        "command": command(),
        "versions": versions() | {p: version(p) for p in ("sacrebleu", "tokenizers")},
        "machine": machine() | {"processes": number_of_processes()},
        "date": datetime.now(UTC).date().isoformat(),
        "seconds": round(history.seconds),
    }
    path = recipe.home / "model.safetensors"
    Translator(model, *tokenizers, record).save(path)
    return evaluate(task, recipe, load_translator(path), texts, history)


def _train_model(
    recipe: Recipe, model: Transformer, pairs: TextPairs, valid: TextPairs
) -> History:
    return train(
        model,
        pairs,
        **{name: getattr(recipe, name) for name in SETTINGS},
        betas=(0.9, 0.98),
        weight_decay=0.0,
        loss=partial(cross_entropy_loss, label_smoothing=recipe.label_smoothing),
        valid=valid,
        measure=mean_loss,
        checkpoint=recipe.checkpoint,
        keep_last_epochs=recipe.average,
        resume=not recipe.no_resume,
        progress=not recipe.quiet,
        device=recipe.device,
    )


def make_model(
    recipe: Recipe, src_vocab: int, tgt_vocab: int
) -> tuple[Transformer, dict]:
    """Return the model that the options describe, and its arguments."""
    config: dict[str, Any] = {
        "src_vocab": src_vocab,
        "tgt_vocab": tgt_vocab,
        "d_model": recipe.d_model,
        "num_heads": recipe.heads,
        "num_layers": recipe.layers,
        "d_ff": recipe.d_ff,
        "dropout": recipe.dropout,
        "norm_first": recipe.norm_first,
        "positions": recipe.positions,
        "tie_embeddings": TIED_EMBEDDINGS[recipe.tie],
        "init": recipe.init,
        "last_norm": not recipe.no_last_norm,
    }
    model = Transformer(**config)
    set_inner_dropout(model, recipe.inner_dropout)
    return model, config


def set_inner_dropout(model: Transformer, dropout: float) -> None:
    """Set the dropout on attention weights and inside the feed-forward layers.

    fairseq's Transformers leave these two at 0 and drop elements of the embeddings
    and of what each sublayer adds alone.

    Raises:
        TypeError, ValueError: no number in [0, 1).
    """
    check_dropout(dropout)
    for module in model.modules():
        if isinstance(module, MultiHeadAttention):
            module.dropout = dropout
        if isinstance(module, FeedForward):
            module.dropout.p = dropout


def evaluate(
    task: Task,
    recipe: Recipe,
    translator: Translator,
    texts: dict[str, Texts],
    history: History,
) -> dict:
    """Translate validation and test set with what is stored; score; write it all.

    The translator's weights are those of its file, rounded to float16, as the page
    has them.
    """
    decoding = {"width": recipe.beam, "length_penalty": recipe.length_penalty}
    texts = {split: texts[split][: recipe.test] for split in ("valid", "test")}
    if not recipe.quiet:
        print(
            f"translating {sum(map(len, texts.values())):,} sentences …",
            file=sys.stderr,
        )
    found, answers = measure(translator, task, texts, decoding)
    for split, translations in answers.items():
        _write(
            recipe.home / f"{split}.txt", "".join(f"{one}\n" for one in translations)
        )
    result = translator.metadata | {"decoding": decoding, **found}
    result["epochs"] = history.epochs
    text = json.dumps(result, ensure_ascii=False, indent=1)
    _write(recipe.home / "result.json", text + "\n")
    return result


def measure(
    translator: Translator, task: Task, texts: dict[str, Texts], decoding: dict
) -> tuple[dict, dict[str, list[str]]]:
    """Translate validation and test set, and hold them against the references.

    Args:
        translator: what to measure.
        task: says how its language is cut into words.
        texts: at least the splits "valid" and "test".
        decoding: the `width` and `length_penalty` of beam search.

    Returns:
        The "scores" of both splits, and the translations of each.
    """
    scores, answers = {}, {}
    for split in ("valid", "test"):
        sources, references = zip(*texts[split], strict=True)
        answers[split] = translator.translate(sources, **decoding)
        scores[split] = score(answers[split], references, tokenize=task.tokenize)
    return {"scores": scores}, answers


def _write(path: Path, text: str) -> None:
    write_atomically(path, text.encode())
