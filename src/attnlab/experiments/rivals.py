"""Transformer against GRU with attention, on real sentences (claims C53 and C56).

They learn to translate from English to Chinese, sentences of up to eight words from
Tatoeba, with about 770,000 parameters each, most of them embeddings. Data, batches,
dropout, optimizer and schedule are the same, and so is the effort of tuning: each
comes in two variants, and each variant gets four learning rates on a seed that is not
among those reported. The better variant runs with three seeds.

- transformer: two layers on either side, width 80, feed-forward layers of 120;
  post-norm or pre-norm;
- transformer ×4: feed-forward layers four times as wide as the model, as in the paper,
  which leaves a width of 72; post-norm or pre-norm;
- gru: chapter 2's model, width 96, reading both ways; general or additive score;
- attention alone: the Transformer without feed-forward layers, width 88; post-norm or
  pre-norm.

A second study, `rivals.parts`, asks what the feed-forward layers are for where the
width stays: the transformer of width 80 without them, and with linear ones, at the
rate that was best for all the others, the linear ones at a third of it, too.

After every epoch: the loss on the validation sentences, and chrF of greedy translations
of some of them, each with the steps and the seconds of one core's work until then. The
learning rate falls as 1/√step, so that no point of a curve was trained for less than
its steps allow.

    ATTNLAB_DATA=… python -m attnlab.experiments.rivals --tune
    ATTNLAB_DATA=… python -m attnlab.experiments.rivals --seeds 3
    ATTNLAB_DATA=… python -m attnlab.experiments.rivals --speed
    ATTNLAB_DATA=… python -m attnlab.experiments.rivals --parts --seeds 3

A third, `rivals.rest`, goes on with the same runs until they are at rest: until
`PATIENCE` epochs together lower the lowest validation loss by less than `LEAST_GAIN`.

    ATTNLAB_DATA=… python -m attnlab.experiments.rivals --rest --kinds gru --seeds 2

It takes ten minutes of a core for each seed. What was stopped goes on from its
checkpoint, in `checkpoints/rivals/VARIANT-SEED`. Without ATTNLAB_DATA the sentences are
downloaded.
"""

import time
from functools import cache
from itertools import islice, pairwise
from pathlib import Path
from statistics import median
from typing import Any

from torch import nn

from attnlab.checks import check_choice
from attnlab.data import batches
from attnlab.data.text import TextPairs
from attnlab.experiments.ablations import LinearFeedForward, NoFeedForward, layers_of
from attnlab.experiments.numerals import seconds_per_step
from attnlab.experiments.study import Study, command_line
from attnlab.recurrent import Seq2Seq, count_parameters
from attnlab.scores import AdditiveScore, GeneralScore
from attnlab.sentences.recipes import SPLITS, load_tatoeba, subwords_and_characters
from attnlab.sentences.scoring import score
from attnlab.sentences.translator import Translator
from attnlab.store import grid, load, select
from attnlab.training import History, mean_loss, set_seed, train
from attnlab.transformer import Transformer

MAX_WORDS = 8
SUBWORDS = 2000
MAX_LEN = 40  # tokens of a translation
STEPS, TUNING_STEPS = 1800, 500
MAX_TOKENS = 1024
WARMUP = STEPS // 10
PATIENCE, LEAST_GAIN, MOST_STEPS = 5, 0.01, 10_000  # until a training is at rest
DROPOUT = 0.2
RATES = (1e-3, 3e-3, 1e-2, 3e-2)
RECIPE: dict[str, Any] = {
    "max_tokens": MAX_TOKENS,
    "schedule": "inverse_sqrt",
    "betas": (0.9, 0.98),
    "weight_decay": 0.0,
    "device": "cpu",
}

TRANSFORMER: dict[str, Any] = {
    "d_model": 80,
    "num_heads": 4,
    "num_layers": 2,
    "d_ff": 120,
}
OTHER_SHAPES = {
    "transformer ×4": {"d_model": 72, "d_ff": 4 * 72},
    "attention alone": {"d_model": 88},
}
KINDS = {
    "transformer": ("transformer, post-norm", "transformer, pre-norm"),
    "transformer ×4": ("transformer ×4, post-norm", "transformer ×4, pre-norm"),
    "gru": ("gru, general", "gru, additive"),
    "attention alone": ("attention alone, post-norm", "attention alone, pre-norm"),
}
VARIANTS = tuple(variant for variants in KINDS.values() for variant in variants)
PARTS = "no feed-forward, pre-norm", "linear, pre-norm"  # of the transformer's width


