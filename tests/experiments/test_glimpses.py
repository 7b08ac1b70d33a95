import pytest
import torch

from attnlab.experiments.glimpses import (
    KINDS,
    SETTINGS,
    SHAPES,
    STUDY,
    Looker,
    blurred_crop,
    crop,
    cut,
    images,
    loss_of,
    measure_glimpses,
    paste,
)
from attnlab.store import load, select


def centres(places):
    """The middle of each patch of the grid, row and column from −1 to 1."""
    pixels = torch.stack([places // 4, places % 4], dim=1) * 5 + 2.5
    return pixels / 20 * 2 - 1


def test_cut_and_paste_are_inverse():
    pictures = torch.randn(3, 20, 20)
    assert torch.equal(paste(cut(pictures)), pictures)


def test_the_shape_lies_in_the_patch_that_images_names():
    torch.manual_seed(0)
    pictures, labels, places = images(200)
    patches = cut(pictures)[torch.arange(200), places]  # (200, 25)
    fit = patches @ SHAPES.T - SHAPES.sum(dim=1) / 2  # (200, 4)
    assert (fit.argmax(dim=1) == labels).float().mean() > 0.9


def test_both_crops_at_the_middle_of_a_patch_are_that_patch():
    torch.manual_seed(0)
    pictures, _, places = images(8)
    patch = cut(pictures)[torch.arange(8), places]
    assert torch.equal(crop(pictures, centres(places)), patch)
    sharp = blurred_crop(
        pictures, centres(places), torch.tensor(1.0), torch.tensor(0.05)
    )
    torch.testing.assert_close(sharp, patch, atol=1e-4, rtol=0)


def test_a_crop_beyond_the_edge_is_dark_there():
    corner = crop(torch.ones(1, 20, 20), torch.tensor([[-1.0, -1.0]])).view(5, 5)
    assert corner[0, 0] == 0 and corner[-1, -1] == 1


def test_only_the_soft_crop_passes_a_gradient_to_its_place():
    pictures, centre = torch.randn(2, 20, 20), torch.zeros(2, 2, requires_grad=True)
    soft = blurred_crop(pictures, centre, torch.tensor(2.0), torch.tensor(1.0))
    assert soft.requires_grad
    assert not crop(pictures, centre).requires_grad


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("hard", [False, True])
def test_every_weight_learns(kind, hard):
    torch.manual_seed(0)
    model = Looker(kind, hard)
    pictures, labels, _ = images(16)
    loss_of(model, pictures, labels).backward()
    for name, weight in model.named_parameters():
        largest = weight.grad.abs().max()
        if (
            name == "score.bias"
        ):  # added to every score alike: a softmax does not feel it
            assert largest < 1e-6
        else:
            assert largest > 1e-5, name


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="kind"):
        Looker("sideways", False)


def test_a_small_run_beats_guessing():
    metrics = measure_glimpses(seed=0, kind="item", hard=False, steps=200, lr=0.01)
    assert metrics["accuracy"] > 0.6  # guessing: 0.25


def test_stored_runs_keep_the_margins_the_chapter_claims():
    for run in load("glimpses")["runs"]:
        setting = dict(run["setting"])
        assert setting.pop("lr") == STUDY.best_rate(**setting)
        metrics, blind = run["figures"], setting.get("blind", False)
        assert (metrics["found"] < 0.09) if blind else (metrics["found"] > 0.2)
        if not (blind and setting["hard"]):
            assert metrics["accuracy"] > 0.5


def test_every_way_is_stored_free_and_blind_in_five_seeds():
    results = load("glimpses")
    for setting in SETTINGS:
        setting = {"blind": None, **setting}  # the free ones are not said to be
        assert {run["seed"] for run in select(results, **setting)} == set(range(5))


@pytest.mark.parametrize("kind", KINDS)
def test_a_blind_looker_always_looks_at_the_same_place(kind):
    torch.manual_seed(0)
    model = Looker(kind, hard=False)
    model.blindfold()
    assert len(model.looks_at(images(50)[0]).unique()) == 1
    loss_of(model, *images(8)[:2]).backward()
    last = model.score if kind == "item" else model.place[2]
    assert all(parameter.grad is None for parameter in last.parameters())


def test_a_place_lies_in_the_patch_around_it():
    model = Looker("location", hard=True)
    every = torch.arange(16)
    for place, expected in zip(centres(every), every, strict=True):
        torch.nn.init.zeros_(model.place[2].weight)
        with torch.no_grad():
            model.place[2].bias.copy_(place.atanh())
        assert model.looks_at(images(3)[0]).tolist() == [expected.item()] * 3


def test_items_are_found_and_need_not_be():
    seeing, blind = (
        measure_glimpses(
            seed=7, kind="item", hard=False, steps=200, lr=0.01, blind=blind
        )
        for blind in (False, True)
    )
    assert seeing["found"] > 0.9 > 0.12 > blind["found"]
    assert min(seeing["accuracy"], blind["accuracy"]) > 0.9
