"""A small model that writes captions of photographs, and the commands to use it.

    python -m attnlab.sentences.writer "a man" --temperature 0.8 --top-p 0.9 --seed 0
    python -m attnlab.sentences.writer train                   # six minutes on one core

The model (`attnlab.decoder_only`) learned 29,000 English captions, those of Multi30k,
in lower case and cut into words, from left to right: at every token, which one comes
next. What it writes begins with the words that it is given.

Training needs the captions, which are downloaded, or read where ATTNLAB_DATA says.
Everything goes into one folder, `checkpoints/writer-0` unless told otherwise: the
checkpoint, from which the same command goes on, and the writer, `writer.safetensors`,
which `--model` takes. (To write what begins with "train", put a space behind the word.)
"""

import argparse
import html
import math
import os
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import nn

from attnlab import saved
from attnlab.commands import INTERRUPTED, Help, integer, user_errors
from attnlab.data import BOS, EOS
from attnlab.data.corpora import multi30k
from attnlab.data.text import UNK, Subwords, Tokenizer
from attnlab.decoder_only import DecoderOnly
from attnlab.device import use_threads
from attnlab.files import check_writable
from attnlab.recurrent import count_parameters
from attnlab.sampling import sample
from attnlab.sentences.recipes import caption_words
from attnlab.sentences.translator import describe_tokenizer, make_tokenizer
from attnlab.store import command, machine, versions
from attnlab.training import History, mean_loss, next_token_loss, set_seed, train
from attnlab.training.settings import add_settings

MODEL = saved.FOLDER / f"{saved.WRITER}.safetensors"
SPLITS = ("train", "valid", "test")
VOCABULARY = 3000
MAX_PREFIX = 60  # tokens of a prefix; the longest caption has 48
DATA = "Multi30k, https://github.com/multi30k/dataset, for research"
SETTINGS = ("max_tokens", "lr", "warmup", "precision", "seed", "checkpoint_every")
# Of the rates tried for a training of one epoch, see `experiments.writers`.
RECIPE: dict[str, Any] = {"epochs": 15, "max_tokens": 2048, "lr": 0.01, "warmup": 0.05}
DROPOUT = 0.2


class Writer(NamedTuple):
    """What writes.

    Attributes:
        model: the network.
        tokenizer: between text and ids.
        metadata: what there is to say about it; `config` holds the model's arguments.
    """

    model: DecoderOnly
    tokenizer: Tokenizer
    metadata: dict

    def read(self, prefix: str) -> list[int]:
        """Return BOS and the ids of a text as people write it.

        Raises:
            TypeError: it is no text.
            ValueError: it has signs that the writer never saw, or too many of them.
        """
        words = caption_words(prefix)
        ids = self.tokenizer.encode(words)
        if UNK in ids:
            strange = [
                word for word in words.split() if UNK in self.tokenizer.encode(word)
            ]
            raise ValueError(
                f"the writer has never seen the signs of {strange[0]!r}: it learned "
                "English captions of photographs"
            )
        if len(ids) > MAX_PREFIX:
            raise ValueError(
                f"the text has {len(ids)} tokens, {MAX_PREFIX} are the most: "
                "the longest caption that the writer learned has 48"
            )
        return [BOS, *ids]

    def write(
        self, prefix: str = "", count: int = 1, *, seed: int = 0, **settings: Any
    ) -> list[str]:
        """Write captions that begin with a text.

        Args:
            prefix: the first words; "" leaves the first word to the writer as well.
            count: how many.
            seed: of the draws.
            settings: `temperature`, `top_k`, `top_p`, `max_len` of `sample`.

        Returns:
            So many captions, in lower case and cut into words.

        Raises:
            TypeError, ValueError: a setting out of range, or as `read`.
        """
        ids = torch.tensor([self.read(prefix)]).expand(count, -1)
        draws = torch.Generator().manual_seed(seed)
        found = sample(self.model, ids, generator=draws, **settings)
        texts = torch.cat([ids, found], dim=1)[:, 1:].tolist()
        return [html.unescape(self.tokenizer.decode(text)) for text in texts]

    def save(self, path: str | os.PathLike, *, bits: int = 16) -> None:
        """Write all of it into one file, as `attnlab.saved.save` does."""
        described = {"tokenizer": describe_tokenizer(self.tokenizer)}
        saved.save(path, self.model, self.metadata | described, bits=bits)