@cache
def load_texts(most_words: int = MAX_WORDS) -> dict[str, TextPairs]:
    """Return training, validation and test pairs of short English sentences.

    The tokenizers are those of the training pairs, `pairs.src_vocab` and `tgt_vocab`.
    """
    splits = {
        name: [pair for pair in pairs if len(pair[0].split()) <= most_words]
        for name, pairs in load_tatoeba().items()
    }
    tokenizers = subwords_and_characters(splits["train"], SUBWORDS)
    return {name: TextPairs(splits[name], *tokenizers) for name in SPLITS}


def build(variant: str, src_vocab: int, tgt_vocab: int) -> nn.Module:
    """Return the untrained contender.

    Raises:
        ValueError: an unknown variant.
    """
    check_choice("variant", variant, VARIANTS + PARTS)
    sizes = src_vocab, tgt_vocab
    if variant in KINDS["gru"]:
        additive = variant == "gru, additive"
        score = AdditiveScore(96, 96, 96) if additive else GeneralScore(96, 96)
        return Seq2Seq(*sizes, 96, score=score, bidirectional=True, dropout=DROPOUT)
    kind, norm = variant.split(", ")
    shape = TRANSFORMER | OTHER_SHAPES.get(kind, {})
    norm_first = norm == "pre-norm"
    model = Transformer(*sizes, **shape, dropout=DROPOUT, norm_first=norm_first)
    for layer in layers_of(model):
        if kind in ("attention alone", "no feed-forward"):
            layer.feed_forward = NoFeedForward()
        elif kind == "linear":
            width = shape["d_model"]
            layer.feed_forward = LinearFeedForward(width, shape["d_ff"], DROPOUT)
    return model


class TrainingCurve:
    """Measures a model in training, as `train(…, measure=…)` asks, off the clock.

    Attributes:
        rows: one dict a call: `seconds` of this process's work since the watch was
            made, measuring left out; `loss`; and `chrf`.
    """

    def __init__(self, sentences: int) -> None:
        self.rows: list[dict] = []
        self.sentences = sentences
        self.start = time.process_time()

    def __call__(self, model: nn.Module, pairs: Any) -> float:
        """Measure, and return the loss."""
        clock = time.process_time()
        loss = mean_loss(model, pairs)
        scores = translate_and_score(model, pairs, self.sentences)
        row = {"seconds": clock - self.start, "loss": loss, "chrf": scores["chrf"]}
        self.rows.append({name: round(value, 3) for name, value in row.items()})
        self.start += time.process_time() - clock
        return loss


def translate_and_score(
    model: Any, pairs: TextPairs, sentences: int | None = None
) -> dict[str, float]:
    """Translate greedily the first `sentences` of the pairs, or all: BLEU and chrF."""
    sources, references = zip(*pairs.texts[:sentences], strict=True)
    translator = Translator(model, pairs.src_vocab, pairs.tgt_vocab, {})
    answers = translator.translate(sources, width=1, max_len=MAX_LEN)
    scores = score(answers, references, tokenize="zh", resamples=0)
    return {name: value["score"] for name, value in scores.items()}


def measure_rival(
    *, seed: int, variant: str, lr: float, steps: int = STEPS, sentences: int = 200
) -> dict:
    """Train one contender and score it.

    Returns:
        `parameters`; `curve`, for every epoch `step`, and what `Watch` saw (of chrF on
        `sentences` sentences); `test`, the loss, BLEU and chrF on the test sentences.
    """
    texts = load_texts()
    set_seed(seed)
    sizes = len(texts["train"].src_vocab), len(texts["train"].tgt_vocab)
    model = build(variant, *sizes)
    watch = TrainingCurve(sentences)
    history = train(
        model,
        texts["train"],
        steps=steps,
        lr=lr,
        warmup=0.1,
        valid=texts["valid"],
        measure=watch,
        seed=seed,
        progress=False,
        **RECIPE,
    )
    test_loss = mean_loss(model, texts["test"])
    return {
        "parameters": count_parameters(model),
        "curve": [
            {"step": epoch["step"], **row}
            for epoch, row in zip(history.epochs, watch.rows, strict=True)
        ],
        "test": {"loss": test_loss, **translate_and_score(model, texts["test"])},
    }


def at_rest(losses: list[float]) -> bool:
    """Have the last `PATIENCE` epochs lowered the loss by less than `LEAST_GAIN`?

    >>> at_rest([3.0, 2.0, 2.0, 1.995, 2.1, 2.1, 2.1])
    True
    >>> at_rest([3.0, 2.0, 2.0, 1.98, 2.1, 2.1, 2.1])
    False
    """
    before, lately = losses[:-PATIENCE], losses[-PATIENCE:]
    return bool(before) and min(before) - min(lately) < LEAST_GAIN


