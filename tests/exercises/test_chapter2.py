"""What is particular to the exercises of chapter 2."""

import torch


def test_a_tensor_will_do_for_a_list(said):
    assert ": right" in said("2.1", torch.tensor([0.2, 0.3, 0.5]))
    assert "exponentials" in said("2.1", torch.tensor([2.0, 3.0, 5.0]))


def test_a_word_with_two_links_counts_once(said):
    def once_a_link(weights, links):
        return sum(int(weights[t].argmax()) != s for t, s in links) / len(links)

    assert "once per target word" in said("2.4", once_a_link)
