"""Does a window help because old items mislead? (claim C58's rivals)

In the task *latest* of `attnlab.experiments.windows` a window of 64 is right more often
than full attention. Three things may be to blame for what full attention misses: it
learns more slowly, it finds what stands far away less well, or older items of the same
letter mislead it. So, for full attention and for the window:

- *latest*, 600 steps and four times as many, on four times as many sequences;
- *kept*, 100 steps and 600, a task that differs in one thing: a letter keeps its
  digit, so that older items say the same and nothing misleads. It is learned sooner;
  stopped at 100 steps, full attention misses there as well.

Of the questions whose item stands 49 to 64 back, in the last quarter of what the window
sees in one step, three shares are right: as they are; with all older items of the same
letter made noise; and with all older items of the *other* letters made noise. And of
the wrong answers: how many name a digit that the letter had before?

    python -m attnlab.experiments.misled --tune       # learning rates, once
    python -m attnlab.experiments.misled --seeds 5

The tuning seed is not among those reported.
"""

import random
from typing import NamedTuple

import torch
from torch import Tensor, nn

from attnlab.checks import check_choice
from attnlab.data import PAD, collate
from attnlab.data.pairs import Pairs
from attnlab.experiments.recall import (
    DIGITS,
    FIRST_ITEM,
    FIRST_NOISE,
    FIRST_QUESTION,
    LETTERS,
    NOISE,
    distances,
)
from attnlab.experiments.study import Study, run_studies
from attnlab.experiments.windows import (
    LENGTH,
    build,
    make_latest,
    right_by_distance,
    run_with_most_right,
)
from attnlab.store import grid
from attnlab.training import set_seed, tagging_loss, train

TASKS = ("latest", "kept")
VARIANTS = ("full", "window 64")
NEAREST, FARTHEST = 49, 64
BATCH = 8
STEPS = {"latest": (600, 2_400), "kept": (100, 600)}
TEST_SEQUENCES = 200


def make_kept(rng: random.Random, length: int) -> tuple[list[int], list[int]]:
    """Return a sequence as `make_latest` does, whose letters keep their digits."""
    tokens, classes = make_latest(rng, length)
    digits = [(token - FIRST_ITEM) % DIGITS for token in tokens[:LETTERS]]
    for place, token in enumerate(tokens):
        if token >= FIRST_ITEM:
            letter = (token - FIRST_ITEM) // DIGITS
            tokens[place] = FIRST_ITEM + DIGITS * letter + digits[letter]
        elif FIRST_QUESTION <= token < FIRST_NOISE:
            classes[place] = 1 + digits[token - FIRST_QUESTION]
    return tokens, classes


def make_pairs(task: str, count: int, seed: int, *, mixed: bool = False) -> Pairs:
    """Return so many sequences of a task; `mixed` as in `windows.make_pairs`.

    Raises:
        ValueError: an unknown task.
    """
    check_choice("task", task, TASKS)
    make = {"latest": make_latest, "kept": make_kept}[task]
    rng, pairs = random.Random(seed), []
    for _ in range(count):
        length = round(8 * (LENGTH / 8) ** rng.random()) if mixed else LENGTH
        pairs.append(make(rng, length))
    return pairs


class Question(NamedTuple):
    """One question of a sequence whose item stands far back.

    Attributes:
        tokens: the sequence, to the question.
        answer: the class wanted.
        latest: the place of the item that is asked for.
        before: the classes that older items of the letter have, without the answer's.
    """

    tokens: list[int]
    answer: int
    latest: int
    before: set[int]


def far_questions(pairs: Pairs) -> list[Question]:
    """Return all questions whose item stands `NEAREST` to `FARTHEST` tokens back."""
    found = []
    for tokens, classes in pairs:
        for place, far in enumerate(distances(tokens)):
            if NEAREST <= far <= FARTHEST:
                latest, answer = place - far, classes[place]
                letter = tokens[place] - FIRST_QUESTION
                old = [tokens[i] for i in items_before(tokens, latest, {letter})]
                before = {1 + (token - FIRST_ITEM) % DIGITS for token in old}
                asked = tokens[: place + 1]
                found.append(Question(asked, answer, latest, before - {answer}))
    return found


