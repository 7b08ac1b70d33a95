"""Start models from weights that are moved by a rounding error's worth.

Another processor rounds in other places, and training blows the difference up. What
the book prints must come out the same all the same, so `machines.py` runs chapters
and tests from weights that are moved a little. It loads this module into Jupyter
kernels as a start-up file, and into pytest as a plugin.

`MOVED_WEIGHTS` holds the seed of the moves; without it nothing is moved.
`HELD_THREADS` holds the number of threads that torch keeps, whatever a chapter asks;
tests may ask for their own.
"""

import functools
import os
import zlib
from collections.abc import Callable

import torch
from torch import Tensor, nn

RELATIVE_CHANGE = 1e-6  # of each weight; a rounding error in float32 is 6e-8
DRAWS = [
    "kaiming_normal_",
    "kaiming_uniform_",
    "normal_",
    "orthogonal_",
    "trunc_normal_",
    "uniform_",
    "xavier_normal_",
    "xavier_uniform_",
]


def perturb(weights: Tensor, seed: int) -> None:
    """Multiply each entry, whatever the shape, by 1 ± `RELATIVE_CHANGE`, in place.

    Two equal tensors are moved alike, since tests compare models of one seed; and the
    global random numbers stay as they are.
    """
    if weights.is_meta:  # made to be counted, there is nothing to move
        return
    values = weights.detach().float().cpu().contiguous()
    own = torch.Generator().manual_seed(zlib.crc32(values.numpy().tobytes(), seed))
    signs = torch.randint(0, 2, values.shape, generator=own) * 2 - 1
    with torch.no_grad():
        weights.mul_((1 + RELATIVE_CHANGE * signs).to(weights))


def perturb_draws(draw: Callable[..., Tensor], seed: int) -> Callable[..., Tensor]:
    """One of torch's initialisers, followed by `perturb`."""

    @functools.wraps(draw)
    def draw_and_move(tensor: Tensor, *args: object, **options: object) -> Tensor:
        draw(tensor, *args, **options)
        perturb(tensor, seed)
        return tensor

    return draw_and_move


def start() -> None:
    """Do what the environment asks for."""
    if threads := os.environ.get("HELD_THREADS"):
        torch.set_num_threads(int(threads))
        torch.set_num_threads = lambda nthreads: None
    if seed := os.environ.get("MOVED_WEIGHTS"):
        for name in DRAWS:
            setattr(nn.init, name, perturb_draws(getattr(nn.init, name), int(seed)))


start()
