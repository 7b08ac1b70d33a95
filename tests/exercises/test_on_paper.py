"""Exercises without a function: what the chapter's question asks is what is checked.

The numbers are read from the question as it is printed, and the package computes the
answer from them.
"""

import math
import re
from pathlib import Path

import nbformat
import pytest
import torch

from attnlab import store
from attnlab.attention import MultiHeadAttention
from attnlab.complexity import layer_type
from attnlab.exercises.checking import find_exercise
from attnlab.hopfield import hebbian_weights
from attnlab.layers import EncoderLayer
from attnlab.linear_attention import delta_rule, linear_attention
from attnlab.positions import sinusoidal

BOOK = Path(__file__).parents[2] / "book"
NUMBER = r"-?\d+(?:,\d{3})*(?:\.\d+)?(?!\w)"
WORDS = {"two": "2", "three": "3", "four": "4", "five": "5", "third": "3"}


def question(number):
    """The text of an exercise, without its number and its minutes."""
    chapter = "\n\n".join(
        cell.source
        for path in sorted(BOOK.glob(f"{number.split('.')[0]:0>2}_*.ipynb"))
        for cell in nbformat.read(path, as_version=4).cells
    )
    (text,) = re.findall(
        rf"^\*\*{number}(?:\*\*)? \([^)]*\)\.?(?:\*\*)? (.+?)(?=\n\n|\Z)",
        chapter,
        flags=re.MULTILINE | re.DOTALL,
    )
    return text


def numbers(text):
    """The numbers in a text, those in words as well."""
    text = re.sub(r"\w+", lambda word: WORDS.get(word[0].lower(), word[0]), text)
    return [float(one.replace(",", "")) for one in re.findall(NUMBER, text)]


def whole_numbers(text):
    return [int(one) for one in numbers(text)]


def vectors(text):
    """What stands in brackets, such as (1, 2)."""
    found = re.findall(rf"\(({NUMBER}(?:, {NUMBER})+)\)", text)
    return [torch.tensor(numbers(one)) for one in found]


def count_parameters(module):
    return sum(weight.numel() for weight in module.parameters())


def heavier_key(text):
    query, *keys = vectors(text)
    assert len(keys) == 2
    keys = torch.stack(keys)
    winner = (keys @ query).argmax(), (keys - query).norm(dim=-1).argmin()
    product, distance = (("first", "second")[one] for one in winner)
    if product == distance:
        return f"the {product}, by either"
    return f"the {product} by the dot product, the {distance} by distance"


def masked_mean(text):
    count, *rest, masked = whole_numbers(text)
    scores, values = torch.tensor(rest).double().view(2, count)
    scores[masked - 1] = -math.inf
    return (scores.softmax(0) @ values).item()


def best_weight(text):
    assert "All scores are doubled" in text and "the best key" in text
    scores = torch.tensor([0.3, 1.0, -0.5])
    before, after = scores.softmax(0).max(), (2 * scores).softmax(0).max()
    return "it grows" if after > before else "it falls"


def weights_shape(text):
    batch, queries, keys, width, heads = whole_numbers(text)
    layer = MultiHeadAttention(width, heads)
    query, key = (torch.zeros(batch, n, width) for n in (queries, keys))
    return tuple(layer(query, key, key, need_weights=True)[1].shape)


def attention_parameters(text):
    width, heads = whole_numbers(text)[:2]
    assert "no biases" in text
    return count_parameters(MultiHeadAttention(width, heads, bias=False))


def layer_parameters(text):
    width, inner, _ = whole_numbers(text)
    assert "*one encoder layer*" in text and "all biases, two norms" in text
    return count_parameters(EncoderLayer(width, 8, inner))


def encoder_parameters(text):
    pieces, places, width, projections, inner, norms = whole_numbers(text)
    assert "six layers" in text and "one norm before" in text
    assert (projections, norms) == (4, 2)
    layer = count_parameters(EncoderLayer(width, 12, inner))
    return (pieces + places) * width + 2 * width + 6 * layer


def table_row(text):
    columns, base, row = whole_numbers(text)[:3]
    return sinusoidal(row + 1, columns, base=base)[row].tolist()