def load_writer(path: str | os.PathLike = MODEL) -> Writer:
    """Return what `Writer.save` wrote, the model in eval mode on the CPU.

    Raises:
        ValueError: there is no such file, or it is broken or something else.
    """
    try:
        model, metadata = saved.load(path)
        tokenizer = make_tokenizer(metadata.pop("tokenizer", None))
    except ValueError as error:
        raise ValueError(f"{path} is no writer that was saved: {error}") from error
    return Writer(model, tokenizer, metadata)


# Training ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Captions:
    """The captions of one split.

    Attributes:
        texts: as they are read, in lower case and cut into words.
        pairs: for `train`, `([EOS], [BOS, ids, EOS])`: there is nothing to translate.
    """

    texts: list[str]
    pairs: list[tuple[list[int], list[int]]]

    @property
    def words(self) -> int:
        """How many words there are to predict: the end of a caption is one."""
        return sum(len(text.split()) + 1 for text in self.texts)


def load_captions(
    vocab_size: int = VOCABULARY, train: int | None = None
) -> tuple[Subwords, dict[str, Captions]]:
    """Return a tokenizer made of the training captions, and the splits by their names.

    Args:
        vocab_size: how many tokens there are to be.
        train: how many captions to learn from; None takes all.

    Raises:
        ValueError, OSError: as `multi30k`.
    """
    texts = {split: [english for english, _ in multi30k(split)] for split in SPLITS}
    texts["train"] = texts["train"][:train]
    tokenizer = Subwords.train(texts["train"], vocab_size, punctuation=False)
    splits = {}
    for split, lines in texts.items():
        ids = [[BOS, *tokenizer.encode(line), EOS] for line in lines]
        splits[split] = Captions(lines, [([EOS], text) for text in ids])
    return tokenizer, splits


def learn(model: nn.Module, splits: dict[str, Captions], **settings: Any) -> History:
    """Train a model on captions; it is measured on the validation set as it goes.

    Args:
        model: maps tokens (B, n) to logits (B, n, vocabulary).
        splits: as `load_captions` returns them.
        settings: of `attnlab.training.train`; they replace `RECIPE`'s.
    """
    return train(
        model,
        splits["train"].pairs,
        loss=next_token_loss,
        valid=splits["valid"].pairs,
        measure=partial(mean_loss, loss=next_token_loss),
        **RECIPE | settings,
    )


def perplexity(model: nn.Module, captions: Captions) -> dict[str, float]:
    """Return exp(−mean log-probability) of captions, `per_word` and `per_token`.

    Per word it can be compared between models that cut words into different pieces; the
    end of a caption counts as a word and as a token.
    """
    tokens = sum(len(target) - 1 for _, target in captions.pairs)
    nats = mean_loss(model, captions.pairs, loss=next_token_loss) * tokens
    return perplexities(nats, tokens, captions.words)


def perplexities(nats: float, tokens: int, words: int) -> dict[str, float]:
    """Return both perplexities of captions to which a model gives e^−nats."""
    return {"per_word": math.exp(nats / words), "per_token": math.exp(nats / tokens)}


def run(args: argparse.Namespace) -> bool:
    """Train and save a writer as the options say; return whether it came to its end.

    Raises:
        OSError: a file cannot be written.
        ValueError: the captions are missing or broken, or as `train`.
    """
    folder = args.folder or Path("checkpoints") / f"writer-{args.seed}"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "writer.safetensors"
    check_writable(path)
    tokenizer, splits = load_captions(args.vocab, args.train)
    config = {name: getattr(args, name) for name in CONFIG}
    config["vocab_size"] = len(tokenizer)
    set_seed(args.seed)
    model = DecoderOnly(**config)
    history = learn(
        model,
        splits,
        **{name: getattr(args, name) for name in SETTINGS},
        epochs=args.epochs,
        checkpoint=folder / "checkpoint.pt",
        resume=not args.no_resume,
        device=args.device,
        progress=not args.quiet,
    )
    metadata = {
        "data": DATA,
        "config": config,
        "parameters": count_parameters(model),
        "perplexity": {s: perplexity(model, splits[s]) for s in SPLITS[1:]},
        "steps": len(history.loss),
        "epochs": len(history.epochs),
        "curve": history.epochs,
        "seed": args.seed,
        "command": command(),
        "versions": versions() | {"tokenizers": version("tokenizers")},
        "machine": machine(),
        "date": datetime.now(UTC).date().isoformat(),
        "seconds": round(history.seconds),
    }
    Writer(model, tokenizer, metadata).save(path)
    for split, value in metadata["perplexity"].items():
        print(f"{split:<5}  perplexity per word {value['per_word']:.2f}")
    print(f"written to {path}")
    return not history.interrupted


