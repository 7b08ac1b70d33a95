"""What is particular to the exercises of chapter 4."""

import torch


def test_a_reshape_alone_is_told_from_a_split(said):
    def reshaped(x, h):
        return x.reshape(x.shape[0], h, x.shape[1], -1)

    assert "mixes the tokens" in said("4.2", reshaped)


def test_an_einsum_is_as_good_a_solution(said):
    def multi_head(x, W_Q, W_K, W_V, W_O, h):
        q, k, v = (
            torch.einsum("ni,ihd->hnd", x, W.unflatten(1, (h, -1)))
            for W in (W_Q, W_K, W_V)
        )
        scores = torch.einsum("hqd,hkd->hqk", q, k) / q.shape[-1] ** 0.5
        W_O = W_O.unflatten(0, (h, -1))
        return torch.einsum("hqk,hkd,hdm->qm", scores.softmax(-1), v, W_O)

    assert ": right" in said("4.4", multi_head)


def test_a_mistake_that_one_input_forbids_does_not_hide_what_is_wrong(said):
    def right_for_square_matrices(b_V, W_O, b_O):
        return b_V @ W_O + b_O if len(b_V) == len(b_O) else b_O

    assert "What comes out of all heads" in said("4.5", right_for_square_matrices)