def flops(text):
    n, d = whole_numbers(text)
    assert "bare self-attention" in text
    return layer_type("attention").flops(n, d)


def decoder_input(text):
    (target,) = re.findall(r"\*(.+?)\*", text)
    return ["BOS", *target.split()]


def reads_with_larger_weights(text):
    assert "Keep its first weights" in text
    kept = store.select(store.load("multi30k"), init="separate")
    reading = [run for run in kept if run["figures"]["alike"][-1] < 0.5]
    (norm,) = {run["setting"]["norm"] for run in reading}
    return f"{norm}-norm"


def narrower_keys(text):
    heads, narrow, wide, width, layers = whole_numbers(text)
    attentions = layers + 2 * layers  # one in an encoder layer, two in a decoder layer
    return attentions * 2 * width * heads * (wide - narrow)


def one_run_of_each(text):
    eight, one = numbers(text)
    gap = f"{eight - one:.1f} BLEU"
    return f"In the runs that were made, eight heads scored {gap} more than one."


def turned_energy(text):
    pattern, spins = vectors(text)
    assert whole_numbers(text)[0] == len(pattern)
    return (-0.5 * spins @ hebbian_weights(pattern[None]) @ spins).item()


def read_back(text):
    first, other, *rest = vectors(text)
    keys, values = torch.stack([first, rest[0]]), torch.stack([other, rest[1]])
    assert "What does the first key read" in text and "$\\beta = 1$" in text
    states = (
        linear_attention(keys, keys, values)[1],
        delta_rule(keys, keys, values, torch.ones(2))[1],
    )
    return [number for state in states for number in (first @ state).tolist()]


def words_to_outgrow(text):
    layers, heads, width, rows, columns = whole_numbers(text)
    of_a_word, of_the_states = 2 * width, rows * columns
    return of_the_states * layers * heads // (of_a_word * layers * heads) + 1


def halving_beta(text):
    d, writes = whole_numbers(text)
    assert "keep half of a pair" in text
    return d * (1 - 0.5 ** (1 / writes))


ANSWERS = {
    "1.8": lambda text: math.prod(numbers(text)[1:]),
    "2.1": lambda text: torch.tensor(numbers(text)[1:]).log().softmax(0).tolist(),
    "2.9": heavier_key,
    "3.1": masked_mean,
    "3.9": best_weight,
    "4.1": attention_parameters,
    "4.10": weights_shape,
    "5.1": table_row,
    "6.1": flops,
    "7.1": layer_parameters,
    "7.8": decoder_input,
    "7.11": reads_with_larger_weights,
    "7.12": narrower_keys,
    "7.14": one_run_of_each,
    "9.1": turned_energy,
    "10.1": encoder_parameters,
    "11.1": read_back,
    "11.2": words_to_outgrow,
    "11.3": halving_beta,
}


def test_paper_exercises_are_all_computed_here():
    boxes = "".join(path.read_text("utf-8") for path in BOOK.glob("[0-9]*.ipynb"))
    assert sorted(set(re.findall(r'\bExercise\(\\"(\d+\.\d+)', boxes))) == sorted(
        ANSWERS
    )


def contains_answer(hint, answer):
    """Whether a hint has the answer in it, word by word or number by number."""
    if isinstance(answer, list | tuple):
        return all(contains_answer(hint, one) for one in answer)
    if isinstance(answer, str):
        return answer in hint
    told = numbers(hint.replace("−", "-"))
    return any(math.isclose(one, answer, rel_tol=1e-4) for one in told)


@pytest.mark.parametrize("number", ANSWERS)
def test_paper_answer_is_right_and_in_no_hint(verdict, number):
    answer = ANSWERS[number](question(number))
    assert verdict(number, answer) == f"Exercise {number}: right.\n"
    if isinstance(answer, int):  # a count is right to the last
        assert "the numbers differ" in verdict(number, answer + 1)
    exercise = find_exercise(number)
    hints = [exercise.hint, *exercise.mistakes]
    assert [hint for hint in hints if contains_answer(hint, answer)] == []
