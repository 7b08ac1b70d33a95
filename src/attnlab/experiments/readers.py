"""What does a model learn that writes, beside one that fills blanks? (chapter 8)

Three models of one size learn the same English numerals, batch after batch:

- writer: causal, it predicts each next word (decoder-only);
- reader: it sees both sides and names the words that were blanked out, one in five
  and at least one (encoder-only);
- patient reader: the same, in four times the steps.

Each then writes as many numerals as there are held-out ones, drawing word by word. The
readers are told their lengths, and fill a row of blanks from left to right. Each has
the best of three learning rates, by its surprise on another seed.

    python -m attnlab.experiments.readers --tune
    python -m attnlab.experiments.readers --seeds 5
"""

import torch
from torch import Tensor

from attnlab.data import number_tokens, number_vocabulary, split_numbers
from attnlab.data.numbers import read_english
from attnlab.data.pairs import collate
from attnlab.experiments.study import Study, run_studies
from attnlab.store import grid
from attnlab.tagger import Tagger
from attnlab.tokens import BOS, EOS, PAD
from attnlab.training import set_seed, tagging_loss, train

STEPS = {"writer": 400, "reader": 400, "patient reader": 1_600}
TRAIN_NUMBERS, TEST_NUMBERS, DIGITS = 8_000, 300, (1, 6)
BLANKED = 0.2  # of the words that a reader learns from
MOST_WORDS = 20  # longer than any numeral of six digits

Example = tuple[list[int], list[int]]  # what is read, and what is to be said of it

vocabulary = number_vocabulary("en")
BLANK = len(vocabulary)  # one more id


def words_of(number: int) -> list[int]:
    """Return the ids of a number's English words."""
    return vocabulary.encode(number_tokens(number, "en"))


def to_write(number: int) -> Example:
    """Return a writer's example: after each word comes the next."""
    return [BOS, *words_of(number)], [*words_of(number), EOS]


def to_read(number: int, blanks: list[bool]) -> Example:
    """Return a reader's example: it is asked for the words under the blanks."""
    pairs = list(zip([*words_of(number), EOS], blanks, strict=True))
    read = [BLANK if blank else word for word, blank in pairs]
    return read, [word if blank else PAD for word, blank in pairs]


def draw_blanks(count: int) -> list[bool]:
    """Draw which of `count` words to blank out, at least one."""
    blanks = torch.rand(count) < BLANKED
    blanks[torch.randint(count, (1,))] = True
    return blanks.tolist()


def train_model(kind: str, numbers: list[int], lr: float, seed: int) -> Tagger:
    """Train one of the three models on `numbers`, at a peak rate of `lr`."""
    set_seed(seed)
    causal = kind == "writer"
    examples = [
        to_write(n) if causal else to_read(n, draw_blanks(len(words_of(n)) + 1))
        for n in numbers
    ]
    model = Tagger(BLANK + 1, BLANK + 1, 64, num_layers=2, d_ff=128, causal=causal)
    train(
        model,
        examples,
        loss=tagging_loss,
        lr=lr,
        steps=STEPS[kind],
        seed=seed,
        device="cpu",
        progress=False,
    )
    return model


@torch.no_grad()
def write(model: Tagger, count: int) -> list[list[int]]:
    """Draw `count` rows word by word, and return those that end."""
    ids = torch.full((count, 1), BOS)
    for _ in range(MOST_WORDS):
        drawn = model(ids)[:, -1].softmax(dim=-1).multinomial(1)  # (count, 1)
        ids = torch.cat([ids, drawn], dim=1)
    return [row[1 : row.index(EOS)] for row in ids.tolist() if EOS in row]


@torch.no_grad()
def fill(model: Tagger, lengths: list[int]) -> list[list[int]]:
    """Fill rows of blanks, of `lengths` words each, from left to right."""
    rows = [[BLANK] * length + [EOS] for length in lengths]
    ids = collate([(row, row) for row in rows]).src
    for place in range(max(lengths)):
        blank = ids[:, place] == BLANK
        drawn = model(ids)[:, place].softmax(dim=-1).multinomial(1)[:, 0]
        ids[blank, place] = drawn[blank]
    return [row[:n] for row, n in zip(ids.tolist(), lengths, strict=True)]


def is_numeral(ids: list[int]) -> bool:
    """Whether these words say a number up to 999,999."""
    words = vocabulary.decode([i for i in ids if i < BLANK])
    return len(words) == len(ids) and read_english(words) is not None


def hide_each(number: int) -> list[Example]:
    """Return a reader's examples for one numeral, each with one word hidden."""
    count = len(words_of(number))
    return [to_read(number, [i == j for j in range(count + 1)]) for i in range(count)]


@torch.no_grad()
def surprise(model: Tagger, examples: list[Example]) -> float:
    """Return the mean surprise at the words asked for, in nats."""
    batch = collate(examples)
    loss: Tensor = tagging_loss(model.eval(), batch)[0]
    return loss.item()


def measure_reader(*, seed: int, kind: str, lr: float) -> dict:
    """Train a model, let it write, and ask it for the words of held-out numerals.

    Returns:
        `numerals`: the share of what it wrote that is a numeral; `nats`: its mean
        surprise at a word; `first`: the first text that it wrote.
    """
    numbers, new = split_numbers(TRAIN_NUMBERS, TEST_NUMBERS, DIGITS, seed=0)
    model = train_model(kind, numbers, lr, seed).eval()
    torch.manual_seed(seed)
    if kind == "writer":
        texts = write(model, len(new))
        asked = [(read, [*said[:-1], PAD]) for read, said in map(to_write, new)]
    else:
        texts = fill(model, [len(words_of(number)) for number in new])
        asked = [example for number in new for example in hide_each(number)]
    first = " ".join(vocabulary.decode([i for i in texts[0] if i < BLANK]))
    right = sum(map(is_numeral, texts)) / len(new)
    return {"numerals": right, "nats": surprise(model, asked), "first": first}


def least_surprised(runs: list[dict]) -> dict:
    """Return the run with the least surprise at a word."""
    return min(runs, key=lambda run: run["figures"]["nats"])


STUDY = Study(
    "readers",
    measure_reader,
    grid(kind=list(STEPS)),
    (0.001, 0.003, 0.01, 0.03),
    least_surprised,
    threads=1,
)


if __name__ == "__main__":
    run_studies(__doc__, STUDY)