# Commands ---------------------------------------------------------------------------

CONFIG = ("d_model", "num_heads", "num_groups", "num_layers", "d_ff", "dropout")


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] == ["train"]:
        args = training_parser().parse_args(arguments[1:])
        with user_errors("what the last checkpoint holds is kept"):
            return 0 if run(args) else INTERRUPTED
    args = writing_parser().parse_args(arguments)
    with user_errors("what was written is printed"), use_threads(1):
        writer = load_writer(args.model)
        names = ("count", "seed", "temperature", "top_k", "top_p", "max_len")
        settings = {name: getattr(args, name) for name in names}
        for caption in writer.write(args.prefix, **settings):
            print(caption)
    return 0


def writing_parser() -> argparse.ArgumentParser:
    """Return the parser of the command that writes."""
    parser = argparse.ArgumentParser(
        prog="python -m attnlab.sentences.writer",
        description="Write captions of photographs, one a line. "
        "`python -m attnlab.sentences.writer train --help`: how to train what writes.",
        formatter_class=Help,
    )
    add = parser.add_argument
    add("prefix", nargs="?", default="", help="the first words of the caption")
    add("--temperature", type=float, default=1.0, help="0: always the most probable")
    add("--top-k", type=integer(1), help="draw from so many tokens at most")
    add("--top-p", type=float, default=1.0, help="draw from so much probability")
    add("--seed", type=integer(0, 2**32 - 1), default=0, help="of the draws")
    add("--count", type=integer(1, 1000), default=1, help="how many captions")
    add(
        "--max-len",
        type=integer(1, 1000),
        default=40,
        help="tokens to write at most",
    )
    add("--model", type=Path, default=MODEL, help="a writer that was trained")
    return parser


def training_parser() -> argparse.ArgumentParser:
    """Return the parser of the command that trains."""
    parser = argparse.ArgumentParser(
        prog="python -m attnlab.sentences.writer train",
        description="Train a decoder-only model that writes captions.",
        formatter_class=Help,
    )
    add = parser.add_argument_group("data").add_argument
    add("--train", type=integer(1), help="captions to learn from; default: all")
    add(
        "--vocab",
        type=integer(5),
        help="subwords of the tokenizer that is learned",
    )
    add = parser.add_argument_group("model").add_argument
    add("--d-model", type=integer(1), default=128, help="width of the states")
    add("--num-heads", type=integer(1), default=4, help="heads of queries")
    add("--num-groups", type=integer(1), default=2, help="heads of keys and values")
    add("--num-layers", type=integer(1), default=3, help="blocks")
    add(
        "--d-ff",
        type=integer(1),
        default=256,
        help="width inside feed-forward layers",
    )
    add("--dropout", type=float, default=DROPOUT, help="of embeddings and sublayers")
    group = parser.add_argument_group("training")
    add = group.add_argument
    add("--epochs", type=integer(1), help="times to see every caption")
    add_settings(group, *SETTINGS)
    add("--folder", type=Path, help="default: checkpoints/writer-SEED")
    add("--no-resume", action="store_true", help="start anew, overwrite the checkpoint")
    add("--device", help="cpu, cuda, mps; default: the best one present")
    add("--quiet", action="store_true", help="show no progress bar")
    parser.set_defaults(vocab=VOCABULARY, **RECIPE)
    return parser


if __name__ == "__main__":
    sys.exit(main())
