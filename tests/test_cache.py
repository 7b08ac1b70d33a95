"""What decoding keeps: it grows, and copies do not disturb each other."""

import torch

from attnlab.cache import FIRST_ROOM, Cache, LayerCache


def some(count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Keys and values of so many tokens, for two sentences and three heads."""
    return tuple(torch.randn(2, 2, 3, count, 4))


def test_it_returns_all_that_was_appended():
    torch.manual_seed(0)
    cache, keys, values = LayerCache(), [], []
    for count in (1, 3, FIRST_ROOM, 1, 2 * FIRST_ROOM):
        new = some(count)
        keys.append(new[0])
        values.append(new[1])
        found = cache.extend(*new)
        assert torch.equal(found[0], torch.cat(keys, 2))
        assert torch.equal(found[1], torch.cat(values, 2))
        assert cache.length == found[0].shape[2]


def test_memory_is_taken_ahead_and_used():
    cache = LayerCache()
    cache.extend(*some(1))
    first = cache.self_kv.keys.data_ptr()
    for _ in range(FIRST_ROOM - 1):
        cache.extend(*some(1))
        assert cache.self_kv.keys.data_ptr() == first
    cache.extend(*some(1))
    assert cache.self_kv.keys.shape[2] == 2 * FIRST_ROOM


def test_copies_go_on_by_themselves():
    torch.manual_seed(0)
    start, one, other, third = some(2), some(1), some(1), some(1)
    cache = Cache([LayerCache()])
    cache.layers[0].extend(*start)
    real = [[True, True], [True, False]]
    cache.read(torch.tensor(real))
    copies = [cache.copy() for _ in range(2)]
    first, _ = copies[0].layers[0].extend(*one)
    second, _ = copies[1].layers[0].extend(*other)
    first_again, _ = copies[0].layers[0].extend(*third)
    assert torch.equal(first, torch.cat([start[0], one[0]], 2))
    assert torch.equal(second, torch.cat([start[0], other[0]], 2))
    assert torch.equal(first_again, torch.cat([start[0], one[0], third[0]], 2))
    assert cache.layers[0].length == 2
    copies[0].read(torch.tensor([[True], [True]]))
    assert copies[0].real.tolist() == [[True, True, True], [True, False, True]]
    assert all(c.real.tolist() == real and c.length == 2 for c in (cache, copies[1]))


def test_going_on_without_gradients_leaves_those_before_alone():
    cache = LayerCache()
    keys, values = (x.requires_grad_() for x in some(2))
    found, _ = cache.extend(keys, values)
    loss = (found**2).sum()  # keeps what was found for the backward pass
    with torch.no_grad():
        cache.extend(*some(1))
    loss.backward()
    torch.testing.assert_close(keys.grad, 2 * keys.detach())


def test_cache_read_returns_the_mask_of_all_tokens():
    cache = Cache([])
    assert cache.read(torch.tensor([[True], [True]])).tolist() == [[[True]], [[True]]]
    assert cache.read(torch.tensor([[True], [False]])).tolist() == [
        [[True, True]],
        [[True, False]],
    ]
    assert cache.read(torch.tensor([[True], [True]])).shape == (2, 1, 3)
    assert cache.length == 3


def test_reordered_it_belongs_to_other_sentences():
    torch.manual_seed(0)
    cache = Cache([LayerCache(cross_kv=some(3))])
    keys, values = some(2)
    cache.layers[0].extend(keys, values)
    cache.read(torch.tensor([[True, True], [True, False]]))
    swapped = cache.reorder(torch.tensor([1, 0, 1]))
    new = tuple(torch.randn(2, 3, 3, 1, 4))
    found, _ = swapped.layers[0].extend(*new)
    assert torch.equal(found, torch.cat([keys[[1, 0, 1]], new[0]], 2))
    new_kv, old_kv = (c.layers[0].cross_kv for c in (swapped, cache))
    for new, old in zip(new_kv, old_kv, strict=True):
        assert torch.equal(new, old[[1, 0, 1]])
    assert swapped.real.tolist() == [[True, False], [True, True], [True, False]]
