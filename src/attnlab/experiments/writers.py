"""How well three kinds of models know which word comes next in a caption.

A decoder-only Transformer (`attnlab.decoder_only`), a GRU of as many parameters, and
counts of n tokens in a row (`attnlab.ngrams`) learn the English captions of Multi30k,
in the same 3,000 subwords, and are measured by their perplexity on captions that were
held out.

    ATTNLAB_DATA=… python -m attnlab.experiments.writers --tune --quiet
    ATTNLAB_DATA=… python -m attnlab.experiments.writers

The first tries five rates with each network for one epoch. (What is stored of the lower
three was computed in float32.) The second takes the best, by the validation set, for
fifteen epochs: six minutes of a CPU core for each network. For the GRU a run at 0.01 is
stored as well, the best of the first three rates: behind 0.03 after one epoch, ahead of
it after fifteen. The counts' order is chosen
by the validation set too (`best_order`); the test set has no say in anything. What was
stopped goes on from its checkpoint, in `checkpoints/writers/KIND-LR-EPOCHS-SEED`.

After fifteen epochs the GRU is at rest: its loss on the validation set was lowest after
the thirteenth. The decoder's was not, so a second study, `writers.longer`, gives it
twice as many (claim C56):

    ATTNLAB_DATA=… python -m attnlab.experiments.writers --longer
"""

from pathlib import Path

from torch import Tensor, nn
from torch.nn import functional as F

from attnlab import store
from attnlab.decoder_only import DecoderOnly
from attnlab.dropout import Dropout
from attnlab.experiments.study import Study, command_line
from attnlab.ngrams import KneserNey
from attnlab.recurrent import count_parameters
from attnlab.sentences.writer import (
    DROPOUT,
    RECIPE,
    Captions,
    learn,
    load_captions,
    perplexities,
    perplexity,
)
from attnlab.training import set_seed

KINDS = ("decoder", "gru")
RATES = (0.001, 0.003, 0.01, 0.03, 0.1)
HELD_OUT = ("valid", "test")
ORDERS = (2, 3, 4, 5)
# So that the GRU has as many parameters as the decoder, to one in a thousand.
GRU_WIDTH, D_MODEL = 308, 128


class RecurrentWriter(nn.Module):
    """A GRU that reads tokens and says what may come next, its embedding tied.

    Args:
        vocab_size: how many token ids there are.
        d_model: the width of the embeddings.
        width: of the GRU's state.
        dropout: on the embeddings and on what the GRU says.
    """

    def __init__(
        self, vocab_size: int, d_model: int, width: int, dropout: float
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)
        self.gru = nn.GRU(d_model, width, batch_first=True)
        self.output_layer = nn.Linear(width, d_model)
        self.dropout = Dropout(dropout)

    def forward(self, tokens: Tensor) -> Tensor:
        """Map tokens (B, n) to logits (B, n, vocab_size)."""
        states, _ = self.gru(self.dropout(self.embedding(tokens)))  # (B, n, width)
        said = self.output_layer(self.dropout(states))  # (B, n, d_model)
        return F.linear(said, self.embedding.weight)


def make_writer(kind: str, vocab_size: int) -> nn.Module:
    """Return a new network of one of the `KINDS`."""
    if kind == "gru":
        return RecurrentWriter(vocab_size, D_MODEL, GRU_WIDTH, DROPOUT)
    return DecoderOnly(vocab_size, D_MODEL, dropout=DROPOUT)


def measure_writer(
    *,
    seed: int,
    kind: str,
    lr: float,
    epochs: int = RECIPE["epochs"],
    train: int | None = None,
    precision: str = "bfloat16",
    folder: str | Path = "checkpoints/writers",
) -> dict:
    """Train a network to write captions, and measure it.

    Args:
        seed: of weights, order and dropout.
        kind: one of `KINDS`.
        lr: the highest rate.
        epochs: how often it sees every caption.
        train: how many captions it learns from; None takes all.
        precision: of products, as for `attnlab.training.train`.
        folder: where checkpoints lie.

    Returns:
        `parameters`, `training_seconds`, `curve` (of every epoch the loss on what it
        learned from and on the validation set) and, of both sets that were held out,
        the perplexities `per_word` and `per_token`.
    """
    tokenizer, splits = load_captions(train=train)
    set_seed(seed)
    model = make_writer(kind, len(tokenizer))
    home = Path(folder) / f"{kind}-{lr:g}-{epochs}-{seed}"
    home.mkdir(parents=True, exist_ok=True)
    checkpoint = home / "checkpoint.pt"
    history = learn(
        model,
        splits,
        seed=seed,
        lr=lr,
        epochs=epochs,
        checkpoint=checkpoint,
        checkpoint_every=50,
        precision=precision,
    )
    return {
        "parameters": count_parameters(model),
        "epochs": epochs,
        "training_seconds": round(history.seconds, 1),
        "curve": [
            {"loss": epoch["loss"], "valid": epoch["valid"]} for epoch in history.epochs
        ],
        **{split: perplexity(model, splits[split]) for split in HELD_OUT},
    }


def measure_counts(*, seed: int, order: int, train: int | None = None) -> dict:
    """Count `order` tokens in a row; the seed plays no part.

    Returns:
        `parameters`, how many counts there are, and the perplexities as above.
    """
    tokenizer, splits = load_captions(train=train)
    texts = [text for _, text in splits["train"].pairs]
    model = KneserNey(texts, order, len(tokenizer))
    counted = sum(map(len, model.counts.values()))
    held_out = {split: _perplexity(model, splits[split]) for split in HELD_OUT}
    return {"parameters": counted, **held_out}


def _perplexity(model: KneserNey, captions: Captions) -> dict[str, float]:
    texts = [text for _, text in captions.pairs]
    nats = -sum(map(model.log_probability, texts))
    tokens = sum(len(text) - 1 for text in texts)
    return perplexities(nats, tokens, captions.words)


def lowest_on_valid(runs: list[dict]) -> dict:
    """Return the run whose perplexity on the validation set is the lowest."""
    return min(runs, key=lambda run: run["figures"]["valid"]["per_word"])


def best_order() -> dict:
    """Return the stored run of the order that does best on the validation set."""
    return lowest_on_valid(store.load("writers.counts")["runs"])


NETWORKS = Study(
    "writers",
    measure_writer,
    store.grid(kind=list(KINDS)),
    RATES,
    lowest_on_valid,
    shorter={"epochs": 1},
    threads=1,
)
LONGER = Study(
    "writers.longer",
    measure_writer,
    [{"kind": "decoder", "lr": 0.01, "epochs": 30, "precision": "float32"}],
    threads=1,
)
COUNTS = Study("writers.counts", measure_counts, store.grid(order=list(ORDERS)))


def main() -> None:
    """Tune or measure the networks, and count, as the command line asks."""
    parser = command_line(__doc__, seeds=1, tune=True)
    parser.add_argument("--kind", choices=(*KINDS, "counts"), help="this kind alone")
    parser.add_argument("--longer", action="store_true", help="twice the epochs")
    args = parser.parse_args()
    if args.longer:
        LONGER.run(args)
        return
    for setting in NETWORKS.settings:
        if args.kind in (None, setting["kind"]):
            NETWORKS.run(args, [setting])
    if args.kind in (None, "counts"):
        COUNTS.run(args)


if __name__ == "__main__":
    main()
