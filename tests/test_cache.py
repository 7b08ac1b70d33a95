"""What decoding keeps: copies do not disturb each other.

That it holds all that was read is in `test_incremental_decoding`.
"""

import torch

from attnlab.cache import Cache, LayerCache


def some(count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Keys and values of so many tokens, for two sentences and three heads."""
    return tuple(torch.randn(2, 2, 3, count, 4))


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