def items_before(tokens: list[int], end: int, letters: set[int]) -> list[int]:
    """The places before `end` at which there is an item of one of these letters."""
    return [
        place
        for place, token in enumerate(tokens[:end])
        if token >= FIRST_ITEM and (token - FIRST_ITEM) // DIGITS in letters
    ]


def without_items(question: Question, letters: set[int], seed: int) -> list[int]:
    """The question's tokens, older items of these letters each made some noise."""
    rng, tokens = random.Random(seed), list(question.tokens)
    for place in items_before(tokens, question.latest, letters):
        tokens[place] = FIRST_NOISE + rng.randrange(NOISE)
    return tokens


@torch.no_grad()
def answers(model: nn.Module, sequences: list[list[int]]) -> Tensor:
    """Return the class given to the last token of each sequence, (sequences,)."""
    said = []
    for start in range(0, len(sequences), 50):
        chunk = sequences[start : start + 50]
        ends = torch.tensor([len(tokens) - 1 for tokens in chunk])
        src = collate([(tokens, [PAD] * len(tokens)) for tokens in chunk]).src
        said.append(model(src).argmax(-1)[torch.arange(len(chunk)), ends])
    return torch.cat(said)


def test_explanations(model: nn.Module, pairs: Pairs) -> dict:
    """What far questions the model misses, and what older items have to do with it.

    Returns:
        `questions`: how many; `as_it_is`, `without_old`, `without_others`: the share
        right, see the module; `wrong`: how many as it is; `name_old`: of these, the
        share that names an older digit of the letter; `by_chance`: the share that one
        of the nine wrong digits at random would.
    """
    asked = far_questions(pairs)
    wanted = torch.tensor([question.answer for question in asked])
    everyone = set(range(LETTERS))
    ways: dict[str, list[list[int]]] = {name: [] for name in ("is", "old", "others")}
    for seed, question in enumerate(asked):
        letter = question.tokens[-1] - FIRST_QUESTION
        ways["is"].append(question.tokens)
        ways["old"].append(without_items(question, {letter}, seed))
        ways["others"].append(without_items(question, everyone - {letter}, seed))
    said = {name: answers(model, sequences) for name, sequences in ways.items()}
    wrong = (said["is"] != wanted).nonzero().flatten().tolist()
    old = [int(said["is"][i]) in asked[i].before for i in wrong]
    chance = [len(asked[i].before) / (DIGITS - 1) for i in wrong]
    shares = {name: (a == wanted).float().mean().item() for name, a in said.items()}
    return {
        "questions": len(asked),
        "as_it_is": shares["is"],
        "without_old": shares["old"],
        "without_others": shares["others"],
        "wrong": len(wrong),
        "name_old": sum(old) / max(len(old), 1),
        "by_chance": sum(chance) / max(len(chance), 1),
    }


def measure_misled(
    *, seed: int, task: str, variant: str, steps: int, lr: float
) -> dict:
    """Train one model, no sequence twice, and ask what it misses.

    Returns:
        `right` as `windows.measure_windows`, and what `blame` does.
    """
    pairs = make_pairs(task, BATCH * steps, seed, mixed=True)
    set_seed(seed)
    model = build(variant)
    train(
        model,
        pairs,
        steps=steps,
        batch_size=BATCH,
        lr=lr,
        loss=tagging_loss,
        seed=seed,
        progress=False,
        device="cpu",
    )
    tests = make_pairs(task, TEST_SEQUENCES, 10_000 + seed)
    return {"right": right_by_distance(model, tests), **test_explanations(model, tests)}


RATES = (3e-3, 1e-2)
SETTINGS: list[dict] = [
    setting
    for task in TASKS
    for setting in grid(task=[task], variant=list(VARIANTS), steps=list(STEPS[task]))
]
STUDY = Study("misled", measure_misled, SETTINGS, RATES, run_with_most_right, threads=1)


if __name__ == "__main__":
    run_studies(__doc__, STUDY)
