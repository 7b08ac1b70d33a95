import pytest
import torch

from attnlab.experiments.glimpses import (
    KINDS,
    SHAPES,
    GlimpseModel,
    blurred_crop,
    crop,
    cut,
    images,
    loss_of,
)


def test_glimpse_images_place_shape_in_named_patch():
    torch.manual_seed(0)
    pictures, labels, places = images(200)
    patches = cut(pictures)[torch.arange(200), places]  # (200, 25)
    fit = patches @ SHAPES.T - SHAPES.sum(dim=1) / 2  # (200, 4)
    assert (fit.argmax(dim=1) == labels).float().mean() > 0.9


def test_glimpse_crop_gradient_exists_only_for_soft_crop():
    pictures, centre = torch.randn(2, 20, 20), torch.zeros(2, 2, requires_grad=True)
    soft = blurred_crop(pictures, centre, torch.tensor(2.0), torch.tensor(1.0))
    assert soft.requires_grad
    assert not crop(pictures, centre).requires_grad


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("hard", [False, True])
def test_glimpse_weights_get_gradients(kind, hard):
    torch.manual_seed(0)
    model = GlimpseModel(kind, hard)
    loss_of(model, *images(16)[:2]).backward()
    largest = {name: p.grad.abs().max() for name, p in model.named_parameters()}
    assert largest.pop("score.bias", 0) < 1e-6  # it is added to every score alike
    assert min(largest.values()) > 1e-5


@pytest.mark.parametrize("kind", KINDS)
def test_ignore_input_fixes_attended_position(kind):
    torch.manual_seed(0)
    model = GlimpseModel(kind, hard=False)
    model.ignore_input()
    assert len(model.attended_position(images(50)[0]).unique()) == 1
    loss_of(model, *images(8)[:2]).backward()
    last = model.score if kind == "item" else model.place[2]
    assert all(parameter.grad is None for parameter in last.parameters())
