"""A published figure, by the book's own code: Multi30k, English to German.

Wu et al. (2021) report BLEU 41.02 on the test set of 2016 for fairseq's
`transformer_tiny`: 2.6 million parameters, sentences in lower case and cut into words.
The Transformer here has the same shape and settings (`recipes.TASKS`), by
post-norm as there, or by pre-norm.

    ATTNLAB_DATA=… python -m attnlab.experiments.multi30k
    ATTNLAB_DATA=… python -m attnlab.experiments.multi30k --norm pre --steps 3000
    ATTNLAB_DATA=… python -m attnlab.experiments.multi30k --init separate --no-last-norm

does what `python -m attnlab.sentences multi30k --precision bfloat16` does with each
seed, scores the translator, looks into it, and stores all: an hour of a CPU core
for 8,000 steps. What was stopped goes on from its checkpoint, in
`checkpoints/multi30k-NORM-INIT-LAST_NORM-STEPS-SEED`, and what is trained is only
scored. Without ATTNLAB_DATA the sentences are downloaded.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from attnlab.attention import GAINS
from attnlab.data import PAD
from attnlab.data.pairs import Batch, collate
from attnlab.data.text import TextPairs
from attnlab.decoding import evaluating
from attnlab.experiments.study import Study, command_line
from attnlab.sentences import recipes
from attnlab.sentences.translator import load_translator
from attnlab.training import PRECISIONS, cross_entropy_loss
from attnlab.transformer import Transformer

NAME = "multi30k"
NORMS = ("post", "pre")
STEPS = 8000
KEPT = (
    "config",
    "parameters",
    "averaged",
    "decoding",
    "scores",
    "versions",
)
SENTENCES = 200  # of the validation set, to look into a translator
EXAMPLES = 3  # of the test set, its first


def measure_translator(
    *,
    seed: int,
    norm: str,
    init: str,
    last_norm: bool,
    steps: int,
    precision: str = "bfloat16",
    **options: Any,
) -> dict:
    """Train a translator, score it and look into it.

    Args:
        seed: of weights, order and dropout.
        norm: "post" or "pre".
        init: "joint" or "separate", as for `attnlab.MultiHeadAttention`.
        last_norm: a LayerNorm after the last layers, as for `attnlab.Transformer`.
        steps: batches to learn from.
        precision, options: more of a `recipes.Recipe`.

    Returns:
        `config`, `parameters`, `averaged` (epochs), `decoding`, `scores` and
        `versions` as `recipes` finds them; `training_command`, which does the
        same without this experiment, and `training_seconds`; `curve`, of every
        epoch the last `step` and `valid`, the loss on the validation set; `examples`,
        each an English sentence, the reference and the translation; `alike`, see
        `word_similarity_by_layer`; `loss` and `loss_of_others`, see `losses`.
    """
    parts = NAME, norm, init, last_norm, steps, seed
    folder = Path("checkpoints") / "-".join(map(str, parts))
    task = recipes.TASKS[NAME]
    recipe = replace(
        task.options,
        seed=seed,
        steps=steps,
        norm_first=norm == "pre",
        init=init,
        no_last_norm=not last_norm,
        folder=folder,
        precision=precision,
        quiet=True,
        **options,
    )
    result = recipes.run(recipe)
    if result is None:
        raise KeyboardInterrupt
    metrics = {name: result[name] for name in KEPT}
    metrics["training_command"] = recipe.command()
    metrics["training_seconds"] = result["seconds"]
    metrics["curve"] = [
        {"step": epoch["step"], "valid": round(epoch["valid"], 4)}
        for epoch in result["epochs"]
    ]
    translator = load_translator(folder / "model.safetensors")
    tokenizers = translator.src_tokenizer, translator.tgt_tokenizer
    texts = task.load()
    answers = (folder / "test.txt").read_text(encoding="utf-8").splitlines()
    asked = zip(texts["test"][:EXAMPLES], answers, strict=False)
    metrics["examples"] = [[*pair, answer] for pair, answer in asked]
    pairs = TextPairs(texts["valid"][:SENTENCES], *tokenizers)
    batch = collate(pairs)
    metrics["alike"] = word_similarity_by_layer(translator.model, batch.src)
    metrics["loss"], metrics["loss_of_others"] = losses(translator.model, batch)
    return metrics


def word_similarity_by_layer(model: Transformer, src: Tensor) -> list[float]:
    """How alike do the words of a sentence become on their way through the encoder?

    Args:
        model: whose encoder.
        src: (B, L_s) ids.

    Returns:
        The cosine between two different words of a sentence, the mean over all pairs:
        of the embeddings with their positions, and after every layer.
    """
    real = src != PAD  # (B, L_s)
    different = ~torch.eye(src.shape[1], dtype=torch.bool)
    pairs = real[:, :, None] & real[:, None, :] & different  # (B, L_s, L_s)
    with evaluating(model):
        x = model._embed(model.src_embedding, src, 0)  # (B, L_s, d_model)
        states = [x]
        for layer in model.encoder.layers:
            x, _ = layer(x, model.src_mask(src))
            states.append(x)
    units = [F.normalize(state, dim=-1) for state in states]
    return [round((one @ one.mT)[pairs].mean().item(), 4) for one in units]


def losses(model: Transformer, batch: Batch) -> tuple[float, float]:
    """The loss with the right source sentences, and with the next pair's instead.

    A translator that does not read its source loses nothing by the exchange.
    """
    others = Batch(batch.src.roll(1, dims=0), batch.tgt)
    with evaluating(model):
        both = [cross_entropy_loss(model, one)[0].item() for one in (batch, others)]
    return round(both[0], 3), round(both[1], 3)


def main() -> None:
    """Train, score and look, for every seed."""
    parser = command_line(__doc__, seeds=1)
    parser.add_argument("--norm", choices=NORMS, default="post")
    parser.add_argument("--init", choices=GAINS, default="joint")
    parser.add_argument("--no-last-norm", action="store_true")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--warmup", type=float, help="share of the steps")
    parser.add_argument("--precision", choices=PRECISIONS, help="(default: bfloat16)")
    args = parser.parse_args()
    setting = {
        "norm": args.norm,
        "init": args.init,
        "last_norm": not args.no_last_norm,
        "steps": args.steps,
    }
    if args.warmup is not None:
        setting["warmup"] = args.warmup
    if args.precision is not None:
        setting["precision"] = args.precision
    Study(NAME, measure_translator, [setting], threads=1).run(args)


if __name__ == "__main__":
    main()