def measure_rest(
    *, seed: int, variant: str, lr: float, steps: int = MOST_STEPS
) -> dict:
    """Train one contender as `measure_rival` does, but until it is at rest.

    Returns:
        `parameters`; `curve`, for every epoch `step` and the validation `loss`;
        `rests`, whether it came to rest before `steps` batches; `test` as in
        `measure_rival`.
    """
    texts = load_texts()
    set_seed(seed)
    sizes = len(texts["train"].src_vocab), len(texts["train"].tgt_vocab)
    model = build(variant, *sizes)
    home = Path("checkpoints/rivals") / f"{variant}-{seed}"
    home.mkdir(parents=True, exist_ok=True)

    def rests(history: History, _: int) -> bool:
        return at_rest([epoch["valid"] for epoch in history.epochs])

    history = train(
        model,
        texts["train"],
        steps=steps,
        lr=lr,
        warmup=WARMUP / steps,  # as many batches as in the shorter runs
        valid=texts["valid"],
        measure=mean_loss,
        seed=seed,
        progress=rests,
        **RECIPE,
        checkpoint=home / "checkpoint.pt",
    )
    test_loss = mean_loss(model, texts["test"])
    return {
        "parameters": count_parameters(model),
        "curve": [
            {"step": epoch["step"], "loss": round(epoch["valid"], 3)}
            for epoch in history.epochs
        ],
        "rests": history.interrupted,
        "test": {"loss": test_loss, **translate_and_score(model, texts["test"])},
    }


def interpolate(curve: list[dict], place: float, *, along: str, what: str) -> float:
    """Read a curve between its points.

    Args:
        curve: rows with `along` and `what`, in order.
        place: where on the axis `along`: "step" or "seconds".
        what: "loss" or "chrf".

    Raises:
        ValueError: the curve does not reach there.
    """
    for before, after in pairwise(curve):
        if before[along] <= place <= after[along]:
            way = (place - before[along]) / (after[along] - before[along])
            return before[what] + way * (after[what] - before[what])
    raise ValueError(
        f"{along} {place} is not within {curve[0][along]} … {curve[-1][along]}"
    )


def against_seconds(variant: str, curve: list[dict]) -> list[dict]:
    """Return a contender's curve with its seconds by the stored times of a step.

    Those were taken in turns with the others'; the seconds of a training also tell what
    else the machine did.
    """
    timed = [run["figures"][variant] for run in load("rivals.speed")["runs"]]
    per_step = median(timed) / 1000
    return [row | {"seconds": per_step * row["step"]} for row in curve]


def measure_speed(*, seed: int, steps: int = 40) -> dict:
    """Time the steps of all contenders: `{variant: milliseconds of one core}`."""
    pairs = load_texts()["train"]
    set_seed(seed)
    sizes = len(pairs.src_vocab), len(pairs.tgt_vocab)
    models = {variant: build(variant, *sizes) for variant in VARIANTS}
    drawn = islice(batches(pairs, max_tokens=MAX_TOKENS, seed=seed), steps)
    seconds = seconds_per_step(models, list(drawn), seed=seed)
    return {name: round(1000 * value, 2) for name, value in seconds.items()}


# Seconds are those of one core. What is tuned besides the rate is the variant.
TUNING_SETTINGS = grid(variant=list(VARIANTS), steps=[TUNING_STEPS])
TUNING = Study("rivals", measure_rival, TUNING_SETTINGS, RATES, threads=1)
SPEED = Study("rivals.speed", measure_speed, [{}], threads=1)
WITHOUT, LINEAR = (grid(variant=[variant], lr=[1e-2]) for variant in PARTS)
LINEAR += grid(variant=[PARTS[1]], lr=[3e-3])  # harder to train: a second rate


def best_setting(kind: str) -> dict:
    """The variant and the rate of that kind with the lowest loss on the tuning seed."""
    stored = load("rivals.tuning")
    tuned = [one for name in KINDS[kind] for one in select(stored, variant=name)]
    best = min(tuned, key=lambda one: one["figures"]["curve"][-1]["loss"])
    return {name: best["setting"][name] for name in ("variant", "lr")}


def main() -> None:
    """Tune; or time; or run the best of each kind."""
    parser = command_line(__doc__, seeds=3, tune=True)
    parser.add_argument("--speed", action="store_true", help="time the steps alone")
    parser.add_argument("--parts", action="store_true", help="the feed-forward layers")
    parser.add_argument("--rest", action="store_true", help="train until at rest")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    args = parser.parse_args()
    if args.tune:
        TUNING.run(args)
    elif args.speed:
        SPEED.run(args)
    elif args.parts:
        Study("rivals.parts", measure_rival, WITHOUT + LINEAR, threads=1).run(args)
    elif args.rest:
        settings = [best_setting(kind) for kind in args.kinds]
        Study("rivals.rest", measure_rest, settings, threads=1).run(args)
    else:
        settings = [best_setting(kind) for kind in args.kinds]
        Study("rivals", measure_rival, settings, threads=1).run(args)


if __name__ == "__main__":
    main()
