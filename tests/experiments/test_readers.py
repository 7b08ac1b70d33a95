"""Readers and writers of numerals: what each is asked, and what each writes."""

import torch

from attnlab.experiments.readers import (
    BLANK,
    STEPS,
    fill,
    hide_each,
    is_numeral,
    words_of,
    write,
)
from attnlab.store import metrics
from attnlab.tokens import BOS, EOS, PAD


def test_hide_each_asks_for_every_word_once_and_shows_the_others():
    words = words_of(2_487)
    examples = hide_each(2_487)
    assert len(examples) == len(words)
    for place, (read, said) in enumerate(examples):
        assert read == [*words[:place], BLANK, *words[place + 1 :], EOS]
        assert said == [PAD] * place + [words[place]] + [PAD] * (len(words) - place)


def test_write_and_fill_say_what_a_sure_model_says():
    words = torch.tensor(words_of(2_487))

    def continue_it(ids):  # sure of the next word
        spoken = torch.cat([words, torch.tensor([EOS])])[: ids.shape[1]]
        return 100 * torch.eye(BLANK + 1)[spoken].expand(len(ids), -1, -1)

    assert write(continue_it, 3)[0] == words.tolist() and is_numeral(words.tolist())
    assert fill(continue_it, [len(words)]) == [words.tolist()]
    assert not is_numeral(words.flip(0).tolist()) and BOS not in words


def test_readers_stored_writer_is_ahead_at_equal_steps():
    share = {
        kind: [run["numerals"] for run in metrics("readers", kind=kind)]
        for kind in STEPS
    }
    assert all(len(seeds) == 5 for seeds in share.values())
    assert min(share["writer"]) > max(share["reader"])
